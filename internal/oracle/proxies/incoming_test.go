package proxies_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// settled limits how long the configuration of a proxy may lag behind writes.
const settled = 8 * time.Second

// TestIncoming compares, in random worlds, which clients may connect to a proxy
// and the timeouts of their requests with the configuration of the proxy.
// KUMA_CP is the path of a kuma-cp, WORLDS the number of worlds, and SEED that
// of the first one.
func TestIncoming(t *testing.T) {
	began, cp := time.Now(), start(t)
	if cp.Info.Release.Kuma3() {
		t.Skip("Kuma 3.0 has no from")
	}
	worlds, first := setting(t, "WORLDS", 40), setting(t, "SEED", 1)
	counts := map[string]int{}
	for i := range worlds {
		w := newWorld(uint64(first + i)) //nolint:gosec // not negative
		t.Run(w.mesh, func(t *testing.T) { w.compare(t, cp, counts) })
	}
	t.Logf("compared: %v", counts)
	total := 0
	for _, n := range counts {
		total += n
	}
	recordResult(t, cp, began, fmt.Sprintf("make proxies WORLDS=%d SEED=%d # TestIncoming", worlds, first), fmt.Sprintf("%d decisions and timeouts of inbounds", total))
	for _, kind := range []string{"unchecked", "allowed", "denied", "ignored", "timeout", "timeout of a match"} {
		if counts[kind] == 0 && worlds >= 40 {
			t.Errorf("no world has a case of %q", kind)
		}
	}
}

func setting(t *testing.T, variable string, initially int) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(variable), strconv.Itoa(initially)))
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

func (w *world) compare(t *testing.T, cp *oracle.Site, counts map[string]int) {
	t.Helper()
	d := oracle.Deployment{Sites: []*oracle.Site{cp}}
	if _, err := d.Store(t.Context(), d.Writes(w.resources)); err != nil {
		t.Fatal(err)
	}
	stored, err := cp.Stored(t.Context(), w.mesh)
	testworld.NoError(t, err)
	snapshot := rules.NewSnapshot(stored)
	for _, name := range clients {
		p, err := proxies.Connect(t.Context(), cp, proxies.Options{Mesh: w.mesh, Dataplane: name})
		testworld.NoError(t, err)
		var found comparison
		err = oracle.Until(t.Context(), settled, time.Second/2, "the expected configuration", func(ctx context.Context) (bool, error) {
			config, err := p.Config(ctx)
			if err != nil {
				return false, err
			}
			found = comparison{world: w, snapshot: snapshot, config: config, counts: map[string]int{}}
			found.proxy(name)
			return len(found.differences) == 0, nil
		})
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, strings.Join(found.differences, "\n"))
		}
		for kind, n := range found.counts {
			counts[kind] += n
		}
		testworld.NoError(t, p.Close())
	}
}

// comparison compares one proxy.
type comparison struct {
	*world
	snapshot    *rules.Snapshot
	config      *envoy.Config
	counts      map[string]int
	differences []string
}

func (c *comparison) differs(format string, args ...any) {
	c.differences = append(c.differences, fmt.Sprintf(format, args...))
}

func (c *comparison) proxy(name string) {
	incoming := func(kind string) []rules.Incoming {
		r, err := c.snapshot.Rules(c.mesh, name, kind)
		if err != nil {
			c.differs("%v", err)
		}
		return r.Incoming()
	}
	timeouts := map[int]rules.Incoming{}
	for _, in := range incoming("MeshTimeout") {
		timeouts[in.Inbound.Port] = in
	}
	for _, in := range incoming("MeshTrafficPermission") {
		c.inbound(name, in, timeouts[in.Inbound.Port])
	}
}

// client is a proxy that connects with a certificate.
type client struct {
	names []string // URIs of the certificate
	tags  map[string]string
}

