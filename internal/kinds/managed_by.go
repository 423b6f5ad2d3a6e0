package kinds

import (
	"regexp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// What manages a resource that users should not change. For a resource that a
// generator of the control plane created, it is the value of the label
// kuma.io/managed-by instead.
const (
	ManagedByControlPlane = "control-plane" // what it creates for itself: keys, certificates, its zone, host names in mesh.local
	ManagedByMesh         = "mesh"          // an unchanged policy that was created with its mesh
	ManagedByOther        = "synced"        // it belongs to another control plane, and is read-only here
)

// generated are the names of secrets that a control plane creates.
var generated = map[string]*regexp.Regexp{
	Secret.Name: regexp.MustCompile(`^dataplane-token-signing-key-.*|\.ca-builtin-(cert|key)-.*$`),
	GlobalSecret.Name: regexp.MustCompile(
		`^(user|zone)-token-signing-key(-.*)?$|^admin-user-token$|^envoy-admin-ca$|^inter-cp-ca$|^zone-token-signing-public-key(-.*)?$`),
}

// Owners returns the kinds of resources for which a control plane creates resources of
// kind k.
func Owners(k def.Kind) []def.Kind {
	return slices.DeleteFunc(All(), func(owner def.Kind) bool {
		return owner.Generates[k.Name] == nil && (owner.Name != kuma.KindMesh || k.Scope == def.Global || len(k.Initial) == 0)
	})
}

// ManagedBy returns what manages a stored resource; it is empty when users do. owners
// are the resources of the same mesh of the kinds that [Owners] returns, as far as
// they are known.
func ManagedBy(k def.Kind, r kuma.Resource, owners []kuma.Resource, cp kuma.ControlPlane) string {
	if by := r.Labels[kuma.LabelManagedBy]; by != "" {
		return by
	}
	var mesh kuma.Resource
	for _, owner := range owners {
		if owner.Type == kuma.KindMesh && (r.Mesh == "" || owner.Name == r.Mesh) {
			mesh = owner
		}
	}
	switch {
	case k.Synced(r, cp):
		return ManagedByOther
	case isGenerated(r, owners):
		return ManagedByControlPlane
	case generated[r.Type] != nil && generated[r.Type].MatchString(r.Name):
		return ManagedByControlPlane
	case r.Type == Zone.Name && r.Name == cp.Zone, k.Scope == def.Global && isInitial(k, r, mesh, cp):
		return ManagedByControlPlane
	case isInitial(k, r, mesh, cp):
		return ManagedByMesh
	default:
		return ""
	}
}

// isGenerated reports whether the control plane created a resource for one of the
// owners, or for one that it reports and that may be gone, and no other client has
// written it (rest-api.md §10).
func isGenerated(r kuma.Resource, owners []kuma.Resource) bool {
	if origin, ok := tree.Root(r.Reported).Get("status", "origin", "kri").Text(); ok && origin != "" && len(r.Labels) == 0 {
		return true
	}
	return len(r.Labels) == 0 && slices.ContainsFunc(owners, func(owner kuma.Resource) bool {
		k, _ := Find(owner.Type)
		names := k.Generates[r.Type]
		return names != nil && slices.Contains(names(owner), r.Name)
	})
}

// isInitial reports whether a resource was created with its mesh, or with the
// control plane, and has not been changed. A control plane that was upgraded to Kuma 3.0
// does not return the fields that it removed.
func isInitial(k def.Kind, r, mesh kuma.Resource, cp kuma.ControlPlane) bool {
	as := def.StoreContext{ControlPlane: kuma.ControlPlane{Release: cp.Release}}
	var all []kuma.Resource
	switch {
	case k.Scope == def.Global:
		all = initialGlobals(k)
	case mesh.Name != "" && len(k.Initial) > 0:
		all = initialOf(mesh, false)
		if cp.Release.Kuma3() { // on Kuma 2, stage one of an upgrade writes the same
			all = append(all, initialOf(mesh, true)...)
		}
	}
	return slices.ContainsFunc(all, func(i kuma.Resource) bool {
		same := func(c def.StoreContext) bool { return tree.Equal(k.Store(i, c).Body, k.Store(r, c).Body) }
		return i.Key() == r.Key() && (same(def.StoreContext{}) || same(as))
	})
}
