package def

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

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
// already used. path is that of the list to.
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
	dropServerOwned(t, v)
	return v
}
