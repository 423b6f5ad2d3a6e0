package access

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// reach is for which ports of services a proxy has a listener.
type reach struct {
	all   bool // the Dataplane lists none, and nothing restricts it
	ports map[portKey]bool
	tags  map[string]bool // services that it lists by tag
	key   string          // equal for equal ones
}

// portKey identifies a port of a service.
type portKey struct {
	service kuma.ID
	number  int
}

func (r reach) has(s *service, number int) bool {
	if s.id.Type == "" && len(r.tags) > 0 {
		return r.tags[s.id.Name]
	}
	return r.all || r.ports[portKey{s.id, number}]
}

func (m *Mesh) reachOf(dataplane string) (reach, error) {
	r := reach{tags: map[string]bool{}}
	for _, o := range rules.Outbounds(*m.snapshot.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: m.name, Name: dataplane})) {
		if o.Tag != "" {
			r.tags[o.Tag] = true
			r.key += o.Tag + " "
		}
	}
	var err error
	if _, r.all, err = m.snapshot.ReachableServices(m.name, dataplane); err != nil || r.all {
		r.key += "*"
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
