package impact_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestSeveralOutboundsToAPort shows that of several outbounds to a port, those without a listener are named where listeners get
// the names of services: in Kuma 3.0, and in mode Exclusive.
func TestSeveralOutboundsToAPort(t *testing.T) {
	t.Parallel()
	const (
		mesh  = "{type: Mesh, name: m, meshServices: {mode: Everywhere}}\n---\n"
		proxy = "{type: Dataplane, mesh: m, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}], outbound: [%]}}\n---\n"
		api   = `{type: Dataplane, mesh: m, name: api-1, labels: {kuma.io/workload: api}, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: api}}]}}
---
{type: MeshService, mesh: m, name: api, labels: {kuma.io/display-name: api}, spec: {selector: {dataplaneLabels: {matchLabels: {kuma.io/workload: api}}}, ports: [{port: 80, targetPort: 80}]}}`
		byTag = "{port: 1, tags: {kuma.io/service: api}}"
		byRef = "{port: 2, backendRef: {kind: MeshService, labels: {kuma.io/display-name: api}, port: 80}}"
	)
	world := func(mesh, outbounds string) string { return mesh + strings.Replace(proxy, "%", outbounds, 1) + api }
	exclusive := strings.Replace(mesh, "Everywhere", "Exclusive", 1)
	other := func(outbound, port string) string { return strings.Replace(outbound, "port: "+port, "port: 3", 1) }
	referring := strings.Replace(byRef, "port: 2", "port: 1", 1)
	for name, test := range map[string]struct {
		before, after string
		release       kuma.Release
		want          string
	}{
		"two by reference":       {world(mesh, byRef+", "+other(byRef, "2")), world(mesh, byRef+", "+other(byRef, "2")), rules.Newest(), "to MeshService \"api\" at 127.0.0.1:2"},
		"in mode Exclusive":      {world(mesh, byRef+", "+other(byRef, "2")), world(exclusive, byRef+", "+other(byRef, "2")), kuma.Newest2(), "to MeshService \"api\" at 127.0.0.1:2"},
		"two by tag":             {world(mesh, byTag+", "+other(byTag, "1")), world(mesh, referring+", "+other(byTag, "1")), rules.Newest(), "to kuma.io/service=api at 127.0.0.1:3"},
		"two by tag that refer":  {world(mesh, byTag+", "+other(byTag, "1")), world(mesh, referring+", "+other(byRef, "2")), rules.Newest(), "to kuma.io/service=api at 127.0.0.1:1"},
		"one by tag":             {world(mesh, byTag), world(mesh, referring), rules.Newest(), ""},
		"two before and after":   {world(exclusive, byRef+", "+other(byRef, "2")), world(exclusive, byRef+", "+other(byRef, "2")), rules.Newest(), ""},
		"two in mode Everywhere": {world(mesh, byRef+", "+other(byRef, "2")), world(mesh, byRef+", "+other(byRef, "2")), kuma.Newest2(), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := compare(t, rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, test.before)), rules.NewSnapshotFor(test.release, testworld.Resources(t, test.after)), "m")
			summary := found.Summary()
			if named := slices.Contains(found.Changed(), "web") && strings.Contains(summary, " at 127.0.0.1:"); named != (test.want != "") || !strings.Contains(summary, test.want) {
				t.Errorf("want %q:\n%s", test.want, summary)
			}
		})
	}
}
