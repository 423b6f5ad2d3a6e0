package request

import (
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// taken is a rule of a route with the match by which it takes a request.
type taken struct {
	Route
	routeMatch
	match, all any                   // the match, and all matches of the rule
	conf       tree.Node             // `default` of the rule
	entries    iter.Seq[rules.Entry] // of policies that the rule can be from
	gateway    *Listener             // whose route it is; nil for a sidecar
	twin       bool                  // of a prefix: for the path itself (matching.md §18.2)
}

// describe names the rule and the match.
func (s *sending) describe(t *taken) {
	t.Condition, _, _ = kinds.MeshHTTPRoute.Words(map[string]any{"rules": []any{map[string]any{"matches": []any{t.match}}}},
		tree.Path{"rules", 0})
	t.Policy, t.Entry, t.Rule = s.owner(t.entries, t.all)
}

// httpRules are the rules of the routes for a destination.
type httpRules struct {
	entries iter.Seq[rules.Entry]
	conf    any
	rules   []tree.Node
	sorted  func() []taken // the matches, in the order in which a proxy tries them
}

// routesTo returns the rules of routes for the destination, nil without a route. They are merged
// once for all requests.
func (s *sending) routesTo(kind string) *httpRules {
	about := question{s.Mesh, kind, s.Dataplane, fmt.Sprintf("%#v", s.destination())}
	found, _ := once(s.prepared, s.prepared.routes, about, func() (*httpRules, error) {
		policies := s.policies(kind, s.Dataplane)
		var merged *httpRules
		if found, ok := policies.Lookup(s.destination()); ok {
			conf := found.Merge()[0]
			merged = &httpRules{entries: found.Entries(), conf: conf, rules: tree.Root(conf).Get("rules").Items()}
			merged.sorted = sync.OnceValue(func() []taken {
				return slices.SortedStableFunc(slices.Values(merged.matches()),
					func(a, b taken) int { return compareRouteMatches(a.routeMatch, b.routeMatch) })
			})
		}
		return merged, s.failure()
	})
	return found
}

// matches returns the matches of all rules.
func (h *httpRules) matches() []taken {
	var all []taken
	for _, rule := range h.rules {
		for _, m := range rule.Get("matches").Items() {
			all = append(all, taken{
				routeMatch: parseMatch(m), match: m.Value(), all: rule.Get("matches").Value(), conf: rule.Get("default"),
				entries: h.entries,
			})
		}
	}
	return all
}

// owner is [OwnerOf] with the parts of the entry.
func (s *sending) owner(entries iter.Seq[rules.Entry], matches any) (policy kuma.Key, entry, rule int) {
	e, rule := OwnerOf(s.snapshot, entries, matches)
	return e.Policy, e.Index, rule
}

// OwnerOf returns the entry that the rule with some matches belongs to, which is that with the
// highest precedence (matching.md §10.5), with the position of the rule.
func OwnerOf(s *rules.Snapshot, entries iter.Seq[rules.Entry], matches any) (entry rules.Entry, rule int) {
	for e := range entries {
		to := tree.List(s.Resource(e.Policy).Spec()["to"])
		if e.Index >= len(to) {
			continue
		}
		i := slices.IndexFunc(tree.List(tree.Object(to[e.Index])["rules"]),
			func(v any) bool { return tree.Equal(tree.Object(v)["matches"], matches) })
		if i >= 0 {
			entry, rule = e, i
		}
	}
	return entry, rule
}

// String names the rule for people.
func (r Route) String() string {
	return fmt.Sprintf("rule %d of %s %q", r.Rule+1, r.Policy.Type, r.Policy.Name)
}

// route returns the rule that takes the request: nil if none does.
func (s *sending) route() *taken {
	routes := s.routesTo(kuma.KindMeshHTTPRoute)
	if routes == nil {
		return nil
	}
	s.routed = true
	for _, t := range routes.sorted() {
		matches, err := t.matches(s.Request)
		if err == nil && !matches {
			continue
		}
		s.describe(&t)
		if err != nil {
			s.unknown("A regular expression of %s cannot be evaluated: %s.", t.Route, err)
			return nil
		}
		if len(s.targets(t)) == 0 {
			s.say("%s matches (%s), but no backend has the port and a weight: the proxy does not have the rule.", t.Route, t.Condition)
			continue
		}
		return &t
	}
	return nil
}

// HasRule reports whether proxies with an HTTP listener have a rule of a MeshHTTPRoute with some `default` (matching.md §17.1).
func (sim Simulation) HasRule(route kuma.Key, conf map[string]any) bool {
	mesh, err := sim.prepared.mesh(sim.snapshot, route.Mesh)
	s := sim.sending(Request{Mesh: route.Mesh}, mesh, proxy.Client{})
	s.Destination.Protocol = protocolHTTP
	return err != nil || len(s.targets(taken{Route: Route{Policy: route}, conf: tree.Root(conf)})) > 0
}

// replacesRest reports whether there are routes without the rule that proxies add for all other
// requests: one of them takes these, or the destination cannot.
func (s *sending) replacesRest() bool {
	routes := s.routesTo(kuma.KindMeshHTTPRoute)
	return routes != nil &&
		(s.itselfOnRoute() == nil || slices.ContainsFunc(routes.sorted(), func(t taken) bool { return t.isRest() }))
}

// restFails reports whether the proxy answers requests that no rule takes with 404, which is stated for routes with rules.
func (s *sending) restFails() bool {
	routes := s.routesTo(kuma.KindMeshHTTPRoute)
	return s.RestFails && routes != nil && len(routes.rules) > 0
}

// RoutesOf returns the routes that take all requests to a port that a proxy listens for: nil if they leave some to the rule that
// proxies add.
func (sim Simulation) RoutesOf(mesh, dataplane string, p rules.Port) ([]kuma.ID, error) {
	return ask(sim, mesh, dataplane, func(s *sending) (routes []kuma.ID) {
		s.callAny(p)
		if !s.isHTTP() || !s.replacesRest() {
			return nil
		}
		for _, t := range s.routesTo(kuma.KindMeshHTTPRoute).sorted() {
			s.describe(&t)
			route := s.snapshot.Resource(t.Policy)
			if route == nil {
				return nil
			}
			routes = append(routes, route.ID())
		}
		return routes
	})
}

// hasRule reports whether the proxy has any rule of the routes.
func (s *sending) hasRule() bool {
	routes := s.routesTo(kuma.KindMeshHTTPRoute)
	return routes != nil && slices.ContainsFunc(routes.sorted(), func(t taken) bool {
		s.describe(&t)
		return len(s.targets(t)) > 0
	})
}

// IsHTTP reports whether a proxy handles the requests to a port that it listens for, or to a service that only a tag names: see
// [sending.isHTTP].
func (sim Simulation) IsHTTP(mesh, dataplane string, p rules.Port) (bool, error) {
	return ask(sim, mesh, dataplane, func(s *sending) bool {
		s.callAny(p)
		return s.isHTTP()
	})
}

// Listens reports whether a proxy has a listener for a port of a service that it reaches: its routes leave a backend, or answer requests
// (matching.md §17.1).
func (sim Simulation) Listens(mesh, dataplane string, p rules.Port) (bool, error) {
	return ask(sim, mesh, dataplane, func(s *sending) bool {
		s.callAny(p)
		if s.isHTTP() {
			return !s.replacesRest() || s.hasRule()
		}
		route, targets := s.tcpRoute()
		return route == nil || slices.ContainsFunc(targets, func(t target) bool { return t.exists })
	})
}

// callAny makes a port the destination, or the proxies with the tag that it stands for.
func (s *sending) callAny(p rules.Port) {
	if p.Resource.Type == "" {
		s.callTags(map[string]string{kuma.TagService: p.Resource.Name})
	} else {
		s.call(p)
	}
}

// SendsElsewhere reports whether a proxy, which listens for a port, opens no connection to it, because
// its routes have only other backends.
func (sim Simulation) SendsElsewhere(mesh, dataplane string, p rules.Port) (bool, error) {
	return ask(sim, mesh, dataplane, func(s *sending) bool {
		s.callAny(p)
		return !slices.ContainsFunc(s.targetsOfListener(), func(to target) bool { return to.port == p })
	})
}
