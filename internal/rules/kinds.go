package rules

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Kinds returns the kinds that a [Snapshot] evaluates: the policies, what they
// select, and what they refer to; and the older kinds, because of which answers are not
// known. Resources of other kinds do not affect answers.
func Kinds() []def.Kind {
	return append(slices.DeleteFunc(kinds.All(), func(k def.Kind) bool {
		switch k.Name {
		case kuma.KindMesh, kinds.MeshIdentity.Name, kuma.KindDataplane, kuma.KindMeshGateway,
			kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService:
			return false
		default:
			return k.Policy == nil
		}
	}), kinds.Older()...)
}
