package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
)

var disjointProxies = Code{
	Code: "disjoint-proxies", Severity: Warning, Title: "Route and policy on different proxies",
	Doc: "An entry of a policy is for a route, but no proxy is selected by the policy and by the route. A proxy needs both: the route, to have it at all, and the policy, to configure it. So the entry has no effect, although the rules of the policy's proxies show it.",
}

func findDisjointProxies(v *view) []Finding {
	var findings []Finding
	for _, p := range v.policies {
		selected := v.selected[p.Key()]
		if len(selected) == 0 {
			continue
		}
		for _, e := range entries(p, "to") {
			routes := v.routesOf(p, reference(e.Get("targetRef")))
			meets := func(r *mesh.Resource) bool { return overlap(selected, v.selected[r.Key()]) }
			if len(routes) == 0 || slices.ContainsFunc(routes, meets) {
				continue
			}
			for _, r := range routes {
				findings = append(findings, disjointProxies.at(p, e.Get("targetRef").Path, v.disjoint(p, r),
					fmt.Sprintf("Give %s and %s references that fit the same proxies.", named(p.Key()), named(r.Key()))))
			}
		}
	}
	return findings
}

// disjoint says which selector excludes which proxies.
func (v *view) disjoint(policy, route *mesh.Resource) string {
	ofPolicy, ofRoute := v.selected[policy.Key()], v.selected[route.Key()]
	return fmt.Sprintf(
		"The settings for %s reach no proxy. The policy selects %s by %s, which %s: %s. The route selects %s by %s, which %s: %s.",
		named(route.Key()),
		proxies(ofPolicy), selector(v.selectorOf(policy)), "excludes the proxies of the route", v.excludes(policy, ofRoute),
		proxies(ofRoute), selector(v.selectorOf(route)), "excludes those of the policy", v.excludes(route, ofPolicy),
	)
}

// excludes tells for one proxy, standing for others, why a policy does not select
// it.
func (v *view) excludes(p *mesh.Resource, dataplanes []string) string {
	if len(dataplanes) == 0 {
		return "there are none"
	}
	by, err := v.snapshot.Excluded(p.Key(), dataplanes[0])
	if err != nil {
		return "they are not selected"
	}
	return fmt.Sprintf("%s is %s", dataplanes[0], because(by))
}

// routesOf returns the routes that an entry of a policy is for; none when it is
// for something else.
func (v *view) routesOf(p *mesh.Resource, ref mesh.TargetRef) []*mesh.Resource {
	if !isRoute(ref.Kind) {
		return nil
	}
	var routes []*mesh.Resource
	for _, t := range v.snapshot.Resolve(*p, ref, 0) {
		routes = append(routes, v.byKey[t.Resource])
	}
	return routes
}

func isRoute(kind string) bool {
	return kind == mesh.KindMeshHTTPRoute || kind == mesh.KindMeshTCPRoute
}

// overlap reports whether two ascending lists have an element in common.
func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool {
		_, ok := slices.BinarySearch(b, s)
		return ok
	})
}
