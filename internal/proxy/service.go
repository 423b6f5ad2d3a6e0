package proxy

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Service is a MeshService, a service that only the tag kuma.io/service names, or a MeshExternalService, with
// the proxies that provide it. Endpoints of a MeshExternalService are zone egresses, which do not provide it.
type Service struct {
	ID    kuma.ID // without a type for a tag
	Tag   string  // value of kuma.io/service that exactly the proxies of the service have, if there is one
	Ports []ServicePort
	// Members are the Dataplanes that it selects, in order of name.
	Members []string

	available bool // a Dataplane has a ready inbound for each port
	partly    bool // some of the Dataplanes have no certificate
}

// ServicePort is a port of a service. Its endpoints are where requests for it arrive: only where a proxy is ready for them.
type ServicePort struct {
	Name      string
	Number    int
	Endpoints []Endpoint
}

// Endpoint is an inbound of a dataplane, or a listener of a zone egress.
type Endpoint struct {
	Dataplane string
	Port      int
	Address   string // to which clients connect
	Inbound   string // the address of the inbound itself
	Resource  *kuma.Resource
	Node      tree.Node // in the document

	tags    map[string]string
	ownZone bool // no request from another zone gets to it
}

// NewEndpoint returns an inbound or a listener of a Dataplane.
func NewEndpoint(dataplane *kuma.Resource, n tree.Node) Endpoint {
	networking := tree.Root(dataplane.Body).Get("networking")
	own := cmp.Or(tree.Text(n.Get("address").Value()), tree.Text(networking.Get("address").Value()))
	address := own
	if !isEgress(n) { // measured on 2.14.3
		address = cmp.Or(tree.Text(networking.Get("advertisedAddress").Value()), own)
	}
	tags := tree.StringMap(n.Get("tags").Value())
	return Endpoint{dataplane.Name, tree.Int(n.Get("port").Value()), address, own, dataplane, n, tags, false}
}

// Affinity returns the value of an affinity tag: of the tag of the inbound, or else of the label with this name (measured on 2.14.3 and
// 3.0).
func (e Endpoint) Affinity(key string) string { return cmp.Or(e.tags[key], e.Resource.Labels[key]) }

// IsTagged reports whether an endpoint has tags.
func (e Endpoint) IsTagged() bool { return len(e.tags) > 0 }

// ServesZone reports whether the proxies of a zone send requests for external services to an endpoint, which is
// a zone egress.
func (e Endpoint) ServesZone(zone string) bool {
	own := e.Resource.Zone()
	return own == "" || zone == "" || own == zone
}

// HasTags reports whether an endpoint has some tags. The control plane adds the tag of the zone.
func (e Endpoint) HasTags(tags map[string]string) bool {
	return hasTags(e.tags, e.Resource.Zone(), tags)
}

func hasTags(of map[string]string, zone string, tags map[string]string) bool {
	for key, value := range tags {
		own, ok := of[key]
		if !ok && key == kuma.LabelZone {
			own = zone
		}
		if own != value {
			return false
		}
	}
	return true
}

// provider is a Dataplane with its inbounds.
type provider struct {
	*kuma.Resource
	inbounds []tree.Node
}

// providers are Dataplanes by a label, by a tag of an inbound, by display name with an empty key, and all of them with an empty value, too.
type providers map[[2]string][]*provider

func (m *Mesh) newProviders() providers {
	all := providers{}
	for _, dataplane := range m.snapshot.Resources(m.name, kuma.KindDataplane) {
		p := &provider{dataplane, tree.Root(dataplane.Body).Get("networking", "inbound").Items()}
		pairs := map[[2]string]bool{{"", dataplane.DisplayName()}: true, {}: true}
		for key, value := range dataplane.Labels {
			pairs[[2]string{key, value}] = true
		}
		for _, in := range p.inbounds {
			for key, value := range tree.StringMap(in.Get("tags").Value()) {
				pairs[[2]string{key, value}] = true
			}
		}
		for pair := range pairs {
			all[pair] = append(all[pair], p)
		}
	}
	return all
}

