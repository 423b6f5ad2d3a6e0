package def

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Deprecations returns the warnings of what a document uses and is deprecated,
// sorted by path: those among its problems, which are what a control plane warns
// of, and those of other members that are described as deprecated. Members
// inside a deprecated one go without saying.
func (k Kind) Deprecations(doc map[string]any, problems []Problem) []Problem {
	out := slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return p.Topic != Deprecation })
	for _, p := range deprecatedMembers(k.document(), tree.Root(doc)) {
		known := func(q Problem) bool { return tree.ComparePaths(p.Path, q.Path) == 0 }
		if !slices.ContainsFunc(out, known) {
			out = append(out, p)
		}
	}
	Sort(out)
	return out
}

func deprecatedMembers(t Type, n tree.Node) []Problem {
	var out []Problem
	switch t := t.(type) {
	case Object:
		for _, f := range t {
			child := n.Get(f.Name)
			if f.Deprecated != "" && child.Filled() {
				instead := strings.ReplaceAll(f.Deprecated, "`", "\"")
				out = append(out, WarningAt(child, f.Name+" is deprecated", instead).About(Deprecation))
				continue
			}
			out = append(out, deprecatedMembers(f.Type, child)...)
		}
	case List:
		for _, e := range n.Items() {
			out = append(out, deprecatedMembers(t.Elem, e)...)
		}
	case Map:
		for _, e := range n.Entries() {
			out = append(out, deprecatedMembers(t.Elem, e)...)
		}
	case Scalar:
	}
	return out
}
