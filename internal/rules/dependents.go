package rules

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Dependents returns the policy types, in the order in which they are
// processed, whose rules can change for any dataplane when resources of a kind
// are added, changed or removed in a mesh that is unchanged otherwise: the kind
// itself, and the types whose policies refer to it. A mesh determines how
// services are addressed, and a gateway which ports a proxy has: all types that
// have policies depend on them. Permissions depend on the certificates of the
// proxies, also if there are none. A Dataplane only affects itself.
func (s *Snapshot) Dependents(meshName, kind string) []string {
	var out []string
	for _, k := range s.kinds {
		policies := s.mesh(meshName).policies[k.Name]
		if k.Name == kind || k.decidesOn(kind) || slices.ContainsFunc(policies, func(p *policy) bool { return p.dependsOn(kind) }) {
			out = append(out, k.Name)
		}
	}
	return out
}

// decidesOn reports whether resources of a kind determine if permissions apply.
func (k *kind) decidesOn(kind string) bool {
	return k.Policy.Permission && (kind == kuma.KindMesh || kind == kinds.MeshIdentity.Name)
}

func (p *policy) dependsOn(kind string) bool {
	switch kind {
	case kuma.KindMesh, kuma.KindMeshGateway:
		return true
	case kuma.KindMeshHTTPRoute:
		if p.top.Kind == kind {
			return true
		}
	}
	return slices.ContainsFunc(p.to, func(e *entry) bool { return e.ref.Kind == kind })
}

// AddressMatters reports whether the address in the networking of a Dataplane
// can change its rules: only if a port has its own address, which may be the
// same.
func AddressMatters(networking map[string]any) bool {
	for _, ports := range []string{"inbound", "listeners"} {
		for _, port := range tree.List(networking[ports]) {
			if tree.Object(port)["address"] != nil {
				return true
			}
		}
	}
	return false
}

// Influences reports whether a resource of a kind can change the rules of the
// policies of a type for a proxy: as one of them, as a route or a destination
// that they target, or as a part of the mesh that they select. Dataplanes do
// not change the rules of other dataplanes. [Snapshot.Dependents] knows the
// policies and therefore excludes more; this function is for callers that do
// not know all resources yet.
func Influences(kind, policyType string) bool {
	if kind == kinds.MeshIdentity.Name {
		k, _ := kinds.Find(policyType)
		return k.Policy != nil && k.Policy.Permission
	}
	return kind == policyType || IsRoute(kind) || slices.ContainsFunc(Kinds(), func(k def.Kind) bool {
		return k.Name == kind && k.Policy == nil
	})
}
