package lint

import (
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// mesh is a mesh as the checks look at it. It is made once, and never changes.
type mesh struct {
	*rules.Snapshot
	name       string
	resources  []*kuma.Resource           // of the mesh, and those of no mesh; in order of type and name
	policies   []*kuma.Resource           // those that are in effect, in order of type and name
	initial    map[kuma.Key]bool          // what the control plane made with the mesh: nobody wrote it
	problems   map[kuma.Key][]def.Problem // of each document on its own, that a control plane stores all the same
	services   map[string]bool            // the display names of MeshServices
	precedence func() precedence          // computed once, when a check needs it
}

func newMesh(s *rules.Snapshot, name string) *mesh {
	m := &mesh{
		Snapshot: s, name: name,
		resources: append(s.Resources(name), s.Resources("")...),
		initial:   map[kuma.Key]bool{}, problems: map[kuma.Key][]def.Problem{}, services: map[string]bool{},
	}
	slices.SortStableFunc(m.resources, func(a, b *kuma.Resource) int { return kuma.CompareKeys(a.Key(), b.Key()) })
	for _, r := range m.resources {
		m.add(r)
	}
	for _, service := range m.ofKind(kuma.KindMeshService) {
		m.services[service.DisplayName()] = true
	}
	m.precedence = sync.OnceValue(func() precedence { return newPrecedence(m) })
	return m
}

// add notes what a single resource says about the mesh.
func (m *mesh) add(r *kuma.Resource) {
	k, _ := kinds.Find(r.Type)
	doc := r.Document()
	stored := slices.DeleteFunc(k.Validate(doc), func(p def.Problem) bool { return !p.Warning })
	m.problems[r.Key()] = append(stored, k.ValidateDesign(doc)...)
	switch {
	case r.Type == kuma.KindMesh:
		for _, i := range kinds.Initial(*r) {
			m.initial[i.Key()] = true
		}
	case k.Policy != nil && !r.IsShadow():
		m.policies = append(m.policies, r)
	}
}

// ofKind returns the resources of a kind in the mesh, in order of name.
func (m *mesh) ofKind(kind string) []*kuma.Resource { return m.Resources(m.name, kind) }

// pathOfToRef is the place of the reference of an element of `to`.
func pathOfToRef(i int) tree.Path { return tree.Path{"spec", "to", i, "targetRef"} }
