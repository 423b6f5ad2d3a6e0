package def

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// howToSet returns the valid values of a required field, or else its description
// and its rules. It describes a block by what it must contain.
func (f *Field) howToSet() string {
	if f.OneOf != nil {
		return fmt.Sprintf("Valid values: %s.", listValid(f.OneOf, f.RemovedOf, slices.Clone))
	}
	sentences := []string{f.Doc}
	list, isList := f.Type.(List)
	if _, ok := f.Type.(Object); ok {
		sentences[0] = fmt.Sprintf("Add a %s block.", f.Name)
	} else if _, ok := list.Elem.(Object); isList && ok {
		sentences[0] = fmt.Sprintf("Add at least one %s block.", f.Name)
	}
	for _, c := range f.Checks {
		if c.Values != nil {
			return fmt.Sprintf("Valid values: %s.", listValid(c.Values, f.RemovedOf, slices.Clone))
		}
		if c.Doc != "" {
			sentences = append(sentences, c.Doc)
		}
	}
	return strings.Join(sentences, " ")
}

// explainMissing reports for a missing field what the rules of the kind require of
// it, which an empty value would violate too, and what they hide.
func (v *validator) explainMissing(doc map[string]any, checked []Problem) {
	for i, missing := range v.problems {
		if tree.At(doc, missing.Path) != nil {
			continue
		}
		for _, p := range checked {
			if !p.Warning && tree.ComparePaths(p.Path, missing.Path) == 0 {
				v.problems[i].Detail = p.Detail
				v.problems[i].Unchecked = p.Unchecked
			}
		}
	}
}
