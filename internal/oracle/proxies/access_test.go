package proxies_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestAccess compares, in random worlds, the decision on every proxy at every inbound, and
// the policy that decides, with the configuration of both proxies, when it is complete and
// again 12 s later. KUMA_CP is the path of a kuma-cp, WORLDS the number of worlds, and SEED
// that of the first one.
func TestAccess(t *testing.T) {
	began, cp := time.Now(), start(t)
	worlds, first := setting(t, "WORLDS", 40), setting(t, "SEED", 1)
	var mu sync.Mutex
	counts := map[string]int{}
	t.Run("worlds", func(t *testing.T) {
		for i := range worlds {
			w := newAccessWorld(uint64(first+i), cp.Info.Release.Kuma3()) //nolint:gosec // not negative
			t.Run(w.mesh, func(t *testing.T) {
				t.Parallel()
				found := w.compare(t, cp)
				mu.Lock()
				defer mu.Unlock()
				for kind, n := range found {
					counts[kind] += n
				}
			})
		}
	})
	t.Logf("compared: %v", counts)
	total := 0
	for _, n := range counts {
		total += n
	}
	recordResult(t, cp, began, fmt.Sprintf("make proxies WORLDS=%d SEED=%d # TestAccess", worlds, first), fmt.Sprintf("%d decisions of inbounds", total))
	for _, kind := range []proxy.Verdict{proxy.Allowed, proxy.Denied, proxy.Unchecked, proxy.Plaintext, proxy.NoCertificate, proxy.NoConfiguration} {
		if counts[string(kind)] == 0 && worlds >= 40 {
			t.Errorf("no world has a case of %q", kind)
		}
	}
}

// compare returns how often each verdict was compared.
func (w *accessWorld) compare(t *testing.T, cp *oracle.Site) map[string]int {
	t.Helper()
	d := oracle.Deployment{Sites: []*oracle.Site{cp}}
	if rejected, err := d.Store(t.Context(), d.Writes(w.resources)); err != nil || len(rejected) > 0 {
		t.Fatal(rejected, err)
	}
	stored := withIdentities(t, cp, w.mesh)
	snapshot := rules.NewSnapshotFor(cp.Info.Release, stored)
	decisions, err := proxy.New(snapshot, w.mesh)
	testworld.NoError(t, err)
	c := accessComparison{accessWorld: w, decisions: decisions, snapshot: snapshot, connected: map[string]*proxies.Proxy{}}
	for _, r := range stored {
		if r.Type != kuma.KindDataplane {
			continue
		}
		testworld.NoError(t, c.connect(t, cp, r.Name))
	}
	for i := range 2 {
		err := oracle.Until(t.Context(), 120*time.Second, 2*time.Second, "the expected configuration", func(ctx context.Context) (bool, error) {
			if err := c.all(ctx); err != nil {
				c.differences = append(c.differences, err.Error())
			}
			return len(c.differences) == 0, c.reconnect(t, cp)
		})
		if err != nil {
			t.Errorf("%v:\n%s", err, strings.Join(c.differences, "\n"))
			break
		}
		if i == 0 {
			testworld.NoError(t, oracle.Pause(t.Context(), 12*time.Second))
		}
	}
	return c.counts
}

// withIdentities returns what is stored in a mesh when it is known which MeshIdentities issue certificates. A proxy
// that connects earlier is treated as one without an identity.
func withIdentities(t *testing.T, cp *oracle.Site, mesh string) (stored []kuma.Resource) {
	t.Helper()
	stored, err := awaitIdentities(t.Context(), cp, mesh, settles)
	testworld.NoError(t, err)
	return stored
}

