package input

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestPlannedDataplanesHaveServices checks which MeshServices an analysis adds for planned
// Dataplanes and for a planned mode of their mesh, and which it removes.
func TestPlannedDataplanesHaveServices(t *testing.T) {
	t.Parallel()
	const (
		on     = "{type: Mesh, name: shop, meshServices: {mode: Everywhere}}\n---\n"
		off    = "{type: Mesh, name: shop}\n---\n"
		web    = "{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, name: http, tags: {kuma.io/service: web}}]}}\n---\n"
		moved  = "{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 81, name: http, tags: {kuma.io/service: web}}]}}\n---\n"
		made   = "{type: MeshService, mesh: shop, name: web, labels: {kuma.io/managed-by: meshservice-generator, kuma.io/zone: zone-1}, spec: {ports: [{port: 80, name: http}]}}\n---\n"
		own    = "{type: MeshService, mesh: shop, name: web, spec: {ports: [{port: 8080}]}}\n---\n"
		policy = "{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 1s}}]}}\n---\n"
	)
	zone := kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1", Release: kuma.ParseRelease("2.14.3")}
	embedded := zone
	embedded.Embedded = true
	for name, test := range map[string]struct {
		stored, planned string
		cp              kuma.ControlPlane
		want            []string // the ports of MeshService web
	}{
		"new dataplane":          {on, web, zone, []string{"80"}},
		"new mode":               {off + web, on, zone, []string{"80"}},
		"mode is removed":        {on + web + made, off, zone, nil},
		"other port":             {on + web + made, moved, zone, []string{"81"}},
		"own service":            {on + own, web, zone, []string{"8080"}},
		"mode off":               {off, web, zone, nil},
		"only a policy":          {on + web, policy, zone, []string{"80"}},
		"embedded control plane": {on, web, embedded, nil},
		"dataplane is stored":    {on + web, on, zone, []string{"80"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := servicePorts(Stored("shop", test.cp, nil, testworld.Resources(t, test.stored), testworld.Resources(t, test.planned)).Resources)
			testworld.Equal(t, "ports", test.want, got)
		})
	}
}

// servicePorts returns the ports of all MeshServices.
func servicePorts(resources []kuma.Resource) []string {
	var ports []string
	for _, r := range resources {
		if r.Type != kinds.MeshService.Name {
			continue
		}
		for _, port := range tree.Root(r.Body).Get("spec", "ports").Items() {
			number, _ := port.Get("port").Value().(json.Number)
			ports = append(ports, number.String())
		}
	}
	return ports
}

// TestSettled checks that MeshServices are added and changed for stored Dataplanes as the
// control plane is about to do it.
func TestSettled(t *testing.T) {
	t.Parallel()
	const (
		mesh  = "{type: Mesh, name: shop, meshServices: {mode: Exclusive}}\n---\n"
		web   = "{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}\n---\n"
		made  = "{type: MeshService, mesh: shop, name: web, labels: {kuma.io/managed-by: meshservice-generator, kuma.io/zone: zone-1}, spec: {selector: {dataplaneTags: {kuma.io/service: web}}, "
		older = made + "ports: [{port: 81, targetPort: 81, appProtocol: tcp, name: '81'}]}}\n---\n"
		exact = made + "ports: [{port: 80, targetPort: 80, appProtocol: tcp, name: '80'}]}, status: {kept: true}}\n---\n"
		own   = "{type: MeshService, mesh: shop, name: web, spec: {ports: [{port: 8080}]}}\n---\n"
	)
	zone := kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1", Release: kuma.ParseRelease("2.14.3")}
	for name, test := range map[string]struct {
		stored string
		want   []string // the ports of MeshService web
	}{
		"not generated yet":   {mesh + web, []string{"80"}},
		"not changed yet":     {mesh + web + older, []string{"80"}},
		"not deleted yet":     {"{type: Mesh, name: shop}\n---\n" + web + exact, nil},
		"generated":           {mesh + web + exact, []string{"80"}},
		"own service":         {mesh + web + own, []string{"8080"}},
		"in its grace period": {mesh + older, []string{"81"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stored := testworld.Resources(t, test.stored)
			got := settled(stored, zone)
			testworld.Equal(t, "ports", test.want, servicePorts(got))
			if name == "generated" {
				if diff := cmp.Diff(stored, got); diff != "" {
					t.Errorf("a service that is right changes:\n%s", diff)
				}
			}
		})
	}
}

