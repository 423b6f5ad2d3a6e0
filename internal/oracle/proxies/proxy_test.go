package proxies_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

const plainMesh = `
type: Mesh
name: m
skipCreatingInitialPolicies: ["*"]
meshServices: {mode: Exclusive}
`

// dataplane is an HTTP service with an outbound to itself.
func dataplane(name string, n int) string {
	return fmt.Sprintf(`
type: Dataplane
mesh: m
name: %s
labels: {app: %[1]s}
networking:
  address: 127.0.%[2]d.%[3]d
  inbound: [{port: 9000, name: main, protocol: http, tags: {kuma.io/service: %[1]s, kuma.io/protocol: http}}]
`, name, n/250, 1+n%250)
}

// timeout is a policy that changes the listeners of all proxies.
func timeout(request string) string {
	return "{type: MeshTimeout, mesh: m, name: in, spec: {rules: [{default: {http: {requestTimeout: " + request + "}}}]}}"
}

// requestTimeout returns the timeout of the inbound of a proxy.
func requestTimeout(t *testing.T, p *proxies.Proxy, address string) time.Duration {
	t.Helper()
	config, err := p.Accepted()
	testworld.NoError(t, err)
	a, err := config.Receive(envoy.Host{Address: address, Port: 9000}, envoy.Request{Method: "GET", Path: "/"})
	testworld.NoError(t, err)
	return a.Timeouts.Request
}

// variants are the two variants of the protocol.
var variants = map[string]bool{"delta": false, "state of the world": true}

func TestProxyFollowsChanges(t *testing.T) {
	cp := start(t)
	for name, all := range variants {
		t.Run(name, func(t *testing.T) {
			store(t, cp, plainMesh, dataplane("web", 0), timeout("3s"))
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
			defer cancel()
			p, err := proxies.Connect(ctx, cp, proxies.Options{Mesh: "m", Dataplane: "web", StateOfTheWorld: all})
			if all && cp.Info.Release.Kuma3() { // proxies.md §1
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Kuma 3.0 serves the state of the world: %v", err)
				}
				return
			}
			testworld.NoError(t, err)
			defer p.Close()
			for _, request := range []time.Duration{4 * time.Second, 5 * time.Second} {
				store(t, cp, timeout(request.String()))
				if err := p.Await(ctx, func() bool { return requestTimeout(t, p, "127.0.0.1") == request }); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestProxyRejects(t *testing.T) {
	cp := start(t)
	for name, all := range variants {
		if all && cp.Info.Release.Kuma3() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			store(t, cp, plainMesh, dataplane("web", 0), timeout("3s"))
			var rejecting atomic.Bool
			p, err := proxies.Connect(t.Context(), cp, proxies.Options{Mesh: "m", Dataplane: "web", StateOfTheWorld: all, Answer: func(_ context.Context, r proxies.Response) error {
				if rejecting.Load() && r.Type == envoy.Listeners {
					return errors.New("no socket for the listener")
				}
				return nil
			}})
			testworld.NoError(t, err)
			defer p.Close()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			set := func(request time.Duration) {
				t.Helper()
				store(t, cp, timeout(request.String()))
				testworld.NoError(t, p.Await(ctx, func() bool { return requestTimeout(t, p, "127.0.0.1") == request }))
			}
			set(4 * time.Second)
			rejecting.Store(true)
			store(t, cp, timeout("5s"))
			testworld.NoError(t, p.Await(ctx, func() bool { return p.Responses(envoy.Listeners).Rejected > 0 }))
			if err := oracle.Until(ctx, time.Minute, time.Second, "the rejection in the overview", rejectionsOf(cp, "web")); err != nil {
				t.Error(err)
			}
			if got := requestTimeout(t, p, "127.0.0.1"); got != 4*time.Second {
				t.Errorf("the timeout after a rejection is %v", got)
			}
			t.Logf("responses with listeners: %+v", p.Responses(envoy.Listeners))
			rejecting.Store(false)
			set(6 * time.Second)
		})
	}
}

// rejectionsOf returns a condition: the overview of a Dataplane counts rejections.
func rejectionsOf(cp *oracle.Site, name string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		return slices.ContainsFunc(subscriptions(ctx, cp, name), func(s object) bool {
			n := tree.Text(tree.Object(tree.Object(s["status"])["lds"])["responsesRejected"])
			return n != "" && n != "0"
		}), nil
	}
}

// subscriptions returns the connections of a proxy as the control plane knows them.
func subscriptions(ctx context.Context, cp *oracle.Site, name string) []object {
	answer, _ := cp.Inspect(ctx, "m", name, "_overview")
	return tree.Objects(tree.Object(tree.Object(answer)["dataplaneInsight"])["subscriptions"])
}

// TestSlowProxy shows that a proxy that does not answer keeps its configuration, and
// that Close ends the wait.
func TestSlowProxy(t *testing.T) {
	cp := start(t)
	store(t, cp, plainMesh, dataplane("web", 0), timeout("3s"))
	blocked := make(chan struct{})
	seen := 0
	p, err := proxies.Connect(t.Context(), cp, proxies.Options{Mesh: "m", Dataplane: "web", Answer: func(ctx context.Context, r proxies.Response) error {
		if r.Type == envoy.Listeners {
			if seen++; seen > 1 {
				close(blocked)
				<-ctx.Done()
			}
		}
		return nil
	}})
	testworld.NoError(t, err)
	store(t, cp, timeout("4s"))
	<-blocked
	if got := requestTimeout(t, p, "127.0.0.1"); got != 3*time.Second {
		t.Errorf("the timeout of a proxy that does not answer is %v", got)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	store(t, cp, timeout("5s"))
	err = oracle.Until(t.Context(), time.Minute, time.Second, "the end of the subscription", func(ctx context.Context) (bool, error) {
		return slices.ContainsFunc(subscriptions(ctx, cp, "web"), func(s object) bool { return s["disconnectTime"] != nil }), nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestManyProxies connects PROXIES proxies, 100 by default, and changes all of them.
func TestManyProxies(t *testing.T) {
	cp := start(t)
	n := setting(t, "PROXIES", 100)
	documents := []string{plainMesh, timeout("3s")}
	for i := range n {
		documents = append(documents, dataplane(fmt.Sprintf("p%d", i), i))
	}
	store(t, cp, documents...)
	before, begin := memory(), time.Now()
	connected := make([]*proxies.Proxy, n)
	indexes := make([]int, n)
	for i := range indexes {
		indexes[i] = i
	}
	err := oracle.Each(t.Context(), oracle.Requests, indexes, func(ctx context.Context, i int) (err error) {
		connected[i], err = proxies.Connect(ctx, cp, proxies.Options{Mesh: "m", Dataplane: fmt.Sprintf("p%d", i)})
		return err
	})
	testworld.NoError(t, err)
	first := time.Since(begin)
	t.Logf("%d proxies connected within %.1f s, with %.1f MB", n, first.Seconds(), float64(memory()-before)/1e6)
	begin = time.Now()
	store(t, cp, timeout("4s"))
	for i, p := range connected {
		address := fmt.Sprintf("127.0.%d.%d", i/250, 1+i%250)
		testworld.NoError(t, p.Await(t.Context(), func() bool { return requestTimeout(t, p, address) == 4*time.Second }))
	}
	t.Logf("%d proxies have a change within %.1f s", n, time.Since(begin).Seconds())
	for _, p := range connected {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// memory returns the bytes of the heap in use.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) //nolint:gosec // far below
}
