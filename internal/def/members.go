package def

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// UnknownMembers returns a problem for every member that the kind does not have
// and that a control plane would therefore drop silently, sorted by path. Among
// them are names in another spelling, see [Field.SnakeCase].
func (k Kind) UnknownMembers(r kuma.Resource) []Problem {
	var problems []Problem
	for _, p := range k.undescribed(r, false) {
		problems = append(problems, k.unknownMember(p))
	}
	return problems
}

func (k Kind) unknownMember(p tree.Path) Problem {
	name, _ := p[len(p)-1].(string)
	allowed, effect := "No member is allowed here.", "drop it silently"
	var has []string
	if o, _ := k.ObjectAt(p[:len(p)-1]); len(o) > 0 {
		for _, f := range o {
			has = append(has, f.Name)
			if f.SnakeCase && AttributeName(f.Name) == name {
				effect = fmt.Sprintf("store it as %q, so that the next plan would not be empty", f.Name)
			}
		}
		allowed = fmt.Sprintf("Allowed here: %s.", phrase.And(has...))
	}
	return Problem{
		Path: p, Summary: fmt.Sprintf("%s has no such member", k.Name),
		Detail: fmt.Sprintf("%s has no member %q here, and a control plane would %s.%s %s", k.Name, name, effect, phrase.Suggest(name, has), allowed),
	}
}

// ExtraMembers returns the paths of members that the description of the kind
// does not have and that a control plane keeps all the same, sorted.
func (k Kind) ExtraMembers(r kuma.Resource) []tree.Path { return k.undescribed(r, true) }

func (k Kind) undescribed(r kuma.Resource, kept bool) []tree.Path {
	var out []tree.Path
	undescribed(k.document(), r.Body, nil, false, func(at tree.Path, freeForm bool) {
		if freeForm == kept {
			out = append(out, at)
		}
	})
	return out
}

func undescribed(t Type, v any, at tree.Path, freeForm bool, visit func(at tree.Path, freeForm bool)) {
	switch t := t.(type) {
	case Object:
		m, _ := v.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(m)) {
			f, ok := t.Field(name)
			if !ok {
				visit(at.Child(name), freeForm)
				continue
			}
			undescribed(f.Type, m[name], at.Child(name), freeForm || f.FreeForm, visit)
		}
	case List:
		list, _ := v.([]any)
		for i, e := range list {
			undescribed(t.Elem, e, at.Child(i), freeForm, visit)
		}
	case Map, Scalar:
	}
}
