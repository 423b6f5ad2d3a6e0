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
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// settled limits how long the configuration of a proxy may lag behind writes.
const settled = 8 * time.Second

// TestIncoming compares, in random worlds, which clients may connect to a proxy
// and the timeouts of their requests with the configuration of the proxy.
// KUMA_CP is the path of a kuma-cp, WORLDS the number of worlds, and SEED that
// of the first one.
func TestIncoming(t *testing.T) {
	binary := os.Getenv("KUMA_CP")
	if binary == "" {
		t.Skip("KUMA_CP does not name a kuma-cp")
	}
	worlds, first := setting(t, "WORLDS", 40), setting(t, "SEED", 1)
	cp, err := oracle.Start(t.Context(), oracle.Options{Binary: binary})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cp.Stop(); err != nil {
			t.Error(err)
		}
	})
	counts := map[string]int{}
	for i := range worlds {
		w := newWorld(uint64(first + i)) //nolint:gosec // not negative
		t.Run(w.mesh, func(t *testing.T) { w.compare(t, cp, counts) })
	}
	t.Logf("compared: %v", counts)
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
	if err != nil {
		t.Fatal(err)
	}
	snapshot := rules.NewSnapshot(stored)
	for _, name := range clients {
		p, err := proxies.Connect(t.Context(), cp, w.mesh, name)
		if err != nil {
			t.Fatal(err)
		}
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
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// comparison compares one proxy.
type comparison struct {
	*world
	snapshot    *rules.Snapshot
	config      object
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
	for _, in := range incoming("MeshTrafficPermission") {
		manager, tls, err := connectionManager(c.config, in.Inbound.Port)
		if err != nil {
			c.differs("%v", err)
			continue
		}
		c.permission(in, manager, tls)
	}
	for _, in := range incoming("MeshTimeout") {
		manager, _, err := connectionManager(c.config, in.Inbound.Port)
		if err != nil {
			c.differs("%v", err)
			continue
		}
		c.timeouts(in, routes(c.config, manager))
	}
}

// permission compares which clients may connect.
func (c *comparison) permission(in rules.Incoming, manager object, tls bool) {
	if in.Ignored != nil {
		c.counts["ignored"]++
	}
	_, checked := permits(manager, client{})
	switch {
	case checked != (in.Access != rules.AccessUnchecked) || checked && !tls:
		c.differs("%s: checked %t, TLS %t, but access is %q", in.Inbound, checked, tls, in.Access)
		return
	case !checked:
		c.counts["unchecked"]++
		return
	}
	allowed := 0
	certificates := c.certificates()
	for _, from := range certificates {
		want, _ := permits(manager, from)
		got := admits(in, from)
		if got != want {
			c.differs("%s: %v is allowed: %t, should be %t", in.Inbound, from.names, got, want)
		}
		if want {
			c.counts["allowed"]++
			allowed++
		} else {
			c.counts["denied"]++
		}
	}
	if in.Access == rules.AccessNone && allowed > 0 || in.Access == rules.AccessAll && allowed < len(certificates) {
		c.differs("%s: %d of %d clients are allowed, but access is %q", in.Inbound, allowed, len(certificates), in.Access)
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
			out = append(out, client{[]string{"spiffe://" + trustDomain + "/" + service}, map[string]string{"kuma.io/protocol": "http"}})
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

// timeouts compares the timeouts of the requests with each match.
func (c *comparison) timeouts(in rules.Incoming, routes []route) {
	unset := route{request: "15s", idle: "1800s", connect: "5s"}
	if _, ok := in.For(nil); !ok { // requests without a match lose the defaults of Kuma
		unset = route{connect: "10s"}
	}
	for _, r := range in.Rules {
		conf := tree.Object(r.Merge())
		http := tree.Object(conf["http"])
		want := unset
		if id := tree.Object(tree.Object(r.Match)["spiffeID"]); id != nil {
			want.match = strings.ToLower(tree.Text(id["type"])) + " " + tree.Text(id["value"])
			c.counts["timeout of a match"]++
		}
		want.request = cmp.Or(tree.Text(http["requestTimeout"]), want.request)
		want.idle = cmp.Or(tree.Text(http["streamIdleTimeout"]), want.idle)
		want.connect = cmp.Or(tree.Text(conf["connectionTimeout"]), want.connect)
		c.counts["timeout"]++
		i := slices.IndexFunc(routes, func(r route) bool { return r.match == want.match })
		if i < 0 {
			c.differs("%s: no route for %q", in.Inbound, want.match)
		} else if routes[i] != want {
			c.differs("%s: timeouts are %+v, should be %+v", in.Inbound, want, routes[i])
		}
	}
}
