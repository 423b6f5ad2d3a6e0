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
func findDisjointProxies(v *view) []Finding {
	var findings []Finding
	for _, p := range v.policies {
		selected := v.selected[p.Key()]
		if len(selected) == 0 {
			continue
		}
		for i, ref := range p.ToRefs() {
			routes := v.routesOf(p, ref)
			meets := func(r *kuma.Resource) bool { return overlap(selected, v.selected[r.Key()]) }
			if len(routes) == 0 || slices.ContainsFunc(routes, meets) {
				continue
			}
			for _, r := range routes {
				findings = append(findings, disjointProxies.at(p, toRef(i), v.disjoint(p, r),
					fmt.Sprintf("Give %s and %s references that fit the same proxies.", named(p.Key()), named(r.Key()))))
			}
		}
	}
	return findings
}

// disjoint says which selector excludes which proxies.
func (v *view) disjoint(policy, route *kuma.Resource) string {
	return fmt.Sprintf("The settings for %s reach no proxy: none is selected by both. The policy selects %s. The route selects %s.",
		named(route.Key()), v.selection(policy, v.selected[route.Key()]), v.selection(route, v.selected[policy.Key()]))
}

// selection describes what a policy selects by what, and that it leaves out
// others, for the reason that holds for the first of them.
func (v *view) selection(p *kuma.Resource, others []string) string {
	selected := "no proxy"
	if names := v.selected[p.Key()]; len(names) > 0 {
		selected = proxies(names)
	}
	selected += " by " + kuma.Reference(v.selectorOf(p))
	if len(others) == 0 {
		return selected
	}
	by, err := v.snapshot.Excluded(p.Key(), others[0])
	if err != nil {
		return selected
	}
	return fmt.Sprintf("%s, which leaves out %s (%s)", selected, proxies(others), because(by))
}

// routesOf returns the routes that an entry of a policy is for; none when it is
// for something else.
func (v *view) routesOf(p *kuma.Resource, ref kuma.TargetRef) []*kuma.Resource {
	if !rules.IsRoute(ref.Kind) {
		return nil
	}
	var routes []*kuma.Resource
	for _, t := range v.snapshot.Resolve(*p, ref, 0) {
		routes = append(routes, v.byKey[t.Resource])
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
