package request

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// leaveMesh answers a request for a host that is not a service with a listener: whether it may
// pass through the transparent proxy.
func (s *sending) leaveMesh() {
	for _, r := range s.snapshot.Resources(s.Mesh, rules.DestinationKinds()...) {
		if s.hasHost(r.ID()) {
			s.noOutbound(kuma.Describe(r.Type, r.DisplayName(), ""))
			return
		}
	}
	if service := s.inUnknownZone(); service != "" {
		s.unknown("%s may be a host name of %s, which contains the zone, and the zone is not known. "+
			"Set the label %s of a Dataplane to the name of the zone.", s.Service, service, kuma.LabelZone)
		return
	}
	if s.mayBeService() {
		s.unknown("%s may belong to a service by a name or virtual address that only the control plane knows: "+
			"those of values of the tag kuma.io/service, and of services without a reported status, are not evaluated.", s.Service)
		return
	}
	if s.isDirectlyAccessed() {
		s.unknown("Dataplane %q has directAccessServices, and how its proxy connects to %s of another Dataplane is not evaluated.",
			s.Dataplane, s.Service)
		return
	}
	if s.SPIFFEID != "" {
		s.unknown("%s is not a service of the mesh, and whether it can be reached depends on the proxy of the client.", s.Service)
		return
	}
	if rule := s.policies(kinds.MeshPassthrough.Name, s.Dataplane).ProxyRule; rule != nil {
		by := phrase.Each(slices.Collect(rule.Entries()), func(e rules.Entry) string { return e.Policy.Local() })
		s.passMatched(tree.Root(rule.Conf), phrase.And(by...)+phrase.Form(len(by), " allows", " allow"))
		return
	}
	mesh := s.snapshot.Resource(kuma.Key{Type: kuma.KindMesh, Name: s.Mesh})
	allowed, set := tree.Root(mesh.Body).Get("networking", "outbound", "passthrough").Value().(bool)
	switch {
	case s.snapshot.RestrictsOutbound():
		s.block("no MeshPassthrough allows it, and the control plane restricts outbounds")
	case set && !allowed:
		s.block("networking.outbound.passthrough of the mesh is false, and no MeshPassthrough applies")
	default:
		s.pass("no MeshPassthrough applies")
	}
}

// isDirectlyAccessed reports whether the request may be for an inbound of another Dataplane for which the proxy of the client
// has a listener, because of directAccessServices: one with the address of the Dataplane, and not of a service.
func (s *sending) isDirectlyAccessed() bool {
	client := s.proxy()
	if client == nil || tree.Root(client.Body).Get("networking", "transparentProxying", "directAccessServices").Empty() {
		return false
	}
	return slices.ContainsFunc(s.snapshot.Resources(s.Mesh, kuma.KindDataplane), func(r *kuma.Resource) bool {
		networking := tree.Root(r.Body).Get("networking")
		address, _ := networking.Get("address").Text()
		return address == s.Service.Host && r.Name != client.Name && slices.ContainsFunc(networking.Get("inbound").Items(),
			func(in tree.Node) bool { return tree.Int(in.Get("port").Value()) == s.Service.Port })
	})
}

// mayBeService reports whether the host is in the name spaces of services: virtual addresses
// and, for services by tag, the domain mesh (matching.md §17.9).
func (s *sending) mayBeService() bool {
	if address, err := netip.ParseAddr(s.Service.Host); err == nil {
		return virtualAddresses.Contains(address)
	}
	byTag := !s.isKuma3() && !s.snapshot.Exclusive(s.Mesh)
	return byTag && strings.HasSuffix(strings.ToLower(s.Service.Host), ".mesh")
}

// virtualAddresses is the default of dnsServer.CIDR and ipam of a control plane.
var virtualAddresses = netip.MustParsePrefix("240.0.0.0/4")

func (s *sending) pass(why string) {
	s.end(Passthrough, "%s is not a service of the mesh: the transparent proxy lets the connection through, because %s.", s.Service, why)
}

func (s *sending) block(why string) {
	s.end(Unreachable, "%s is not a service of the mesh, and the transparent proxy does not let the connection through: %s.", s.Service, why)
}

// passMatched decides by the conf of the MeshPassthroughs for the proxy, which allow something.
func (s *sending) passMatched(conf tree.Node, allow string) {
	switch mode, _ := conf.Get("passthroughMode").Text(); mode {
	case "All":
		s.pass(allow + " all")
		return
	case "None":
		s.block(allow + " nothing")
		return
	}
	byAddress := false
	for _, m := range conf.Get("appendMatch").Items() {
		port, ok := m.Get("port").Int()
		if ok && int(port) != s.Service.Port {
			continue
		}
		protocol := cmp.Or(text(m.Get("protocol")), "tcp")
		switch matches, known := s.matchesDestination(text(m.Get("type")), text(m.Get("value")), ok); {
		case !known:
			byAddress = true
		case matches:
			s.pass(fmt.Sprintf("%s %s with the protocol %s", allow, text(m.Get("value")), protocol))
			return
		}
	}
	if byAddress {
		s.unknown("%s is not a service of the mesh, and %s addresses: whether the host has one of them is not known.", s.Service, allow)
		return
	}
	s.block(allow + " only other destinations")
}

// matchesDestination reports whether the host is the destination of a match, and whether that
// is known. It is not known for the address of a host name.
func (s *sending) matchesDestination(kind, value string, hasPort bool) (matches, known bool) {
	host := strings.ToLower(s.Service.Host)
	address, err := netip.ParseAddr(host)
	switch kind {
	case "Domain":
		if suffix, wildcard := strings.CutPrefix(strings.ToLower(value), "*"); wildcard {
			return strings.HasSuffix(host, suffix), true
		}
		return strings.EqualFold(host, value) && (hasPort || !s.DomainNeedsPort), true
	case "CIDR":
		prefix, invalid := netip.ParsePrefix(value)
		return err == nil && invalid == nil && prefix.Contains(address), err == nil
	default:
		own, invalid := netip.ParseAddr(value)
		return err == nil && invalid == nil && own == address, err == nil
	}
}
