package object

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
)

// Extension describes settings that an extension of the control plane defines;
// field is the field that names the extension.
func Extension(field string) def.Object {
	return def.Object{
		def.String.Required(field, "Name of the extension.", check.NotEmpty),
		def.JSON.Field("config",
			"Settings of the extension as a JSON string (see `jsonencode`), compared as JSON. Their meaning depends on the extension."),
	}
}