// inbound compares which clients may connect, and the timeouts of their requests.
func (c *comparison) inbound(name string, permissions, timeouts rules.Incoming) {
	in := permissions.Inbound
	receive := func(tls *envoy.ClientTLS) envoy.Arrival {
		host := envoy.Host{Address: c.address(name), Port: in.Port, TLS: tls}
		a, err := c.config.Receive(host, envoy.Request{Method: "GET", Path: "/"})
		if err != nil {
			c.differs("%s: %v", in, err)
		}
		return a
	}
	if permissions.Ignored != nil {
		c.counts["ignored"]++
	}
	plaintext := receive(nil)
	if open := plaintext.Verdict == envoy.Allowed; open != (permissions.Access == rules.AccessUnchecked) {
		c.differs("%s: without TLS the verdict is %q, but access is %q", in, plaintext.Verdict, permissions.Access)
		return
	}
	if plaintext.Verdict == envoy.Allowed {
		c.counts["unchecked"]++
		c.timeouts(in, timeouts, client{}, plaintext)
		return
	}
	allowed := 0
	certificates := c.certificates()
	for _, from := range certificates {
		a := receive(&envoy.ClientTLS{Names: from.names})
		if a.Filters.Permission == nil {
			c.differs("%s: no permission is checked, but access is %q", in, permissions.Access)
			continue
		}
		want, got := a.Filters.Permission.Allowed, admits(permissions, from)
		if got != want {
			c.differs("%s: %v is allowed: %t, should be %t", in, from.names, got, want)
		}
		if !want {
			c.counts["denied"]++
			continue
		}
		c.counts["allowed"]++
		allowed++
		c.timeouts(in, timeouts, from, a)
	}
	if permissions.Access == rules.AccessNone && allowed > 0 || permissions.Access == rules.AccessAll && allowed < len(certificates) {
		c.differs("%s: %d of %d clients are allowed, but access is %q", in, allowed, len(certificates), permissions.Access)
	}
}

// certificates returns the clients of the mesh, with the certificates that
// proxies in it can have.
func (c *comparison) certificates() []client {
	var out []client
	body := c.snapshot.Resource(kuma.MeshKey(c.mesh)).Body
	identity := c.snapshot.Resource(kuma.Key{Type: "MeshIdentity", Mesh: c.mesh, Name: "identity"})
	for _, service := range []string{"web", "api", "other"} {
		tags := map[string]string{kuma.TagService: service, "kuma.io/protocol": "http"}
		if body["mtls"] != nil {
			names := []string{"spiffe://" + c.mesh + "/" + service, "kuma://kuma.io/protocol/http", "kuma://kuma.io/service/" + service}
			out = append(out, client{names, tags})
		}
		if identity != nil && kinds.ExclusiveMeshServices(kuma.Resource{Body: body}) {
			// The certificate of a MeshIdentity does not name the service of the client.
			out = append(out, client{[]string{"spiffe://" + trustDomainOf(c.mesh) + "/" + service}, map[string]string{"kuma.io/protocol": "http"}})
		}
	}
	return out
}

// admits evaluates the lists of the engine for one client.
func admits(in rules.Incoming, c client) bool {
	if len(in.Rules) == 0 {
		i := slices.IndexFunc(in.From, func(r rules.Rule) bool { return r.Contains(c.tags) })
		return i >= 0 && tree.Text(tree.Object(in.From[i].Conf)["action"]) != "Deny"
	}
	conf := tree.Object(in.Rules[0].Merge())
	has := func(lists ...string) bool {
		return slices.ContainsFunc(lists, func(list string) bool {
			return slices.ContainsFunc(tree.Objects(conf[list]), func(match object) bool { return hasID(match, strings.Join(c.names, ",")) })
		})
	}
	return !has("deny") && has("allow", "allowWithShadowDeny")
}

func hasID(match object, names string) bool {
	id := tree.Object(match["spiffeID"])
	if tree.Text(id["type"]) == "Exact" {
		return names == tree.Text(id["value"])
	}
	return strings.HasPrefix(names, tree.Text(id["value"]))
}

// timeouts compares the timeouts of the requests of a client: the first rule with a
// match for it applies.
func (c *comparison) timeouts(inbound rules.Inbound, in rules.Incoming, from client, got envoy.Arrival) {
	want := envoy.Timeouts{Request: 15 * time.Second, StreamIdle: 30 * time.Minute, Connect: 5 * time.Second}
	if in.ForSome() { // proxies.md §4: other defaults
		want = envoy.Timeouts{StreamIdle: time.Hour, Connect: 10 * time.Second}
	}
	set := func(to *time.Duration, value any) {
		if d, err := time.ParseDuration(tree.Text(value)); err == nil {
			*to = d
		}
	}
	for _, r := range in.Rules {
		id := tree.Object(tree.Object(r.Match)["spiffeID"])
		if id != nil && !hasID(object{"spiffeID": id}, strings.Join(from.names, ",")) {
			continue
		}
		if id != nil {
			c.counts["timeout of a match"]++
		}
		conf := tree.Object(r.Merge())
		http := tree.Object(conf["http"])
		set(&want.Connect, conf["connectionTimeout"])
		set(&want.Request, http["requestTimeout"])
		set(&want.StreamIdle, http["streamIdleTimeout"])
		break
	}
	c.counts["timeout"]++
	if t := got.Timeouts; want.Request != t.Request || want.StreamIdle != t.StreamIdle || want.Connect != t.Connect {
		c.differs("%s, %v: timeouts are %+v, should be %+v (%s)", inbound, from.names, want, t, got.Match)
	}
}
