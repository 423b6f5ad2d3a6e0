package rules

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Target is a target of a reference to a destination: a resource, or with a
// section one of its ports.
type Target struct {
	Resource kuma.Key
	Section  string
}

// Resolve returns the targets of a reference in `to` of a policy, or in
// backendRefs, which may select a port by number; port is zero when it does
// not. The targets are sorted by name. There are none when the reference has no
// target, or only the tag kuma.io/service (matching.md §4.1).
func (s *Snapshot) Resolve(policy kuma.Resource, ref kuma.TargetRef, port int) []Target {
	var targets []Target
	for r, section := range s.mesh(policy.Mesh).index.find(&policy, ref, port) {
		targets = append(targets, Target{r.Key(), section})
	}
	return targets
}

// IsDangling reports whether a reference in `to` of a policy has no target:
// its kind is a destination or route, and there is no such resource, or it has
// no such port. A MeshService may also be the value of a tag, see
// [Snapshot.HasServiceTag]; in a mesh in which neither tags nor MeshServices
// are known, it is assumed to exist.
func (s *Snapshot) IsDangling(policy kuma.Resource, ref kuma.TargetRef) bool {
	m, ok := s.meshes[policy.Mesh]
	switch {
	case !IsDestination(ref.Kind) && !IsRoute(ref.Kind) || slices.ContainsFunc(s.Resolve(policy, ref, 0), s.exists):
		return false
	case ref.Kind != kuma.KindMeshService || ref.Name == "" || !ok || m.exclusive:
		return true
	default:
		return !m.serviceTags()[ref.Name] && !m.servicesAreUnknown()
	}
}

// exists reports whether the section of a target exists, which releases before 2.10
// do not check.
func (s *Snapshot) exists(t Target) bool {
	return t.Section == "" || slices.Contains(Sections(*s.Resource(t.Resource)), t.Section)
}

// SelectorIsDangling reports whether the top-level reference of a policy
// names a proxy, gateway or route that does not exist. It is false for
// references that are not looked up, such as the tags of a MeshSubset.
func (s *Snapshot) SelectorIsDangling(policy *kuma.Resource) bool {
	ref := policy.TopRef()
	m, ok := s.meshes[policy.Mesh]
	return ok && ref.Name != "" && slices.Contains(selectorKinds(), ref.Kind) && len(m.index.named(ref.Kind, ref.Name)) == 0
}

// selectorKinds are the kinds of references that select proxies by the name of a
// resource.
func selectorKinds() []string {
	return []string{kuma.KindDataplane, kuma.KindMeshGateway, kuma.KindMeshHTTPRoute}
}
