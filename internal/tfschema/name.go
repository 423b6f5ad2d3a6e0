package tfschema

import (
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// TypeName returns the name of the resource and data source of a kind.
func TypeName(kind string) string { return "kuma_" + AttributeName(kind) }

// LocalName converts the name of a resource to a valid name of a block.
func LocalName(name string) string {
	name = strings.Map(func(r rune) rune {
		if hclsyntax.ValidIdentifier("_" + string(r)) {
			return r
		}
		return '_'
	}, name)
	if !hclsyntax.ValidIdentifier(name) {
		return "_" + name
	}
	return name
}
