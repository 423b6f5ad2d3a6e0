package rules

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
)

// Reference is the targetRef of an entry of `to` with what it resolves to.
type Reference struct {
	Ref   mesh.TargetRef
	Means []Destination // in order of name; none when it refers to nothing
}

// References returns what the entries of `to` of a policy are about, in their
// order (spec/matching.md §4.1). A reference by kuma.io/service tags resolves to
// nothing. The result is nil for a policy that the snapshot does not hold.
func (s *Snapshot) References(key mesh.Key) []Reference {
	w, ok := s.worlds[key.Mesh]
	if !ok {
		return nil
	}
	i := slices.IndexFunc(w.policies[key.Type], func(p *policy) bool { return p.Name == key.Name })
	if i < 0 {
		return nil
	}
	var out []Reference
	for _, e := range w.policies[key.Type][i].to {
		r := Reference{Ref: e.ref}
		for _, t := range e.targets {
			r.Means = append(r.Means, Destination{Resource: t.place.of, Section: t.place.name})
		}
		out = append(out, r)
	}
	return out
}

// Dependents returns the policy types, in the order in which they are processed,
// whose rules can change for any dataplane when resources of a kind change, appear
// or vanish in a mesh that is otherwise as in the snapshot: the kind itself, and
// the types whose policies refer to it. A mesh sets how services are addressed,
// and a gateway which ports a proxy has: all types that have policies depend on
// them. A Dataplane matters to nobody but itself.
func (s *Snapshot) Dependents(meshName, kind string) []string {
	var out []string
	for _, k := range s.kinds {
		var policies []*policy
		if w, ok := s.worlds[meshName]; ok {
			policies = w.policies[k.Name]
		}
		if k.Name == kind || slices.ContainsFunc(policies, func(p *policy) bool { return p.dependsOn(kind) }) {
			out = append(out, k.Name)
		}
	}
	return out
}

func (p *policy) dependsOn(kind string) bool {
	switch kind {
	case mesh.KindMesh, mesh.KindMeshGateway:
		return true
	case mesh.KindMeshHTTPRoute:
		if p.top.Kind == kind {
			return true
		}
	}
	return slices.ContainsFunc(p.to, func(e *entry) bool { return e.ref.Kind == kind })
}
