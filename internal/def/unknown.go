package def

import (
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// KeepUnknown copies into r the members of current that the description of the
// kind does not have, such as those of a later release: a write without them
// would remove them. A member of an object is kept with its object, and one in
// an element of a list with the element of r whose described content is the
// same. It returns the paths in current of the members that have no such place
// and would be lost, sorted.
//
// With freeForm it does the same for objects in which the control plane keeps
// whatever is sent.
func (k Kind) KeepUnknown(r *kuma.Resource, current kuma.Resource, freeForm bool) (lost []tree.Path) {
	keep := unknownKeeper{flat: k.Flat, freeForm: freeForm}
	keep.object(k.document(), Field{}, r.Body, current.Body, nil)
	return keep.lost
}

type unknownKeeper struct {
	flat, freeForm bool
	lost           []tree.Path
}

// value keeps what is unknown below a value of current. next is what becomes of
// the value, nil when it is removed.
func (u *unknownKeeper) value(f Field, t Type, next, current any, at tree.Path) {
	switch t := t.(type) {
	case Object:
		old, _ := current.(map[string]any)
		m, ok := next.(map[string]any)
		if old != nil && !ok {
			u.lose(f, t, old, at)
			return
		}
		u.object(t, f, m, old, at)
	case List:
		u.list(f, t, next, current, at)
	case Map, Scalar:
	}
}

func (u *unknownKeeper) object(o Object, of Field, next, current map[string]any, at tree.Path) {
	for _, name := range slices.Sorted(maps.Keys(current)) {
		if f, ok := o.Field(name); ok {
			f.FreeForm = f.FreeForm || of.FreeForm
			if !f.ServerOwned {
				u.value(f, f.Type, next[name], current[name], at.Child(name))
			}
			continue
		}
		if _, ok := next[name]; !ok && (u.freeForm || !of.FreeForm) {
			next[name] = tree.Clone(current[name])
		}
	}
}

func (u *unknownKeeper) list(f Field, t List, next, current any, at tree.Path) {
	list, _ := next.([]any)
	old, _ := current.([]any)
	taken := map[int]bool{}
	for i, e := range old {
		if len(u.unknown(f, t.Elem, e, nil)) == 0 {
			continue
		}
		j := u.find(f, t, list, e, i)
		if j < 0 || taken[j] {
			u.lose(f, t.Elem, e, at.Child(i))
			continue
		}
		taken[j] = true
		u.value(f, t.Elem, list[j], e, at.Child(i))
	}
}

// find returns the place of the only element with the described content of e,
// or i where several have it; -1 for none.
func (u *unknownKeeper) find(f Field, t List, list []any, e any, i int) int {
	want := u.described(f, t.Elem, e)
	var found []int
	for j, candidate := range list {
		if tree.Equal(want, u.described(f, t.Elem, candidate)) {
			found = append(found, j)
		}
	}
	switch {
	case slices.Contains(found, i):
		return i
	case len(found) == 1:
		return found[0]
	default:
		return -1
	}
}

// described returns what the description knows of a value, in canonical form.
func (u *unknownKeeper) described(f Field, t Type, v any) any {
	f.FreeForm = false
	v = normaliser{flat: u.flat, oneSpelling: true}.value(f, t, v)
	dropServerOwned(t, v)
	return v
}

func (u *unknownKeeper) lose(f Field, t Type, v any, at tree.Path) {
	u.lost = append(u.lost, u.unknown(f, t, v, at)...)
}

// unknown returns the paths of the members below a value that are not described.
func (u *unknownKeeper) unknown(f Field, t Type, v any, at tree.Path) []tree.Path {
	var out []tree.Path
	undescribed(t, v, at, f.FreeForm, func(p tree.Path, freeForm bool) {
		if u.freeForm || !freeForm {
			out = append(out, p)
		}
	})
	return out
}

// DropUnknown removes from r the members that [Kind.UnknownMembers] names.
func (k Kind) DropUnknown(r *kuma.Resource) {
	dropUnknown(k.document(), r.Body)
}

func dropUnknown(t Type, v any) {
	switch t := t.(type) {
	case Object:
		m, _ := v.(map[string]any)
		maps.DeleteFunc(m, func(name string, _ any) bool {
			_, ok := t.Field(name)
			return !ok
		})
		for _, f := range t {
			if !f.FreeForm {
				dropUnknown(f.Type, m[f.Name])
			}
		}
	case List:
		list, _ := v.([]any)
		for _, e := range list {
			dropUnknown(t.Elem, e)
		}
	case Map, Scalar:
	}
}
