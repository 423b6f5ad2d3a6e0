package object

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Types of a [SecureDataSource].
const (
	FileSource   = "File"
	SecretSource = "Secret"
	EnvVarSource = "EnvVar"
	InlineSource = "InsecureInline"
)

// sourceBlocks are the attributes of the blocks of a [SecureDataSource] by type.
var sourceBlocks = map[string]string{
	FileSource: "`file`", SecretSource: "`secret_ref`", EnvVarSource: "`env_var`",
	InlineSource: "`insecure_inline`",
}

// SecureDataSource describes the places that a certificate or key is read from; types are
// those that are allowed. Its rules are [SourceContent].
func SecureDataSource(sensitive bool, types ...string) def.Object {
	blocks := map[string]def.Field{
		FileSource: {Name: "file", Doc: "A file on the control plane host.", Type: def.Object{
			def.String.Required("path", "Absolute path of the file, without `..`."),
		}},
		EnvVarSource: {Name: "envVar", Doc: "An environment variable of the control plane.", Type: def.Object{
			def.String.Required("name", "Name of the variable."),
		}},
		InlineSource: {Name: "insecureInline", Doc: "The content itself. Everyone who can read the resource can read it.", Type: def.Object{
			{Name: "value", Type: def.String, Required: true, Sensitive: sensitive, Doc: "The content."},
		}},
		SecretSource: {Name: "secretRef", Doc: "A Secret of the mesh.", Type: def.Object{
			{Name: "kind", Type: def.String, Required: true, OneOf: []string{"Secret"}, Doc: "Kind of the object."},
			def.String.Required("name", "Name of the Secret."),
		}},
	}
	o := def.Object{{Name: "type", Type: def.String, Required: true, OneOf: types}}
	var names []string
	for _, t := range []string{FileSource, SecretSource, EnvVarSource, InlineSource} {
		if slices.Contains(types, t) {
			o = append(o, blocks[t])
			names = append(names, sourceBlocks[t])
		}
	}
	o[0].Doc = "Source of the content. The block with the same name is required: " + phrase.Or(names...) + "."
	return o
}

// SourceContent checks the block that the type of a [SecureDataSource] requires.
var SourceContent = def.Check{Test: func(n tree.Node) []def.Problem {
	kind, _ := n.Get("type").Text()
	switch kind {
	case FileSource:
		return append(Needed(n.Get("file")), controlPlanePath.Test(n.Get("file", "path"))...)
	case SecretSource:
		return append(Needed(n.Get("secretRef")), check.NotEmpty.Test(n.Get("secretRef", "name"))...)
	case EnvVarSource:
		return append(Needed(n.Get("envVar")), check.NotEmpty.Test(n.Get("envVar", "name"))...)
	case InlineSource:
		return append(Needed(n.Get("insecureInline")), check.NotEmpty.Test(n.Get("insecureInline", "value"))...)
	}
	return Needed(n)
}}

// Needed reports a block that other settings require.
func Needed(n tree.Node) []def.Problem {
	return def.ErrorIf(n.Absent(), n, n.Key()+" is missing", "The chosen type requires %q. Add it.", n.Key())
}

var controlPlanePath = def.Text(
	func(s string) bool { return strings.HasPrefix(s, "/") && !slices.Contains(strings.Split(s, "/"), "..") }, "Invalid file path",
	"%q is not a valid path. It must be an absolute path on the control plane host, without \"..\".")
