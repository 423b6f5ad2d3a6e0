package randomworld

import (
	"math/rand/v2"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Mutate returns a copy of a resource of kind k with up to n changes, most of
// which make it invalid: a field is removed or added, an element is repeated,
// or a value is replaced with another one of its type, at the limits of what is
// allowed, or with one of another type.
// The same seed gives the same copy.
func Mutate(seed uint64, k def.Kind, r kuma.Resource, n int, o Options) kuma.Resource {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 2)), options: o, names: map[string][]string{}}
	of := (&world{Rand: rand.New(rand.NewPCG(seed, documentStream))}).aimAt(k)
	mutated := r.Clone()
	for range n {
		if w.one(12) {
			w.mutateEnvelope(k, &mutated)
			continue
		}
		w.left = documentDraws
		w.mutateBody(k, mutated.Body, of)
	}
	return mutated
}

// mutateEnvelope changes the name of a resource, or a label.
func (w *world) mutateEnvelope(k def.Kind, r *kuma.Resource) {
	if w.one(3) {
		r.Name = pick(w, longText(64), longText(254), "Upper", "under_score", "1st", "two.parts", "-a", "a-", "a..b")
		return
	}
	if r.Labels == nil {
		r.Labels = map[string]string{}
	}
	key := pick(w, kuma.LabelOrigin, kuma.LabelZone, kuma.LabelMesh, kuma.LabelEnv, kuma.LabelDisplayName, kuma.LabelEffect,
		kuma.LabelWorkload,
		"team", "a/b/c", "-team", "example.com/team", "Example/team", longText(64))
	if k.Policy != nil && w.one(2) {
		key = kuma.LabelPolicyRole
	}
	r.Labels[key] = pick(w, "", "a", "A", "zone", "global", "system", "producer", "consumer", "workload-owner", "x y", "-a", w.options.Zone,
		w.options.Mesh, longText(63), longText(64))
}

// mutateBody changes one place of the fields of a resource, often the one that
// the document aims at.
func (w *world) mutateBody(k def.Kind, body object, of aim) {
	var places []def.Place
	def.Walk(k.Root(), tree.Root(body), func(p def.Place) bool {
		places = append(places, p)
		return true
	})
	p := pick(w, places...)
	if w.one(2) {
		aimedAt := slices.DeleteFunc(slices.Clone(places), func(p def.Place) bool { return !of.at(p.Field) })
		if len(aimedAt) > 0 {
			p = pick(w, aimedAt...)
		}
	}
	if o, isObject := p.Type.(def.Object); isObject && !w.one(3) {
		if fields, ok := p.Value().(object); ok {
			w.mutateObject(o, fields, k.Proto())
			return
		}
	}
	if len(p.Path) > 0 {
		w.mutateValue(p, body, places, k.Proto())
	}
}

// mutateObject adds a field that the object may have, or removes one.
func (w *world) mutateObject(o def.Object, fields object, proto bool) {
	known := slices.DeleteFunc(slices.Clone(o), func(f def.Field) bool { return !exists(&f, w.options.Release) })
	if len(known) == 0 {
		return
	}
	f := pick(w, known...)
	if _, has := fields[f.Name]; has {
		delete(fields, f.Name)
		return
	}
	if v, ok := w.draw(&f, f.Type, proto); ok {
		fields[f.Name] = v
	}
}

// mutateValue replaces a field or an element, repeats an element, or removes a
// field.
func (w *world) mutateValue(p def.Place, body object, places []def.Place, proto bool) {
	last := p.Path[len(p.Path)-1]
	switch container := tree.At(body, p.Path[:len(p.Path)-1]).(type) {
	case object:
		name, _ := last.(string)
		if w.one(6) {
			delete(container, name)
			return
		}
		container[name] = w.otherValue(p, places, proto)
	case []any:
		i, _ := last.(int)
		if w.one(4) && len(container) > 1 {
			container[i] = tree.Clone(container[w.IntN(len(container))])
			return
		}
		container[i] = w.otherValue(p, places, proto)
	}
}

// otherValue returns a value for a place: one of its type, one at the limits of
// that type, one of another type, or that of another place.
func (w *world) otherValue(p def.Place, places []def.Place, proto bool) any {
	switch w.IntN(10) {
	case 0:
		return pick[any](w, nil, "", "text", true, number(1), []any{}, object{}, []any{"a", "a"}, object{"a": "b"})
	case 1:
		return tree.Clone(pick(w, places...).Value())
	case 2, 3, 4:
		if v, ok := w.draw(p.Field, p.Type, proto); ok {
			return v
		}
	}
	return w.limit(p)
}
