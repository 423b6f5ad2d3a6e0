package impact

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// listChange is the difference between two lists. An element that is in both lists
// has moved unless it belongs to their longest common subsequence. If an added object
// mostly equals a removed one, it counts as a changed element.
type listChange struct {
	changed               []string // "`[0].weight` from `90` to `10`"
	added, removed, moved []any
}

// compareLists compares the lists at a path. Equal elements are matched in order of
// occurrence.
func compareLists(at tree.Path, before, after []any) listChange {
	type element struct {
		json string
		nth  int
	}
	positions := map[element]int{} // before
	number := func(list []any, use func(i int, e element)) {
		seen := map[string]int{}
		for i, v := range list {
			text := phrase.JSON(v)
			use(i, element{text, seen[text]})
			seen[text]++
		}
	}
	number(before, func(i int, e element) { positions[e] = i })
	var out listChange
	var kept []int // positions in before of the elements that are in both, in the order of after
	var added []int
	number(after, func(i int, e element) {
		if position, ok := positions[e]; ok {
			kept = append(kept, position)
			delete(positions, e)
		} else {
			added = append(added, i)
		}
	})
	gone := slices.Sorted(maps.Values(positions))
	for _, i := range added {
		same := slices.IndexFunc(gone, func(j int) bool { return mostlyEqual(before[j], after[i]) })
		if same < 0 {
			out.added = append(out.added, after[i])
			continue
		}
		out.changed = append(out.changed, fieldChanges(at.Child(i), before[gone[same]], after[i])...)
		gone = slices.Delete(gone, same, same+1)
	}
	for _, i := range gone {
		out.removed = append(out.removed, before[i])
	}
	stays := longestIncreasing(kept)
	for _, position := range kept {
		if !stays[position] {
			out.moved = append(out.moved, before[position])
		}
	}
	return out
}

// mostlyEqual reports whether most of the fields of two objects are equal.
func mostlyEqual(before, after any) bool {
	b, a := tree.Object(before), tree.Object(after)
	equal, both := 0, 0
	for name, v := range b {
		if w, ok := a[name]; ok {
			both++
			if tree.Equal(v, w) {
				equal++
			}
		}
	}
	return 2*equal > len(b)+len(a)-both
}

// fieldChanges describes the fields in which two values differ. Nil means that there
// is no value.
func fieldChanges(at tree.Path, before, after any) []string {
	if b, a := tree.List(before), tree.List(after); len(b) > 0 && len(a) > 0 {
		inside := compareLists(at, b, a)
		changes := inside.changed
		if inside.changed = nil; inside.String() != "" {
			changes = append(changes, fmt.Sprintf("%s (%s)", code(at.String()), inside))
		}
		return changes
	}
	b, a := tree.Object(before), tree.Object(after)
	if b == nil || a == nil {
		return []string{fmt.Sprintf("%s from %s to %s", code(at.String()), valueOrUnset(before), valueOrUnset(after))}
	}
	names := maps.Clone(b)
	maps.Copy(names, a)
	var changes []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !tree.Equal(b[name], a[name]) {
			changes = append(changes, fieldChanges(at.Child(name), b[name], a[name])...)
		}
	}
	return changes
}

func valueOrUnset(v any) string {
	if v == nil {
		return "unset"
	}
	return code(phrase.Value(v, maxValue/2))
}

// longestIncreasing returns the elements of a longest increasing subsequence of
// distinct numbers.
func longestIncreasing(numbers []int) map[int]bool {
	var ends []int // for each length: index of the smallest last number of a sequence
	previous := make([]int, len(numbers))
	for i, n := range numbers {
		length, _ := slices.BinarySearchFunc(ends, n, func(end, n int) int { return cmp.Compare(numbers[end], n) })
		previous[i] = -1
		if length > 0 {
			previous[i] = ends[length-1]
		}
		if length == len(ends) {
			ends = append(ends, i)
		} else {
			ends[length] = i
		}
	}
	members := map[int]bool{}
	if len(ends) == 0 {
		return members
	}
	for i := ends[len(ends)-1]; i >= 0; i = previous[i] {
		members[numbers[i]] = true
	}
	return members
}

// String describes the difference. It lists the first elements of each kind.
func (c listChange) String() string {
	var parts []string
	if len(c.changed) > 0 {
		parts = append(parts, "changes "+phrase.Some(c.changed, maxElements, ""))
	}
	for _, p := range []struct {
		verb     string
		elements []any
	}{{"adds", c.added}, {"removes", c.removed}, {"moves", c.moved}} {
		if len(p.elements) == 0 {
			continue
		}
		var words []string
		for _, e := range p.elements[:min(len(p.elements), maxElements+1)] {
			words = append(words, code(phrase.Value(e, maxValue/2)))
		}
		parts = append(parts, p.verb+" "+phrase.SomeOf(words, len(p.elements), maxElements, ""))
	}
	return strings.Join(parts, "; ")
}

// change describes how a value changes. For two lists, it describes the elements
// that differ.
func change(before, after *Value) string {
	b, a := before.list(), after.list()
	if len(b) > 0 && len(a) > 0 {
		return compareLists(nil, b, a).String()
	}
	return fmt.Sprintf("%s → %s", before.short(), after.short())
}

// list returns the elements of a list, or nil for all other values.
func (v Value) list() []any {
	decoded, err := tree.DecodeJSON([]byte(v.JSON))
	if err != nil {
		return nil // unreachable: this package encoded the value
	}
	return tree.List(decoded)
}
