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

// compareLists describes the difference between two lists at a path, whose elements have the given fields: as changed fields if as many
// elements are added as removed.
func compareLists(at tree.Path, fields def.Object, before, after []any) (changed []string, others string) {
	added, removed := without(after, before), without(before, after)
	if len(added) == len(removed) {
		for n, i := range added {
			changed = append(changed, fieldChanges(at.Child(i), def.Field{Type: fields}, before[removed[n]], after[i])...)
		}
		if changed == nil {
			others = "other order"
		}
		return changed, others
	}
	elements := func(of []any, positions []int) []any { return phrase.Each(positions, func(i int) any { return of[i] }) }
	words := distinct(maxValue/2, slices.Concat(elements(after, added), elements(before, removed))...)
	var parts []string
	if len(added) > 0 {
		parts = append(parts, "adds "+phrase.Some(words[:len(added)], maxElements, ""))
	}
	if len(removed) > 0 {
		parts = append(parts, "removes "+phrase.Some(words[len(added):], maxElements, ""))
	}
	return nil, strings.Join(parts, "; ")
}

// without returns the positions of the elements of a list that another one does not have.
func without(list, other []any) (positions []int) {
	left := map[string]int{}
	for _, v := range other {
		left[phrase.JSON(v)]++
	}
	for i, v := range list {
		text := phrase.JSON(v)
		if left[text]--; left[text] < 0 {
			positions = append(positions, i)
		}
	}
	return positions
}

// fieldChanges describes the fields in which two values of a field differ. Nil means that
// there is no value.
func fieldChanges(at tree.Path, f def.Field, before, after any) []string {
	if b, a := tree.List(before), tree.List(after); f.Elements != nil && len(b)+len(a) > 0 {
		return []string{fmt.Sprintf("%s (%s)", phrase.CodeSpan(at.String()), compareElements(f.Elements, b, a))}
	} else if len(b) > 0 && len(a) > 0 {
		changes, others := compareLists(at, def.ObjectOf(f.Type), b, a)
		if others != "" {
			changes = append(changes, fmt.Sprintf("%s (%s)", phrase.CodeSpan(at.String()), others))
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

// change describes how a value changes. For two lists, it describes the elements that
// differ.
func (p place) change(before, after *Value) string {
	b, a := before.decoded(), after.decoded()
	was, is := tree.List(b), tree.List(a)
	switch {
	case p.elements != nil && len(was)+len(is) > 0:
		return compareElements(p.elements, was, is)
	case len(was) > 0 && len(is) > 0:
		changed, others := compareLists(nil, p.fields, was, is)
		if changed != nil {
			return "changes " + phrase.Some(changed, maxElements, "")
		}
		return others
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