// awaitIdentities returns the same, or what is stored after a while.
func awaitIdentities(ctx context.Context, cp *oracle.Site, mesh string, limit time.Duration) (stored []kuma.Resource, err error) {
	err = oracle.Until(ctx, limit, time.Second/2, "the MeshIdentities", func(ctx context.Context) (bool, error) {
		now, err := cp.Stored(ctx, mesh)
		if err != nil { // the limit can end a request
			return false, err
		}
		stored = now
		snapshot := rules.NewSnapshotFor(cp.Info.Release, stored)
		ready := true
		for _, r := range snapshot.Resources(mesh, kinds.MeshIdentity.Name) {
			decided := slices.ContainsFunc(tree.Objects(tree.Object(r.Reported["status"])["conditions"]), func(c object) bool {
				return c["type"] == "Ready" && (c["status"] == "True" || time.Since(r.ModificationTime) > 5*time.Second)
			})
			ready = ready && (decided || !snapshot.Exclusive(mesh))
		}
		return ready, nil
	})
	return stored, err
}

// accessComparison compares the decisions in one world.
type accessComparison struct {
	*accessWorld
	decisions   *proxy.Mesh
	snapshot    *rules.Snapshot
	connected   map[string]*proxies.Proxy
	counts      map[string]int
	differences []string
	failures    int // comparisons with differences
}

func (c *accessComparison) connect(t *testing.T, cp *oracle.Site, name string) error {
	t.Helper()
	workload := c.snapshot.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: c.mesh, Name: name}).Labels[kuma.LabelWorkload]
	p, err := proxies.Start(t.Context(), cp, proxies.Options{Mesh: c.mesh, Dataplane: name, Workload: workload})
	if err != nil {
		return err
	}
	t.Cleanup(func() { _ = p.Close() })
	c.connected[name] = p
	return nil
}

// reconnect connects proxies again that came before the control plane had noticed that the MeshIdentity
// was ready: those that should get no configuration and got one, and all of them, once, if differences remain.
func (c *accessComparison) reconnect(t *testing.T, cp *oracle.Site) error {
	t.Helper()
	if len(c.differences) > 0 {
		c.failures++
	}
	all := c.failures == 15
	for name, p := range c.connected {
		if early := c.decisions.Client(name).Broken != nil && p.Responses(envoy.Listeners).Accepted > 0; !early && !all {
			continue
		}
		if err := errors.Join(p.Close(), c.connect(t, cp, name)); err != nil {
			return err
		}
	}
	return nil
}

