package kinds

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
)

// WithPrivateFields returns an older kind, which this package does not describe, with its
// fields that contain private keys, so that they stay hidden. Other kinds have none.
func WithPrivateFields(k def.Kind) def.Kind {
	if k.Name == "ExternalService" {
		tls := def.Object{{Name: "clientKey", Type: object.DataSourceOrFile(true)}}
		k.Flat, k.Fields = true, def.Object{{Name: "networking", Type: def.Object{{Name: "tls", Type: tls}}}}
	}
	return k
}
