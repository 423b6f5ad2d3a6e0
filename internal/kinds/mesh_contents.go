package kinds

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// survivesMesh are the kinds whose resources a control plane keeps when it deletes their
// mesh (rest-api.md §13).
var survivesMesh = []string{Secret.Name, "ExternalService", "RateLimit"}

// MeshContents returns those of the stored resources that belong to a mesh, that users
// manage, and that the control plane deletes together with the mesh.
func MeshContents(stored []kuma.Resource, mesh kuma.Resource, cp kuma.ControlPlane, find func(kind string) (def.Kind, bool)) []kuma.Resource {
	owners := append(slices.Clone(stored), mesh)
	return slices.DeleteFunc(slices.Clone(stored), func(r kuma.Resource) bool {
		k, _ := find(r.Type)
		return r.Mesh != mesh.Name || slices.Contains(survivesMesh, r.Type) || ManagedBy(k, r, owners, cp) != ""
	})
}
