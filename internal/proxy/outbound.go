package proxy

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Outbound is a listener of a proxy through which its application opens connections to a port of
// a service, or to the proxies with some tags.
type Outbound struct {
	Port    rules.Port        // zero for tags
	Section string            // of the port, by which settings are looked up: its name, or a number
	Tags    map[string]string // nil for a port
	Address netip.AddrPort    // of an outbound of the Dataplane; zero for a virtual address
	// Drawn is whether the reference selects ports of several services: the control plane uses
	// one of them. For a transparent proxy it changes; for another one it is the oldest, and is
	// not known (matching.md §16).
	Drawn bool
	// Contested is whether another outbound of the Dataplane, to something else, has the same address:
	// the proxy has a listener for only one of them (proxies.md §2).
	Contested bool
	// Reference is the port that an outbound of the Dataplane names, which a MeshExternalService
	// does not need to have; zero for a virtual address.
	Reference int
}

// Outbounds are the outbounds of one proxy. They are read-only. Proxies with equal outbounds share
// them.
type Outbounds struct {
	// All are in the order of the Dataplane, or else ports by KRI and number, and then tags by name.
	All []Outbound
	// Transparent is whether the traffic of the application is redirected to the proxy.
	Transparent bool
	// Assumed is whether the Dataplane does not say if traffic is redirected, which kuma-dp can do by
	// its own configuration. If the Dataplane lists reachable services, redirection is assumed. If it
	// lists nothing, no redirection and no listener is assumed. The traffic of a builtin gateway is
	// never redirected: its routes decide what it reaches.
	Assumed bool
	// Listed is whether the Dataplane of a transparent proxy has a list of services, also an empty one.
	Listed bool
	// Everything is whether the proxy reaches all services, because its Dataplane lists none.
	Everything bool

	ports    map[portKey]listened // tags have a service without a type, and no number
	services map[kuma.ID]bool
	byTags   map[string][]map[string]string // the tags of outbounds by their service
	key      string
}

// listened is what the listeners for a port have in common.
type listened struct {
	own, member         bool // some are for the port itself, or for a MeshMultiZoneService that selects its service
	ownSure, memberSure bool // some of these refer to one service
	free                bool // some have an address of their own
}

// everything identifies the outbounds of proxies whose Dataplanes list nothing.
type everything struct {
	assumed bool // whether their traffic is assumed to be redirected
	zone    string
}

// portKey identifies a port of a service.
type portKey struct {
	service kuma.ID
	number  int
}

// Has reports whether a proxy has a listener for a port of a service.
func (o *Outbounds) Has(service kuma.ID, number int) bool {
	return o.ports[portKey{service, number}].own
}

// Reaches reports whether a proxy has a listener for a port of a service, or of a
// MeshMultiZoneService that selects the service.
func (o *Outbounds) Reaches(service kuma.ID, number int) bool {
	return o.Has(service, number) || o.ports[portKey{service, number}].member
}

// Section returns the section of a port for which a proxy has a listener, see [Outbound].
func (o *Outbounds) Section(service kuma.ID, number int) string {
	for _, l := range o.All {
		if l.Port.Resource == service && l.Port.Number == number {
			return l.Section
		}
	}
	return ""
}

// Key is equal for outbounds to the same ports and tags.
func (o *Outbounds) Key() string { return o.key }

// IsDrawn reports whether a port of a service is one of several for which a proxy may have a listener, and the control plane uses
// only one of them.
func (o *Outbounds) IsDrawn(service kuma.ID, number int) bool {
	at := o.ports[portKey{service, number}]
	return at.own && !at.ownSure
}

// MayReach reports whether it is not known whether a proxy [Outbounds.Reaches] a port of a service, because that is one of several.
func (o *Outbounds) MayReach(service kuma.ID, number int) bool {
	at := o.ports[portKey{service, number}]
	return (at.own || at.member) && !at.ownSure && !at.memberSure
}

// IsContested reports whether every listener for a port of a service, or for a value of kuma.io/service, which is a
// service without a type, has the address of another one.
func (o *Outbounds) IsContested(service kuma.ID, number int) bool {
	at := o.ports[portKey{service, number}]
	return at.own && !at.free
}

// HasService reports whether a proxy has a listener for a port of a service.
func (o *Outbounds) HasService(service kuma.ID) bool { return o.services[service] }

