package kinds

import "github.com/kuma-universal/terraform-provider-kuma/internal/spec"

// extension describes settings that an extension of the control plane defines;
// member is the one that names the extension.
func extension(member string) spec.Object {
	return spec.Object{
		{
			Name: member, Type: spec.String, Required: true, Checks: spec.Checks(notEmpty),
			Doc: "Name of the extension.",
		},
		{Name: "config", Type: spec.JSON, Doc: "Settings of the extension as JSON text (see `jsonencode`), which is compared as JSON. The extension says what they mean."},
	}
}
