package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

var disjointProxies = Code{
	Code: "disjoint-proxies", Severity: Warning, Title: "Route and policy that select different proxies",
	Fix: "Select the same proxies in both",
	Doc: "An entry refers to a route, but no proxy is selected by both the policy and the route. The entry has no effect, although the control plane lists it for the proxies of the policy.",
}

// findDisjointProxies reports what Kuma itself cannot show (design record 000, "Route
// configuration will be applied when route was created").
func findDisjointProxies(m *mesh, report func(Finding)) {
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
				report(disjointProxies.at(p, pathOfToRef(i), m.disjoint(p, r),
					fmt.Sprintf("Change the targetRef of %s or %s so that both select the same proxies.", p.Key().Local(), r.Key().Local())))
			}
		}
	}
}

// disjoint returns the message about a policy and a route: which of them excludes
// which proxies, and why.
func (m *mesh) disjoint(policy, route *kuma.Resource) string {
	return fmt.Sprintf("The settings for %s have no effect, because no proxy is selected by both the policy and the route. The policy %s. The route %s.",
		route.Key().Local(), m.selection(policy, m.Selected(route.Key())), m.selection(route, m.Selected(policy.Key())))
}

// selection returns a predicate that describes which proxies a policy selects, and
// why it does not select others. The reason is that of the first of them.
func (m *mesh) selection(p *kuma.Resource, others []string) string {
	selects, selectsNot := "selects no proxy", "does not select"
	if names := m.Selected(p.Key()); len(names) > 0 {
		selects = "selects " + proxies(names)
		selectsNot = selects + ", but not"
	}
	if len(others) > 0 {
		if by, err := m.Excluded(p.Key(), others[0]); err == nil {
			return fmt.Sprintf("%s %s, because %s", selectsNot, proxies(others), by.Because(*p))
		}
	}
	return fmt.Sprintf("%s (targetRef: %s)", selects, m.Selector(p.Key()))
}

// routesOf returns the routes that an entry of a policy refers to.
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

// overlap reports whether two ascending lists have a common element.
func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool {
		_, ok := slices.BinarySearch(b, s)
		return ok
	})
}
