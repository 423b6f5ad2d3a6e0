package request

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// dial finds the port of the service that has the host name or the address, and reports
// whether the proxy has a listener for it (matching.md §17.9).
func (s *sending) dial() (bool, error) {
	if s.SPIFFEID == "" {
		if reached, done := s.dialOutbound(); done {
			return reached, nil
		}
	}
	if reached, done := s.dialTag(); done {
		return reached, nil
	}
	named := slices.DeleteFunc(s.ports(), func(p rules.Port) bool { return !s.hasHost(p.Resource) })
	found := slices.DeleteFunc(slices.Clone(named), func(p rules.Port) bool { return p.Number != s.Service.Port })
	var services []string // the first one that was created gets the name, and also takes it from ones that the proxy reaches
	for _, r := range s.snapshot.Resources(s.Mesh, rules.DestinationKinds()...) {
		ofKind := func(p rules.Port) bool { return p.Resource.Type == r.Type }
		if slices.ContainsFunc(named, ofKind) && s.hasHost(r.ID()) {
			services = append(services, kuma.Describe(r.Type, r.Name, ""))
		}
	}
	switch {
	case s.SPIFFEID == "" && !proxy.IsTransparent(s.proxy()):
		s.goPast(len(named) > 0)
	case len(services) > 1:
		s.unknown("HostnameGenerators give the name %s to %s, and it resolves to only one of them. Give each service another host name.",
			s.Service.Host, phrase.And(services...))
	case len(found) > 1:
		return false, fmt.Errorf("%w: %s is %s", ErrAmbiguousService, s.Service, names(found))
	case len(found) == 1:
		s.call(found[0])
		return true, nil
	case len(named) > 0:
		s.end(Unreachable, "%s has no port %d.", kuma.Describe(named[0].Resource.Type, named[0].Resource.Name, ""), s.Service.Port)
	default:
		s.leaveMesh()
	}
	return false, nil
}

// dialOutbound uses the outbound of the Dataplane with the address, and reports whether there
// is one.
func (s *sending) dialOutbound() (reached, done bool) {
	address, err := netip.ParseAddr(strings.Replace(s.Service.Host, "localhost", "127.0.0.1", 1))
	if err != nil {
		return false, false
	}
	at := netip.AddrPortFrom(address, uint16(s.Service.Port)) //nolint:gosec // a port
	outbounds := s.proxies.Outbounds(s.Dataplane)
	if outbounds.Transparent && address.IsLoopback() {
		return s.end(Unreachable,
			"The transparent proxy of the client does not listen at %s: its application must call the host name of the service.", s.Service), true
	}
	found := slices.DeleteFunc(slices.Clone(outbounds.All), func(o proxy.Outbound) bool { return o.Address != at })
	switch {
	case len(found) == 0 && !outbounds.Transparent && proxy.ListsAddress(s.proxy(), at):
		return s.end(Unreachable, "The outbound of the Dataplane of the client at %s leads to no port that proxies can reach, so its proxy does "+
			"not accept connections there.", s.Service), true
	case len(found) == 0:
		return false, false
	case len(found) == 1 && found[0].Tags != nil:
		s.callTags(found[0].Tags)
		return true, true
	case len(found) == 1:
		s.call(found[0].Port)
		return true, true
	case found[0].Contested:
		return s.contested(), true
	case found[0].Drawn:
		return s.drawn(found[0].Port.Resource), true
	}
	return s.unknown("The outbound of the proxy of the client at %s selects several ports: %s. Set its port.", s.Service,
		names(phrase.Each(found, func(o proxy.Outbound) rules.Port { return o.Port }))), true
}

// goPast answers a request that does not go through the proxy of the application.
func (s *sending) goPast(service bool) {
	if service {
		s.end(Unreachable, "Dataplane %q has no transparent proxy, which would resolve host names of services: "+
			"its application must call the address of an outbound, such as 127.0.0.1.", s.Dataplane)
		return
	}
	s.end(Passthrough, "Dataplane %q has no transparent proxy, and no outbound at %s: its application connects without the proxy.",
		s.Dataplane, s.Service)
}

// hasHost reports whether a service has the host name, by a generator, or the address that the control plane of its zone reports.
func (s *sending) hasHost(id kuma.ID) bool {
	service := s.snapshot.Service(id)
	if service == nil {
		return false
	}
	host := strings.ToLower(s.Service.Host)
	for _, g := range s.snapshot.Resources("", kinds.HostnameGenerator.Name) {
		if name, ok := hostname(*g, service, s.proxy()); ok && name == host {
			return true
		}
	}
	if client := s.proxy(); client != nil && !rules.SameZone(*client, *service) {
		return false
	}
	return slices.ContainsFunc(tree.Root(service.Reported).Find("status.vips[].ip"), func(n tree.Node) bool { return text(n) == host })
}

// inUnknownZone describes a service that has the host name only in a certain zone, if its zone is not
// known. It is empty if there is none.
func (s *sending) inUnknownZone() string {
	for _, r := range s.snapshot.Resources(s.Mesh, kuma.KindMeshService) {
		for _, g := range s.snapshot.Resources("", kinds.HostnameGenerator.Name) {
			if kinds.MayHaveHostname(*g, asStored(*r, s.proxy()), strings.ToLower(s.Service.Host)) {
				return r.Key().Local()
			}
		}
	}
	return ""
}

// hostname returns the host name that a generator gives a service in the zone of a client, which is nil if it is not known.
func hostname(generator kuma.Resource, service, client *kuma.Resource) (string, bool) {
	if client != nil && !rules.SameZone(*client, generator) {
		return "", false
	}
	return kinds.Hostname(generator, asStored(*service, client))
}

// asStored returns a service with the label by which the generators of the control plane of a client select
// it, which a document may lack. A MeshService of another zone comes from the global control plane. The client is nil if it is not known.
func asStored(service kuma.Resource, client *kuma.Resource) kuma.Resource {
	synced := client != nil && service.Type == kuma.KindMeshService && !rules.SameZone(*client, service)
	if _, ok := service.Labels[kuma.LabelOrigin]; ok && !synced {
		return service
	}
	service.Labels = maps.Clone(service.Labels)
	if service.Labels == nil {
		service.Labels = map[string]string{}
	}
	service.Labels[kuma.LabelOrigin] = kuma.OriginZone
	if synced || service.Type == kuma.KindMeshMultiZoneService {
		service.Labels[kuma.LabelOrigin] = kuma.OriginGlobal
	}
	return service
}

// HostNames returns the names that HostnameGenerators give a service in the zone of a client, as far as its zone is known.
func (sim Simulation) HostNames(service kuma.ID, client *kuma.Resource) (names []string) {
	if r := sim.snapshot.Service(service); r != nil {
		for _, g := range sim.snapshot.Resources("", kinds.HostnameGenerator.Name) {
			if name, ok := hostname(*g, r, client); ok {
				names = append(names, name)
			}
		}
	}
	return phrase.Sorted(names)
}
