package request

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Misnames is [sending.misnames] for requests of a Dataplane to a MeshExternalService. The error is one of package rules.
func (sim Simulation) Misnames(mesh, dataplane string, service rules.Port) (wrong, known bool, err error) {
	s, err := sim.client(mesh, dataplane)
	if err != nil {
		return false, false, err
	}
	wrong, known = s.misnames(service, service.Section)
	return wrong, known, s.failure()
}

// misnames reports whether the cluster for a reference to a MeshExternalService, which has the
// section of the reference, asks a zone egress for a server name with a port that the service
// does not have, and whether that is known. Before Kuma 3.0, the first reference decides about
// the names for all of them. If connections use the same cluster, it is the first reference of a
// connection (proxies.md §3).
func (s *sending) misnames(service rules.Port, section string) (wrong, known bool) {
	if !s.NamedByReference || s.SPIFFEID != "" {
		return false, true
	}
	if others, _ := once(s.prepared, s.prepared.otherPorts, s.Mesh, s.otherPorts); !others[service.Resource] {
		return false, true
	}
	listeners, ordered := s.listeners()
	var requests, connections []int
	for _, l := range listeners {
		client := s.on(l)
		requests = client.addReferences(requests, kuma.KindMeshHTTPRoute, service.Resource, l.Reference)
		if client.isHTTP() {
			continue
		}
		connections = client.addReferences(connections, kuma.KindMeshTCPRoute, service.Resource, l.Reference)
	}
	numbers := requests
	if slices.ContainsFunc(connections, func(n int) bool { return strconv.Itoa(n) == section }) {
		numbers = connections
	}
	isWrong := func(n int) bool { return n != service.Number }
	if len(numbers) == 0 || !slices.ContainsFunc(numbers, isWrong) {
		return false, true
	}
	known = ordered || !slices.Contains(numbers, service.Number)
	return !known || isWrong(numbers[0]), known
}

// otherPorts returns the MeshExternalServices of the mesh to which a route or an outbound refers with a port that they do not have.
func (s *sending) otherPorts() (map[kuma.ID]bool, error) {
	found := map[kuma.ID]bool{}
	for _, route := range s.snapshot.Resources(s.Mesh, rules.RouteKinds()...) {
		for _, ref := range rules.BackendRefs(*route) {
			if id, port := s.snapshot.Backend(*route, ref); port.Number != ref.Port {
				found[id] = true
			}
		}
	}
	for _, name := range s.snapshot.Dataplanes(s.Mesh) {
		for _, o := range s.proxies.Outbounds(name).All {
			if o.Reference != 0 && o.Reference != o.Port.Number {
				found[o.Port.Resource] = true
			}
		}
	}
	return found, nil
}

// misname sets that a zone egress rejects the name that the client asks for.
func (p *Proxy) misname(service rules.Port, known bool) {
	name := kuma.Describe(service.Resource.Type, service.Resource.Name, "")
	p.By, p.Rule, p.Security, p.Because = nil, Rule{}, "", ""
	if !known {
		p.Verdict, p.Reason = Unknown, fmt.Sprintf(
			"References to %s have different ports, and it is not known which of them the proxy of the client asks the zone egress %q "+
				"for. Use port %d only.", name, p.Dataplane, service.Number)
		return
	}
	p.Verdict, p.Reason = TLSFailed, fmt.Sprintf(
		"A reference to %s has another port than %d: "+
			"the proxy of the client asks the zone egress %q for that port, also with this request, and the egress rejects it.", name,
		service.Number, p.Dataplane)
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

// addReferences appends the ports by which routes of a kind to the destination, and then the
// outbound to it, refer to a service. A MeshHTTPRoute counts also for a listener for TCP.
func (s *sending) addReferences(numbers []int, kind string, to kuma.ID, outbound int) []int {
	routes := s.routesTo(kind)
	var itself []int
	http := kind == kuma.KindMeshHTTPRoute
	if s.Destination.Resource == to && (http && isHTTP(s.Destination.Protocol) || !http && routes == nil) {
		itself = []int{cmp.Or(outbound, s.Destination.Number)}
	}
	if routes == nil {
		return append(numbers, itself...)
	}
	confs := []tree.Node{tree.Root(routes.conf).Get("default")}
	if http {
		confs = nil
		for _, t := range routes.sorted() {
			confs = append(confs, t.conf)
		}
	}
	for e := range routes.entries {
		for _, conf := range confs {
			backends := s.resolve(conf.Get("backendRefs"), s.snapshot.Resource(e.Policy), http)
			if http && !slices.ContainsFunc(backends, func(t target) bool { return t.exists }) {
				numbers = append(numbers, itself...) // as if the rule had no backendRefs
			}
			for i, n := range conf.Get("backendRefs").Items() {
				if backends[i].service == to && backends[i].weight > 0 { // the proxy does not have others
					numbers = append(numbers, rules.ParseBackendRef(n).Port)
				}
			}
		}
		break // labels select the same service for all of them
	}
	return append(numbers, itself...)
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
