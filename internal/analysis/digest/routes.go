package digest

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// routeMatches is how the routes of a mesh select a proxy, in the order of
// [rules.RouteKinds].
type routeMatches [2]*rules.Match

func matchRoutes(s *rules.Snapshot, meshName, dataplane string) (out routeMatches) {
	for i, kind := range rules.RouteKinds() {
		out[i] = s.Match(meshName, dataplane, kind)
	}
	return out
}

// applied returns the routes that apply to the proxy.
func (r routeMatches) applied() map[kuma.Key]bool {
	routes := map[kuma.Key]bool{}
	for _, m := range r {
		for _, key := range m.Policies() {
			routes[key] = true
		}
	}
	return routes
}

// routesIn returns the routes for which parts have settings, sorted.
func routesIn(parts []part) []kuma.Key {
	found := map[kuma.Key]bool{}
	for _, p := range parts {
		for _, key := range p.routes {
			found[key] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b kuma.Key) int { return cmp.Compare(a.String(), b.String()) })
}

// takenRequests are the requests that have the settings of a route, by the destination and the
// matches of the rule that takes them.
type takenRequests struct {
	To      string // KRI of the destination with the section
	Matches any
	Route   string // KRI
}

// sumOfTaken hashes which requests have the settings of routes. Of routes with equal matches, the one
// with the highest precedence takes them (matching.md §10.5), which the merged conf does not show.
func sumOfTaken(s *rules.Snapshot, mesh, dataplane string, routes []kuma.Key) (sum, error) {
	if len(routes) == 0 {
		return sum{}, nil
	}
	p, err := s.Outline(mesh, dataplane, kuma.KindMeshHTTPRoute)
	if err != nil {
		return sum{}, err
	}
	var all []takenRequests
	for _, r := range p.ToResourceRules {
		for _, conf := range r.Merge() {
			for _, rule := range tree.Objects(tree.Object(conf)["rules"]) {
				if by := taker(s, r, rule["matches"]); slices.Contains(routes, by) {
					all = append(all, takenRequests{
						kinds.KRI(r.ResourceMeta.ID()) + r.ResourceSectionName, rule["matches"],
						kinds.KRI(s.Resource(by).ID()),
					})
				}
			}
		}
	}
	return sha256.Sum256([]byte(phrase.JSON(all))), nil
}

// taker returns the route of a rule with some matches.
func taker(s *rules.Snapshot, r rules.ResourceRule, matches any) kuma.Key {
	var by kuma.Key
	for e := range r.Entries() {
		to := tree.Objects(s.Resource(e.Policy).Spec()["to"])
		if e.Index < len(to) &&
			slices.ContainsFunc(tree.Objects(to[e.Index]["rules"]), func(rule map[string]any) bool { return tree.Equal(rule["matches"], matches) }) {
			by = e.Policy
		}
	}
	return by
}
