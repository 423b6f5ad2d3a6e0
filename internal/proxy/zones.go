package proxy

import (
	"cmp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// entrance is how proxies of other zones reach those of a zone.
type entrance struct {
	ingress    bool // there is a ZoneIngress, which says to other zones what the zone provides
	byTags     bool // through a ZoneIngress
	byServices bool // through a ZoneIngress, or at a MeshZoneAddress
}

// readZones reads how proxies leave and enter zones: other zones use a ZoneIngress only if it has an advertised address, and the
// routing of the Mesh can require a ZoneEgress for requests by tags (proxies.md §3).
func (m *Mesh) readZones(mesh *kuma.Resource) {
	all := map[string]entrance{}
	routing := tree.Root(mesh.Body).Get("routing")
	if routing.Get("zoneEgress").True() {
		m.exits = map[string]bool{}
	}
	m.tagsPrefer = routing.Get("localityAwareLoadBalancing").True()
	for _, r := range m.snapshot.Resources(m.name, kinds.MeshZoneAddress.Name) {
		all[r.Zone()] = entrance{byServices: true}
	}
	for _, r := range m.snapshot.Resources("", kinds.ZoneIngress.Name) { // which Kuma 3.0 does not have
		if m.snapshot.Release().Kuma3() {
			continue
		}
		at, reached := all[zoneOf(r)], tree.Root(r.Body).Get("networking", "advertisedAddress").Filled()
		all[zoneOf(r)] = entrance{true, at.byTags || reached, at.byServices || reached}
	}
	for _, r := range m.snapshot.Resources("", kinds.ZoneEgress.Name) {
		if m.exits != nil {
			m.exits[zoneOf(r)] = true
		}
	}
	m.entrances = all
}

// zoneOf returns the zone of a zone proxy.
func zoneOf(r *kuma.Resource) string { return cmp.Or(tree.Text(r.Body["zone"]), r.Zone()) }

// Enters reports whether proxies of a zone send requests to those of another one, by a tag or by a service. A zone that is not known may
// be any.
func (m *Mesh) Enters(from, to string, byTag bool) bool {
	switch at := m.entrances[to]; {
	case from == "" || to == "" || from == to:
		return true
	case byTag:
		return m.mutualTLS && at.byTags && !m.snapshot.Exclusive(m.name) && (m.exits == nil || m.exits[from] || m.exits[""])
	default:
		return m.LeavesZone() && at.byServices
	}
}

// Separation says why requests do not get to another zone, as a clause.
func (m *Mesh) Separation(byTag bool) string {
	switch {
	case byTag && m.snapshot.Exclusive(m.name):
		return "requests by tags do not leave a zone if meshServices.mode of the Mesh is Exclusive"
	case byTag && m.mutualTLS:
		return "requests by tags get there only through a ZoneIngress with an advertised address and, if routing.zoneEgress of the Mesh is " +
			"set, a ZoneEgress of the own zone"
	case byTag || !m.LeavesZone():
		return "requests leave a zone only if the mesh has mutual TLS"
	default:
		return "requests get there only through a MeshZoneAddress or, before Kuma 3.0, a ZoneIngress with an advertised address, and " +
			"through a MeshMultiZoneService only to a MeshService in the state Available"
	}
}

// PrefersOwnZone reports whether proxies send requests to other zones, by a tag or by a service, only if no proxy of the own zone is
// healthy. strategy is what a MeshLoadBalancingStrategy sets for them, if there is one (proxies.md §3).
func (m *Mesh) PrefersOwnZone(byTag bool, strategy tree.Node) bool {
	locality := strategy.Get("localityAwareness")
	return (!byTag || m.tagsPrefer || strategy.Known()) && (!locality.Get("disabled").True() || HasGroups(locality))
}

// HasExits reports whether the routing of the Mesh requires a ZoneEgress for requests by tags to other zones. A MeshLoadBalancingStrategy
// then leaves endpoints of other zones to the ZoneEgress (proxies.md §3).
func (m *Mesh) HasExits() bool { return m.exits != nil && !m.snapshot.Release().Kuma3() }

// HasUnusedExit reports whether a zone has a ZoneEgress through which the Mesh sends no requests: neither routing.zoneEgress nor the mode
// Exclusive is set (proxies.md §3).
func (m *Mesh) HasUnusedExit(zone string) bool {
	return m.exits == nil && !m.snapshot.Exclusive(m.name) &&
		slices.ContainsFunc(m.snapshot.Resources("", kinds.ZoneEgress.Name), func(r *kuma.Resource) bool { return zoneOf(r) == zone })
}

// Entered returns the endpoints to which proxies of a zone send requests, by a tag or by a service.
func (m *Mesh) Entered(from string, endpoints []Endpoint, byTag bool) []Endpoint {
	return slices.DeleteFunc(slices.Clone(endpoints), func(e Endpoint) bool {
		return !m.Enters(from, e.Resource.Zone(), byTag) || e.ownZone && !e.ServesZone(from)
	})
}

// OtherZones reports whether proxies of other zones may provide services by tags: on a zone control plane of 2.14 that has
// the mesh from a global one, no Dataplanes of other zones, and no zone ingresses, which say so. Without mutual TLS, traffic by
// tags does not leave the zone.
func (m *Mesh) OtherZones() bool { return m.otherZones && m.ingresses == nil }

// Elsewhere returns the tags of the services of other zones that have some tags, and that the proxies of this zone reach.
func (m *Mesh) Elsewhere(tags map[string]string) []map[string]string {
	if noExit := m.exits != nil && len(m.exits) == 0; !m.otherZones || noExit { // a zone only has its own ZoneEgresses
		return nil
	}
	var found []map[string]string
	for zone, services := range m.ingresses {
		for _, of := range services {
			if hasTags(of, "", tags) && m.entrances[zone].byTags {
				found = append(found, of)
			}
		}
	}
	return found
}

// InOtherZones reports whether proxies of other zones provide a value of kuma.io/service, or may do so.
func (m *Mesh) InOtherZones(service string) bool {
	return m.OtherZones() || len(m.Elsewhere(map[string]string{kuma.TagService: service})) > 0
}

// LeavesZone reports whether proxies send requests to other zones, which they do only in a mesh that has certificates (matching.md
// §17.11).
func (m *Mesh) LeavesZone() bool {
	return m.mutualTLS || len(m.snapshot.Resources(m.name, kinds.MeshIdentity.Name)) > 0
}

// readIngresses returns the tags of the services behind the zone ingresses of other zones, by zone, nil if they are not known.
func (m *Mesh) readIngresses() map[string][]map[string]string {
	own := map[string]bool{}
	for _, r := range m.snapshot.Resources(m.name, kuma.KindDataplane) {
		own[r.Zone()] = true
	}
	var all map[string][]map[string]string
	if len(own) > 1 { // as on a global control plane, which has all
		all = map[string][]map[string]string{}
	}
	for _, r := range m.snapshot.Resources("", kinds.ZoneIngress.Name) {
		zone := zoneOf(r)
		if zone == "" || own[zone] {
			continue
		}
		if all == nil {
			all = map[string][]map[string]string{}
		}
		for _, service := range tree.Objects(r.Body["availableServices"]) {
			if service["mesh"] == m.name {
				all[zone] = append(all[zone], tree.StringMap(service["tags"]))
			}
		}
	}
	return all
}
