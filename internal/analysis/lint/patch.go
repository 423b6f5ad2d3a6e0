package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var patchMatchesNothing = Code{
	Code: "patch-matches-nothing", Severity: Warning, Title: "MeshProxyPatch for a service or port that does not exist",
	Fix: "Correct the name, or remove the modification",
	Doc: "A modification matches by a KRI of a service that does not exist, or one that does not end in the number of a port. " +
		"Clusters, listeners, route configurations and virtual hosts are named by the KRI of the service with the **number** of the port, even " +
		"if the port has a name. With Kuma 2.14, proxies without the feature `feature-unified-resource-naming` use KRIs for route " +
		"configurations only. Other names are not checked.",
}

// matchedNames are the fields that match the names of objects for a port of a service.
var matchedNames = []struct{ modification, field, object string }{
	{"cluster", "name", "cluster"},
	{"listener", "name", "listener"},
	{"networkFilter", "listenerName", "listener"},
	{"httpFilter", "listenerName", "listener"},
	{"virtualHost", "name", "virtual host"},
	{"virtualHost", "routeConfigurationName", "route configuration"},
}

func findPatchMatchesNothing(m *mesh, report func(Finding)) {
	for _, p := range m.policies {
		if p.Type != kinds.MeshProxyPatch.Name {
			continue
		}
		for _, n := range tree.Root(p.Body).Get("spec", "default", "appendModifications").Items() {
			for _, matched := range matchedNames {
				name := n.Get(matched.modification, "match", matched.field)
				text, _ := name.Text()
				if why := m.noPortOf(p, text); why != "" {
					report(patchMatchesNothing.at(p, name.Path,
						fmt.Sprintf("No proxy has a %s with this name, so the modification has no effect. %s", matched.object, why),
						"Correct the name, or remove the modification.").on(len(m.Selected(p.Key()))))
				}
			}
		}
	}
}

// noPortOf returns why a KRI belongs to no port of a service in the mesh; empty for one that
// does, and for names that are not KRIs of services. Zones are not compared, because documents
// may lack them.
func (m *mesh) noPortOf(p *kuma.Resource, name string) string {
	kri, err := kuma.ParseKRI(name)
	if err != nil || kri.Mesh != m.name || strings.Count(name, "_") > 6 { // part of the name may be in the section
		return ""
	}
	for _, kind := range []string{kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService} {
		if k, _ := kinds.Find(kind); k.ShortName == kri.ShortName {
			return m.noPort(p, kind, kri)
		}
	}
	return ""
}

func (m *mesh) noPort(p *kuma.Resource, kind string, kri kuma.KRI) string {
	var names, numbers []string
	byName := m.sections()[kri.Section]
	for _, service := range m.ofKind(kind) {
		names = append(names, service.DisplayName())
		if service.DisplayName() == kri.Name {
			for _, port := range m.Ports(service.ID()) {
				numbers = append(numbers, strconv.Itoa(port.Number))
				byName = byName || port.Section == kri.Section && slices.ContainsFunc(m.Selected(p.Key()), func(dataplane string) bool {
					return m.outbounds(dataplane).Section(port.Resource, port.Number) == kri.Section
				})
			}
		}
	}
	switch {
	case !slices.Contains(names, kri.Name) && !m.offers(kri.Name): // the control plane generates MeshServices from tags
		return fmt.Sprintf("There is no %s %q.%s", kind, kri.Name, phrase.Suggest(kri.Name, names))
	case len(numbers) == 0 || byName || slices.Contains(numbers, kri.Section):
		return ""
	}
	return fmt.Sprintf("The name must end in the number of a port. %s %q has %s.", kind, kri.Name, phrase.And(phrase.Sorted(numbers)...))
}
