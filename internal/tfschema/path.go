package tfschema

import (
	"regexp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var camelCase = regexp.MustCompile(`\b[a-z]+[A-Z][A-Za-z0-9]*\b`)

// WithAttributeNames replaces the names of the API in a text with those of the
// attributes.
func WithAttributeNames(text string, names map[string]bool) string {
	return camelCase.ReplaceAllStringFunc(text, func(word string) string {
		if !names[word] {
			return word
		}
		return AttributeName(word)
	})
}

// WireNames returns the names that the fields of a kind have in the API.
func WireNames(k def.Kind) map[string]bool {
	names := map[string]bool{}
	for f := range k.Fields.All() {
		names[f.Name] = true
	}
	return names
}

// AttributePath translates a path in a document. The path ends before the first
// field that the kind does not have, because control planes sometimes report fields
// that do not exist, and before a sensitive one, because Terraform prints the lines of
// an attribute with its value.
func AttributePath(k def.Kind, wire tree.Path) path.Path {
	at := path.Empty()
	var t def.Type = slices.Concat(def.Object{{Name: "type", Type: def.String}}, k.Envelope(), k.Root())
	for _, step := range wire {
		name, isName := step.(string)
		index, isIndex := step.(int)
		switch here := t.(type) {
		case def.Object:
			f, ok := here.Field(name)
			if !isName || !ok || f.IsSecret() || f.Sensitive {
				return at
			}
			at, t = at.AtName(AttributeName(name)), f.Type
		case def.List:
			if !isIndex {
				return at
			}
			at, t = at.AtListIndex(index), here.Elem
		case def.StringMap:
			if !isName {
				return at
			}
			at, t = at.AtMapKey(name), def.String
		case def.Scalar, def.Secret:
			return at
		}
	}
	return at
}
