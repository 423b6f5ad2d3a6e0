package def

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// UnknownFields returns a problem for every field that the kind does not have
// and that a control plane would therefore drop silently, sorted by path. They
// include names in snake case, see [Field.SnakeCase].
func (k Kind) UnknownFields(r kuma.Resource) []Problem {
	var problems []Problem
	for _, p := range k.undescribed(r, false) {
		problems = append(problems, k.unknownField(p))
	}
	return problems
}

func (k Kind) unknownField(p tree.Path) Problem {
	name, _ := p[len(p)-1].(string)
	allowed, effect := "No fields are supported here.", "drop it silently"
	var has []string
	if o, _ := k.ObjectAt(p[:len(p)-1]); len(o) > 0 {
		for _, f := range o {
			has = append(has, f.Name)
			if f.SnakeCase && snakeCase(f.Name) == name {
				effect = fmt.Sprintf("store it as %q, so that the next plan would not be empty", f.Name)
			}
		}
		allowed = fmt.Sprintf("Supported fields: %s.", phrase.And(has...))
	}
	return Problem{
		Path: p, Topic: Unknown, Summary: fmt.Sprintf("Unsupported field in %s", k.Name),
		Detail: fmt.Sprintf("%s does not have the field %q here. A control plane would %s.%s %s", k.Name, name, effect, phrase.Suggest(name, has), allowed),
	}
}

// ExtraFields returns the paths of fields that the description of the kind
// does not have and that a control plane keeps anyway, sorted.
func (k Kind) ExtraFields(r kuma.Resource) []tree.Path { return k.undescribed(r, true) }

func (k Kind) undescribed(r kuma.Resource, kept bool) []tree.Path {
	var out []tree.Path
	for _, m := range undescribed(k.Root(), r.Body) {
		if m.freeForm == kept {
			out = append(out, m.path)
		}
	}
	return out
}

// undescribedField is a field that the description of its object does not have.
type undescribedField struct {
	path     tree.Path
	freeForm bool // the control plane keeps it anyway
}

// undescribed returns the fields of o and of the objects below it that are not
// described, sorted by path.
func undescribed(o Object, body map[string]any) []undescribedField {
	var out []undescribedField
	Walk(o, tree.Root(body), func(p Place) bool {
		o, isObject := p.Type.(Object)
		m := tree.Object(p.Value())
		for name := range m {
			if _, ok := o.Field(name); isObject && !ok {
				out = append(out, undescribedField{p.Path.Child(name), p.FreeForm})
			}
		}
		return true
	})
	slices.SortFunc(out, func(a, b undescribedField) int { return tree.ComparePaths(a.path, b.path) })
	return out
}

// DropUnknown removes from r the fields that [Kind.UnknownFields] names.
func (k Kind) DropUnknown(r *kuma.Resource) {
	for _, p := range k.undescribed(*r, false) {
		parent := tree.Object(tree.At(r.Body, p[:len(p)-1]))
		name, _ := p[len(p)-1].(string)
		delete(parent, name)
	}
}
