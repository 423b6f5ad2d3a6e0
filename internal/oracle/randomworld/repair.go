package randomworld

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// repairs limits how often something is repaired before it is drawn again.
const repairs = 4

// repair changes a document where its declaration rejects it; false if it is
// still not valid.
func (w *world) repair(k def.Kind, r kuma.Resource) (kuma.Resource, bool) {
	r = r.Clone()
	ok := w.repairUntil(k.Root(), k.Proto(), r.Body, func() []def.Problem { return w.problems(k, r) })
	return r, ok
}

// repairValue changes a value where the declaration of its field rejects it, as
// far as that does not depend on the rest of the document; false if it is still
// not valid.
func (w *world) repairValue(f *def.Field, v any, proto bool) (any, bool) {
	body := object{f.Name: v}
	ok := w.repairUntil(def.Object{*f}, proto, body, func() []def.Problem { return rejections(f, body, proto) })
	return body[f.Name], ok
}

// rejections returns why the declaration of a field rejects its value in an
// object. What is inside of the value has been accepted on its own.
func rejections(f *def.Field, in object, proto bool) []def.Problem {
	if proto || def.ObjectOf(f.Type) == nil && len(f.Checks) > 0 {
		return def.Errors(def.Object{*f}.Validate(in, proto))
	}
	var problems []def.Problem
	for _, c := range f.Checks {
		problems = append(problems, def.Errors(c.Test(tree.Root(in).Get(f.Name)))...)
	}
	return problems
}

func (w *world) repairUntil(root def.Object, proto bool, body object, check func() []def.Problem) bool {
	for range repairs {
		problems := check()
		if len(problems) == 0 {
			return true
		}
		for _, p := range problems {
			if !w.repairAt(root, proto, body, p.Path) {
				return false
			}
		}
	}
	return len(check()) == 0
}

// repairAt draws a field that is missing, or one that is aimed at, and removes
// any other; false if there is no such field.
func (w *world) repairAt(root def.Object, proto bool, body object, path tree.Path) bool {
	if len(path) < 2 {
		return false
	}
	holder, _ := tree.At(body, path.Parent()).(object)
	o, _ := def.Kind{Flat: true, Fields: root}.ObjectAt(path.Parent())
	for i := range o {
		f := &o[i]
		if holder == nil || f.Name != path[len(path)-1] {
			continue
		}
		_, has := holder[f.Name]
		_, fixed := w.aim.valueOf(f)
		switch {
		case has && fixed:
			return false
		case has && !w.aim.has(f):
			delete(holder, f.Name)
			return true
		}
		v, ok := w.value(f, proto)
		if ok {
			holder[f.Name] = v
		}
		return ok
	}
	return false
}
