package proxies_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// fleet are connected proxies of a mesh. Proxy nack rejects new listeners while rejecting,
// proxy slow does not answer while blocked, proxy offline is not connected.
type fleet struct {
	cp        *oracle.Site
	mu        sync.Mutex
	connected map[string]*proxies.Proxy
	addresses map[string]string
	rejecting atomic.Bool
	blocked   atomic.Pointer[chan struct{}] // closed when slow may answer
}

// api is a service with one instance, of which all proxies of the fleet are clients.
const api = `
{type: MeshService, mesh: m, name: api, labels: {app: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 9000, appProtocol: http}]}}
`

// instance returns the instance of the service, with another address in each run.
func instance(run int) string {
	return fmt.Sprintf("{type: Dataplane, mesh: m, name: api-1, labels: {app: api}, networking: {address: 127.1.%d.%d, inbound: [{port: 9000, protocol: http, tags: {kuma.io/service: api}}]}}", run/250, 1+run%250)
}

// clientOfAPI is a Dataplane with an outbound to the service.
func clientOfAPI(name string, n int) string {
	return strings.TrimRight(dataplane(name, n), "\n") + "\n  outbound: [{port: 11000, backendRef: {kind: MeshService, name: api, port: 80}}]\n"
}

func newFleet(t *testing.T, cp *oracle.Site, n int) *fleet {
	t.Helper()
	f := &fleet{cp: cp, connected: map[string]*proxies.Proxy{}, addresses: map[string]string{}}
	names := []string{"offline", "nack", "slow", "leaver"}
	for i := len(names); i < n; i++ {
		names = append(names, fmt.Sprintf("p%d", i))
	}
	store(t, cp, plainMesh, api, instance(0), timeout("3s"))
	for i, name := range names {
		store(t, cp, clientOfAPI(name, i))
		f.addresses[name] = fmt.Sprintf("127.0.%d.%d", i/250, 1+i%250)
	}
	err := oracle.Each(t.Context(), oracle.Requests, names[1:], func(ctx context.Context, name string) error {
		return f.connect(ctx, name)
	})
	testworld.NoError(t, err)
	t.Cleanup(func() {
		for _, p := range f.connected {
			_ = p.Close()
		}
	})
	return f
}

func (f *fleet) connect(ctx context.Context, name string) error {
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	p, err := proxies.Connect(limited, f.cp, proxies.Options{Mesh: "m", Dataplane: name, Answer: func(ctx context.Context, r proxies.Response) error {
		if blocked := f.blocked.Load(); name == "slow" && blocked != nil {
			select {
			case <-*blocked:
			case <-ctx.Done():
			}
		}
		if name == "nack" && r.Type == envoy.Listeners && f.rejecting.Load() {
			return errors.New("no socket for the listener")
		}
		return nil
	}})
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.connected[name] = p
	return nil
}

// has reports whether a proxy has a timeout of requests.
func (f *fleet) has(t *testing.T, name string, request time.Duration) bool {
	t.Helper()
	return requestTimeout(t, f.connected[name], f.addresses[name]) == request
}

func (f *fleet) read(ctx context.Context) (rollout.Reading, error) {
	found, at, err := proxiesOf(ctx, f.cp)
	var ours []rollout.Proxy
	for _, p := range found {
		if f.addresses[p.Name] != "" {
			ours = append(ours, p)
		}
	}
	return rollout.Reading{At: at, Proxies: ours}, err
}

// change writes a new timeout and returns the change, of which all proxies are told.
func (f *fleet) change(t *testing.T, request time.Duration) rollout.Change {
	t.Helper()
	store(t, f.cp, timeout(request.String()))
	r, err := f.cp.Client.Get(t.Context(), kinds.MeshTimeout, "m", "in")
	testworld.NoError(t, err)
	delays, err := f.cp.Client.Delays(t.Context())
	testworld.NoError(t, err)
	c := rollout.Change{First: r.ModificationTime, Last: r.ModificationTime, Delay: 3*delays.Configuration + delays.Overview + 2*time.Second, Expected: map[string]bool{}}
	for name := range f.addresses {
		c.Expected[name] = true
	}
	return c
}

// green reports whether all proxies have answered everything: the naive condition.
func green(now rollout.Reading) bool {
	for _, p := range now.Proxies {
		if p.Connected && (p.Responses.Total.Pending() > 0 || p.Responses.Total.Rejected > 0) {
			return false
		}
	}
	return true
}

