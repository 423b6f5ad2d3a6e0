package lint

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// identityFinders check the identities of proxies, which in Kuma 3.0 only come from MeshIdentity
// and no longer from the backends of a Mesh.
var identityFinders = finders{
	"K3-065": func(m *mesh, report func(problem)) {
		if len(m.ofKind(kuma.KindMeshExternalService)) > 0 {
			m.onMesh(report, m.withoutIdentity())
		}
	},
	"K3-070": func(m *mesh, report func(problem)) {
		if m.meshNode().Get("mtls").Filled() && m.identitiesAreMissing() == nil && m.permissiveEnds() == nil {
			m.onMesh(report, &uncovered{}, "mtls")
		}
	},
	"K3-071": func(m *mesh, report func(problem)) {
		m.onMesh(report, m.identitiesAreMissing(), "mtls", "enabledBackend")
	},
	"K3-072": func(m *mesh, report func(problem)) { m.onMesh(report, m.permissiveEnds(), "mtls", "enabledBackend") },
}

// uncovered is a set of Dataplanes that lack something. The empty set represents a
// mesh without Dataplanes.
type uncovered struct{ dataplanes []string }

// onMesh reports a problem of the Mesh, or none if g is nil.
func (m *mesh) onMesh(report func(problem), g *uncovered, path ...any) {
	switch {
	case g == nil:
	case len(g.dataplanes) == 0:
		report(problemAt(kuma.MeshKey(m.name), "", path...))
	default:
		report(problemAt(kuma.MeshKey(m.name), list("Dataplanes", g.dataplanes), path...))
	}
}

// some lists names, or the first few of them.
func some(names []string) string {
	const few = 5
	return phrase.Some(names, few, "")
}

// meshNode returns the document of the mesh.
func (m *mesh) meshNode() tree.Node {
	for _, m := range m.ofKind(kuma.KindMesh) {
		return tree.Root(m.Document())
	}
	return tree.Root(nil)
}

// identitiesAreMissing returns the proxies that lose their identity with the mutual TLS
// of the mesh.
func (m *mesh) identitiesAreMissing() *uncovered {
	if !m.hasMutualTLS() {
		return nil
	}
	return m.withoutIdentity()
}

// withoutIdentity returns the Dataplanes that no MeshIdentity selects. In a mesh without
// Dataplanes, the result is nil if there is a MeshIdentity.
func (m *mesh) withoutIdentity() *uncovered {
	canSelect := slices.ContainsFunc(m.ofKind(kinds.MeshIdentity.Name), func(r *kuma.Resource) bool {
		spec := tree.Root(r.Document()).Get("spec")
		return spec.Get("provider").Filled() && spec.Get("selector", "dataplane").Known()
	})
	return m.uncoveredDataplanes(canSelect, func(dataplane *kuma.Resource) bool {
		return m.in3().Identity(m.name, dataplane.Name) != kuma.Key{}
	})
}

// permissiveEnds returns the proxies that accept plaintext now but not in Kuma
// 3.0.
func (m *mesh) permissiveEnds() *uncovered {
	if mesh := m.Resource(kuma.MeshKey(m.name)); mesh == nil || !kinds.PermissiveTLS(*mesh) {
		return nil
	}
	accepting := slices.DeleteFunc(slices.Clone(m.ofKind(kinds.MeshTLS.Name)), func(p *kuma.Resource) bool {
		modes := tree.Root(p.Document()).Find("spec.rules[].default.mode") // Kuma 3.0 does not read those in `from`
		return !slices.ContainsFunc(modes, func(mode tree.Node) bool { return mode.Value() == "Permissive" })
	})
	return m.uncoveredDataplanes(len(accepting) > 0, func(dataplane *kuma.Resource) bool {
		return slices.ContainsFunc(accepting, func(p *kuma.Resource) bool { return overlap([]string{dataplane.Name}, m.Selected(p.Key())) })
	})
}

// uncoveredDataplanes returns the Dataplanes that are not covered, or nil if all are. In a
// mesh without Dataplanes, the result is nil if something can cover them.
func (m *mesh) uncoveredDataplanes(canCover bool, covered func(*kuma.Resource) bool) *uncovered {
	var g uncovered
	for _, dataplane := range m.ofKind(kuma.KindDataplane) {
		if !covered(dataplane) {
			g.dataplanes = append(g.dataplanes, dataplane.Name)
		}
	}
	if len(g.dataplanes) == 0 && canCover {
		return nil
	}
	return &g
}
