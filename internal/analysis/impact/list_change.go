package impact

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// listChange are the elements in which two lists differ. An element that is in both
// has moved unless it is one of the longest sequence that both have.
type listChange struct{ added, removed, moved []any }

// compareLists compares lists. Of equal elements the first ones are the same.
func compareLists(before, after []any) listChange {
	type element struct {
		json string
		nth  int
	}
	at := map[element]int{} // positions before
	number := func(list []any, use func(i int, e element)) {
		seen := map[string]int{}
		for i, v := range list {
			text := phrase.JSON(v)
			use(i, element{text, seen[text]})
			seen[text]++
		}
	}
	number(before, func(i int, e element) { at[e] = i })
	var out listChange
	var kept []int // positions before of the elements that are in both, in the order after
	number(after, func(i int, e element) {
		if position, ok := at[e]; ok {
			kept = append(kept, position)
			delete(at, e)
		} else {
			out.added = append(out.added, after[i])
		}
	})
	gone := make([]int, 0, len(at))
	for _, i := range at {
		gone = append(gone, i)
	}
	slices.Sort(gone)
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

// longestIncreasing returns the members of a longest increasing subsequence of
// distinct numbers.
func longestIncreasing(numbers []int) map[int]bool {
	var ends []int // for each length: where the sequence with the smallest last number ends
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

// String lists the elements, the first few of many.
func (c listChange) String() string {
	var parts []string
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

// change writes how a value becomes another: of a list, the elements that differ.
func change(before, after *Value) string {
	b, a := before.list(), after.list()
	if len(b) > 0 && len(a) > 0 {
		return compareLists(b, a).String()
	}
	return fmt.Sprintf("%s → %s", before.short(), after.short())
}

// list returns the elements of a list; none of another value.
func (v Value) list() []any {
	decoded, err := tree.DecodeJSON([]byte(v.JSON))
	if err != nil {
		return nil // all values were encoded here
	}
	return tree.List(decoded)
}
