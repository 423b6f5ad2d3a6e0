package request

import (
	"cmp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// routeReference is a reference of a route to a MeshExternalService, which has its port or another one.
type routeReference struct {
	route kuma.Key
	isOwn bool
}

// Misnames reports whether a proxy may ask a zone egress for a port that a MeshExternalService does not have, and whether it is known
// that it does. Before Kuma 3.0, its first reference decides for all of them (proxies.md §3), which is not evaluated.
func (sim Simulation) Misnames(mesh, dataplane string, service kuma.ID) (may, known bool) {
	if sim.isKuma3() || service.Type != kuma.KindMeshExternalService {
		return false, true
	}
	proxies, err := sim.prepared.mesh(sim.snapshot, mesh)
	if err != nil {
		return false, true // reported elsewhere
	}
	all, _ := once(sim.prepared, sim.prepared.references, mesh, func() (map[kuma.ID][]routeReference, error) {
		return sim.references(mesh), nil
	})
	own, other := false, false
	for _, r := range all[service] {
		if _, applies := slices.BinarySearch(sim.snapshot.Selected(r.route), dataplane); applies {
			own, other = own || r.isOwn, other || !r.isOwn
		}
	}
	for _, o := range proxies.Outbounds(dataplane).All {
		if o.Port.Resource == service {
			isOwn := o.Reference == 0 || o.Reference == o.Port.Number
			own, other = own || isOwn, other || !isOwn
		}
	}
	return other, !own || !other
}

// references returns the references of the routes of a mesh to each MeshExternalService.
func (sim Simulation) references(mesh string) map[kuma.ID][]routeReference {
	found := map[kuma.ID][]routeReference{}
	for _, route := range sim.snapshot.Resources(mesh, rules.RouteKinds()...) {
		for _, ref := range rules.BackendRefs(*route) {
			if id, port := sim.snapshot.Backend(*route, ref); id.Type == kuma.KindMeshExternalService && ref.Weight > 0 {
				found[id] = append(found[id], routeReference{route.Key(), port.Number == ref.Port})
			}
		}
	}
	return found
}

// listeners returns the listeners of the client in the order of its outbounds. For a transparent
// proxy, their order is not known.
func (s *sending) listeners() (all []proxy.Outbound, ordered bool) {
	outbounds := s.proxies.Outbounds(s.Dataplane)
	return outbounds.All, !outbounds.Transparent
}

// on returns the client when it sends to one of its listeners.
func (s *sending) on(o proxy.Outbound) *sending {
	client := *s
	client.section = o.Section
	if client.Destination, client.Tags = o.Port, o.Tags; o.Tags != nil {
		client.callTags(o.Tags)
	}
	return &client
}

// firstSection returns the section by which settings for connections to a port with a name are
// looked up, and whether that is known. A proxy refers to the port by its name, as a listener
// does, and by its number, as a route does; the first reference decides for both (proxies.md §3).
// The listeners of a transparent proxy for MeshServices are in order of name.
func (s *sending) firstSection(p rules.Port, section string) (first string, known bool) {
	if p.IsNamedByNumber() || p.Resource.Type != kuma.KindMeshService || s.SPIFFEID != "" {
		return section, true
	}
	found, _ := once(s.prepared, s.prepared.sections, question{mesh: s.Mesh, dataplane: s.Dataplane}, s.sections)
	elsewhere := found.elsewhere[p]
	first = cmp.Or(found.first[p], elsewhere, section)
	return first, first == cmp.Or(elsewhere, first)
}

// SectionOf returns the section by which a proxy looks up the settings of connections to a port, which is the given one without another
// reference. It is empty if that is not known.
func (sim Simulation) SectionOf(mesh, dataplane string, p rules.Port, section string) (string, error) {
	return ask(sim, mesh, dataplane, func(s *sending) string {
		if first, known := s.firstSection(p, section); known {
			return first
		}
		return ""
	})
}

// sections are the first ones by which the listeners of a proxy refer to ports.
type sections struct {
	first     map[rules.Port]string
	elsewhere map[rules.Port]string // by a listener that may come before
}

func (s *sending) sections() (sections, error) {
	all := sections{map[rules.Port]string{}, map[rules.Port]string{}}
	listeners, ordered := s.listeners()
	for _, l := range listeners {
		targets := s.on(l).targetsOfListener()
		found := map[rules.Port]string{}
		for _, t := range targets {
			if _, ok := found[t.port]; t.resolved && !ok {
				found[t.port] = t.section
			}
		}
		for p, section := range found {
			if !ordered && l.Port.Resource.Type != kuma.KindMeshService {
				all.elsewhere[p] = section
			} else if all.first[p] == "" {
				all.first[p] = section
			}
		}
	}
	return all, s.failure()
}

// AvoidsTags reports whether a proxy connects to nothing by tags for the requests that it takes for a value of
// kuma.io/service: its routes have only other backends.
func (sim Simulation) AvoidsTags(mesh, dataplane, service string) (bool, error) {
	return ask(sim, mesh, dataplane, func(s *sending) bool {
		s.callTags(map[string]string{kuma.TagService: service})
		targets := s.targetsOfListener()
		return len(targets) > 0 && !slices.ContainsFunc(targets, func(t target) bool { return t.tags != nil })
	})
}

// targetsOfListener returns what the listener for the destination refers to, in its order.
func (s *sending) targetsOfListener() []target {
	targets := s.itself()
	if s.isHTTP() {
		routes := s.routesTo(kuma.KindMeshHTTPRoute)
		if routes != nil {
			targets = nil
			for _, t := range routes.sorted() {
				s.describe(&t)
				targets = append(targets, s.targets(t)...)
			}
			if !s.replacesRest() && !s.restFails() {
				targets = append(targets, s.itself()...)
			}
		}
	} else if route, ofRoute := s.tcpRoute(); route != nil {
		targets = sharing(ofRoute)
	}
	return targets
}
