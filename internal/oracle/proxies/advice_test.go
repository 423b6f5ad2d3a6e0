package proxies_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Cases of advice in which proxies are sent something else: in differently, they do the same with it,
// and in effects not, which the advice says.
var (
	differently = map[string]bool{"from-clients": true, "from-beside-from": true, "from-meshfaultinjection": true, "panic-threshold": true, "route-by-resource": true, "limit-of-route": true}
	effects     = map[string]bool{"from-beside-from": true, "route-by-resource": true, "limit-of-route": true}
)

// TestAdviceOnDeprecations shows that proxies do the same when a document follows the advice about what is
// deprecated in it.
func TestAdviceOnDeprecations(t *testing.T) {
	cp := start(t)
	if cp.Info.Release.Kuma3() {
		t.Skip("Kuma 3.0 does not have what is deprecated")
	}
	const dir = "../../analysis/lint/testdata/deprecated/advice/"
	for _, file := range testworld.Files(t, dir+"*.before.yaml") {
		name := strings.TrimSuffix(filepath.Base(file), ".before.yaml")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mesh := "a-" + strings.ToLower(name)
			read := func(file string) (resources []kuma.Resource) {
				text := strings.ReplaceAll(testworld.Text(t, file), "spiffe://default", "spiffe://"+mesh)
				for _, r := range testworld.Resources(t, text) {
					if r.Mesh = mesh; r.Type == kuma.KindMesh {
						r.Mesh, r.Name = "", mesh
					}
					resources = append(resources, r)
				}
				return resources
			}
			write := func(resources []kuma.Resource) {
				for _, r := range resources {
					if rejection, err := cp.Put(t.Context(), r); err != nil || rejection != "" {
						t.Fatal(r.Key(), rejection, err)
					}
				}
			}
			before, after := read(dir+name+".before.yaml"), read(dir+name+".after.yaml")
			world := read(dir + "world.yaml")
			write(world)
			if !slices.ContainsFunc(before, func(r kuma.Resource) bool { return r.Type == kinds.MeshTrafficPermission.Name }) {
				write(read(dir + "allow-all.yaml"))
			}
			connected := connect(t, cp, world)
			dataplanes := slices.Sorted(maps.Keys(connected))
			readings{}.settle(t, cp, mesh, dataplanes) // which takes until services have identities
			write(before)
			was, is := readings{}, readings{}
			was.settle(t, cp, mesh, dataplanes)
			did := outcomes(t, connected)
			cp.Remove(t.Context(), mesh, slices.DeleteFunc(before, func(r kuma.Resource) bool {
				return slices.ContainsFunc(after, func(a kuma.Resource) bool { return a.Key() == r.Key() })
			}))
			write(after)
			var different []string
			for proxy, config := range is.settle(t, cp, mesh, dataplanes) {
				for _, resource := range was.unseen(proxy, config) {
					for _, d := range tree.Diff(was[proxy][resource][0], config[resource]) {
						different = append(different, fmt.Sprintf("%s %s, %s: %.300v, before %.300v", proxy, resource, d.Path, phrase.JSON(d.B), phrase.JSON(d.A)))
					}
				}
			}
			diff := cmp.Diff(did, outcomes(t, connected))
			if written := differently[name]; len(different) > 0 && !written || (diff != "") != effects[name] {
				t.Errorf("requests (-before +after):\n%s\nconfiguration:\n%s", diff, strings.Join(different, "\n"))
			}
		})
	}
}

// outcomes returns what happens to requests of the clients of the mesh of the cases.
func outcomes(t *testing.T, connected map[string]*proxies.Proxy) map[string][]string {
	t.Helper()
	mesh := envoy.Mesh{}
	for name, p := range connected {
		config, err := p.Config(t.Context())
		testworld.NoError(t, err)
		mesh[name] = config
	}
	found := map[string][]string{}
	for _, asked := range []string{"web-1 11000 /", "web-1 11000 /slow", "web-1 11000 /a", "web-1 11001 /", "web-1 11002 /", "web-1 11003 /a", "batch-1 11000 /", "edge-1 8080 /"} {
		fields := strings.Fields(asked)
		r := envoy.Request{Host: "127.0.0.1", Method: "GET", Path: fields[2]}
		if fields[0] == "edge-1" {
			r.Host, r.Address = "shop.example", "127.0.3.5"
		}
		r.Port, _ = strconv.Atoi(fields[1])
		outcomes, err := mesh.Send(fields[0], r)
		if err != nil {
			t.Fatal(asked, err)
		}
		for _, o := range outcomes {
			text := target(o) + ", " + limits(o) + ", " + arrival(o)
			for _, h := range o.Hosts {
				if h.Arrival != nil {
					text += ", " + string(h.Arrival.Verdict)
				}
			}
			found[asked] = append(found[asked], text)
		}
	}
	return found
}
