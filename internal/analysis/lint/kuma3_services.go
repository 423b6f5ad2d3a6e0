package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// serviceFinders check the proxies of services, and the zones that can reach them.
var serviceFinders = finders{
	"K3-064": func(m *mesh, report func(problem)) {
		if len(m.zones()) < 2 {
			return
		}
		for _, r := range m.ofKind(kuma.KindMeshExternalService) {
			if r.Zone() != "" && r.Labels[kuma.LabelOrigin] != kuma.OriginZone { // which a zone control plane sets
				report(problemAt(r.Key(), "", "labels", kuma.LabelZone))
			}
		}
	},
	"K3-069": findGeneratedServices,
	"K3-103": func(m *mesh, report func(problem)) {
		for _, zone := range m.zonesWithoutAddress() {
			report(problemAt(kuma.MeshKey(m.name), fmt.Sprintf("Zone: %s.", zone)))
		}
	},
}

// zones returns the names of the zones that occur in the resources.
func (m *mesh) zones() []string {
	var names []string
	for _, r := range m.resources {
		switch {
		case r.Type == kinds.Zone.Name:
			names = append(names, r.DisplayName())
		case r.Zone() != "":
			names = append(names, r.Zone())
		}
	}
	return phrase.Sorted(names)
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

func findGeneratedServices(m *mesh, report func(problem)) {
	byService := map[string][]string{}
	for _, in := range m.inbounds() {
		name := in.tags[kuma.TagService]
		if !in.gateway() && in.dataplane.Labels[kuma.LabelWorkload] == "" && !slices.Contains(byService[name], in.dataplane.Name) {
			byService[name] = append(byService[name], in.dataplane.Name)
		}
	}
	for _, r := range m.ofKind(kuma.KindMeshService) {
		if of := byService[r.Name]; kinds.IsGeneratedService(*r) && len(of) > 0 {
			report(problemAt(r.Key(), list("Dataplanes", of)))
		}
	}
}
