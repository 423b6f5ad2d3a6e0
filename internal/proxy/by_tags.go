package proxy

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// What proxies send to services by the tag kuma.io/service, and builtin gateways to all
// services, has the settings of other rules than what they send to MeshServices (matching.md §5.1).

// IsBuiltinGateway reports whether a Dataplane is a gateway that a MeshGateway configures.
func (m *Mesh) IsBuiltinGateway(dataplane string) bool {
	return len(m.snapshot.Listeners(m.name, dataplane)) > 0 && !m.snapshot.Release().Kuma3()
}

// SendsByTag reports whether a proxy sends requests by tags to one of the destinations. A builtin
// gateway sends to all of them, another proxy to the destinations with a tag of its outbounds. A
// reference to the mesh includes all.
func (m *Mesh) SendsByTag(dataplane string, to ...kuma.TargetRef) bool {
	if m.IsBuiltinGateway(dataplane) {
		return true
	}
	outbounds := m.Outbounds(dataplane)
	return slices.ContainsFunc(to, func(ref kuma.TargetRef) bool {
		switch ref.Kind {
		case kuma.KindMesh:
			return outbounds.HasTags()
		case kuma.KindMeshService, kuma.KindMeshServiceSubset:
			return outbounds.HasTag(ref.Name)
		default:
			return false
		}
	})
}

// RouteEntries are the entries of `to` of a policy that has entries for routes.
type RouteEntries struct {
	mesh   *Mesh
	refs   []kuma.TargetRef
	routes [][]*kuma.Resource // that an entry is for
}

// RouteEntries returns the entries of a policy.
func (m *Mesh) RouteEntries(policy *kuma.Resource) RouteEntries {
	e := RouteEntries{mesh: m, refs: policy.ToRefs()}
	e.routes = make([][]*kuma.Resource, len(e.refs))
	for i, ref := range e.refs {
		if rules.IsRoute(ref.Kind) {
			targets := m.snapshot.Resolve(*policy, ref, 0)
			e.routes[i] = phrase.Each(targets, func(t rules.Target) *kuma.Resource { return m.snapshot.Resource(t.Resource) })
		}
	}
	return e
}

// LostByTags returns the positions of the entries that have no effect on what a proxy that the
// policy selects sends by tags: those for routes that the proxy has, and all others because one
// is for a route. The first list is empty if there are neither.
func (e RouteEntries) LostByTags(dataplane string) (ofRoutes, others []int) {
	var without []int
	for i, ref := range e.refs {
		switch {
		case !rules.IsRoute(ref.Kind):
			named := ref.Kind == kuma.KindMeshService && ref.Name != "" && e.mesh.snapshot.HasServiceTag(e.mesh.name, ref.Name)
			if (ref.Kind == kuma.KindMesh || ref.Kind == kuma.KindMeshServiceSubset || named) && e.mesh.SendsByTag(dataplane, ref) {
				others = append(others, i)
			}
		case slices.ContainsFunc(e.routes[i], func(route *kuma.Resource) bool { return e.mesh.sendsOnRoute(route, dataplane) }):
			ofRoutes = append(ofRoutes, i)
		default:
			without = append(without, i)
		}
	}
	if len(others) > 0 {
		ofRoutes = append(ofRoutes, without...)
		slices.Sort(ofRoutes)
	}
	return ofRoutes, others
}

// sendsOnRoute reports whether a proxy has a route, and sends requests by tags to its services.
func (m *Mesh) sendsOnRoute(route *kuma.Resource, dataplane string) bool {
	if !m.SendsByTag(dataplane, route.ToRefs()...) {
		return false
	}
	excluded, err := m.snapshot.Excluded(route.Key(), dataplane)
	return err == nil && excluded == rules.NotExcluded
}

// AppliesByTag reports whether an entry of `to` applies to requests that a proxy sends by a tag
// with the name of the reference.
func (m *Mesh) AppliesByTag(policy *kuma.Resource, ref kuma.TargetRef, dataplane string) bool {
	isRoute := func(r kuma.TargetRef) bool { return rules.IsRoute(r.Kind) }
	return !m.snapshot.Release().Kuma3() && m.snapshot.HasServiceTag(m.name, ref.Name) &&
		!slices.ContainsFunc(policy.ToRefs(), isRoute) && m.SendsByTag(dataplane, ref)
}

// ToOfRoute returns the destinations of the routes with a display name. If they are called by tags, a
// policy that selects a route by this name applies to them.
func (m *Mesh) ToOfRoute(name string) []kuma.TargetRef {
	var to []kuma.TargetRef
	for _, r := range m.snapshot.Resources(m.name, kuma.KindMeshHTTPRoute) {
		if r.DisplayName() == name {
			to = append(to, r.ToRefs()...)
		}
	}
	return to
}
