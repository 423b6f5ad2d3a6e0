package rules

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// BackendRef is a reference to a destination to which a policy sends traffic or
// telemetry.
type BackendRef struct {
	kuma.TargetRef
	Port int // zero when it has none
	Path tree.Path
}

// ParseBackendRef reads the reference at a node of a document.
func ParseBackendRef(n tree.Node) BackendRef {
	port, _ := n.Get("port").Int()
	return BackendRef{kuma.ParseTargetRef(n.Value()), int(port), n.Path}
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
	walk(tree.Root(policy.Body).Get("spec"))
	return found
}

// HasBackend reports whether the destination of a reference exists, regardless
// of its port, or whether that cannot be known. In a mesh in mode Exclusive,
// tags are not destinations.
func (s *Snapshot) HasBackend(policy kuma.Resource, ref BackendRef) bool {
	m, ok := s.meshes[policy.Mesh]
	if !ok {
		return false
	}
	byTag := ref.Kind == kuma.KindMeshServiceSubset || ref.Kind == kuma.KindMeshService && ref.Port == 0 && ref.SectionName == ""
	exists := len(m.index.backends(&policy, ref.TargetRef)) > 0
	switch {
	case byTag && m.exclusive:
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
