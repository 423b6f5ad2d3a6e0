package rules

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

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

// IsNamedByNumber reports whether a port has no name, or its number as the name.
func (p Port) IsNamedByNumber() bool { return p.Section == strconv.Itoa(p.Number) }

// BackendRef is a reference to a destination to which a policy sends traffic or
// telemetry.
type BackendRef struct {
	kuma.TargetRef
	Port   int   // zero when it has none
	Weight int64 // 1 when it has none
	Path   tree.Path
}

// ParseBackendRef reads the reference at a node of a document.
func ParseBackendRef(n tree.Node) BackendRef {
	port, _ := n.Get("port").Int()
	weight, ok := n.Get("weight").Int()
	if !ok {
		weight = 1
	}
	return BackendRef{kuma.ParseTargetRef(n.Value()), int(port), weight, n.Path}
}

// Redirects reports whether a proxy answers the requests of a rule of a MeshHTTPRoute with a redirect.
func Redirects(rule tree.Node) bool {
	return slices.ContainsFunc(rule.Find("default.filters[].type"), func(n tree.Node) bool { return n.Value() == "RequestRedirect" })
}

// BackendRefs finds the references called backendRef and backendRefs, wherever a
// policy has them.
func BackendRefs(policy kuma.Resource) []BackendRef {
	var found []BackendRef
	add := func(n tree.Node) {
		if ref := ParseBackendRef(n); ref.Kind != "" {
			found = append(found, ref)
		}
	}
	var walk func(n tree.Node)
	walk = func(n tree.Node) {
		switch n.Key() {
		case "backendRef":
			add(n)
		case "backendRefs":
			for _, e := range n.Items() {
				add(e)
			}
		default:
			for _, c := range append(n.Entries(), n.Items()...) {
				walk(c)
			}
		}
	}
	if hasBackendRefs(policy.Body["spec"]) { // few policies do, and paths to all values cost much more
		walk(tree.Root(policy.Body).Get("spec"))
	}
	return found
}

// hasBackendRefs reports whether a value contains a field called backendRef or backendRefs.
func hasBackendRefs(v any) bool {
	for name, field := range tree.Object(v) {
		if name == "backendRef" || name == "backendRefs" || hasBackendRefs(field) {
			return true
		}
	}
	return slices.ContainsFunc(tree.List(v), hasBackendRefs)
}

// Backend returns the service to which a reference in backendRefs of a route sends traffic,
// which is the oldest one that the reference selects, and its port: zero values if they do not
// exist, or if the service is only known by tags (matching.md §17.2).
func (s *Snapshot) Backend(route kuma.Resource, ref BackendRef) (kuma.ID, Port) {
	m := s.mesh(route.Mesh)
	if !IsDestination(ref.Kind) {
		return kuma.ID{}, Port{} // a MeshTCPRoute without rules refers to its own target, which may be the mesh
	}
	oldest, _ := oldestOf(m.index.backends(&route, ref.TargetRef))
	if oldest == nil {
		return kuma.ID{}, Port{}
	}
	ports := servicePorts(m.services()[oldest.ID()])
	for _, p := range ports {
		var found bool
		switch {
		case oldest.Type == kuma.KindMeshExternalService:
			found = true
		case ref.SectionName != "": // also of a port with a name, by its number
			found = ref.SectionName == p.Section || ref.SectionName == strconv.Itoa(p.Number)
		case ref.Port != 0:
			found = ref.Port == p.Number
		default:
			found = m.matching.byLabels && len(ports) == 1
		}
		if found {
			return oldest.ID(), p
		}
	}
	return oldest.ID(), Port{}
}

// IsAmbiguous reports whether a reference in backendRefs selects several services of which it is not known which one is the oldest.
func (s *Snapshot) IsAmbiguous(route kuma.Resource, ref BackendRef) bool {
	_, known := oldestOf(s.mesh(route.Mesh).index.backends(&route, ref.TargetRef))
	return !known
}

// Oldest returns the service that was created first of those with some ports, and whether that is known. Of the services that an outbound
// of a Dataplane without a transparent proxy selects, the control plane uses it (measured on 2.14.3 and the preview of 3.0).
func (s *Snapshot) Oldest(ports []Port) (kuma.ID, bool) {
	var services []*kuma.Resource
	for _, p := range ports {
		services = append(services, s.Service(p.Resource))
	}
	oldest, known := oldestOf(services)
	if oldest == nil {
		return kuma.ID{}, known
	}
	return oldest.ID(), known
}

// oldestOf returns the service that was created first, nil without services, and whether it is known to be older than the others: a zone
// knows the services of others some seconds later than the global control plane (measured on 2.14.3).
func oldestOf(services []*kuma.Resource) (oldest *kuma.Resource, known bool) {
	const delay = 10 * time.Second
	if len(services) == 0 {
		return nil, true
	}
	oldest = slices.MinFunc(services, kuma.CompareCreation)
	return oldest, !slices.ContainsFunc(services, func(r *kuma.Resource) bool {
		ofZones := r.Labels[kuma.LabelOrigin] == kuma.OriginZone && oldest.Labels[kuma.LabelOrigin] == kuma.OriginZone
		return r.ID() != oldest.ID() && (r.CreationTime.Equal(oldest.CreationTime) ||
			ofZones && r.Zone() != oldest.Zone() && r.CreationTime.Sub(oldest.CreationTime) < delay)
	})
}

