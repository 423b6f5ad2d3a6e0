package def

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

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
