package def

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Deprecations returns the warnings of what a document uses and is deprecated,
// sorted by path: those among its problems, which are what a control plane warns
// of, and those of other fields that are described as deprecated. Members
// inside a deprecated one go without saying.
func (k Kind) Deprecations(doc map[string]any, problems []Problem) []Problem {
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
	Sort(out)
	return out
}
