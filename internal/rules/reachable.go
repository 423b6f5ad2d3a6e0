package rules

import (
	"cmp"
	"iter"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Port is a port of a MeshService, MeshExternalService or MeshMultiZoneService.
type Port struct {
	Resource kuma.ID
	Section  string // its name, or else its number
	Number   int
	Protocol string // in lower case
}

// Reachable returns the ports for which a proxy has a listener for outgoing traffic, sorted
// by resource and port: those of its outbounds by reference, or else of reachableBackends,
// or else of all services of the mesh, unless the control plane restricts outbounds
// (matching.md §16). The error is [ErrUnknownMesh] or [ErrUnknownDataplane].
func (s *Snapshot) Reachable(meshName, dataplane string) ([]Port, error) {
	m, dp, err := s.find(meshName, dataplane)
	if err != nil {
		return nil, err
	}
	last := map[Port]Port{} // by resource and section
	for _, p := range m.reachable(dp.Resource, s.restrict) {
		last[Port{Resource: p.Resource, Section: p.Section}] = p
	}
	ports := slices.Collect(maps.Values(last))
	slices.SortFunc(ports, func(a, b Port) int {
		return cmp.Or(strings.Compare(kinds.KRI(a.Resource), kinds.KRI(b.Resource)), cmp.Compare(a.Number, b.Number), strings.Compare(a.Section, b.Section))
	})
	return ports, nil
}

// OutboundPorts returns the addresses on which a Dataplane has outbounds, in their order, with
// the ports that each selects: none for an outbound by tags.
func (s *Snapshot) OutboundPorts(dataplane *kuma.Resource) iter.Seq2[netip.AddrPort, []Port] {
	return func(yield func(netip.AddrPort, []Port) bool) {
		for address, o := range outboundsOf(dataplane) {
			if !yield(address, s.meshes[dataplane.Mesh].outboundPorts(dataplane, o)) {
				return
			}
		}
	}
}

// OutboundAt returns the ports that the outbound of a Dataplane with an address and a port
// selects, if there is one.
func (s *Snapshot) OutboundAt(dataplane *kuma.Resource, address netip.Addr, port int) (ports []Port, ok bool) {
	for at, found := range s.OutboundPorts(dataplane) {
		if at.Addr() == address && int(at.Port()) == port {
			return found, true
		}
	}
	return nil, false
}

// outboundsOf returns the outbounds of a Dataplane by their addresses.
func outboundsOf(dataplane *kuma.Resource) iter.Seq2[netip.AddrPort, tree.Node] {
	return func(yield func(netip.AddrPort, tree.Node) bool) {
		for _, o := range tree.Root(dataplane.Body).Get("networking", "outbound").Items() {
			own, _ := o.Get("address").Text()
			address, err := netip.ParseAddr(cmp.Or(own, "127.0.0.1"))
			number, _ := o.Get("port").Int()
			if err == nil && !yield(netip.AddrPortFrom(address, uint16(number)), o) { //nolint:gosec // a port
				return
			}
		}
	}
}

// IsTransparent reports whether the connections of the application of a Dataplane go through
// its proxy without naming it.
func IsTransparent(dataplane *kuma.Resource) bool {
	return tree.Root(dataplane.Body).Get("networking", "transparentProxying").Filled()
}

// ReachableServices returns the services of which a proxy reaches a port, in no order. It
// returns all instead if the proxy reaches all services of the mesh, because the Dataplane
// lists none and nothing restricts it.
func (s *Snapshot) ReachableServices(meshName, dataplane string) (services map[kuma.ID]bool, all bool, err error) {
	m, dp, err := s.find(meshName, dataplane)
	if err != nil {
		return nil, false, err
	}
	listed, ok := m.listed(dp.Resource)
	if !ok && !s.restrict {
		return nil, true, nil
	}
	services = make(map[kuma.ID]bool, len(listed))
	for _, p := range listed {
		services[p.Resource] = true
	}
	return services, false, nil
}

func (m *mesh) reachable(dataplane *kuma.Resource, restrict bool) []Port {
	ports, listed := m.listed(dataplane)
	if !listed && !restrict {
		return m.allPorts(DestinationKinds()...)
	}
	return ports
}

// listed returns the ports that a Dataplane lists, and whether it lists any: outbounds of
// which none resolves count as absent, and reachableBackends do not.
func (m *mesh) listed(dataplane *kuma.Resource) (ports []Port, ok bool) {
	networking := tree.Root(dataplane.Body).Get("networking")
	for _, o := range networking.Get("outbound").Items() {
		ports = append(ports, m.outboundPorts(dataplane, o)...)
	}
	backends := networking.Get("transparentProxying", "reachableBackends")
	if len(ports) > 0 || backends.Value() == nil {
		return ports, len(ports) > 0
	}
	for _, n := range backends.Get("refs").Items() {
		ref := ParseBackendRef(n)
		switch {
		case !m.matching.byLabels || len(ref.Labels) > 0:
			ports = append(ports, m.portsFor(dataplane, ref)...)
		case ref.Name == "":
			ports = append(ports, m.allPorts(ref.Kind)...)
		}
	}
	return ports, true
}

// outboundPorts returns the ports that an outbound of a Dataplane selects.
func (m *mesh) outboundPorts(dataplane *kuma.Resource, outbound tree.Node) []Port {
	ref := ParseBackendRef(outbound.Get("backendRef"))
	if m.matching.byLabels && len(ref.Labels) == 0 && ref.Name != "" {
		ref.Labels = map[string]string{kuma.LabelDisplayName: ref.Name}
		if namespace := dataplane.Namespace(); namespace != "" {
			ref.Labels[kuma.LabelK8sNamespace] = namespace
		}
	}
	ports := m.portsFor(dataplane, ref)
	if len(ports) == 0 && !m.matching.byLabels {
		ref.Labels = nil // before 3.0, the name counts if the labels beside it select nothing
		ports = m.portsFor(dataplane, ref)
	}
	return ports
}

// allPorts returns the ports of all services of some kinds.
func (m *mesh) allPorts(of ...string) []Port {
	var ports []Port
	for _, r := range m.services() {
		if slices.Contains(of, r.Type) {
			ports = append(ports, servicePorts(r)...)
		}
	}
	return ports
}

// readServices collects the services by identity: of those with the same one, the last one
// in order of name.
func (m *mesh) readServices() map[kuma.ID]*kuma.Resource {
	last := map[kuma.ID]*kuma.Resource{}
	for _, kind := range DestinationKinds() {
		for _, r := range m.resources[kind] {
			last[r.ID()] = r
		}
	}
	return last
}

// portsFor returns the ports that a reference of a Dataplane selects. One without a port
// counts as one with an empty name, which is that of a port without a name.
func (m *mesh) portsFor(dataplane *kuma.Resource, ref BackendRef) []Port {
	if ref.Kind == "" {
		return nil
	}
	var all, selected []Port
	for _, r := range m.index.backends(dataplane, ref.TargetRef) {
		service := m.services()[r.ID()]
		ports := servicePorts(service)
		if ref.Port != 0 {
			all = append(all, ports...)
			for _, p := range portsOf(service) {
				if p.number == ref.Port {
					selected = append(selected, exported(service, p))
				}
			}
			continue
		}
		if unnamed := slices.IndexFunc(portsOf(service), func(p port) bool { return p.unnamed }); unnamed >= 0 {
			name := portsOf(service)[unnamed].name
			ports = slices.DeleteFunc(ports, func(p Port) bool { return p.Section != name })
		}
		all = append(all, ports...)
	}
	if len(selected) > 0 {
		return selected
	}
	return all
}

// servicePorts returns the ports of a service: of those with the same name, the last one.
func servicePorts(r *kuma.Resource) []Port {
	byName := map[string]Port{}
	for _, p := range portsOf(r) {
		byName[p.name] = exported(r, p)
	}
	return slices.Collect(maps.Values(byName))
}

func exported(service *kuma.Resource, p port) Port {
	return Port{Resource: service.ID(), Section: p.name, Number: p.number, Protocol: p.protocol}
}
