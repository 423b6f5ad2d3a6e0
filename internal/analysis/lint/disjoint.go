package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

var disjointProxies = Code{
	Code: "disjoint-proxies", Severity: Warning, Title: "Route and policy on different proxies",
	Doc: "An entry of a policy is for a route, but no proxy is selected by the policy and by the route. A proxy needs both: the route, to have it at all, and the policy, to configure it. So the entry has no effect, although the rules of the policy's proxies show it.",
}

// findDisjointProxies shows what the design gives no means to show (design record
// 000, "Route configuration will be applied when route was created").
func findDisjointProxies(m *mesh) []Finding {
	var findings []Finding
	for _, p := range m.policies {
		selected := m.Selected(p.Key())
		if len(selected) == 0 {
			continue
		}
		for i, ref := range p.ToRefs() {
			routes := m.routesOf(p, ref)
			meets := func(r *kuma.Resource) bool { return overlap(selected, m.Selected(r.Key())) }
			if len(routes) == 0 || slices.ContainsFunc(routes, meets) {
				continue
			}
			for _, r := range routes {
				findings = append(findings, disjointProxies.at(p, pathOfToRef(i), m.disjoint(p, r),
					fmt.Sprintf("Give %s and %s references that fit the same proxies.", p.Key().Local(), r.Key().Local())))
			}
		}
	}
	return findings
}

// disjoint says which selector excludes which proxies.
func (m *mesh) disjoint(policy, route *kuma.Resource) string {
	return fmt.Sprintf("The settings for %s reach no proxy: none is selected by both. The policy selects %s. The route selects %s.",
		route.Key().Local(), m.selection(policy, m.Selected(route.Key())), m.selection(route, m.Selected(policy.Key())))
}

// selection describes what a policy selects, and by which reference; or that it
// leaves out others, for the reason that holds for the first of them.
func (m *mesh) selection(p *kuma.Resource, others []string) string {
	selected := "no proxy"
	if names := m.Selected(p.Key()); len(names) > 0 {
		selected = proxies(names)
	}
	if len(others) > 0 {
		if by, err := m.Excluded(p.Key(), others[0]); err == nil {
			return fmt.Sprintf("%s, and not %s, because %s", selected, proxies(others), by.Because(*p))
		}
	}
	return fmt.Sprintf("%s by %s", selected, m.Selector(p.Key()))
}

// routesOf returns the routes that an entry of a policy is for; none when it is
// for something else.
func (m *mesh) routesOf(p *kuma.Resource, ref kuma.TargetRef) []*kuma.Resource {
	if !rules.IsRoute(ref.Kind) {
		return nil
	}
	var routes []*kuma.Resource
	for _, t := range m.Resolve(*p, ref, 0) {
		routes = append(routes, m.Resource(t.Resource))
	}
	return routes
}

// overlap reports whether two ascending lists have an element in common.
func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool {
		_, ok := slices.BinarySearch(b, s)
		return ok
	})
}
