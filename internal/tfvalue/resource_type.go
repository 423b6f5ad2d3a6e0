package tfvalue

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// ResourceType is a kind, and the type of the values of its resource.
type ResourceType struct {
	def.Kind
	Values tftypes.Object
}

// ResourceTypes returns the kinds by the type of their resource. A process computes them once: that
// takes 10 ms.
var ResourceTypes = sync.OnceValue(func() map[string]ResourceType {
	out := map[string]ResourceType{}
	for _, k := range kinds.All() {
		values, _ := tfschema.Resource(k).Type().TerraformType(context.Background()).(tftypes.Object)
		out[tfschema.TypeName(k.Name)] = ResourceType{k, values}
	}
	return out
})
