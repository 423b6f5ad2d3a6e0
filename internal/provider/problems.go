package provider

import (
	"regexp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// reportConfiguration adds the problems of a document of kind k that a
// configuration describes. It warns of deprecated members because the schema
// does not: Terraform leaves out what a schema calls deprecated when it generates
// configuration, and applying that would delete what is stored. Terraform
// validates each block before the provider is configured, and each instance after
// that; only the latter gets the warnings, because a block may have no instance.
func reportConfiguration(diags *diag.Diagnostics, k def.Kind, doc map[string]any, configured bool) {
	problems := k.Validate(doc)
	var deprecated []def.Problem
	if configured {
		deprecated = k.Deprecations(doc, problems)
	}
	for i := range deprecated {
		deprecated[i].Detail += " It still works, but a future release of Kuma will remove it."
	}
	problems = slices.DeleteFunc(problems, func(p def.Problem) bool { return p.Topic == def.Deprecation })
	report(diags, k, append(problems, deprecated...))
}

// report adds problems of a document of kind k to the diagnostics, each on the
// attribute that it is about.
func report(diags *diag.Diagnostics, k def.Kind, problems []def.Problem) {
	names := map[string]bool{}
	collectNames(k.Fields, names)
	for _, p := range problems {
		at, summary, detail := attributePath(k, p.Path), inAttributeNames(p.Summary, names), inAttributeNames(p.Detail, names)
		if p.Warning {
			diags.AddAttributeWarning(at, summary, detail)
			continue
		}
		diags.AddAttributeError(at, summary, detail)
	}
}

var camelCase = regexp.MustCompile(`\b[a-z]+[A-Z][A-Za-z0-9]*\b`)

// inAttributeNames writes the names of the API in a text the way the user of
// Terraform knows them.
func inAttributeNames(text string, names map[string]bool) string {
	return camelCase.ReplaceAllStringFunc(text, func(word string) string {
		if !names[word] {
			return word
		}
		return def.AttributeName(word)
	})
}

// collectNames adds the wire names of all fields below t.
func collectNames(t def.Type, names map[string]bool) {
	switch t := t.(type) {
	case def.Object:
		for _, f := range t {
			names[f.Name] = true
			collectNames(f.Type, names)
		}
	case def.List:
		collectNames(t.Elem, names)
	case def.Map, def.Scalar:
	}
}

// attributePath translates a path in a document. What the kind does not have
// ends the path: control planes sometimes name fields that do not exist.
func attributePath(k def.Kind, wire tree.Path) path.Path {
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
				name += suffixBase64 // the others are never wrong
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
