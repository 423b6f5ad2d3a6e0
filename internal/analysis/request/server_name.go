package request

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// portsReferred tells whether references to a MeshExternalService have its port, and whether some have another one.
type portsReferred struct{ own, other bool }

// Misnames reports whether clients of a mesh may ask a zone egress for a port that a MeshExternalService does not have, and whether
// it is known that they do. Before Kuma 3.0, the first reference of a client decides for all of them (proxies.md §3), which is not
// evaluated.
func (sim Simulation) Misnames(mesh string, service kuma.ID) (may, known bool) {
	if !sim.NamedByReference || service.Type != kuma.KindMeshExternalService {
		return false, true
	}
	all, _ := once(sim.prepared, sim.prepared.portsReferred, mesh, func() (map[kuma.ID]portsReferred, error) {
		return sim.portsReferred(mesh)
	})
	return all[service].other, !all[service].own || !all[service].other
}

// portsReferred returns the ports by which the routes and outbounds of a mesh refer to services.
func (sim Simulation) portsReferred(mesh string) (map[kuma.ID]portsReferred, error) {
	found := map[kuma.ID]portsReferred{}
	add := func(service kuma.ID, isOwn bool) {
		was := found[service]
		found[service] = portsReferred{was.own || isOwn, was.other || !isOwn}
	}
	for _, route := range sim.snapshot.Resources(mesh, rules.RouteKinds()...) {
		for _, ref := range rules.BackendRefs(*route) {
			id, port := sim.snapshot.Backend(*route, ref)
			add(id, port.Number == ref.Port)
		}
	}
	proxies, err := sim.prepared.mesh(sim.snapshot, mesh)
	if err != nil {
		return nil, err
	}
	for _, name := range sim.snapshot.Dataplanes(mesh) {
		for _, o := range proxies.Outbounds(name).All {
			add(o.Port.Resource, o.Reference == 0 || o.Reference == o.Port.Number)
		}
	}
	return found, nil
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
	if o.Tags != nil {
		client.callTags(o.Tags)
	} else {
		client.Destination, client.Tags, client.section = o.Port, nil, o.Section
	}
	return &client
}

// firstSection returns the section by which settings for connections to a port with a name are
// looked up, and whether that is known. A proxy refers to the port by its name, as a listener
// does, and by its number, as a route does; the first reference decides for both (proxies.md §3).
// The listeners of a transparent proxy for MeshServices are in order of name.
func (s *sending) firstSection(p rules.Port, section string) (first string, known bool) {
	if p.Section == strconv.Itoa(p.Number) || p.Resource.Type != kuma.KindMeshService || s.SPIFFEID != "" {
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
			if !s.replacesRest() && !s.RestFails {
				targets = append(targets, s.itself()...)
			}
		}
	} else if route, ofRoute := s.tcpRoute(); route != nil {
		targets = sharing(ofRoute)
	}
	return targets
}
