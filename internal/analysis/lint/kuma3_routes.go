package lint

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// routeFinders check the rules of routes and their destinations.
var routeFinders = finders{
	"K3-042": findDeadBackends,
	"K3-043": findMissingPorts,
	"K3-203": findWithoutRest,
	"K3-217": findAmbiguous,
}

// httpRules returns the rules of an HTTP route.
func httpRules(route *kuma.Resource) []tree.Node {
	return tree.Root(route.Document()).Find("spec.to[].rules[]")
}

// findDeadBackends ignores the routes of builtin gateways, which already respond with 500
// in 2.14, and subsets, about which K3-040 is.
func findDeadBackends(m *mesh, report func(problem)) {
	m.eachBackend(func(route *kuma.Resource, rule tree.Node, b rules.BackendRef) {
		if route.TopRef().Kind != kuma.KindMeshGateway && !rules.Redirects(rule) && b.Weight != 0 && b.Kind != kuma.KindMeshServiceSubset &&
			!m.HasBackend(*route, b) {
			report(problemAt(route.Key(), "", b.Path...))
		}
	})
}

func findMissingPorts(m *mesh, report func(problem)) {
	m.eachBackend(func(route *kuma.Resource, _ tree.Node, b rules.BackendRef) {
		if len(m.Resolve(*route, b.WithoutSection(), 0)) > 0 && len(m.Resolve(*route, b.TargetRef, b.Port)) == 0 {
			report(problemAt(route.Key(), "", b.Path...))
		}
	})
}

// eachBackend calls do for the destinations of all rules of HTTP routes.
func (m *mesh) eachBackend(do func(route *kuma.Resource, rule tree.Node, b rules.BackendRef)) {
	for _, route := range m.ofKind(kuma.KindMeshHTTPRoute) {
		for _, rule := range httpRules(route) {
			for _, n := range rule.Find("default.backendRefs[]") {
				do(route, rule, rules.ParseBackendRef(n))
			}
		}
	}
}

// RestTaken returns the entries of HTTP routes whose other requests a rule of another route takes,
// wherever they apply.
func RestTaken(s *rules.Snapshot, meshName string) map[rules.Entry]bool {
	taken := map[rules.Entry]bool{}
	eachMergedRoute(s, meshName, func(_ []string, rule rules.ResourceRule, takesRest bool) {
		for e := range rule.Entries() {
			was, seen := taken[e]
			taken[e] = takesRest && (was || !seen)
		}
	})
	return taken
}

// eachMergedRoute calls do with the rules of all routes for each destination on the proxies of
// sidecars, and whether one of them takes the rest.
func eachMergedRoute(s *rules.Snapshot, meshName string, do func(dataplanes []string, rule rules.ResourceRule, takesRest bool)) {
	type entry struct{ empty, takesRest bool }
	known := map[rules.Entry]entry{}
	of := func(e rules.Entry) entry {
		found, ok := known[e]
		if !ok {
			to := tree.Root(s.Resource(e.Policy).Document()).Get("spec", "to").Items()[e.Index]
			found = entry{to.Get("rules").Empty(), TakesRest(to)}
			known[e] = found
		}
		return found
	}
	for _, g := range s.Groups(meshName, kuma.KindMeshHTTPRoute) {
		r, _ := s.Outline(meshName, g.Dataplanes[0], kuma.KindMeshHTTPRoute) // empty if its policies would exhaust a control plane
		for _, rule := range r.ToResourceRules {
			if rule.ResourceMeta.Type == kuma.KindMesh { // a route of a builtin gateway
				continue
			}
			empty, taken := true, false
			for e := range rule.Entries() {
				found := of(e)
				empty, taken = empty && found.empty, taken || !found.empty && found.takesRest
			}
			do(g.Dataplanes, rule, empty || taken)
		}
	}
}

// findWithoutRest judges the merged rules of all routes for a destination on each proxy: one
// rule for the rest in any of them is enough. Routes that apply to no proxy are judged alone.
func findWithoutRest(m *mesh, report func(problem)) {
	proxies, services := map[rules.Entry][]string{}, map[rules.Entry][]string{}
	eachMergedRoute(m.Snapshot, m.name, func(dataplanes []string, rule rules.ResourceRule, takesRest bool) {
		for e := range rule.Entries() {
			if !takesRest {
				proxies[e] = append(proxies[e], dataplanes...)
				services[e] = append(services[e], rule.ResourceMeta.Key().Local())
			}
		}
	})
	for _, route := range m.ofKind(kuma.KindMeshHTTPRoute) {
		idle := len(m.Selected(route.Key())) == 0 && route.TopRef().Kind != kuma.KindMeshGateway
		for i, to := range tree.Root(route.Document()).Get("spec", "to").Items() {
			e := rules.Entry{Policy: route.Key(), Index: i}
			switch {
			case len(proxies[e]) > 0:
				detail := list("Proxies", phrase.Sorted(proxies[e])) + " " + list("Destinations", phrase.Sorted(services[e]))
				report(problemAt(route.Key(), detail, to.Get("rules").Path...))
			case idle && !TakesRest(to):
				report(problemAt(route.Key(), "", to.Get("rules").Path...))
			}
		}
	}
}

// TakesRest reports whether the rules of an entry apply to all requests that other rules do not match, or
// whether that is unknown.
func TakesRest(entry tree.Node) bool {
	all := entry.Get("rules")
	return all.Empty() || slices.ContainsFunc(all.Items(), func(rule tree.Node) bool {
		matches := rule.Get("matches")
		return !rule.Known() || matches.Empty() || matches.Unknown() || slices.ContainsFunc(matches.Items(), matchesAll)
	})
}

// matchesAll reports whether a match of a request has no condition, or unknown ones.
func matchesAll(match tree.Node) bool {
	for _, field := range []string{"method", "headers", "queryParams"} {
		if match.Get(field).Filled() {
			return false
		}
	}
	path := match.Get("path")
	kind, _ := path.Get("type").Text()
	value, _ := path.Get("value").Text()
	return path.Absent() || !path.Complete() || kind == "PathPrefix" && value == "/"
}

func findAmbiguous(m *mesh, report func(problem)) {
	add := func(r *kuma.Resource, keys []kuma.Key, path tree.Path) {
		if names := phrase.Sorted(phrase.Each(keys, func(key kuma.Key) string { return key.Name })); len(names) > 1 {
			report(problemAt(r.Key(), list("Matches", names), path...))
		}
	}
	for _, p := range m.policies {
		for _, b := range rules.BackendRefs(*p) {
			add(p, keysOf(m.Resolve(*p, b.WithoutSection(), 0)), b.Path)
		}
	}
	for _, dp := range m.ofKind(kuma.KindDataplane) {
		for _, o := range rules.Outbounds(*dp) {
			if len(o.Labels) > 0 {
				add(dp, m.Consumed(m.name, o), o.Path)
			}
		}
	}
}

func keysOf(targets []rules.Target) []kuma.Key {
	return phrase.Each(targets, func(t rules.Target) kuma.Key { return t.Resource })
}