// Section returns the section by which a reference in backendRefs names a port that it selects:
// settings for the port are looked up by it.
func (ref BackendRef) Section(selected Port) string {
	switch {
	case ref.SectionName != "":
		return ref.SectionName
	case ref.Port != 0:
		return strconv.Itoa(ref.Port)
	default:
		return selected.Section
	}
}

// isOutsideZones reports whether no Dataplane can refer to a service by name: a Dataplane belongs to a
// zone, also if its document does not say so, and this service to none (matching.md §4.1).
func isOutsideZones(service *kuma.Resource) bool {
	return service.Type == kuma.KindMeshMultiZoneService && service.Zone() == ""
}

// SelectPorts returns the ports that a reference of a Dataplane selects (matching.md §16), and whether a transparent proxy has listeners
// for those of only one of several services, which changes. A reference without a port selects ports without a name.
func (s *Snapshot) SelectPorts(dataplane kuma.Resource, ref BackendRef) (ports []Port, drawn bool) {
	m := s.mesh(dataplane.Mesh)
	if ref.Kind == "" {
		return nil, false
	}
	var all, selected []Port
	unnamed := false
	for _, r := range m.index.backends(&dataplane, ref.TargetRef) {
		if len(ref.Labels) == 0 && isOutsideZones(r) || !ZoneHas(dataplane, *r) {
			continue
		}
		service := m.services()[r.ID()]
		own, ports := portsOf(service), servicePorts(service)
		if i := slices.IndexFunc(own, func(p ownPort) bool { return p.unnamed }); i >= 0 && ref.Port == 0 {
			ports, unnamed = []Port{own[i].Port}, true
		}
		all = append(all, ports...)
		for _, p := range own {
			if ref.Port != 0 && p.Number == ref.Port {
				selected = append(selected, p.Port)
			}
		}
	}
	if len(selected) == 0 {
		selected = all
	}
	several := slices.ContainsFunc(selected, func(p Port) bool { return p.Resource != selected[0].Resource })
	return selected, several && (ref.Port != 0 || unnamed)
}

// Services returns the services of a mesh in no order: of those with the same identity, the last
// one in order of name.
func (s *Snapshot) Services(meshName string) []*kuma.Resource {
	return slices.Collect(maps.Values(s.mesh(meshName).services()))
}

// Service returns the service with an identity, nil if there is none.
func (s *Snapshot) Service(id kuma.ID) *kuma.Resource { return s.mesh(id.Mesh).services()[id] }

// Ports returns the ports of a service, in order of number.
func (s *Snapshot) Ports(id kuma.ID) []Port {
	r := s.Service(id)
	if r == nil {
		return nil
	}
	return slices.SortedFunc(slices.Values(servicePorts(r)), func(a, b Port) int { return cmp.Compare(a.Number, b.Number) })
}

// HasBackend reports whether the destination of a reference exists, regardless
// of its port, or whether that cannot be known. In Kuma 3.0, tags are not destinations.
func (s *Snapshot) HasBackend(policy kuma.Resource, ref BackendRef) bool {
	m, ok := s.meshes[policy.Mesh]
	if !ok {
		return false
	}
	byTag := ref.Kind == kuma.KindMeshServiceSubset || ref.Kind == kuma.KindMeshService && ref.Port == 0 && ref.SectionName == ""
	exists := len(m.index.backends(&policy, ref.TargetRef)) > 0
	switch {
	case byTag && m.matching.byLabels:
		return exists
	case byTag && m.servicesAreUnknown():
		return true
	case ref.Kind == kuma.KindMeshServiceSubset:
		want := serviceTags(ref.Name, ref.Tags)
		return slices.ContainsFunc(m.offeredTags(), func(tags map[string]string) bool { return kuma.HasAll(tags, want) })
	case IsDestination(ref.Kind):
		return exists || byTag && m.serviceTags()[ref.Name]
	default: // by labels only
		return slices.ContainsFunc(m.resources[ref.Kind], func(r *kuma.Resource) bool { return kuma.HasAll(r.Labels, ref.Labels) })
	}
}

// servicesAreUnknown reports whether a mesh has neither tags nor a MeshService: its
// services are then likely to be kept elsewhere.
func (m *mesh) servicesAreUnknown() bool {
	return len(m.serviceTags()) == 0 && len(m.resources[kuma.KindMeshService]) == 0
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

// servicePorts returns the ports of a service: of those with the same name, the last one.
func servicePorts(r *kuma.Resource) []Port {
	byName := map[string]Port{}
	for _, p := range portsOf(r) {
		byName[p.Section] = p.Port
	}
	return slices.Collect(maps.Values(byName))
}
