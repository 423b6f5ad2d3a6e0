package def

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ValidateDesign returns what in a document violates the design of Kuma, has no
// effect or is harmful, although a control plane of release r stores it, sorted by
// path. Values may be [tree.Unknown].
func (k Kind) ValidateDesign(doc map[string]any, r kuma.Release) []Problem {
	root := tree.Root(doc)
	problems := append(test(k.Design, k.fieldsIn(root)), byRelease(k.Design, k.fieldsIn(root), r)...)
	Walk(k.Root(), root, func(p Place) bool {
		if !p.Element && p.Known() {
			problems = append(problems, test(p.Field.Design, p.Node)...)
			problems = append(problems, byRelease(p.Field.Design, p.Node, r)...)
		}
		return true
	})
	return k.redactAndSort(doc, problems)
}

// ValidateInMesh is [Kind.ValidateDesign] for the rules that depend on the mesh.
func (k Kind) ValidateInMesh(doc map[string]any, mesh kuma.Resource, r kuma.Release) []Problem {
	if k.InMesh == nil {
		return nil
	}
	return k.redactAndSort(doc, k.InMesh(k.fieldsIn(tree.Root(doc)), mesh, r))
}

// ValidateCreation returns warnings about the creation of a resource from a
// document, sorted by path. Values may be [tree.Unknown].
func (k Kind) ValidateCreation(doc map[string]any) []Problem {
	problems := test(k.Creation, k.fieldsIn(tree.Root(doc)))
	Sort(problems)
	return problems
}

// Unused warns about fields with the settings of a type other than that of the
// object. A control plane stores them but does not use them.
func Unused(variants ...Variant) Check {
	return Check{Test: func(n tree.Node) []Problem {
		kind, ok := n.Get("type").Text()
		if !ok {
			return nil
		}
		used, seen := map[string]bool{}, map[string]bool{}
		for _, v := range variants {
			used[v.Field] = used[v.Field] || v.Type == kind
		}
		var problems []Problem
		for _, v := range variants {
			if m := n.Get(v.Field); m.Known() && !used[v.Field] && !seen[v.Field] {
				seen[v.Field] = true
				problems = append(problems, WarningAt(m, v.Field+" has no effect", fmt.Sprintf("Type %s does not use %s. Remove it, or change the type to %s.", kind, v.Field, v.Type)))
			}
		}
		return problems
	}}
}
