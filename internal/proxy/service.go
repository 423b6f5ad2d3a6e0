package proxy

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Service is a MeshService, or what only the tag kuma.io/service names, with the proxies that
// provide it.
type Service struct {
	ID    kuma.ID // without a type for a tag
	Tag   string  // value of kuma.io/service whose proxies are those of the service, if there is one
	Ports []ServicePort
	// Members are the Dataplanes that it selects, in order of name.
	Members []string
}

// ServicePort is a port of a service. Its endpoints are where requests for it arrive.
type ServicePort struct {
	Name      string
	Number    int
	Endpoints []Endpoint
}

// Endpoint is an inbound of a dataplane.
type Endpoint struct {
	Dataplane string
	Port      int
	Address   string

	tags map[string]string
	zone string
}

// HasTags reports whether an endpoint has some tags. The control plane adds that of the zone.
func (e Endpoint) HasTags(tags map[string]string) bool {
	for key, value := range tags {
		own, ok := e.tags[key]
		if !ok && key == kuma.LabelZone {
			own = e.zone
		}
		if own != value {
			return false
		}
	}
	return true
}

// provider is an inbound of a Dataplane.
type provider struct {
	*kuma.Resource
	inbound tree.Node
	tags    map[string]string
	port    int
	address string
}

func (p provider) endpoint() Endpoint {
	return Endpoint{p.Name, p.port, p.address, p.tags, p.Zone()}
}

// readServices determines the members of the services, in order of name. In a mesh in which
// tags address services, a tag without a MeshService is one as well.
func (m *Mesh) readServices() []*Service {
	byPair := map[[2]string][]provider{} // labels and tags, and the empty key for all
	for _, dataplane := range m.snapshot.Resources(m.name, kuma.KindDataplane) {
		networking := tree.Root(dataplane.Body).Get("networking")
		for _, n := range networking.Get("inbound").Items() {
			address := cmp.Or(tree.Text(n.Get("address").Value()), tree.Text(networking.Get("address").Value()))
			p := provider{dataplane, n, tree.StringMap(n.Get("tags").Value()), tree.Int(n.Get("port").Value()), address}
			for _, pairs := range []map[string]string{dataplane.Labels, p.tags, {"": dataplane.Name}} {
				for key, value := range pairs {
					pair := [2]string{key, value}
					byPair[pair] = append(byPair[pair], p)
				}
			}
		}
	}
	var services []*Service
	named := map[string]bool{}
	for _, r := range m.snapshot.Resources(m.name, kuma.KindMeshService) {
		services = append(services, newService(r, byPair))
		named[r.DisplayName()] = true
	}
	if !m.snapshot.Exclusive(m.name) {
		for _, tag := range m.snapshot.ServiceTags(m.name) {
			if !named[tag] {
				services = append(services, m.serviceOfTag(tag, byPair[[2]string{kuma.TagService, tag}]))
			}
		}
	}
	maps.DeleteFunc(byPair, func(pair [2]string, _ []provider) bool { return pair[0] != kuma.TagService })
	m.providers = byPair
	return services
}

// Provides reports whether a proxy of the mesh has an inbound with some tags.
func (m *Mesh) Provides(tags map[string]string) bool {
	return slices.ContainsFunc(m.providers[[2]string{kuma.TagService, tags[kuma.TagService]}], func(p provider) bool { return p.endpoint().HasTags(tags) })
}

// Members returns the Dataplanes that provide one of the services, in order of name. One of a
// tag has no type.
func (m *Mesh) Members(ids ...kuma.ID) []string {
	var members []string
	for _, s := range m.services {
		if slices.Contains(ids, s.ID) {
			members = append(members, s.Members...)
		}
	}
	slices.Sort(members)
	return slices.Compact(members)
}

func newService(r *kuma.Resource, byPair map[[2]string][]provider) *Service {
	s := &Service{ID: r.ID()}
	if tags := tree.StringMap(tree.Root(r.Spec()).Get("selector", "dataplaneTags").Value()); len(tags) == 1 {
		s.Tag = tags[kuma.TagService]
	}
	for _, port := range tree.Root(r.Spec()).Get("ports").Items() {
		number := tree.Int(port.Get("port").Value())
		name, ok := port.Get("name").Text()
		if !ok {
			name = strconv.Itoa(number)
		}
		s.Ports = append(s.Ports, ServicePort{Name: name, Number: number})
	}
	for _, p := range candidates(r, byPair) {
		if !rules.SameZone(*r, *p.Resource) || !rules.Serves(*r, *p.Resource, p.tags) {
			continue
		}
		s.addMember(p.Name)
		for i, port := range tree.Root(r.Spec()).Get("ports").Items() {
			if rules.Receives(p.inbound, port) {
				s.Ports[i].Endpoints = append(s.Ports[i].Endpoints, p.endpoint())
			}
		}
	}
	return s
}

func (s *Service) addMember(dataplane string) {
	if n := len(s.Members); n == 0 || s.Members[n-1] != dataplane { // they come in order of name
		s.Members = append(s.Members, dataplane)
	}
}

// serviceOfTag returns a service without a MeshService: its ports are those of its inbounds.
func (m *Mesh) serviceOfTag(tag string, providers []provider) *Service {
	s := &Service{ID: kuma.ID{Mesh: m.name, Name: tag}, Tag: tag}
	for _, p := range providers {
		if p.tags[kuma.TagService] != tag {
			continue // a label
		}
		s.addMember(p.Name)
		i := slices.IndexFunc(s.Ports, func(port ServicePort) bool { return port.Number == p.port })
		if i < 0 {
			i = len(s.Ports)
			s.Ports = append(s.Ports, ServicePort{Name: strconv.Itoa(p.port), Number: p.port})
		}
		s.Ports[i].Endpoints = append(s.Ports[i].Endpoints, p.endpoint())
	}
	return s
}

// candidates returns the inbounds that have one of the properties that a service requires.
func candidates(service *kuma.Resource, byPair map[[2]string][]provider) []provider {
	selector := tree.Root(service.Spec()).Get("selector")
	if name, ok := selector.Get("dataplaneRef", "name").Text(); ok {
		return byPair[[2]string{"", name}]
	}
	var best []provider
	found := false
	for _, n := range []tree.Node{selector.Get("dataplaneTags"), selector.Get("dataplaneLabels", "matchLabels")} {
		for key, value := range tree.StringMap(n.Value()) {
			if list := byPair[[2]string{key, value}]; !found || len(list) < len(best) {
				best, found = list, true
			}
		}
		if found {
			break
		}
	}
	return best
}