// TestRollout changes PROXIES proxies ROLLOUTS times, while endpoints change as well. A
// proxy counts as having a change only if it has, and those that reject it, do not answer
// or are not connected are found.
func TestRollout(t *testing.T) {
	if os.Getenv("KUMA_CP") != "" && os.Getenv("FLUSH") != "" {
		t.Setenv("KUMA_XDS_SERVER_DATAPLANE_STATUS_FLUSH_INTERVAL", os.Getenv("FLUSH"))
	}
	cp := start(t)
	f := newFleet(t, cp, setting(t, "PROXIES", 50))
	naive := 0
	for run := range setting(t, "ROLLOUTS", 1) {
		request := time.Duration(4+run%50) * time.Second
		store(t, cp, instance(run+1))
		c := f.change(t, request)
		first, err := f.read(t.Context())
		testworld.NoError(t, err)
		if green(first) {
			for name := range f.connected {
				if !f.has(t, name, request) {
					naive++
					break
				}
			}
		}
		progress := rollout.NewProgress(c)
		progress.Read(first)
		begin, deadline := time.Now(), time.Now().Add(time.Minute)
		got, err := progress.Follow(t.Context(), true, f.read, func(ctx context.Context, r rollout.Result) bool {
			for _, p := range r.Proxies[rollout.Acknowledged] {
				if !f.has(t, p.Name, request) {
					t.Errorf("run %d: %s does not have the change", run, p.Name)
				}
			}
			time.Sleep(time.Second)
			return time.Now().Before(deadline)
		})
		testworld.NoError(t, err)
		if !got.Complete() || len(got.Proxies[rollout.Acknowledged]) != len(f.connected) || len(got.Proxies[rollout.Disconnected]) != 1 {
			t.Errorf("run %d: %s", run, got.Summary())
		}
		for name := range f.connected {
			if !f.has(t, name, request) {
				t.Errorf("run %d: the rollout is complete, and %s does not have the change", run, name)
			}
		}
		t.Logf("run %d: %.1f s", run, time.Since(begin).Seconds())
	}
	last, err := f.read(t.Context())
	testworld.NoError(t, err)
	t.Logf("responses to one proxy: %+v", last.Proxies[0].Responses)
	t.Logf("all had answered everything right after the write, and one did not have the change: %d times", naive)
	f.fail(t)
}

// fail changes proxies of which one rejects the change, one does not answer, one is
// offline, and one goes away.
func (f *fleet) fail(t *testing.T) {
	t.Helper()
	f.rejecting.Store(true)
	unblock := make(chan struct{})
	f.blocked.Store(&unblock)
	progress := rollout.NewProgress(f.change(t, time.Minute))
	begin := time.Now()
	got, err := progress.Follow(t.Context(), false, f.read, func(_ context.Context, r rollout.Result) bool {
		if leaver := f.connected["leaver"]; time.Since(begin) > 3*time.Second && leaver != nil {
			delete(f.connected, "leaver")
			_ = leaver.Close()
		}
		time.Sleep(time.Second)
		return time.Since(begin) < 25*time.Second
	})
	testworld.NoError(t, err)
	t.Logf("%.1f s:\n%s", time.Since(begin).Seconds(), got.Summary())
	for o, want := range map[rollout.Outcome]string{rollout.Rejected: "[nack]", rollout.Pending: "[slow]", rollout.Disconnected: "[leaver offline]", rollout.NotSent: "[]"} {
		if names := fmt.Sprint(got.Names(o)); names != want {
			t.Errorf("%s: %s, want %s", o, names, want)
		}
	}
	close(unblock)
	got, err = progress.Follow(t.Context(), true, f.read, func(context.Context, rollout.Result) bool { return false })
	if err != nil || fmt.Sprint(got.Names(rollout.Rejected)) != "[nack]" {
		t.Errorf("the rollout stops at the rejection of %v, error %v", got.Names(rollout.Rejected), err)
	}
}

// TestRolloutOfFrozenProxies changes proxies for which the control plane cannot generate a
// configuration: they get nothing, no response is counted, and the change is not sent.
func TestRolloutOfFrozenProxies(t *testing.T) {
	t.Setenv("KUMA_XDS_SERVER_DATAPLANE_STATUS_FLUSH_INTERVAL", "1s")
	cp := start(t)
	f := newFleet(t, cp, 6)
	store(t, cp, strings.ReplaceAll(httpRoute("r", rule(path("Exact", "/x"),
		`filters: [{type: RequestRedirect, requestRedirect: {}}, {type: RequestMirror, requestMirror: {backendRef: {kind: MeshService, labels: {app: api}, port: 80}}}]`)), "MESH", "m"))
	var failed *controlplane.ServerError
	err := oracle.Until(t.Context(), 20*time.Second, time.Second/2, "the failure", func(ctx context.Context) (bool, error) {
		begin := time.Now()
		_, err := cp.Client.ProxyConfig(ctx, "m", "p4", false)
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("the request took %v", took)
		}
		return errors.As(err, &failed), nil
	})
	testworld.NoError(t, err)
	progress := rollout.NewProgress(f.change(t, 4*time.Second))
	store(t, cp, instance(1))
	begin := time.Now()
	got, err := progress.Follow(t.Context(), true, f.read, func(context.Context, rollout.Result) bool {
		time.Sleep(time.Second)
		return time.Since(begin) < 15*time.Second
	})
	if err != nil || len(got.Proxies[rollout.NotSent]) != len(f.connected) || got.Complete() {
		t.Errorf("error %v\n%s", err, got.Summary())
	}
	t.Log(failed, "\n", got.Summary())
}
