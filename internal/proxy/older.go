package proxy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// OlderError says that the answer depends on resources of older kinds, which are not evaluated.
type OlderError struct{ Resources []kuma.Key }

func (e *OlderError) Error() string {
	return fmt.Sprintf("it depends on %s, and this provider does not evaluate older kinds", NameOlder(e.Resources))
}

// NameOlder names resources of older kinds, in the order of their kinds: "TrafficPermissions a and b".
func NameOlder(resources []kuma.Key) string {
	const most = 3 // of a kind
	var parts []string
	for _, same := range phrase.Grouped(resources, func(key kuma.Key) string { return key.Type }) {
		names := phrase.Each(same, func(key kuma.Key) string { return key.Name })
		parts = append(parts, same[0].Type+" "+phrase.Some(names, most, ""))
	}
	return strings.Join(parts, ", ")
}

// Older returns the resources of older kinds that can have an effect on proxies of the mesh. What
// they select is not evaluated (proxies.md §6).
func (m *Mesh) Older(effect kinds.OlderEffect) []kuma.Key {
	var found []kuma.Key
	for _, k := range kinds.OlderKinds() {
		resources := m.snapshot.Resources(m.name, k.Name)
		if k.Effect != effect || len(resources) == 0 || m.snapshot.Release().Kuma3() ||
			k.Outgoing && len(m.snapshot.Resources(m.name, kinds.TrafficRoute)) == 0 &&
				!slices.ContainsFunc(m.snapshot.Dataplanes(m.name), m.IsBuiltinGateway) {
			continue
		}
		found = append(found, phrase.Each(resources, (*kuma.Resource).Key)...)
	}
	return found
}

// Routed returns why it is not known where requests of a proxy go, nil if it is. With TrafficRoutes in
// the mesh and no other routes, proxies only have listeners by tags. Their requests go to the proxies
// with the tags if all TrafficRoutes send them there. With TrafficRoutes and other routes, some proxies
// get no configuration (proxies.md §6).
func (m *Mesh) Routed(dataplane string, byTags bool) error {
	routes := m.Older(kinds.OlderRoutes)
	if len(routes) == 0 || byTags && m.passOn && !m.snapshot.IsSelected(m.name, dataplane, kuma.KindMeshHTTPRoute) &&
		!m.snapshot.IsSelected(m.name, dataplane, kuma.KindMeshTCPRoute) {
		return nil
	}
	return &OlderError{routes}
}

// passOn reports whether all TrafficRoutes send requests only to the service that they are for, and
// one of them is for all services.
func passOn(routes []*kuma.Resource) bool {
	everything := func(list tree.Node) bool {
		return slices.ContainsFunc(list.Items(), func(n tree.Node) bool {
			return maps.Equal(tree.StringMap(n.Get("match").Value()), map[string]string{kuma.TagService: "*"})
		})
	}
	all := false
	for _, r := range routes {
		body := tree.Root(r.Body)
		conf := tree.Object(body.Get("conf").Value())
		for field := range conf {
			if field != "destination" && field != "loadBalancer" {
				return false
			}
		}
		if !maps.Equal(tree.StringMap(conf["destination"]), map[string]string{kuma.TagService: "*"}) {
			return false
		}
		all = all || everything(body.Get("sources")) && everything(body.Get("destinations"))
	}
	return all
}
