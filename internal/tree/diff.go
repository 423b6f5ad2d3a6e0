package tree

import (
	"maps"
	"slices"
)

// Difference is a place at which two decoded trees differ.
type Difference struct {
	Path     Path
	A, B     any
	InA, InB bool // whether the tree has the place; a value can be null
}

// Diff returns where two decoded trees differ, in the order of their paths. Objects are
// compared by field, and lists of the same length by element; other values differ as a
// whole.
func Diff(a, b any) []Difference { return diff(nil, a, b) }

func diff(at Path, a, b any) []Difference {
	var out []Difference
	x, isObject := a.(map[string]any)
	y, areObjects := b.(map[string]any)
	l, isList := a.([]any)
	m, areLists := b.([]any)
	switch {
	case isObject && areObjects:
		all := maps.Clone(x)
		maps.Copy(all, y)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			v, inA := x[name]
			w, inB := y[name]
			if inA && inB {
				out = append(out, diff(at.Child(name), v, w)...)
			} else {
				out = append(out, Difference{at.Child(name), v, w, inA, inB})
			}
		}
	case isList && areLists && len(l) == len(m):
		for i := range l {
			out = append(out, diff(at.Child(i), l[i], m[i])...)
		}
	case !Equal(a, b):
		out = append(out, Difference{at, a, b, true, true})
	}
	return out
}
