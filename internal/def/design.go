package def

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ValidateDesign returns what in a document violates the design of Kuma, has no
// effect or is harmful, although a control plane of release r stores it, sorted by
// path. Values may be [tree.Unknown].
func (k Kind) ValidateDesign(doc map[string]any, r kuma.Release) []Problem {
	root := tree.Root(doc)
	problems := append(test(k.Design, k.fieldsIn(root)), byRelease(k.Design, k.fieldsIn(root), r)...)
	problems = append(problems, k.effectLabel(root, r)...)
	Walk(k.Root(), root, func(p Place) bool {
		if !p.Element && p.Known() {
			problems = append(problems, test(p.Field.Design, p.Node)...)
			problems = append(problems, byRelease(p.Field.Design, p.Node, r)...)
		}
		return true
	})
	return k.redactAndSort(doc, problems)
}

// effectLabel returns the value of the label kuma.io/effect that a control plane of Kuma 2.x
// stores and ignores, so that a policy meant as a shadow policy is in force (validation.md
// §3). Kuma 3.0 rejects it.
func (k Kind) effectLabel(root tree.Node, r kuma.Release) []Problem {
	n := root.Get("labels").Get(kuma.LabelEffect)
	value, ok := n.Text()
	return ErrorIf(k.Policy != nil && !r.Kuma3() && ok && value != kuma.EffectShadow, n, "Invalid effect",
		"The label is set to %q, which the control plane ignores, so the policy is in force. "+
			"Its only value is %q, for a policy without effect. Remove the label, or change it to %q.", value, kuma.EffectShadow, kuma.EffectShadow)
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
				problems = append(problems, WarningAt(m, v.Field+" has no effect",
					fmt.Sprintf("Type %s does not use %s. Remove it, or change the type to %s.", kind, v.Field, v.Type)))
			}
		}
		return problems
	}}
}

// Deprecations returns the warnings about deprecated fields and values in a
// document, sorted by path: those that a control plane also returns, and those
// about other fields that are declared as deprecated. Fields inside a
// deprecated one are not reported separately, and neither is what the release
// has no replacement for.
func (k Kind) Deprecations(doc map[string]any, problems []Problem, release kuma.Release) []Problem {
	out := slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return p.Topic != Deprecation })
	Walk(k.Root(), tree.Root(doc), func(p Place) bool {
		if p.Field.Deprecated == "" || !p.Filled() {
			return true
		}
		known := func(q Problem) bool { return tree.ComparePaths(p.Path, q.Path) == 0 }
		if !slices.ContainsFunc(out, known) {
			instead := strings.ReplaceAll(p.Field.Deprecated, "`", "\"")
			out = append(out, WarningAt(p.Node, p.Field.Name+" is deprecated", instead).About(Deprecation))
		}
		return false
	})
	out = slices.DeleteFunc(out, func(p Problem) bool { return !release.Has(p.Since) })
	Sort(out)
	return out
}

// Outlook returns a sentence about the releases without what a deprecation in a document is about.
func (k Kind) Outlook(deprecation Problem, doc map[string]any) string {
	value := tree.At(doc, deprecation.Path)
	for _, r := range k.RemovalsAt(deprecation.Path, func(v string) bool { return v == value }) {
		return "Kuma " + r.In + " does not have it any more."
	}
	return "A future release of Kuma will remove it."
}
