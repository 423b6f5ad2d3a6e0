package randomworld

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// enrich adds fields to the objects of a valid document, and replaces values
// that are one of a list, wherever it stays valid. So it has fields that do not
// concern other resources, and those that other parts of the document have to
// allow.
func (w *world) enrich(k def.Kind, r kuma.Resource) kuma.Resource {
	if k.Policy == nil {
		w.aim = w.aimAt(k)
	}
	w.left = documentDraws
	var objects []def.Place
	def.Walk(k.Root(), tree.Root(r.Body), func(p def.Place) bool {
		if _, ok := p.Type.(def.Object); ok {
			objects = append(objects, p)
		}
		return true
	})
	for _, p := range objects {
		o, _ := p.Type.(def.Object)
		for i := range o {
			f := &o[i]
			if f.ServerOwned || !exists(f, w.options.Release) || p.Has(f.Name) && !replaceable(f) || !w.adds(k, o, f) {
				continue
			}
			v, ok := w.value(f, k.Proto())
			if !ok {
				continue
			}
			more := r.Clone()
			holder, _ := tree.At(more.Body, p.Path).(object)
			if holder == nil {
				continue
			}
			holder[f.Name] = v
			if w.aim.has(f) {
				more, ok = w.repair(k, more)
			} else {
				ok = w.valid(k, more)
			}
			if ok {
				r = more
			}
		}
	}
	return r
}

// replaceable reports whether other values of a field are worth a try.
func replaceable(f *def.Field) bool { return f.Values() != nil || f.Type == def.Bool }

// adds decides whether to add a field. Policies have been drawn as a whole, and
// so have references.
func (w *world) adds(k def.Kind, o def.Object, f *def.Field) bool {
	switch {
	case w.aim.has(f):
		return true
	case f.Name == "sectionName", f.Name == "hostnames":
		return w.one(2)
	default:
		return k.Policy == nil && !isReference(o) && w.one(6)
	}
}