// HasTag reports whether a proxy has a listener for proxies with a value of kuma.io/service.
func (o *Outbounds) HasTag(service string) bool { return o.byTags[service] != nil }

// Tags returns the values of kuma.io/service for whose proxies there is a listener, in ascending
// order.
func (o *Outbounds) Tags() []string { return slices.Sorted(maps.Keys(o.byTags)) }

// ByTags returns the tags of the listeners for proxies with a value of kuma.io/service.
func (o *Outbounds) ByTags(service string) []map[string]string { return o.byTags[service] }

// HasTags reports whether a proxy has a listener by tags.
func (o *Outbounds) HasTags() bool { return len(o.byTags) > 0 }

// Ports returns the ports of services for which the proxy has a listener, each once.
func (o *Outbounds) Ports() []rules.Port {
	var ports []rules.Port
	seen := map[rules.Port]bool{}
	for _, l := range o.All {
		if l.Tags == nil && !seen[l.Port] {
			seen[l.Port] = true
			ports = append(ports, l.Port)
		}
	}
	return ports
}

// Outbounds returns the outbounds of a Dataplane (matching.md §16), nil if there is none.
func (m *Mesh) Outbounds(dataplane string) *Outbounds {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	found, ok := m.outbounds[dataplane]
	if !ok {
		if r := m.dataplane(dataplane); r != nil {
			found = m.readOutbounds(r)
		}
		m.outbounds[dataplane] = found
	}
	return found
}

func (m *Mesh) readOutbounds(dataplane *kuma.Resource) *Outbounds {
	if gateway, _ := tree.Root(dataplane.Body).Get("networking", "gateway", "type").Text(); gateway == "BUILTIN" &&
		!m.snapshot.Release().Kuma3() {
		return m.newOutbounds(nil, Outbounds{Assumed: true}) // routes decide what it reaches
	}
	assumed := !kinds.IsRedirected(*dataplane)
	if !IsTransparent(dataplane) {
		return m.newOutbounds(m.explicit(dataplane), Outbounds{Assumed: tree.Root(dataplane.Body).Get("networking", "outbound").Empty()})
	}
	ports, byTags, all := m.redirected(dataplane)
	if all {
		key := everything{assumed, dataplane.Zone()}
		if m.everything[key] == nil {
			all := m.virtual(m.allPorts(dataplane, rules.DestinationKinds()...), m.VirtualTags(key.zone))
			m.everything[key] = m.newOutbounds(all, Outbounds{Transparent: true, Everything: !assumed, Assumed: assumed})
		}
		return m.everything[key]
	}
	tags := m.virtualTags(dataplane.Zone())
	if byTags != nil {
		maps.DeleteFunc(tags, func(service string, _ bool) bool { return !slices.Contains(byTags, service) })
	}
	_, lists := m.listed(dataplane)
	return m.newOutbounds(m.virtual(ports, slices.Sorted(maps.Keys(tags))), Outbounds{Transparent: true, Listed: lists, Assumed: assumed})
}

// IsTransparent reports whether the connections of the application of a Dataplane go through its
// proxy without naming it, as far as the document says so, see [Outbounds]: it says to which port they are redirected, or it lists
// what they reach, and no outbounds.
func IsTransparent(dataplane *kuma.Resource) bool {
	networking := tree.Root(dataplane.Body).Get("networking")
	proxying := networking.Get("transparentProxying")
	return kinds.IsRedirected(*dataplane) || networking.Get("outbound").Empty() &&
		(proxying.Get("reachableBackends").Value() != nil || proxying.Get("reachableServices").Filled())
}

func (m *Mesh) newOutbounds(all []Outbound, o Outbounds) *Outbounds {
	o.All, o.ports, o.services, o.byTags = all, map[portKey]listened{}, map[kuma.ID]bool{}, map[string][]map[string]string{}
	var keys []string
	for _, l := range all {
		at := o.ports[l.destination(m.name)]
		at.own, at.ownSure, at.free = true, at.ownSure || !l.Drawn, at.free || !l.Contested
		o.ports[l.destination(m.name)] = at
		if l.Tags != nil {
			service := l.Tags[kuma.TagService]
			o.byTags[service] = append(o.byTags[service], l.Tags)
			keys = append(keys, phrase.Pairs(l.Tags))
			continue
		}
		o.services[l.Port.Resource] = true
		keys = append(keys, fmt.Sprintf("%s:%d", kinds.KRI(l.Port.Resource), l.Port.Number))
		if l.Port.Resource.Type == kuma.KindMeshMultiZoneService {
			for _, id := range m.snapshot.Behind(l.Port.Resource) {
				if port, ok := m.snapshot.PortBehind(l.Port, *m.snapshot.Service(id)); ok {
					key := portKey{id, tree.Int(port.Get("port").Value())}
					at := o.ports[key]
					at.member, at.memberSure = true, at.memberSure || !l.Drawn
					o.ports[key] = at
				}
			}
		}
	}
	o.key = strings.Join(phrase.Sorted(keys), " ")
	return &o
}

