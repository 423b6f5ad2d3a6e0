package request

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// taken is a rule of a route with the match by which it takes a request.
type taken struct {
	Route
	routeMatch
	conf tree.Node // `default` of the rule
}

// httpRules are the rules of the routes for a destination.
type httpRules struct {
	found rules.Found
	conf  any
	rules []tree.Node
}

// routesTo returns the rules of routes for a destination, and whether there is a route.
func (s *sending) routesTo(kind string) (httpRules, bool, error) {
	policies, err := s.policies(kind, s.Dataplane)
	if err != nil {
		return httpRules{}, false, err
	}
	found, ok := policies.Lookup(s.destination())
	if !ok || found.Resource == nil {
		return httpRules{}, false, nil
	}
	conf := found.Resource.Merge()[0]
	return httpRules{found, conf, tree.Root(conf).Get("rules").Items()}, true, nil
}

// sorted returns the matches of all rules in the order in which a proxy tries them.
func (s *sending) sorted(h httpRules) []taken {
	var all []taken
	for _, rule := range h.rules {
		for _, m := range rule.Get("matches").Items() {
			t := taken{routeMatch: parseMatch(m), conf: rule.Get("default")}
			t.Condition, _, _ = kinds.MeshHTTPRoute.Words(map[string]any{"rules": []any{map[string]any{"matches": []any{m.Value()}}}}, tree.Path{"rules", 0})
			t.Policy, t.Entry, t.Rule = s.owner(h.found, rule.Get("matches").Value())
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b taken) int { return compareRouteMatches(a.routeMatch, b.routeMatch) })
	return all
}

// owner returns the policy that the rule with some matches belongs to, which is that with the
// highest precedence (matching.md §10.5), with the positions of the rule.
func (s *sending) owner(found rules.Found, matches any) (policy kuma.Key, entry, rule int) {
	if found.Resource == nil {
		return policy, 0, 0
	}
	for e := range found.Resource.Entries() {
		to := tree.List(s.snapshot.Resource(e.Policy).Spec()["to"])
		if e.Index >= len(to) {
			continue
		}
		i := slices.IndexFunc(tree.List(tree.Object(to[e.Index])["rules"]), func(v any) bool { return tree.Equal(tree.Object(v)["matches"], matches) })
		if i >= 0 {
			policy, entry, rule = e.Policy, e.Index, i
		}
	}
	return policy, entry, rule
}

// String names the rule for people.
func (r Route) String() string {
	return fmt.Sprintf("rule %d of %s %q", r.Rule+1, r.Policy.Type, r.Policy.Name)
}

// route returns the rule that takes the request: nil if none does.
func (s *sending) route() (*taken, error) {
	found, ok, err := s.routesTo(kuma.KindMeshHTTPRoute)
	if err != nil || !ok {
		return nil, err
	}
	s.routed = true
	for _, t := range s.sorted(found) {
		matches, err := t.matches(s.Request)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Route, err)
		}
		if !matches {
			continue
		}
		if len(s.targets(t)) == 0 {
			s.say("%s matches (%s), but no backend has the port and a weight: the proxy does not have the rule.", t.Route, t.Condition)
			continue
		}
		return &t, nil
	}
	return nil, nil
}

// hasRest reports whether a rule takes all requests that no other rule takes.
func (s *sending) hasRest() bool {
	found, _, err := s.routesTo(kuma.KindMeshHTTPRoute)
	return err == nil && slices.ContainsFunc(s.sorted(found), func(t taken) bool { return t.isRest() })
}
