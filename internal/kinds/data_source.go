package kinds

import (
	"fmt"
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

// oneSource: of several members only one is read, and no setting says which.
var oneSource = spec.Check{Test: func(n spec.Node) []spec.Problem {
	var set []string
	for _, member := range []string{"secret", "file", "inline", "inlineString"} {
		if n.Get(member).Filled() {
			set = append(set, member)
		}
	}
	if len(set) < 2 {
		return nil
	}
	return []spec.Problem{n.Problem("Several sources are given", fmt.Sprintf("%s are set, and only one of them is read. Keep that one.", spec.And(set...)))}
}}

// someSource warns of a place that nothing can be read from.
var someSource = spec.AnyOf("secret", "inline", "inlineString").Warn()
