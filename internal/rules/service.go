package rules

import (
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Selects reports whether a MeshService selects a Dataplane of its zone: by tags if one inbound, or
// the gateway, has all of them. Its ports are then those of any inbound of the Dataplane.
func Selects(service, dataplane kuma.Resource) bool { return selects(service, dataplane, false) }

// Endpoints returns the inbounds of a Dataplane to which requests for a port of a MeshService are
// sent. The tags of an inbound that is not ready do not count (matching.md §16).
func Endpoints(service, dataplane kuma.Resource, port tree.Node) []tree.Node {
	if !selects(service, dataplane, true) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(tree.Root(dataplane.Body).Get("networking", "inbound").Items()), func(in tree.Node) bool {
		return !IsReady(in) || !Receives(in, port)
	})
}

// IsReady reports whether requests are sent to an inbound or a listener.
func IsReady(inbound tree.Node) bool {
	state, _ := inbound.Get("state").Text()
	health := inbound.Get("health") // before Kuma 2.6
	return (state == "" || state == "Ready") && (health.Value() == nil || health.Get("ready").True())
}

func selects(service, dataplane kuma.Resource, ready bool) bool {
	if !SameZone(service, dataplane) {
		return false
	}
	selector := tree.Object(service.Spec()["selector"])
	byTags, byRef, byLabels := tree.StringMap(selector["dataplaneTags"]), tree.Object(selector["dataplaneRef"]), tree.Object(
		selector["dataplaneLabels"])
	switch {
	case len(byTags) > 0:
		has := func(n tree.Node) bool {
			return (!ready || IsReady(n)) && kuma.HasAll(tree.StringMap(n.Get("tags").Value()), byTags)
		}
		networking := tree.Root(dataplane.Body).Get("networking")
		return slices.ContainsFunc(networking.Get("inbound").Items(), has) || has(networking.Get("gateway"))
	case byRef != nil:
		return tree.Text(byRef["name"]) == dataplane.DisplayName() // a global control plane adds a hash to the name
	case byLabels != nil:
		return kuma.HasAll(dataplane.Labels, tree.StringMap(byLabels["matchLabels"]))
	default:
		return false
	}
}

// SameZone reports whether two resources may belong to the same zone: their
// zone labels are equal, or one of them has none.
func SameZone(a, b kuma.Resource) bool {
	return a.Zone() == "" || b.Zone() == "" || a.Zone() == b.Zone()
}

// ZoneHas reports whether the zone of a Dataplane has a service: not a MeshExternalService of another one.
func ZoneHas(dataplane, service kuma.Resource) bool {
	return service.Type != kuma.KindMeshExternalService || SameZone(dataplane, service)
}

// IsElsewhere reports whether a MeshService is a copy of that of another zone, which a zone control plane
// has without the Dataplanes of the service.
func IsElsewhere(service kuma.Resource) bool {
	return service.Type == kuma.KindMeshService && service.Labels[kuma.LabelOrigin] == kuma.OriginGlobal
}

// Receives reports whether requests for a port of a MeshService, an element of its ports,
// arrive at an inbound of a Dataplane that the service selects: one with the name or number
// that the port targets. A port without targetPort has no endpoints, also if an inbound has its
// number (measured on 2.14.3 and a development build of 3.0).
func Receives(inbound, port tree.Node) bool {
	target := port.Get("targetPort")
	if want, ok := target.Text(); ok && want != "" {
		name, _ := inbound.Get("name").Text()
		return name == want
	}
	number := tree.Int(target.Value())
	return number != 0 && number == tree.Int(inbound.Get("port").Value())
}

// PortBehind returns the port of a MeshService that receives the requests for a port of a
// MeshMultiZoneService, an element of its ports: that with the same number, but in Kuma 3.0
// the first one that has the name of the port, or else its number, as its name or number
// (measured on both).
func (s *Snapshot) PortBehind(p Port, service kuma.Resource) (port tree.Node, ok bool) {
	byName := s.matching.byLabels && p.Resource.Type == kuma.KindMeshMultiZoneService
	for _, n := range tree.Root(service.Spec()).Get("ports").Items() {
		name, _ := n.Get("name").Text()
		number := tree.Int(n.Get("port").Value())
		if byName && (name == p.Section || strconv.Itoa(number) == p.Section) || !byName && number == p.Number {
			return n, true
		}
	}
	return tree.Node{}, false
}

// Behind returns the services that receive the requests for a service: the MeshServices that a
// MeshMultiZoneService selects, or the service itself.
func (s *Snapshot) Behind(id kuma.ID) []kuma.ID {
	if id.Type != kuma.KindMeshMultiZoneService {
		return []kuma.ID{id}
	}
	service := s.Service(id)
	if service == nil {
		return nil
	}
	labels := tree.StringMap(tree.Root(service.Spec()).Get("selector", "meshService", "matchLabels").Value())
	var out []kuma.ID
	for _, member := range s.Resources(id.Mesh, kuma.KindMeshService) {
		if len(labels) > 0 && kuma.HasAll(member.Labels, labels) && !slices.Contains(out, member.ID()) {
			out = append(out, member.ID())
		}
	}
	return out
}
