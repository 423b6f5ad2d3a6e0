package tfschema

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var camelCase = regexp.MustCompile(`\b[a-z]+[A-Z][A-Za-z0-9]*\b`)

// WithAttributeNames writes the names of the API in a text the way the user of
// Terraform knows them.
func WithAttributeNames(text string, names map[string]bool) string {
	return camelCase.ReplaceAllStringFunc(text, func(word string) string {
		if !names[word] {
			return word
		}
		return def.AttributeName(word)
	})
}

// CollectNames adds the wire names of all fields below t.
func CollectNames(t def.Type, names map[string]bool) {
	switch t := t.(type) {
	case def.Object:
		for _, f := range t {
			names[f.Name] = true
			CollectNames(f.Type, names)
		}
	case def.List:
		CollectNames(t.Elem, names)
	case def.Map, def.Scalar:
	}
}

// AttributePath translates a path in a document. What the kind does not have
// ends the path: control planes sometimes name fields that do not exist.
func AttributePath(k def.Kind, wire tree.Path) path.Path {
	fields := append(def.Object{
		{Name: "name", Type: def.String},
		{Name: "mesh", Type: def.String},
		{Name: "type", Type: def.String},
		{Name: "labels", Type: def.Map{Elem: def.String}},
	}, k.Fields...)
	if !k.Flat {
		fields = append(fields[:4:4], def.Field{Name: "spec", Type: k.Fields})
	}
	at := path.Empty()
	var t def.Type = fields
	for _, step := range wire {
		name, isName := step.(string)
		index, isIndex := step.(int)
		switch here := t.(type) {
		case def.Object:
			f, ok := here.Field(name)
			if !isName || !ok {
				return at
			}
			name := def.AttributeName(name)
			if f.Secret {
				name += SuffixBase64 // the others are never wrong
			}
			at, t = at.AtName(name), f.Type
		case def.List:
			if !isIndex {
				return at
			}
			at, t = at.AtListIndex(index), here.Elem
		case def.Map:
			if !isName {
				return at
			}
			at, t = at.AtMapKey(name), here.Elem
		default:
			return at
		}
	}
	return at
}
