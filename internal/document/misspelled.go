package document

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// withoutConsequences removes problems that a misspelled field explains: those of
// the object that contains it as a whole, and those of fields that the object
// lacks.
func withoutConsequences(problems, unknown []def.Problem, doc any) []def.Problem {
	return slices.DeleteFunc(problems, func(p def.Problem) bool {
		return slices.ContainsFunc(unknown, func(u def.Problem) bool {
			object := u.Path.Parent()
			whole := tree.ComparePaths(p.Path, object) == 0
			missing := len(p.Path) > 0 && tree.ComparePaths(p.Path.Parent(), object) == 0 && tree.At(doc, p.Path) == nil
			return whole || missing
		})
	})
}
