package kinds

import (
	"regexp"

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
	Secret.Name:       regexp.MustCompile(`^dataplane-token-signing-key-.*|\.ca-builtin-(cert|key)-.*$`),
	GlobalSecret.Name: regexp.MustCompile(`^(user|zone)-token-signing-key(-.*)?$|^admin-user-token$|^envoy-admin-ca$|^inter-cp-ca$|^zone-token-signing-public-key(-.*)?$`),
}

// ManagedBy returns what manages a stored resource; it is empty when users do. mesh
// is the Mesh that the resource belongs to, the zero value when it is not known.
func ManagedBy(k def.Kind, r, mesh kuma.Resource, cp kuma.ControlPlane) string {
	if by := r.Labels[kuma.LabelManagedBy]; by != "" {
		return by
	}
	switch {
	case k.Synced(r, cp):
		return ManagedByOther
	case generated[r.Type] != nil && generated[r.Type].MatchString(r.Name):
		return ManagedByControlPlane
	case r.Type == Zone.Name && r.Name == cp.Zone, k.Scope == def.Global && isInitial(k, r, mesh):
		return ManagedByControlPlane
	case isInitial(k, r, mesh):
		return ManagedByMesh
	default:
		return ""
	}
}

// isInitial reports whether a resource was created with its mesh, or with the
// control plane, and has not been changed.
func isInitial(k def.Kind, r, mesh kuma.Resource) bool {
	var all []kuma.Resource
	switch {
	case k.Scope == def.Global:
		for _, i := range k.Initial {
			all = append(all, initial(k, i, i.Name, ""))
		}
	case mesh.Name != "" && len(k.Initial) > 0:
		all = Initial(mesh)
	}
	for _, i := range all {
		if i.Key() == r.Key() {
			return tree.Equal(k.Store(i, def.StoreContext{}).Body, k.Store(r, def.StoreContext{}).Body)
		}
	}
	return false
}
