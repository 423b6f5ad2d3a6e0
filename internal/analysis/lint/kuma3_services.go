package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

const (
	serviceGenerator = "meshservice-generator"
)

// serviceConditions concern the proxies of services, and the zones that can reach
// them.
var serviceConditions = []meshCondition{
	{
		Condition: kuma3.Condition{
			ID: "K3-064", Effect: kuma3.Widens,
			Doc:    "The external service is limited to one zone by the label kuma.io/zone.",
			Stored: "In Kuma 3.0, all zones reach it, each through its own egress.",
			Do:     "Make its endpoints reachable from all zones, or deny access from the other zones with a MeshTrafficPermission.",
		},
		find: func(m *mesh) []problem {
			if len(m.zones()) < 2 {
				return nil
			}
			var found []problem
			for _, r := range m.ofKind(kuma.KindMeshExternalService) {
				if r.Zone() != "" && r.Labels[kuma.LabelOrigin] != kuma.OriginZone { // which a zone control plane sets
					found = append(found, problemAt(r.Key(), "", "labels", kuma.LabelZone))
				}
			}
			return found
		},
	},
	{
		Condition: kuma3.Condition{
			ID: "K3-069", Effect: kuma3.Outage,
			Doc:    "The MeshService was generated from the tags of Dataplanes without the label kuma.io/workload.",
			Stored: "Kuma 3.0 only generates services from that label: this service loses its proxies and is later deleted.",
			Do: "Create the MeshService yourself, with dataplaneLabels and without the label kuma.io/managed-by. Or add the label kuma.io/workload: <name of the service> to the Dataplanes. " +
				"Each workload then becomes one MeshService with all inbounds as ports.",
		},
		find: findGeneratedServices,
	},
	{
		Condition: kuma3.Condition{
			ID: "K3-103", Effect: kuma3.Outage,
			Doc:    "The services of the mesh are in several zones, and one of these zones has no MeshZoneAddress.",
			Stored: "In Kuma 3.0, the other zones get no endpoints in it.",
			Do:     "Create a MeshZoneAddress in that zone, with the label kuma.io/origin: zone and with the address and port of its zone ingress.",
		},
		find: func(m *mesh) []problem {
			var found []problem
			for _, zone := range m.zonesWithoutAddress() {
				found = append(found, problemAt(kuma.MeshKey(m.name), fmt.Sprintf("Zone: %s.", zone)))
			}
			return found
		},
	},
}

// zones returns the names of the zones that occur in the resources.
func (m *mesh) zones() []string {
	names := map[string]bool{}
	for _, r := range m.resources {
		switch {
		case r.Type == kinds.Zone.Name:
			names[r.DisplayName()] = true
		case r.Zone() != "":
			names[r.Zone()] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func (m *mesh) zonesWithoutAddress() []string {
	zonesOf := func(kind string) map[string]bool {
		zones := map[string]bool{}
		for _, r := range m.ofKind(kind) {
			if r.Zone() != "" {
				zones[r.Zone()] = true
			}
		}
		return zones
	}
	served, addressed := zonesOf(kuma.KindMeshService), zonesOf(kinds.MeshZoneAddress.Name)
	if len(served) < 2 {
		return nil
	}
	maps.DeleteFunc(served, func(zone string, _ bool) bool { return addressed[zone] })
	return slices.Sorted(maps.Keys(served))
}

func findGeneratedServices(m *mesh) []problem {
	byService := map[string][]string{}
	for _, r := range m.ofKind(kuma.KindDataplane) {
		if r.Labels[kuma.LabelWorkload] != "" {
			continue
		}
		for _, tag := range tree.Root(r.Document()).Find(`networking.inbound[].tags["` + kuma.TagService + `"]`) {
			name, ok := tag.Text()
			if ok && !slices.Contains(byService[name], r.Name) {
				byService[name] = append(byService[name], r.Name)
			}
		}
	}
	var found []problem
	for _, r := range m.ofKind(kuma.KindMeshService) {
		if of := byService[r.Name]; r.Labels[kuma.LabelManagedBy] == serviceGenerator && len(of) > 0 {
			found = append(found, problemAt(r.Key(), fmt.Sprintf("Dataplanes: %s.", some(of))))
		}
	}
	return found
}
