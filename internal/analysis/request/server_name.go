package request

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// misnames reports whether the cluster for a reference to a MeshExternalService, which has the
// section of the reference, asks a zone egress for a server name with a port that the service
// does not have, and whether that is known. Before Kuma 3.0, the first reference decides about
// the names for all of them: that of a connection, for clusters that connections also use
// (proxies.md §3).
func (s *sending) misnames(service rules.Port, section string) (wrong, known bool, err error) {
	if !s.NamedByReference || s.SPIFFEID != "" {
		return false, true, nil
	}
	ports, ordered, err := s.inOrder()
	if err != nil {
		return false, false, err
	}
	var requests, connections []int
	for _, p := range ports {
		client := *s
		client.call(p)
		found, err := client.references(service.Resource)
		if err != nil {
			return false, false, err
		}
		if client.isHTTP() {
			requests = append(requests, found...)
		} else {
			connections = append(connections, found...)
		}
	}
	numbers := requests
	if slices.ContainsFunc(connections, func(n int) bool { return strconv.Itoa(n) == section }) {
		numbers = connections
	}
	isWrong := func(n int) bool { return n != service.Number }
	if len(numbers) == 0 || !slices.ContainsFunc(numbers, isWrong) {
		return false, true, nil
	}
	known = ordered || !slices.Contains(numbers, service.Number)
	return !known || isWrong(numbers[0]), known, nil
}

// misname sets that a zone egress rejects the name that the client asks for.
func (p *Proxy) misname(service rules.Port, known bool) {
	name := kuma.Describe(service.Resource.Type, service.Resource.Name, "")
	p.By, p.Rule, p.Security, p.Because = nil, Rule{}, "", ""
	if !known {
		p.Verdict, p.Reason = Unknown, fmt.Sprintf("References to %s have different ports, and it is not known which of them the proxy of the client asks the zone egress %q for. Use port %d only.", name, p.Dataplane, service.Number)
		return
	}
	p.Verdict, p.Reason = TLSFailed, fmt.Sprintf("A backendRef to %s has another port than %d: the proxy of the client asks the zone egress %q for that port, also with this request, and the egress rejects it.", name, service.Number, p.Dataplane)
}

// inOrder returns the ports that the client reaches in the order of its outbounds. The order
// of those of a transparent proxy is not known.
func (s *sending) inOrder() (ports []rules.Port, ordered bool, err error) {
	for _, found := range s.snapshot.OutboundPorts(s.proxy()) {
		ports = append(ports, found...)
	}
	if len(ports) > 0 {
		return ports, true, nil
	}
	ports, err = s.ports()
	return ports, false, err
}

// references returns the ports by which the routes to the destination, and then the
// destination itself, refer to a service.
func (s *sending) references(to kuma.ID) ([]int, error) {
	kind := kuma.KindMeshHTTPRoute
	if !s.isHTTP() {
		kind = kuma.KindMeshTCPRoute
	}
	routes, err := s.routesTo(kind)
	if err != nil {
		return nil, err
	}
	numbers := s.backendPorts(routes, kind, to)
	if s.Destination.Resource == to {
		numbers = append(numbers, s.Destination.Number)
	}
	return numbers, nil
}

// backendPorts returns the ports by which backends in the rules of routes refer to a service.
func (s *sending) backendPorts(routes *httpRules, kind string, to kuma.ID) (numbers []int) {
	if routes != nil {
		confs := []tree.Node{tree.Root(routes.conf).Get("default")}
		if kind == kuma.KindMeshHTTPRoute {
			confs = nil
			for _, t := range routes.sorted() {
				confs = append(confs, t.conf)
			}
		}
		for e := range routes.entries {
			route := s.snapshot.Resource(e.Policy)
			for _, conf := range confs {
				for _, n := range conf.Get("backendRefs").Items() {
					if weight, ok := n.Get("weight").Int(); ok && weight == 0 {
						continue // the proxy does not have the backend
					}
					ref := rules.ParseBackendRef(n)
					if id, _ := s.snapshot.Backend(*route, ref); id == to {
						numbers = append(numbers, ref.Port)
					}
				}
			}
			break // labels select the same service for all of them
		}
	}
	return numbers
}

// findSharedSettings reports a port with a name to which a proxy refers by name, as a listener
// does, and by number, as a route does: before Kuma 3.0, the first reference, in an order that is
// not known, decides which settings both have (proxies.md §3).
func (s *sending) findSharedSettings(p rules.Port, section string, conf leaves) error {
	number := strconv.Itoa(p.Number)
	if !s.NamedByReference || p.Section == number || p.Resource.Type != kuma.KindMeshService {
		return nil
	}
	named := section != number
	other, how := p.Section, "called by its name"
	if named {
		other, how = number, "a backend by its number"
	}
	otherwise, err := s.outgoing(meshTimeout, rules.Destination{Resource: p.Resource, Section: other})
	if err != nil || reflect.DeepEqual(conf, otherwise) {
		return err
	}
	ports, err := s.ports()
	if err != nil {
		return err
	}
	for _, called := range ports {
		found := called == p
		if named {
			if found, err = s.routedTo(called, p); err != nil {
				return err
			}
		}
		if found {
			s.NotConsidered = append(s.NotConsidered, fmt.Sprintf("%s port %d is also %s, which may decide about timeouts of connections", kuma.Describe(p.Resource.Type, p.Resource.Name, ""), p.Number, how))
			return nil
		}
	}
	return nil
}

// routedTo reports whether routes for a port of a service have another one as a backend.
func (s *sending) routedTo(called, backend rules.Port) (bool, error) {
	client := *s
	client.call(called)
	for _, kind := range []string{kuma.KindMeshHTTPRoute, kuma.KindMeshTCPRoute} {
		routes, err := client.routesTo(kind)
		if err != nil {
			return false, err
		}
		if slices.Contains(client.backendPorts(routes, kind, backend.Resource), backend.Number) {
			return true, nil
		}
	}
	return false, nil
}