func (c *accessComparison) all(ctx context.Context) error {
	c.differences, c.counts = nil, map[string]int{}
	configs := envoy.Mesh{}
	for name, p := range c.connected {
		broken := c.decisions.Client(name).Broken != nil
		config, err := c.configuration(ctx, p, broken)
		if err != nil {
			return err
		}
		configs[name] = config
		if broken != (p.Responses(envoy.Listeners).Accepted == 0) {
			c.differences = append(c.differences, fmt.Sprintf("%s: gets no configuration: should be %t", name, broken))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(configs)) {
		for i, s := range accessServices {
			for j, port := range accessPorts {
				r := envoy.Request{Host: "127.0.0.1", Port: 11000 + 10*i + j, Method: "GET", Path: "/"}
				if port.protocol == "tcp" {
					r.Protocol = envoy.TCP
				}
				outcomes, err := configs.Send(name, r)
				if err != nil {
					return err
				}
				c.outcomes(name, s.name, port, outcomes)
			}
		}
	}
	return nil
}

// configuration returns what a proxy was sent. If it gets nothing, and on a development build
// of 3.0, which can leave proxies without their identity for minutes (proxies.md §5), it
// returns what the control plane says that it would send. Under load, that can take minutes.
func (c *accessComparison) configuration(ctx context.Context, p *proxies.Proxy, broken bool) (*envoy.Config, error) {
	if !broken && !c.snapshot.Release().Kuma3() {
		return p.Accepted()
	}
	asking, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return p.Config(asking)
}

func (c *accessComparison) outcomes(client, service string, port accessPort, outcomes []envoy.Outcome) {
	if len(outcomes) != 1 || outcomes[0].Verdict != envoy.Forwarded {
		c.differences = append(c.differences, fmt.Sprintf("%s to %s: %+v", client, service, outcomes))
		return
	}
	id := c.snapshot.Resource(kuma.Key{Type: "MeshService", Mesh: c.mesh, Name: service}).ID()
	for _, h := range outcomes[0].Hosts {
		what := fmt.Sprintf("%s to %s port %d of %s", client, h.Dataplane, h.Port, service)
		if h.Arrival == nil {
			c.differences = append(c.differences, what+": no arrival")
			continue
		}
		d, err := c.decisions.Decide(client, proxy.Target{Service: rules.Port{Resource: id, Section: port.name, Number: port.port}, Dataplane: h.Dataplane, Port: h.Port})
		if err != nil {
			c.differences = append(c.differences, what+": "+err.Error())
			continue
		}
		if c.timing(client, service, h) {
			c.counts["not compared"]++
			continue
		}
		c.counts[string(d.Verdict)]++
		if want, got := c.expected(d), decisionOf(h); want != got && d.Verdict != proxy.NoConfiguration {
			names := "plaintext"
			if h.TLS != nil {
				names = fmt.Sprint(h.TLS.Names, " for ", h.TLS.ServerName)
			}
			c.differences = append(c.differences, fmt.Sprintf("%s, %s: %s, should be %s (%s)", what, names, want, got, h.Arrival.Reason))
		}
	}
}

// timing reports whether a client sends plaintext because of the order in which a control
// plane has noticed the certificates of the service (proxies.md §5).
func (c *accessComparison) timing(client, service string, h envoy.Host) bool {
	hasIdentity := func(dataplane string) bool { return c.decisions.Client(dataplane).Identity != (kuma.Key{}) }
	permissive := slices.ContainsFunc(tree.Root(c.resources[0].Body).Find("mtls.backends[].mode"), func(n tree.Node) bool { return n.Value() == "PERMISSIVE" })
	i := slices.IndexFunc(accessServices, func(s accessService) bool { return s.name == service })
	return h.TLS == nil && permissive && !hasIdentity(client) && slices.ContainsFunc(accessServices[i].dataplanes, hasIdentity)
}

// noEntry is the name of the policy that decides if no entry matches. If all permissions are
// in `from`, it is empty instead.
const noEntry = "default"

// expected describes a decision as [decisionOf] does.
func (c *accessComparison) expected(d proxy.Decision) string {
	by := func(d proxy.Decision, shadow bool) string {
		switch {
		case d.List == "from" && d.Verdict == proxy.Denied && !shadow: // what is not allowed has no name
			return noEntry
		case d.List == "from":
			return "MeshTrafficPermission"
		case d.ByDefault():
			return noEntry
		default:
			return kinds.KRI(c.snapshot.Resource(d.By.Policy).ID())
		}
	}
	switch d.Verdict {
	case proxy.Allowed, proxy.Denied:
		text := fmt.Sprintf("%s by %s", d.Verdict, by(d, false))
		if d.Shadow != nil {
			text += fmt.Sprintf(", shadow %s by %s", d.Shadow.Verdict, by(*d.Shadow, true))
		}
		return text
	case proxy.Unchecked, proxy.Plaintext:
		return "allowed"
	default:
		return "TLS"
	}
}

// decisionOf describes what happens at a host.
func decisionOf(h envoy.Host) string {
	if h.Arrival.Verdict == envoy.HandshakeTLS {
		return "TLS"
	}
	text := string(h.Arrival.Verdict)
	p := h.Arrival.Filters.Permission
	if p == nil {
		return text
	}
	text += " by " + cmp.Or(p.Policy, noEntry)
	if s := p.Shadow; s != nil {
		verdict := proxy.Denied
		if s.Allowed {
			verdict = proxy.Allowed
		}
		text += fmt.Sprintf(", shadow %s by %s", verdict, cmp.Or(s.Policy, noEntry))
	}
	return text
}
