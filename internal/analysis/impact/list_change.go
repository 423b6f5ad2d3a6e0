package impact

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
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

// compareLists compares the lists at a path, whose elements have the given fields. Equal
// elements are matched in order of occurrence.
func compareLists(at tree.Path, fields def.Object, before, after []any) listChange {
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
		out.changed = append(out.changed, fieldChanges(at.Child(i), def.Field{Type: fields}, before[gone[same]], after[i])...)
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

// mostlyEqual reports whether most of the values in two objects are equal.
func mostlyEqual(before, after any) bool {
	if tree.Object(before) == nil || tree.Object(after) == nil {
		return false
	}
	b, a := map[string]any{}, map[string]any{}
	addLeaves(b, "", before)
	addLeaves(a, "", after)
	equal, both := 0, 0
	for path, v := range b {
		if w, ok := a[path]; ok {
			both++
			if tree.Equal(v, w) {
				equal++
			}
		}
	}
	return 2*equal > len(b)+len(a)-both
}

// addLeaves adds the values that contain no others, by their paths.
func addLeaves(to map[string]any, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			addLeaves(to, path+"."+name, e)
		}
	case []any:
		for i, e := range v {
			addLeaves(to, fmt.Sprintf("%s[%d]", path, i), e)
		}
	default:
		to[path] = v
	}
}

// fieldChanges describes the fields in which two values of a field differ. Nil means that
// there is no value.
func fieldChanges(at tree.Path, f def.Field, before, after any) []string {
	if b, a := tree.List(before), tree.List(after); f.Elements != nil && len(b)+len(a) > 0 {
		return []string{fmt.Sprintf("%s (%s)", phrase.CodeSpan(at.String()), compareElements(f.Elements, b, a))}
	} else if len(b) > 0 && len(a) > 0 {
		inside := compareLists(at, def.ObjectOf(f.Type), b, a)
		changes := inside.changed
		if inside.changed = nil; inside.String() != "" {
			changes = append(changes, fmt.Sprintf("%s (%s)", phrase.CodeSpan(at.String()), inside))
		}
		return changes
	}
	b, a := tree.Object(before), tree.Object(after)
	if b == nil || a == nil {
		words := distinct(maxValue/2, before, after)
		return []string{fmt.Sprintf("%s from %s to %s", phrase.CodeSpan(at.String()), words[0], words[1])}
	}
	names := maps.Clone(b)
	maps.Copy(names, a)
	var changes []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !tree.Equal(b[name], a[name]) {
			field, _ := def.ObjectOf(f.Type).Field(name)
			changes = append(changes, fieldChanges(at.Child(name), field, b[name], a[name])...)
		}
	}
	return changes
}

// distinct formats values as code, and shortens long ones to what distinguishes them.
// Nil means that there is no value.
func distinct(most int, values ...any) []string {
	words := phrase.Distinct(most, values...)
	for i, w := range words {
		if words[i] = phrase.CodeSpan(w); values[i] == nil {
			words[i] = "unset"
		}
	}
	return words
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
	words := distinct(maxValue/2, slices.Concat(c.added, c.removed, c.moved)...)
	for _, p := range []struct {
		verb string
		n    int
	}{{"adds", len(c.added)}, {"removes", len(c.removed)}, {"moves", len(c.moved)}} {
		if p.n > 0 {
			parts = append(parts, p.verb+" "+phrase.Some(words[:p.n], maxElements, ""))
		}
		words = words[p.n:]
	}
	return strings.Join(parts, "; ")
}

// change describes how a value changes. For two lists, it describes the elements that
// differ.
func (p place) change(before, after *Value) string {
	b, a := before.decoded(), after.decoded()
	was, is := tree.List(b), tree.List(a)
	switch {
	case p.elements != nil && len(was)+len(is) > 0:
		return compareElements(p.elements, was, is)
	case len(was) > 0 && len(is) > 0:
		return compareLists(nil, p.fields, was, is).String()
	}
	words := distinct(maxValue, b, a)
	return fmt.Sprintf("%s → %s", words[0], words[1])
}

// value formats one value.
func (p place) value(v *Value) string {
	decoded := v.decoded()
	list := tree.List(decoded)
	if p.element {
		list = []any{decoded}
	}
	if p.elements == nil || len(list) == 0 {
		return phrase.CodeSpan(phrase.Value(decoded, maxValue))
	}
	words := elementNames(p.elements, list)
	for i, amount := range p.elements.Amounts(list) {
		words[i] += amount
	}
	return phrase.Some(words, maxElements, "")
}

// decoded returns the value, and nil for what cannot be decoded.
func (v Value) decoded() any {
	decoded, _ := tree.DecodeJSON([]byte(v.JSON)) // this package encoded it
	return decoded
}

// elementNames returns the name of each element as code, shortened to what distinguishes
// it.
func elementNames(e *def.Elements, elements []any) []string {
	return distinct(maxValue/2, phrase.Each(e.Names(elements), func(name string) any { return name })...)
}

// compareElements describes the differences between two lists: elements with another
// amount, added and removed ones.
func compareElements(e *def.Elements, before, after []any) string {
	all := slices.Concat(before, after)
	names, amounts := elementNames(e, all), e.Amounts(all)
	gone := map[string][]int{} // positions by identity
	for i, element := range before {
		id := e.Identity(element)
		gone[id] = append(gone[id], i)
	}
	var changed, added, removed []string
	for n, element := range after {
		i, id := len(before)+n, e.Identity(element)
		if len(gone[id]) == 0 {
			added = append(added, "+ "+names[i]+amounts[i])
			continue
		}
		was := gone[id][0]
		gone[id] = gone[id][1:]
		if amounts[was] != amounts[i] {
			changed = append(changed, names[i]+cmp.Or(amounts[was], " unset")+" →"+cmp.Or(strings.TrimPrefix(amounts[i], " "+e.Amount), " unset"))
		}
	}
	for i, element := range before {
		if slices.Contains(gone[e.Identity(element)], i) {
			removed = append(removed, "− "+names[i]+amounts[i])
		}
	}
	var parts []string
	for _, words := range [][]string{changed, added, removed} {
		if left := len(words) - maxElements; left > 1 {
			words = append(words[:maxElements:maxElements], phrase.More(left, ""))
		}
		parts = append(parts, words...)
	}
	if len(parts) == 0 {
		return "other order"
	}
	return strings.Join(parts, ", ")
}
