package kinds

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// SurvivesMesh reports whether a control plane keeps the resources of a kind when it deletes
// their mesh (rest-api.md §13).
func SurvivesMesh(k def.Kind) bool {
	return slices.Contains([]string{Secret.Name, "ExternalService", "RateLimit"}, k.Name)
}

// BlocksDeletion reports whether a mesh with resources of a kind is not deleted; with force, only
// dataplanes block it.
func BlocksDeletion(k def.Kind, force bool) bool {
	return k.Scope == def.InMesh && !SurvivesMesh(k) && (!force || k.Name == kuma.KindDataplane)
}

// MeshContents returns those of the stored resources that belong to a mesh and that users
// manage.
func MeshContents(stored []kuma.Resource, mesh kuma.Resource, cp kuma.ControlPlane,
	find func(kind string) (def.Kind, bool),
) []kuma.Resource {
	owners := append(slices.Clone(stored), mesh)
	return slices.DeleteFunc(slices.Clone(stored), func(r kuma.Resource) bool {
		k, _ := find(r.Type)
		return r.Mesh != mesh.Name || ManagedBy(k, r, owners, cp) != ""
	})
}