// explicit returns the outbounds that a Dataplane lists. An outbound to a port that the service
// does not have, or that closes connections, has no listener, although the control plane shows it (Layout). An outbound to a
// MeshExternalService has a listener with any port.
// Where listeners have the names of services, only the last outbound to a port has one.
func (m *Mesh) explicit(dataplane *kuma.Resource) []Outbound {
	var all []Outbound
	named := m.snapshot.Release().Kuma3() || m.snapshot.Exclusive(m.name)
	at := map[portKey]int{}
	for address, o := range outboundsOf(dataplane) {
		number, _ := o.Get("backendRef", "port").Int()
		ports, drawn := m.listensFor(dataplane, o)
		for _, p := range ports {
			key := portKey{p.Resource, int(number)}
			if i, ok := at[key]; ok && named {
				if all[i].Drawn = drawn; !drawn {
					all[i].Address = address
					continue
				}
			}
			at[key] = len(all)
			all = append(all, Outbound{Port: p, Section: sectionOf(o.Get("backendRef"), p), Address: address, Drawn: drawn, Reference: int(number)})
		}
		if tags := tree.StringMap(o.Get("tags").Value()); tags[kuma.TagService] != "" && !m.snapshot.Release().Kuma3() {
			all = append(all, Outbound{Tags: tags, Address: address})
		}
	}
	for i, o := range all { // several ports of one reference have one listener, or none
		all[i].Contested = slices.ContainsFunc(all, func(other Outbound) bool {
			return o.Address == other.Address && (o.Reference != other.Reference || !maps.Equal(o.Tags, other.Tags) ||
				o.Port.Resource != other.Port.Resource && (!o.Drawn || !other.Drawn))
		})
	}
	return all
}

// listensFor returns the ports for which an outbound that a Dataplane lists has a listener: those of one service, unless it is not known
// which one is the oldest.
func (m *Mesh) listensFor(dataplane *kuma.Resource, outbound tree.Node) (ports []rules.Port, drawn bool) {
	number, _ := outbound.Get("backendRef", "port").Int()
	selected, _ := m.outboundPorts(dataplane, outbound, 0, true)
	oldest, known := m.snapshot.Oldest(selected) // also if it does not have the port
	ports, _ = m.outboundPorts(dataplane, outbound, int(number), true)
	return slices.DeleteFunc(ports, func(p rules.Port) bool {
		return known && p.Resource != oldest || m.closes(p) ||
			number != 0 && p.Number != int(number) && p.Resource.Type != kuma.KindMeshExternalService
	}), !known
}

// Listens reports whether a proxy that is not transparent has a listener for an outbound that its Dataplane lists.
func (m *Mesh) Listens(dataplane *kuma.Resource, outbound tree.Node) bool {
	ports, _ := m.listensFor(dataplane, outbound)
	return len(ports) > 0 || outbound.Get("tags", kuma.TagService).Filled()
}

// destination identifies what an outbound is for.
func (o Outbound) destination(mesh string) portKey {
	if o.Tags != nil {
		return portKey{kuma.ID{Mesh: mesh, Name: o.Tags[kuma.TagService]}, 0}
	}
	return portKey{o.Port.Resource, o.Port.Number}
}

// sectionOf returns the section by which a reference names a port.
func sectionOf(ref tree.Node, p rules.Port) string {
	if port, _ := ref.Get("port").Int(); int(port) == p.Number {
		return strconv.Itoa(p.Number)
	}
	return p.Section
}

