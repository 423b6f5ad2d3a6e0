package object

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
)

// Extension describes settings that an extension of the control plane defines;
// field is the field that names the extension.
func Extension(field string) def.Object {
	return def.Object{
		{
			Name: field, Type: def.String, Required: true, Checks: def.Checks(check.NotEmpty),
			Doc: "Name of the extension.",
		},
		{
			Name: "config", Type: def.JSON,
			Doc: "Settings of the extension as a JSON string (see `jsonencode`), compared as JSON. Their meaning depends on the extension.",
		},
	}
}
