package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

var shadowedTag = Code{
	Code: "shadowed-service-tag", Severity: Warning, Title: "MeshService that hides proxies with the same `kuma.io/service`",
	Fix: "Extend the selector, or use another name",
	Doc: "A MeshService has the name of a value of the tag `kuma.io/service`, but does not select all proxies with that tag. References by this name resolve to the MeshService, and its traffic does not reach the other proxies.",
}

func findShadowedTag(m *mesh, report func(Finding)) {
	services := map[string][]*kuma.Resource{}
	for _, s := range m.ofKind(kuma.KindMeshService) {
		services[s.DisplayName()] = append(services[s.DisplayName()], s)
	}
	hidden := map[kuma.Key][]string{}
	for _, in := range m.inbounds() {
		own := slices.DeleteFunc(slices.Clone(services[in.tags[kuma.TagService]]), func(s *kuma.Resource) bool { return !rules.SameZone(*s, *in.dataplane) })
		if len(own) > 0 && !slices.ContainsFunc(own, func(s *kuma.Resource) bool { return rules.Selects(*s, *in.dataplane) }) {
			hidden[own[0].Key()] = append(hidden[own[0].Key()], in.dataplane.Name)
		}
	}
	for _, s := range m.ofKind(kuma.KindMeshService) {
		if names := slices.Compact(hidden[s.Key()]); len(names) > 0 {
			report(shadowedTag.at(s, []any{"spec", "selector"},
				fmt.Sprintf("Traffic to MeshService %q does not reach %s: the selector does not match, although the tag %s is %q.", s.Name, proxies(names), kuma.TagService, s.DisplayName()),
				"Extend the selector, or use different names for the MeshService and the tag."))
		}
	}
}
