package access

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// reach is for which ports of services a proxy has a listener.
type reach struct {
	all   bool // the Dataplane lists none, and nothing restricts it
	ports map[portKey]bool
	tags  map[string]bool // services that it reaches by tag; nil for all of them
	key   string          // equal for equal ones
}

// portKey identifies a port of a service.
type portKey struct {
	service kuma.ID
	number  int
}

func (r reach) has(s *service, number int) bool {
	switch {
	case s.tag != "" && (r.tags == nil || r.tags[s.tag]):
		return true
	case s.id.Type == "":
		return false
	default:
		return r.all || r.ports[portKey{s.id, number}]
	}
}

func (m *Mesh) reachOf(dataplane string) (reach, error) {
	r := reach{tags: m.tagsOf(dataplane)}
	r.key = fmt.Sprintf("%t %q ", r.tags == nil, slices.Sorted(maps.Keys(r.tags)))
	if _, all, err := m.snapshot.ReachableServices(m.name, dataplane); err != nil || all {
		r.all = len(r.tags) == 0 // or else the Dataplane lists services, although only by tags
		r.key += fmt.Sprint(r.all)
		return r, err
	}
	ports, err := m.snapshot.Reachable(m.name, dataplane)
	if err != nil {
		return r, err
	}
	r.ports = map[portKey]bool{}
	var key strings.Builder
	for _, p := range ports {
		for _, id := range m.snapshot.Behind(p.Resource) {
			r.ports[portKey{id, p.Number}] = true
			fmt.Fprintf(&key, "%s %d ", kinds.KRI(id), p.Number)
		}
	}
	r.key += key.String()
	return r, nil
}

// tagsOf returns the services that a Dataplane reaches by tag, nil for all of them: those of
// its outbounds, or for a transparent proxy those of reachableServices (matching.md §17.10).
func (m *Mesh) tagsOf(name string) map[string]bool {
	dataplane := m.snapshot.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: m.name, Name: name})
	networking := tree.Root(dataplane.Body).Get("networking")
	tags := map[string]bool{}
	if rules.IsTransparent(dataplane) {
		listed := tree.Strings(networking.Get("transparentProxying", "reachableServices").Value())
		if len(listed) == 0 {
			return nil
		}
		for _, service := range listed {
			tags[service] = true
		}
		return tags
	}
	if len(networking.Get("outbound").Items()) == 0 {
		return nil
	}
	for _, o := range m.snapshot.TaggedOutbounds(dataplane) {
		tags[o.Tags[kuma.TagService]] = true
	}
	return tags
}
