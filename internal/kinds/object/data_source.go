package object

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// DataSource describes the sources of a value such as a certificate.
func DataSource(sensitive bool) def.Object {
	return def.Object{
		{Name: "secret", Type: def.String, RefersTo: "Secret", Removed: typedSource, Doc: "Name of a Secret of the mesh."},
		{Name: "inline", Type: def.Base64, Sensitive: sensitive, Removed: typedSource, Doc: "The content in base64."},
		{Name: "inlineString", Type: def.String, Sensitive: sensitive, Removed: typedSource, Doc: "The content as a string."},
	}
}

var typedSource = def.RemovedIn3("Use type and the block that it requires, such as secretRef.")

// DataSourceOrFile describes the same for the older kinds, which also read
// files.
func DataSourceOrFile(sensitive bool) def.Object {
	o := slices.Insert(DataSource(sensitive), 1, def.Field{
		Name: "file", Type: def.String, Doc: "Path of a file on the control plane host.", Deprecated: "Use `secret`.",
	})
	o[2].Distinct = true
	return o
}

// OneSource checks that only one field of a data source is set: of several,
// only one is read, and no setting selects it.
var OneSource = def.Check{Test: func(n tree.Node) []def.Problem {
	var set []string
	for _, field := range []string{"secret", "file", "inline", "inlineString", "type"} {
		if n.Get(field).Filled() {
			set = append(set, field)
		}
	}
	if len(set) < 2 {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Conflicting sources",
		fmt.Sprintf("%s are set, but only one of them is used. Remove the others.", phrase.And(set...)))}
}}

// SomeSource warns about a source that nothing can be read from.
var SomeSource = def.AnyOf("secret", "inline", "inlineString", "type").Warn()
