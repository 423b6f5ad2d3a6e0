package object

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
)

// Extension describes settings that an extension of the control plane defines;
// member is the one that names the extension.
func Extension(member string) def.Object {
	return def.Object{
		{
			Name: member, Type: def.String, Required: true, Checks: def.Checks(check.NotEmpty),
			Doc: "Name of the extension.",
		},
		{Name: "config", Type: def.JSON, Doc: "Settings of the extension as JSON text (see `jsonencode`), which is compared as JSON. The extension says what they mean."},
	}
}
