package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

var routeEntryByTags = Code{
	Code: "route-entry-by-tags", Severity: Warning, Title: "Entry for a route where services are known by tags",
	Fix: "Move the other entries to another policy, and set what the route needs in an entry for the service",
	Doc: "A policy with an entry for a route does not apply at all to requests through builtin gateways and to services by the tag " +
		"`kuma.io/service`: neither that entry nor those beside it. " +
		"Only connections of a gateway to a MeshService have the settings of the other entries. " +
		"Requests go by tag through outbounds by tags and, unless `meshServices.mode` is Exclusive, to the addresses that transparent proxies " +
		"have for tags. Kuma 3.0 has no tags. Measured on 2.14.3.",
}

func findRouteEntryByTags(m *mesh, report func(Finding)) {
	if m.proxies() == nil {
		return
	}
	for _, p := range m.policies {
		if !slices.ContainsFunc(p.ToRefs(), func(ref kuma.TargetRef) bool { return rules.IsRoute(ref.Kind) }) {
			continue
		}
		entries := m.proxies().RouteEntries(p)
		sidecars, gateways := map[int][]string{}, map[int][]string{} // by entry for a route
		lost := map[int]bool{}                                       // other entries that would apply
		for _, name := range m.Selected(p.Key()) {
			ofRoutes, others := entries.LostByTags(name)
			affected := sidecars
			if m.isBuiltinGateway(name) {
				affected = gateways
			}
			for _, i := range ofRoutes {
				affected[i] = append(affected[i], name)
			}
			for _, i := range others {
				lost[i] = true
			}
		}
		places := phrase.Each(slices.Sorted(maps.Keys(lost)), func(i int) string { return pathOfToRef(i)[:3].String() })
		for i := range p.ToRefs() {
			if affected := len(sidecars[i]) + len(gateways[i]); affected > 0 {
				report(routeEntryByTags.at(p, pathOfToRef(i), lostByTags(places, sidecars[i], gateways[i]), advisedByTags(places)).on(affected))
			}
		}
	}
}

func lostByTags(lost, sidecars, gateways []string) string {
	var where []string
	if len(sidecars) > 0 {
		where = append(where, fmt.Sprintf("what %s %s to services by the tag %s", proxies(sidecars), phrase.Form(len(sidecars), "sends", "send"),
			kuma.TagService))
	}
	if len(gateways) > 0 {
		where = append(where, "requests through "+proxies(gateways))
	}
	also := ""
	if len(lost) > 0 {
		also = fmt.Sprintf(" Because of it, %s of this policy %s not apply there, either.", phrase.And(lost...),
			phrase.Form(len(lost), "does", "do"))
	}
	return fmt.Sprintf("The entry for the route has no effect on %s.%s", phrase.And(where...), also)
}

func advisedByTags(lost []string) string {
	if len(lost) > 0 {
		return "Move the entry for the route to a policy of its own. It only has an effect where requests are sent to a MeshService."
	}
	return "Set the fields in an entry for the service or, for a builtin gateway, for the mesh, in a policy without entries for routes. " +
		"An entry for a route only has an effect where requests are sent to a MeshService."
}

// appliesByTag reports whether an entry of `to` applies to requests that a proxy sends by a tag
// with the name of the reference.
func (m *mesh) appliesByTag(p *kuma.Resource, ref kuma.TargetRef) bool {
	return m.proxies() != nil &&
		slices.ContainsFunc(m.Selected(p.Key()), func(name string) bool { return m.proxies().AppliesByTag(p, ref, name) })
}

// isBuiltinGateway reports whether a Dataplane is a gateway that a MeshGateway configures.
func (m *mesh) isBuiltinGateway(dataplane string) bool { return m.gateways()[dataplane] != nil }

func (m *mesh) dataplane(name string) *kuma.Resource {
	return m.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: m.name, Name: name})
}

var topLevelRoute = Code{
	Code: "top-level-route", Severity: Warning, Title: "Top-level reference to a route without effect",
	Fix: "Refer to the route in `spec.to[].targetRef`",
	Doc: "The top-level `targetRef` is a MeshHTTPRoute, and none of its proxies sends requests by the tag `kuma.io/service`, as outbounds " +
		"by tags and builtin gateways do. Such a policy has no effect on requests to a MeshService. Measured on 2.14.3.",
}

func findTopLevelRoute(m *mesh, report func(Finding)) {
	if m.proxies() == nil {
		return
	}
	for _, p := range m.policies {
		if p.TopRef().Kind != kuma.KindMeshHTTPRoute {
			continue
		}
		selected := m.Selected(p.Key())
		to := m.proxies().ToOfRoute(p.TopRef().Name)
		applies := func(name string) bool { return m.proxies().SendsByTag(name, to...) }
		if len(selected) == 0 || slices.ContainsFunc(selected, applies) {
			continue
		}
		advice := "Omit the targetRef, and refer to the route in spec.to[].targetRef instead of the mesh."
		if p.Type == kinds.MeshRateLimit.Name {
			advice = "Remove the policy, or select the proxies of the service by kind Dataplane and limit incoming requests in rules."
		}
		report(topLevelRoute.at(p, pathOfTopRef(p),
			fmt.Sprintf("The policy has no effect: none of the proxies that have the route, %s, sends requests to its services by the tag %s. "+
				"On requests to a MeshService, it has none.", proxies(selected), kuma.TagService), advice).on(len(selected)))
	}
}
