package def

import (
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Elements describes the elements of a list in words. Their order has no meaning.
type Elements struct {
	Noun string // plural: "destinations"
	// Amount is the field with the share of an element, such as a weight; empty when
	// elements have none.
	Amount string
	// Parts returns what identifies an element, apart from its amount. The first part
	// is its name, the others distinguish elements with the same name.
	Parts func(element tree.Node) []string
}

// Names returns a name for each element: the same for elements that differ only in
// their amounts, and different ones for all others.
func (e *Elements) Names(elements []any) []string {
	parts, most := make([][]string, len(elements)), 1
	for i, element := range elements {
		parts[i] = e.Parts(tree.Root(element))
		most = max(most, len(parts[i]))
	}
	names := make([]string, len(elements))
	for n := 1; n <= most; n++ {
		same := map[string]string{} // identity by name
		distinct := true
		for i, element := range elements {
			names[i] = strings.Join(parts[i][:min(n, len(parts[i]))], ", ")
			identity := e.Identity(element)
			known, ok := same[names[i]]
			distinct = distinct && names[i] != "" && (!ok || known == identity)
			same[names[i]] = identity
		}
		if distinct {
			return names
		}
	}
	for i, element := range elements {
		names[i] = e.Identity(element)
	}
	return names
}

// Identity returns the element without its amount, as JSON.
func (e *Elements) Identity(element any) string {
	m := tree.Object(element)
	if _, ok := m[e.Amount]; ok {
		m = maps.Clone(m)
		delete(m, e.Amount)
	}
	return phrase.JSON(m)
}

// Words describes the value at a path in a conf of a policy of this kind: the requests
// that the value is for, if a part of the path selects them, the rest of the path, and
// the field, the zero value if it has no description.
func (k Kind) Words(conf any, path tree.Path) (requests, rest string, f Field) {
	for _, root := range k.confs() {
		if found, ok := root.fieldAt(path); ok {
			f = found
			break
		}
	}
	keyed, _ := k.RouteLists()
	if rest = path.String(); keyed == "" || len(path) == 0 || path[0] != keyed {
		return "", rest, f
	}
	const rule = 2 // steps to an element of the list
	list, _ := k.ToEntry().Field(keyed)
	matches, _ := ObjectOf(list.Type).Field(MatchesField)
	if matches.Elements == nil || len(path) < rule {
		return "", rest, f
	}
	found := tree.List(tree.Object(tree.At(conf, path[:rule]))[MatchesField])
	return strings.Join(matches.Elements.Names(found), " or "), path[rule:].String(), f
}

// MatchesField is the field with the conditions of a rule.
const MatchesField = "matches"

// MatchWords describes a condition under which a rule of a policy applies to incoming
// traffic.
func (k Kind) MatchWords(match any) string {
	rules, _ := k.Fields.Field("rules")
	matches, _ := ObjectOf(rules.Type).Field(MatchesField)
	if matches.Elements == nil {
		return phrase.JSON(match)
	}
	return matches.Elements.Names([]any{match})[0]
}

// confs returns the descriptions of what the confs of a policy contain.
func (k Kind) confs() []Object {
	entries := []Object{k.Fields}
	for _, name := range []string{"to", "from", "rules"} {
		f, _ := k.Fields.Field(name)
		entries = append(entries, ObjectOf(f.Type))
	}
	var out []Object
	for _, entry := range entries {
		conf, _ := entry.Field("default")
		out = append(out, ObjectOf(conf.Type))
	}
	return append(out, k.ToEntry()) // of a route
}

// Protocols returns those of the ports on which the value at a path in a conf has an effect, nil
// for all.
func (k Kind) Protocols(path tree.Path) []string {
	for _, root := range k.confs() {
		for n := len(path); n > 0; n-- {
			if f, ok := root.fieldAt(path[:n]); ok && f.Protocols != nil {
				return f.Protocols
			}
		}
	}
	return nil
}

// AppliesTo reports whether the value at a path in a conf has an effect on a port with one of
// some protocols.
func (k Kind) AppliesTo(path tree.Path, protocols ...string) bool {
	of := k.Protocols(path)
	return of == nil || slices.ContainsFunc(protocols, func(p string) bool { return slices.Contains(of, p) })
}

// fieldAt returns the field at a path; positions in lists are ignored.
func (o Object) fieldAt(path tree.Path) (Field, bool) {
	names := slices.DeleteFunc(slices.Clone(path), func(step any) bool { _, ok := step.(int); return ok })
	var f Field
	for _, step := range names {
		name, _ := step.(string)
		var ok bool
		if f, ok = o.Field(name); !ok {
			return Field{}, false
		}
		o = ObjectOf(f.Type)
	}
	return f, len(names) > 0
}

// SelectsRequests reports whether a path in a conf leads to the conditions of a rule,
// which are part of the words of all other values of the rule.
func (k Kind) SelectsRequests(path tree.Path) bool {
	const conditions = 3 // steps: the list, an element, its conditions
	keyed, _ := k.RouteLists()
	return keyed != "" && len(path) == conditions && path[0] == keyed && path[conditions-1] == MatchesField
}

// Texts formats values of the field with a maximum number of characters: lists with a
// description, and elements of such a list, in words, and others as [phrase.Distinct]
// does.
func (f Field) Texts(most int, values ...any) []string {
	if f.Elements == nil {
		return phrase.Distinct(most, values...)
	}
	var elements []any
	for _, v := range values {
		elements = append(elements, listOf(v)...)
	}
	names, amounts := f.Elements.Names(elements), f.Elements.Amounts(elements)
	texts := make([]any, len(values))
	for i, v := range values {
		n := len(listOf(v))
		var words []string
		for at := range n {
			words = append(words, names[at]+amounts[at])
		}
		names, amounts = names[n:], amounts[n:]
		if texts[i] = strings.Join(words, ", "); n == 0 {
			texts[i] = v
		}
	}
	return phrase.Distinct(most, texts...)
}

// listOf returns the elements of a list, or an object as the only element.
func listOf(v any) []any {
	if m := tree.Object(v); m != nil {
		return []any{m}
	}
	return tree.List(v)
}

// Amounts returns the amount of each element, as in " weight 90"; empty strings if the
// elements have none, or all have the same.
func (e *Elements) Amounts(elements []any) []string {
	amounts := make([]string, len(elements))
	differ := false
	for i, element := range elements {
		if v, ok := tree.Object(element)[e.Amount]; ok {
			amounts[i] = " " + e.Amount + " " + phrase.JSON(v)
		}
		differ = differ || amounts[i] != amounts[0]
	}
	if !differ {
		clear(amounts)
	}
	return amounts
}
