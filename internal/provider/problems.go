package provider

import (
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// report adds problems of a document of kind k to the diagnostics, each on the
// attribute that it is about.
func report(diags *diag.Diagnostics, k spec.Kind, problems []spec.Problem) {
	for _, p := range problems {
		at := attributePath(k, p.Path)
		switch {
		case p.Warning:
			diags.AddAttributeWarning(at, p.Summary, p.Detail)
		default:
			diags.AddAttributeError(at, p.Summary, p.Detail)
		}
	}
}

// reportUnreadable says which value of a configuration cannot become part of a
// document.
func reportUnreadable(diags *diag.Diagnostics, k spec.Kind, err error) {
	var unreadable *unreadableError
	if !errors.As(err, &unreadable) {
		diags.AddError("Unreadable configuration", sentence(err))
		return
	}
	diags.AddAttributeError(attributePath(k, unreadable.path), "Unreadable value", sentence(unreadable.err))
}

// attributePath translates a path in a document. What the kind does not have
// ends the path: control planes sometimes name fields that do not exist.
func attributePath(k spec.Kind, wire spec.Path) path.Path {
	fields := append(spec.Object{
		{Name: "name", Type: spec.String},
		{Name: "mesh", Type: spec.String},
		{Name: "type", Type: spec.String},
		{Name: "labels", Type: spec.Map{Elem: spec.String}},
	}, k.Fields...)
	if !k.Flat {
		fields = append(fields[:4:4], spec.Field{Name: "spec", Type: k.Fields})
	}
	at := path.Empty()
	var t spec.Type = fields
	for _, step := range wire {
		name, isName := step.(string)
		index, isIndex := step.(int)
		switch here := t.(type) {
		case spec.Object:
			f, ok := here.Field(name)
			if !isName || !ok {
				return at
			}
			at, t = at.AtName(spec.AttributeName(name)), f.Type
		case spec.List:
			if !isIndex {
				return at
			}
			at, t = at.AtListIndex(index), here.Elem
		case spec.Map:
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
