package rules

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// Kinds returns the kinds that a [Snapshot] looks at: the policies, what they
// select, and what they refer to. Resources of other kinds change no answer.
func Kinds() []spec.Kind {
	return slices.DeleteFunc(kinds.All(), func(k spec.Kind) bool {
		switch k.Name {
		case mesh.KindMesh, mesh.KindDataplane, mesh.KindMeshGateway,
			mesh.KindMeshService, mesh.KindMeshExternalService, mesh.KindMeshMultiZoneService:
			return false
		default:
			return k.Policy == nil
		}
	})
}
