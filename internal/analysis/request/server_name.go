package request

import (
	"fmt"
	"net/netip"
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
	listeners, ordered, err := s.listeners()
	if err != nil {
		return false, false, err
	}
	var requests, connections []int
	for _, l := range listeners {
		client := s.on(l)
		if requests, err = client.addReferences(requests, kuma.KindMeshHTTPRoute, service.Resource); err != nil {
			return false, false, err
		}
		if client.isHTTP() {
			continue
		}
		if connections, err = client.addReferences(connections, kuma.KindMeshTCPRoute, service.Resource); err != nil {
			return false, false, err
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

// listener is one of the proxy of a client for a port of a service, or for the proxies with
// some tags.
type listener struct {
	port rules.Port
	tags map[string]string
}

// listeners returns those of the client in the order of its outbounds. The order of those of a
// transparent proxy is not known.
func (s *sending) listeners() (all []listener, ordered bool, err error) {
	if s.SPIFFEID == "" {
		tags := map[netip.AddrPort]map[string]string{}
		for _, o := range s.snapshot.TaggedOutbounds(s.proxy()) {
			tags[o.Address] = o.Tags
		}
		for address, ports := range s.snapshot.OutboundPorts(s.proxy()) {
			for _, p := range ports {
				all = append(all, listener{port: p})
			}
			if tags[address] != nil {
				all = append(all, listener{tags: tags[address]})
			}
		}
		if len(all) > 0 {
			return all, true, nil
		}
	}
	ports, err := s.ports()
	for _, p := range ports {
		all = append(all, listener{port: p})
	}
	if s.SPIFFEID == "" && rules.IsTransparent(s.proxy()) {
		for _, service := range s.reachedTags() {
			all = append(all, listener{tags: map[string]string{kuma.TagService: service}})
		}
	}
	return all, false, err
}

// on returns the client when it sends to one of its listeners.
func (s *sending) on(l listener) *sending {
	client := *s
	if l.tags != nil {
		client.callTags(l.tags)
	} else {
		client.call(l.port)
	}
	return &client
}

// addReferences appends the ports by which routes of a kind to the destination, and then the
// destination itself, refer to a service. A MeshHTTPRoute counts also for a listener for TCP.
func (s *sending) addReferences(numbers []int, kind string, to kuma.ID) ([]int, error) {
	routes, err := s.routesTo(kind)
	if err != nil {
		return nil, err
	}
	numbers = append(numbers, s.backendPorts(routes, kind, to)...)
	replaced := routes != nil
	if kind == kuma.KindMeshHTTPRoute {
		replaced = !isHTTP(s.Destination.Protocol)
	}
	if s.Destination.Resource == to && !replaced {
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
	listeners, _, err := s.listeners()
	if err != nil {
		return err
	}
	for _, l := range listeners {
		found := l.port == p
		if named {
			if found, err = s.on(l).routedTo(p); err != nil {
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

// routedTo reports whether routes for the destination have a port of a service as a backend.
func (s *sending) routedTo(backend rules.Port) (bool, error) {
	for _, kind := range []string{kuma.KindMeshHTTPRoute, kuma.KindMeshTCPRoute} {
		routes, err := s.routesTo(kind)
		if err != nil {
			return false, err
		}
		if slices.Contains(s.backendPorts(routes, kind, backend.Resource), backend.Number) {
			return true, nil
		}
	}
	return false, nil
}
