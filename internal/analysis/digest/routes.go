package digest

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// routeMatches is how the routes of a mesh select a proxy, in the order of
// [rules.RouteKinds].
type routeMatches [2]*rules.Match

func matchRoutes(s *rules.Snapshot, meshName, dataplane string) (routeMatches, error) {
	var out routeMatches
	for i, kind := range rules.RouteKinds() {
		m, err := s.Match(meshName, dataplane, kind)
		if err != nil {
			return out, err
		}
		out[i] = m
	}
	return out, nil
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