// withTag returns the inbounds with a value of kuma.io/service.
func (all providers) withTag(service string) (inbounds []Endpoint) {
	for _, p := range all[[2]string{kuma.TagService, service}] {
		for _, in := range p.inbounds {
			if e := NewEndpoint(p.Resource, in); e.tags[kuma.TagService] == service {
				inbounds = append(inbounds, e)
			}
		}
	}
	return inbounds
}

// readServices determines the members of the services, in order of name. In a mesh in which
// tags address services, a tag without a MeshService is also a service.
func (m *Mesh) readServices() []*Service {
	all := m.newProviders()
	var services []*Service
	named := map[string]bool{}
	for _, r := range m.snapshot.Resources(m.name, kuma.KindMeshService) {
		services = append(services, newService(r, all))
		named[r.DisplayName()] = true
	}
	if !m.snapshot.Exclusive(m.name) {
		for _, tag := range m.snapshot.ServiceTags(m.name) {
			if !named[tag] {
				services = append(services, m.serviceOfTag(all, tag))
			}
		}
	}
	egresses := m.Egresses()
	for _, r := range m.snapshot.Resources(m.name, kuma.KindMeshExternalService) {
		s := &Service{ID: r.ID()}
		for _, port := range m.snapshot.Ports(r.ID()) {
			s.Ports = append(s.Ports, ServicePort{Name: port.Section, Number: port.Number, Endpoints: egresses})
		}
		services = append(services, s)
	}
	maps.DeleteFunc(all, func(pair [2]string, _ []*provider) bool { return pair[0] != kuma.TagService })
	m.providers = all
	return services
}

// Provides reports whether a proxy of the mesh has an inbound with some tags that is ready.
func (m *Mesh) Provides(tags map[string]string) bool { return len(m.Tagged(tags)) > 0 }

// Inbounds returns the inbounds of the mesh with some tags, among them kuma.io/service.
func (m *Mesh) Inbounds(tags map[string]string) []Endpoint {
	return slices.DeleteFunc(m.providers.withTag(tags[kuma.TagService]), func(e Endpoint) bool { return !e.HasTags(tags) })
}

// Tagged returns the inbounds of the mesh with some tags that are ready.
func (m *Mesh) Tagged(tags map[string]string) []Endpoint {
	return slices.DeleteFunc(m.Inbounds(tags), func(e Endpoint) bool { return !rules.IsReady(e.Node) })
}

// Endpoints returns where requests for a port arrive: for that of a MeshMultiZoneService, at the services that it selects. Those in the
// state Unavailable only get requests of their own zone (proxies.md §3).
func (m *Mesh) Endpoints(p rules.Port) (all []Endpoint) {
	for _, id := range m.snapshot.Behind(p.Resource) {
		s, known := m.serviceByID[id]
		if !known {
			continue
		}
		if port, ok := m.snapshot.PortBehind(p, *m.snapshot.Service(id)); ok {
			i := slices.IndexFunc(s.Ports, func(of ServicePort) bool { return of.Number == tree.Int(port.Get("port").Value()) })
			for _, e := range s.Ports[i].Endpoints {
				e.ownZone = p.Resource != id && !s.available
				all = append(all, e)
			}
		}
	}
	return all
}

// PrefersTagged reports whether the locality awareness of a MeshLoadBalancingStrategy makes clients prefer inbounds with tags: before
// Kuma 3.0, the others are in another zone, which has no name (proxies.md §3).
func (m *Mesh) PrefersTagged(locality tree.Node) bool {
	return !m.snapshot.Release().Kuma3() && HasGroups(locality)
}

// HasGroups reports whether a locality awareness groups endpoints, which also applies if it is disabled (proxies.md §3).
func HasGroups(locality tree.Node) bool {
	return locality.Get("localZone").Known() || locality.Get("crossZone").Known()
}

