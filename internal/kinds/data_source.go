package kinds

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// dataSource describes the places that text such as a certificate is read from.
func dataSource(sensitive bool) spec.Object {
	return spec.Object{
		{Name: "secret", Type: spec.String, Doc: "Name of a Secret of the mesh."},
		{Name: "inline", Type: spec.Base64, Sensitive: sensitive, Doc: "The content in base64."},
		{Name: "inlineString", Type: spec.String, Sensitive: sensitive, Doc: "The content as text."},
	}
}

// dataSourceOrFile describes the same for the older kinds, which also read
// files.
func dataSourceOrFile(sensitive bool) spec.Object {
	o := slices.Insert(dataSource(sensitive), 1, spec.Field{
		Name: "file", Type: spec.String, Doc: "Path of a file on the control plane.", Deprecated: "Use `secret`.",
	})
	o[2].Distinct = true
	return o
}
