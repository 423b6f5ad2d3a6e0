package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// identityConditions concern the identities of proxies, which in Kuma 3.0 only come
// from MeshIdentity and no longer from the backends of a Mesh.
var identityConditions = []meshCondition{
	{
		Condition: kuma3.Condition{
			ID: "K3-065", Effect: kuma3.Outage,
			Doc:    "The mesh uses external services, and not all of its proxies get an identity from a MeshIdentity.",
			Stored: "In Kuma 3.0, proxies without one get no configuration for external services, and respond with 503.",
			Do:     "Create a MeshIdentity that selects all Dataplanes, and run a zone egress as a Dataplane with a listener of type ZoneEgress.",
		},
		find: func(m *mesh) []problem {
			if len(m.ofKind(kuma.KindMeshExternalService)) == 0 {
				return nil
			}
			return m.onMesh(m.withoutIdentity())
		},
	},
	{
		Condition: kuma3.Condition{
			ID: "K3-070", Effect: kuma3.Cosmetic, Preparation: kuma3.Partly,
			Written: kuma3.Dropped, MeasuredWrite: true,
			Doc:    "The mesh has mutual TLS, which MeshIdentity already replaces.",
			Stored: "The setting is not read.",
			Do:     "Remove mtls after the upgrade. The Secrets of the certificate authority remain, and can then be deleted.",
		},
		find: func(m *mesh) []problem {
			if !m.meshNode().Get("mtls").Filled() || m.identitiesAreMissing() != nil || m.permissiveEnds() != nil {
				return nil
			}
			return m.onMesh(&uncovered{}, "mtls")
		},
	},
	{
		Condition: kuma3.Condition{
			ID: "K3-071", Effect: kuma3.Security, Written: kuma3.Dropped, MeasuredWrite: true,
			Doc:    "The proxies get their identities from the mutual TLS of the mesh.",
			Stored: "The setting is not read: proxies that no MeshIdentity selects send and accept plaintext, policies for TLS and permissions have no effect on them, and proxies with an identity do not trust them.",
			Do:     "Before the upgrade, create a MeshIdentity that selects all Dataplanes, and a MeshTrust for each trust domain, which requires meshServices.mode Exclusive. After the upgrade, there is no way back.",
		},
		find: func(m *mesh) []problem { return m.onMesh(m.identitiesAreMissing(), "mtls", "enabledBackend") },
	},
	{
		Condition: kuma3.Condition{
			ID: "K3-072", Effect: kuma3.Outage, Written: kuma3.Dropped, MeasuredWrite: true,
			Doc:    "The mutual TLS of the mesh is permissive.",
			Stored: "The setting is not read: proxies with an identity become strict, and reject clients without TLS.",
			Do:     "Create a MeshTLS for these proxies with rules: [{default: {mode: Permissive}}].",
		},
		find: func(m *mesh) []problem { return m.onMesh(m.permissiveEnds(), "mtls", "enabledBackend") },
	},
}

// uncovered is a set of Dataplanes that lack something. The empty set represents a
// mesh without Dataplanes.
type uncovered struct{ dataplanes []string }

// onMesh returns a problem of the Mesh, or none if g is nil.
func (m *mesh) onMesh(g *uncovered, path ...any) []problem {
	if g == nil {
		return nil
	}
	detail := ""
	if len(g.dataplanes) > 0 {
		detail = fmt.Sprintf("Dataplanes: %s.", some(g.dataplanes))
	}
	return []problem{problemAt(kuma.MeshKey(m.name), detail, path...)}
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
	if !m.meshNode().Get("mtls", "enabledBackend").Filled() {
		return nil
	}
	return m.withoutIdentity()
}

// withoutIdentity returns the Dataplanes that no MeshIdentity selects. In a mesh without
// Dataplanes, the result is nil if there is a MeshIdentity.
func (m *mesh) withoutIdentity() *uncovered {
	canSelect := slices.ContainsFunc(m.ofKind(kinds.MeshIdentity.Name), func(r *kuma.Resource) bool {
		spec := tree.Root(r.Document()).Get("spec")
		return spec.Get("provider").Filled() && spec.Get("selector", "dataplane", "matchLabels").Known()
	})
	return m.uncoveredDataplanes(canSelect, func(dataplane *kuma.Resource) bool {
		return m.in3().Identity(m.name, dataplane.Name) != kuma.Key{}
	})
}

// permissiveEnds returns the proxies that accept plaintext now but not in Kuma
// 3.0.
func (m *mesh) permissiveEnds() *uncovered {
	mtls := m.meshNode().Get("mtls")
	name, _ := mtls.Get("enabledBackend").Text()
	permissive := false
	for _, b := range mtls.Get("backends").Items() {
		backend, _ := b.Get("name").Text()
		mode, _ := b.Get("mode").Text()
		permissive = permissive || name != "" && backend == name && mode == "PERMISSIVE"
	}
	if !permissive {
		return nil
	}
	canCover, covered := false, map[string]bool{}
	for _, r := range m.resources {
		if !kuma3.AcceptsPlainText(*r) {
			continue
		}
		canCover = true
		for _, name := range m.Selected(r.Key()) {
			covered[name] = true
		}
	}
	return m.uncoveredDataplanes(canCover, func(dataplane *kuma.Resource) bool { return covered[dataplane.Name] })
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