// redirected returns the ports of services for which a transparent proxy has a listener, and the
// services by tags, nil for all of them. everything reports whether the Dataplane lists none, and so
// has listeners for all.
func (m *Mesh) redirected(dataplane *kuma.Resource) (ports []Outbound, byTags []string, everything bool) {
	kuma2 := !m.snapshot.Release().Kuma3()
	proxying := tree.Root(dataplane.Body).Get("networking", "transparentProxying")
	switch {
	case kuma2 && proxying.Get("reachableServices").Filled():
		byTags = tree.Strings(proxying.Get("reachableServices").Value())
	case kuma2 && m.IsZoneProxy(dataplane.Name): // it only has listeners for what it lists (measured on 2.14.3)
		byTags = []string{}
	}
	listed, lists := m.listed(dataplane)
	listsBackends := proxying.Get("reachableBackends").Value() != nil
	switch {
	case kuma2 && m.mode == "ReachableBackends" && !listsBackends:
	case lists:
		ports = listed
	case m.snapshot.RestrictsOutbound(), byTags != nil:
	default:
		return nil, nil, true
	}
	return ports, byTags, false
}

// virtual returns the outbounds with virtual addresses.
func (m *Mesh) virtual(ports []Outbound, services []string) []Outbound {
	return append(lastOfEach(ports), phrase.Each(services, func(service string) Outbound {
		return Outbound{Tags: map[string]string{kuma.TagService: service}}
	})...)
}

func comparePorts(a, b rules.Port) int {
	return cmp.Or(strings.Compare(kinds.KRI(a.Resource), kinds.KRI(b.Resource)), cmp.Compare(a.Number, b.Number),
		strings.Compare(a.Section, b.Section))
}

// virtualTags returns the values of kuma.io/service to which the control plane of a zone assigns a virtual address: those of other zones
// that a ZoneIngress lists, which only are ready ones (proxies.md §3).
func (m *Mesh) virtualTags(zone string) map[string]bool {
	services := map[string]bool{}
	if m.snapshot.Release().Kuma3() || m.snapshot.Exclusive(m.name) {
		return services
	}
	for _, r := range m.snapshot.Resources(m.name, kuma.KindDataplane) {
		own := zone == "" || r.Zone() == "" || r.Zone() == zone
		if !own && !m.entrances[r.Zone()].ingress {
			continue
		}
		for _, in := range tree.Root(r.Body).Get("networking", "inbound").Items() {
			state, _ := in.Get("state").Text()
			listed := own && state != "Ignored" || rules.IsReady(in)
			if service, _ := in.Get("tags", kuma.TagService).Text(); service != "" && listed {
				services[service] = true
			}
		}
	}
	for _, behind := range m.ingresses {
		for _, tags := range behind {
			services[tags[kuma.TagService]] = true
		}
	}
	return services
}

// ReachesTag reports whether a proxy has a listener for proxies with a value of kuma.io/service:
// by the tag, or for a MeshService that selects them.
func (m *Mesh) ReachesTag(o *Outbounds, tag string) bool {
	return o.HasTag(tag) || slices.ContainsFunc(m.servicesByTag[tag], o.HasService)
}

// TagOf returns the value of kuma.io/service of the proxies of a service, empty if it selects them
// differently.
func (m *Mesh) TagOf(service kuma.ID) string {
	if s := m.serviceByID[service]; s != nil {
		return s.Tag
	}
	return ""
}

