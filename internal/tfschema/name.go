package tfschema

import (
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// TypeName returns the name of the resource and data source of a kind.
func TypeName(kind string) string { return "kuma_" + AttributeName(kind) }

// LocalName converts the name of a resource to a valid name of a block, with "_" instead
// of "-": shells cannot export a variable TF_VAR_a-b.
func LocalName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r != '-' && hclsyntax.ValidIdentifier("_"+string(r)) {
			return r
		}
		return '_'
	}, name)
	if !hclsyntax.ValidIdentifier(name) {
		return "_" + name
	}
	return name
}

// ForceDestroy is the argument that allows deleting a resource with what it contains.
const ForceDestroy = "force_destroy"

// ForceDestroyDescription describes [ForceDestroy].
const ForceDestroyDescription = "Whether the mesh can be destroyed or replaced although it contains resources that this configuration " +
	"does not manage, which the control plane then deletes too. " +
	"Without it, the plan names them, and fails if the configuration keeps one of them. " +
	"The apply fails before it deletes the mesh, unless the same run has destroyed all of them. Must be applied before the destroy. " +
	"Dataplanes must always be deleted first. Defaults to `false`."