// LeavesOutUntagged reports whether it also keeps a client from inbounds without tags: no failover of the zone of the client is to them.
func (m *Mesh) LeavesOutUntagged(locality tree.Node, client string) bool {
	return m.PrefersTagged(locality) && !m.HasExits() &&
		Failover(locality, m.dataplane(client).Zone(), "") < 0
}

// Failover returns the position of the first failover of the crossZone of a locality awareness that is from a zone to another, -1 if none
// is. One to None is to no zone, and ends nothing. A zone without a name may be any one that a failover is from.
func Failover(locality tree.Node, from, to string) int {
	return slices.IndexFunc(locality.Get("crossZone", "failover").Items(), func(failover tree.Node) bool {
		sources, zones := tree.Strings(failover.Get("from", "zones").Value()), tree.Strings(failover.Get("to", "zones").Value())
		if from != "" && len(sources) > 0 && !slices.Contains(sources, from) {
			return false
		}
		switch kind, _ := failover.Get("to", "type").Text(); kind {
		case "Any":
			return true
		case "AnyExcept":
			return !slices.Contains(zones, to)
		default:
			return kind == "Only" && slices.Contains(zones, to)
		}
	})
}

// Members returns the Dataplanes that provide one of the services, in order of name. The ID of
// a service that only a tag names has no type.
func (m *Mesh) Members(ids ...kuma.ID) []string {
	var members []string
	for _, s := range m.services {
		if slices.Contains(ids, s.ID) {
			members = append(members, s.Members...)
		}
	}
	return phrase.Sorted(members)
}

func newService(r *kuma.Resource, all providers) *Service {
	s := &Service{ID: r.ID()}
	if tags := tree.StringMap(tree.Root(r.Spec()).Get("selector", "dataplaneTags").Value()); len(tags) == 1 {
		s.Tag = tags[kuma.TagService]
	}
	ports := tree.Root(r.Spec()).Get("ports").Items()
	for i, name := range rules.Sections(*r) {
		s.Ports = append(s.Ports, ServicePort{Name: name, Number: tree.Int(ports[i].Get("port").Value())})
	}
	for _, p := range candidates(r, all) {
		if !rules.Selects(*r, *p.Resource) {
			continue
		}
		s.addMember(p.Name)
		s.available = s.available || !slices.ContainsFunc(ports, func(port tree.Node) bool {
			return !slices.ContainsFunc(p.inbounds, func(in tree.Node) bool { return rules.IsReady(in) && rules.Receives(in, port) })
		})
		for i, port := range ports {
			for _, in := range rules.Endpoints(*r, *p.Resource, port) {
				s.Ports[i].Endpoints = append(s.Ports[i].Endpoints, NewEndpoint(p.Resource, in))
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

// serviceOfTag returns a service without a MeshService. Its ports are the ports of its inbounds.
func (m *Mesh) serviceOfTag(all providers, tag string) *Service {
	s := &Service{ID: kuma.ID{Mesh: m.name, Name: tag}, Tag: tag}
	inbounds := all.withTag(tag)
	for _, e := range inbounds {
		s.addMember(e.Dataplane)
	}
	for _, same := range phrase.Grouped(inbounds, func(e Endpoint) int { return e.Port }) {
		port := ServicePort{Name: strconv.Itoa(same[0].Port), Number: same[0].Port}
		port.Endpoints = slices.DeleteFunc(same, func(e Endpoint) bool { return !rules.IsReady(e.Node) })
		s.Ports = append(s.Ports, port)
	}
	return s
}

// candidates returns the Dataplanes that have one of the properties that a service requires.
func candidates(service *kuma.Resource, all providers) []*provider {
	selector := tree.Root(service.Spec()).Get("selector")
	if name, ok := selector.Get("dataplaneRef", "name").Text(); ok {
		return all[[2]string{"", name}]
	}
	best := all[[2]string{}]
	for _, n := range []tree.Node{selector.Get("dataplaneTags"), selector.Get("dataplaneLabels", "matchLabels")} {
		for key, value := range tree.StringMap(n.Value()) {
			if list := all[[2]string{key, value}]; len(list) < len(best) {
				best = list
			}
		}
	}
	return best
}
