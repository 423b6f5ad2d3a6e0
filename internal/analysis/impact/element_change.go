package impact

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// change describes how a value changes. For two lists, it describes the elements that
// differ.
func (p place) change(before, after *Value) string {
	b, a := before.decoded(), after.decoded()
	was, is := tree.List(b), tree.List(a)
	switch {
	case p.field.Elements != nil && len(was)+len(is) > 0:
		return compareElements(p.field.Elements, was, is)
	case len(was) > 0 && len(is) > 0:
		return compareLists(nil, def.ObjectOf(p.field.Type), was, is).String()
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
	if p.field.Elements == nil || len(list) == 0 {
		return phrase.CodeSpan(phrase.Value(decoded, maxValue))
	}
	words := elementNames(p.field.Elements, list)
	for i, amount := range p.field.Elements.Amounts(list) {
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
	var names []any
	for _, name := range e.Names(elements) {
		names = append(names, name)
	}
	return distinct(maxValue/2, names...)
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
			changed = append(changed, names[i]+cmp.Or(amounts[was], " unset")+" →"+cmp.Or(amounts[i], " unset"))
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
