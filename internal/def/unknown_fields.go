package def

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// UnknownFields returns a problem for every field that the kind does not have
// and that a control plane would therefore drop silently, sorted by path. They
// include names in snake case, see [Field.SnakeCase].
func (k Kind) UnknownFields(r kuma.Resource) []Problem {
	return phrase.Each(k.undescribed(r, false), k.unknownField)
}

func (k Kind) unknownField(p tree.Path) Problem {
	name, _ := p[len(p)-1].(string)
	allowed, effect := "No fields are supported here.", "drop it silently"
	var has []string
	if o, _ := k.ObjectAt(p[:len(p)-1]); len(o) > 0 {
		for _, f := range o {
			has = append(has, f.Name)
			switch {
			case f.SnakeCase && snakeCase(f.Name) == name:
				effect = fmt.Sprintf("store it as %q, so the next plan would not be empty", f.Name)
			case !k.Proto() && strings.EqualFold(f.Name, name):
				effect = fmt.Sprintf("read it as %q", f.Name)
			}
		}
		allowed = fmt.Sprintf("Supported fields: %s.", phrase.And(has...))
	}
	return Problem{
		Path: p, Topic: Unknown, Summary: fmt.Sprintf("Unsupported field in %s", k.Name),
		Detail: fmt.Sprintf("%s does not have the field %q here. A control plane would %s.%s %s", k.Name, name, effect, phrase.Suggest(name, has),
			allowed),
	}
}

// ExtraFields returns the paths of fields that the description of the kind
// does not have and that a control plane keeps anyway, sorted.
func (k Kind) ExtraFields(r kuma.Resource) []tree.Path { return k.undescribed(r, true) }

func (k Kind) undescribed(r kuma.Resource, kept bool) []tree.Path {
	var out []tree.Path
	for _, m := range undescribed(k.Root(), r.Body) {
		if m.freeForm == kept {
			out = append(out, m.path)
		}
	}
	return out
}

// undescribedField is a field that the description of its object does not have.
type undescribedField struct {
	path     tree.Path
	freeForm bool // the control plane keeps it anyway
}

// undescribed returns the fields of o and of the objects below it that are not
// described, sorted by path.
func undescribed(o Object, body map[string]any) []undescribedField {
	var out []undescribedField
	Walk(o, tree.Root(body), func(p Place) bool {
		o, isObject := p.Type.(Object)
		m := tree.Object(p.Value())
		for name := range m {
			if _, ok := o.Field(name); isObject && !ok {
				out = append(out, undescribedField{p.Path.Child(name), p.FreeForm})
			}
		}
		return true
	})
	slices.SortFunc(out, func(a, b undescribedField) int { return tree.ComparePaths(a.path, b.path) })
	return out
}

// DropUnknown removes from r the fields that [Kind.UnknownFields] names.
func (k Kind) DropUnknown(r *kuma.Resource) {
	for _, p := range k.undescribed(*r, false) {
		parent := tree.Object(tree.At(r.Body, p[:len(p)-1]))
		name, _ := p[len(p)-1].(string)
		delete(parent, name)
	}
}

// KeepUnknown copies into r the fields of current that the description of the
// kind does not have, such as those of a later release: a write without them
// would remove them. A field of an object is kept with its object, and one in
// an element of a list with the element of r whose described content is the
// same. It returns the sorted paths in current of the fields that have no
// counterpart and would be lost.
//
// With freeForm it does the same for objects in which the control plane keeps
// everything that is sent.
func (k Kind) KeepUnknown(r *kuma.Resource, current kuma.Resource, freeForm bool) (lost []tree.Path) {
	root := k.Root()
	c := matchedElements{proto: k.Proto(), elements: map[string]int{}, taken: map[string]bool{}}
	for _, unknown := range undescribed(root, current.Body) {
		if unknown.freeForm && !freeForm {
			continue
		}
		last := len(unknown.path) - 1
		object, serverOwned := c.find(root, unknown.path[:last], current.Body, r.Body)
		if serverOwned {
			continue
		}
		m := tree.Object(object)
		if m == nil {
			lost = append(lost, unknown.path)
			continue
		}
		name, _ := unknown.path[last].(string)
		if _, ok := m[name]; !ok {
			m[name] = tree.Clone(tree.At(current.Body, unknown.path))
		}
	}
	return lost
}

// matchedElements maps the values of a document to those of another.
type matchedElements struct {
	proto    bool
	elements map[string]int  // position in the other document, by path in the one
	taken    map[string]bool // elements of the other document, by path
}

// find returns the value in to that corresponds to the one at p in from, nil if
// there is none, and reports whether the control plane owns it.
func (c *matchedElements) find(root Object, p tree.Path, from, to any) (value any, serverOwned bool) {
	at, path := Field{Type: root}, tree.Path{}
	for i, step := range p {
		next, _ := at.below(step)
		if next.ServerOwned {
			return nil, true
		}
		if _, ok := at.Type.(List); ok {
			step = c.element(next.Type, p[:i+1], path, from, to)
		}
		from, to = tree.At(from, p[i:i+1]), tree.At(to, tree.Path{step})
		at, path = next, path.Child(step)
	}
	return to, false
}

// element returns the position in the list to that corresponds to the element
// of the list from at p, and marks it as used; -1 when there is none, or it is
// already used. path leads to the list to.
func (c *matchedElements) element(t Type, p, path tree.Path, from, to any) int {
	key := p.String()
	if j, ok := c.elements[key]; ok {
		return j
	}
	i, _ := p[len(p)-1].(int)
	j := c.sameElement(t, from, to, i)
	if place := path.Child(j).String(); j >= 0 {
		if c.taken[place] {
			j = -1
		}
		c.taken[place] = true
	}
	c.elements[key] = j
	return j
}

// sameElement returns the position of the only element of a list that has the
// described content of the element i of another, or i where several have it; -1
// for none.
func (c *matchedElements) sameElement(t Type, from, to any, i int) int {
	want := c.described(t, tree.At(from, tree.Path{i}))
	list := tree.List(to)
	found, count := -1, 0
	for j, candidate := range list {
		if tree.Equal(want, c.described(t, candidate)) {
			if found, count = j, count+1; j == i {
				return i
			}
		}
	}
	if count != 1 {
		return -1
	}
	return found
}

// described returns the described part of a value, in canonical form.
func (c *matchedElements) described(t Type, v any) any {
	v = normalizer{proto: c.proto, oneSpelling: true}.value(Field{}, t, v)
	dropServerOwned(t, v, true)
	return v
}

// snakeCase returns the name of a field in protobuf, which a control plane
// accepts in addition to the one in JSON: maxPort -> max_port.
func snakeCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