// TestOriginOfDocuments checks which control plane documents come from, according to their
// labels.
func TestOriginOfDocuments(t *testing.T) {
	t.Parallel()
	const (
		mesh3  = "{type: Mesh, name: shop, labels: {kuma.io/origin: zone}}\n---\n" // of Kuma 3.0
		east   = "{type: MeshTimeout, mesh: shop, name: a, labels: {kuma.io/origin: zone, kuma.io/zone: east}}\n---\n"
		west   = "{type: MeshTimeout, mesh: shop, name: b, labels: {kuma.io/origin: zone, kuma.io/zone: west}}\n---\n"
		global = "{type: MeshTimeout, mesh: shop, name: c, labels: {kuma.io/origin: global}}\n---\n"
		placed = "{type: Dataplane, mesh: shop, name: e, labels: {kuma.io/zone: east}}\n---\n"
		policy = "{type: MeshTimeout, mesh: shop, name: f, labels: {kuma.io/zone: east}}\n---\n"
		pod    = "{apiVersion: kuma.io/v1alpha1, kind: Dataplane, mesh: shop, metadata: {name: g, namespace: shop}}\n---\n"
		none   = "{type: MeshTimeout, mesh: shop, name: d}\n---\n"
		sni    = "{type: MeshTrafficPermission, mesh: shop, name: h, spec: {rules: [{default: {allow: [{sni: {type: Exact, value: sni.extsvc.shop.%s443}}]}}]}}\n---\n"
	)
	for documents, want := range map[string]kuma.ControlPlane{
		none:          {},
		mesh3:         {},
		east:          {Mode: kuma.ModeZone, Zone: "east"},
		mesh3 + east:  {Mode: kuma.ModeZone, Zone: "east"},
		east + global: {Mode: kuma.ModeZone, Zone: "east"},
		east + west:   {Mode: kuma.ModeGlobal},
		global:        {Mode: kuma.ModeGlobal},
		placed:        {Mode: kuma.ModeZone, Zone: "east"},
		policy:        {},
		pod:           {Kubernetes: true},

		fmt.Sprintf(sni, "east.pay."):                                 {Mode: kuma.ModeZone, Zone: "east"},
		fmt.Sprintf(sni, "pay."):                                      {}, // of a service without a zone
		fmt.Sprintf(sni, "east.pay.") + fmt.Sprintf(sni, "west.pay."): {},
	} {
		from := NewDocuments(nil).from
		for _, doc := range testworld.Documents(t, documents) {
			from.add(doc)
		}
		testworld.Equal(t, documents, want, from.controlPlane())
	}
}

// TestStoredBy checks which release has stored documents: 3.0 unless one has what that
// removed, and also then if the control plane of 3.0 has written its labels.
func TestStoredBy(t *testing.T) {
	t.Parallel()
	const (
		mesh     = "{type: Mesh, name: shop}\n---\n"
		settings = "{type: Mesh, name: shop, skipCreatingInitialPolicies: ['*']}\n---\n"
		labeled  = "{type: Mesh, name: shop, labels: {kuma.io/origin: zone}, skipCreatingInitialPolicies: ['*']}\n---\n"
		tagged   = "{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}\n---\n"
		untagged = "{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80}]}}\n---\n"
		named    = "{type: MeshTimeout, mesh: shop, name: t, spec: {targetRef: {kind: Dataplane, name: web}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}\n"
	)
	for documents, want := range map[string]string{
		mesh + untagged: "3.0", settings + untagged: "2.14", labeled + untagged: "3.0", mesh + tagged: "2.14", mesh + untagged + named: "2.14", named: "2.14",
	} {
		given := OfKinds(kinds.All())
		testworld.NoError(t, given.Text([]byte(documents)))
		testworld.Equal(t, fmt.Sprintf("%sstored by", documents), want, storedBy(kuma.Release{}, given).String())
	}
	given := OfKinds(kinds.All())
	testworld.NoError(t, given.Text([]byte(mesh+untagged)))
	if got := storedBy(kuma.Newest2(), given); got != kuma.Newest2() {
		t.Errorf("stored by %s, want the requested release", got)
	}
}

// TestLabelOfReferencesOnGlobal checks that a reference by display name finds a resource of a global control plane,
// which zones get with that label.
func TestLabelOfReferencesOnGlobal(t *testing.T) {
	t.Parallel()
	stored := testworld.Resources(t, `{type: Mesh, name: shop}
---
{type: MeshExternalService, mesh: shop, name: pay, spec: {match: {port: 443}}}`)
	for mode, want := range map[string]int{kuma.ModeGlobal: 1, kuma.ModeZone: 0} {
		cp := kuma.ControlPlane{Mode: mode, Release: kuma.ParseRelease("2.14.3")}
		s, _ := Stored("shop", cp, nil, stored, nil).InZones().Snapshot()
		if found := s.Candidates("shop", kuma.KindMeshExternalService, "", map[string]string{kuma.LabelDisplayName: "pay"}); len(found) != want {
			t.Errorf("%s: %v", mode, found)
		}
	}
}