// VirtualTags returns the values of kuma.io/service to which the control plane of a zone assigns a virtual
// address, in ascending order.
func (m *Mesh) VirtualTags(zone string) []string {
	return slices.Sorted(maps.Keys(m.virtualTags(zone)))
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

// ListsAddress reports whether a Dataplane lists an outbound with an address, for which its proxy may not listen.
func ListsAddress(dataplane *kuma.Resource, at netip.AddrPort) bool {
	for address := range outboundsOf(dataplane) {
		if address == at {
			return true
		}
	}
	return false
}

// Layout returns the ports that the control plane shows as the outbounds of a Dataplane, sorted
// by resource and port. It does not consider whether the proxy is transparent, and shows no
// outbounds by tags (matching.md §16). A global control plane shows the services of all zones.
func (m *Mesh) Layout(dataplane *kuma.Resource) []rules.Port {
	listed, lists := m.listed(dataplane)
	if !lists && !m.snapshot.RestrictsOutbound() {
		listed = m.allPorts(nil, rules.DestinationKinds()...)
	}
	return phrase.Each(lastOfEach(listed), func(o Outbound) rules.Port { return o.Port })
}

// lastOfEach returns the last one of equal sections of services, sorted by resource and port.
func lastOfEach(ports []Outbound) []Outbound {
	last := map[rules.Port]Outbound{} // by resource and section
	for _, o := range ports {
		last[rules.Port{Resource: o.Port.Resource, Section: o.Port.Section}] = o
	}
	return slices.SortedFunc(maps.Values(last), func(a, b Outbound) int { return comparePorts(a.Port, b.Port) })
}

// listed returns the ports that a Dataplane lists, and whether it lists any. If no outbound resolves, the
// Dataplane counts as listing none; reachableBackends count even if none resolves.
func (m *Mesh) listed(dataplane *kuma.Resource) (ports []Outbound, ok bool) {
	networking := tree.Root(dataplane.Body).Get("networking")
	for _, o := range networking.Get("outbound").Items() {
		number, _ := o.Get("backendRef", "port").Int()
		ports = append(ports, m.outboundsTo(m.outboundPorts(dataplane, o, int(number), false))...)
	}
	backends := networking.Get("transparentProxying", "reachableBackends")
	if len(ports) > 0 || backends.Value() == nil {
		return ports, len(ports) > 0
	}
	for _, n := range backends.Get("refs").Items() {
		ref := rules.ParseBackendRef(n)
		switch {
		case !m.snapshot.Release().Kuma3() || len(ref.Labels) > 0:
			ports = append(ports, m.outboundsTo(m.snapshot.SelectPorts(*dataplane, ref))...)
		case ref.Name == "":
			ports = append(ports, m.allPorts(dataplane, ref.Kind)...)
		}
	}
	return ports, true
}

// outboundPorts returns the ports with a number that an outbound of a Dataplane selects, or only those for which it gets a listener:
// in Kuma 3.0, a display name among labels is one in the namespace of the Dataplane (matching.md §16).
func (m *Mesh) outboundPorts(dataplane *kuma.Resource, outbound tree.Node, number int, listens bool) (ports []rules.Port, drawn bool) {
	ref, kuma3 := rules.ParseBackendRef(outbound.Get("backendRef")), m.snapshot.Release().Kuma3()
	ref.Port = number
	if kuma3 && len(ref.Labels) == 0 && ref.Name != "" {
		ref.Labels, listens = map[string]string{kuma.LabelDisplayName: ref.Name}, true
	}
	_, named := ref.Labels[kuma.LabelDisplayName]
	_, given := ref.Labels[kuma.LabelK8sNamespace]
	if namespace := dataplane.Namespace(); kuma3 && listens && named && !given && namespace != "" {
		ref.Labels = maps.Clone(ref.Labels)
		ref.Labels[kuma.LabelK8sNamespace] = namespace
	}
	ports, drawn = m.snapshot.SelectPorts(*dataplane, ref)
	if len(ports) == 0 && !kuma3 {
		ref.Labels = nil // before 3.0, the name counts if the labels beside it select nothing
		ports, drawn = m.snapshot.SelectPorts(*dataplane, ref)
	}
	return ports, drawn
}

// allPorts returns the ports of all services of some kinds: with a Dataplane, of those that its zone has.
func (m *Mesh) allPorts(dataplane *kuma.Resource, of ...string) []Outbound {
	var ports []Outbound
	for _, r := range m.snapshot.Services(m.name) {
		if slices.Contains(of, r.Type) && (dataplane == nil || rules.ZoneHas(*dataplane, *r)) {
			ports = append(ports, m.outboundsTo(m.snapshot.Ports(r.ID()), false)...)
		}
	}
	return ports
}

// outboundsTo returns the outbounds to ports, without those to which proxies close connections.
func (m *Mesh) outboundsTo(ports []rules.Port, drawn bool) (all []Outbound) {
	for _, p := range ports {
		if !m.closes(p) {
			all = append(all, Outbound{Port: p, Section: p.Section, Drawn: drawn})
		}
	}
	return all
}

// closes reports whether proxies close connections to a port: its protocol is unknown or has a capital letter, or an early release
// stores it without one (validation.md, MeshService).
func (m *Mesh) closes(p rules.Port) bool {
	return p.Resource.Type != kuma.KindMeshExternalService &&
		slices.ContainsFunc(tree.List(m.snapshot.Service(p.Resource).Spec()["ports"]), func(v any) bool {
			protocol := tree.Text(tree.Object(v)["appProtocol"])
			return tree.Int(tree.Object(v)["port"]) == p.Number && !slices.Contains(check.Protocols, protocol) &&
				(protocol != "" || !m.snapshot.Release().Has(kuma.CompletesSince))
		})
}
