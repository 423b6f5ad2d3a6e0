package randomworld

import (
	"slices"
	"strings"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// aim is one declared place of a kind that a document should have: the field
// there, after those around it, and its value if the declaration lists them.
// Without an aim, fields that are deep inside of optional ones would hardly ever
// be drawn.
type aim struct {
	fields []*def.Field
	value  string
}

func (a aim) has(f *def.Field) bool { return slices.Contains(a.fields, f) }

// at reports whether a field is the place itself.
func (a aim) at(f *def.Field) bool { return len(a.fields) > 0 && a.fields[len(a.fields)-1] == f }

// valueOf returns the value that a field should have; false if any will do.
func (a aim) valueOf(f *def.Field) (string, bool) {
	return a.value, a.value != "" && a.at(f)
}

// exists reports whether the control planes of a release that there are have a field.
func exists(f *def.Field, r kuma.Release) bool { return f.In(r) && !f.Stated }

// in reports whether a release has the place.
func (a aim) in(r kuma.Release) bool {
	return !slices.ContainsFunc(a.fields, func(f *def.Field) bool {
		return !exists(f, r) || a.at(f) && f.Values() != nil && !slices.Contains(f.ValuesIn(r), a.value)
	})
}

// aims are those for all places of a kind, by its name.
var aims sync.Map

// aimsOf returns the places of a kind, in a list that is shared.
func aimsOf(k def.Kind) []aim {
	all, ok := aims.Load(k.Name)
	if !ok {
		all, _ = aims.LoadOrStore(k.Name, aimsBelow(k.Fields, nil))
	}
	places, _ := all.([]aim)
	return places
}

// aimAt chooses a place of a kind.
func (w *world) aimAt(k def.Kind) aim {
	places := aimsOf(k)
	for range min(draws, len(places)) {
		if a := pick(w, places...); a.in(w.options.Release) {
			return a
		}
	}
	return aim{}
}

func aimsBelow(o def.Object, above []*def.Field) []aim {
	var all []aim
	for i := range o {
		fields := append(slices.Clip(above), &o[i])
		values := o[i].Values()
		switch {
		case o[i].Type == def.Bool:
			values = []string{"true", "false"}
		case values == nil:
			values = []string{""}
		}
		for _, value := range values {
			all = append(all, aim{fields, value})
		}
		all = append(all, aimsBelow(def.ObjectOf(o[i].Type), fields)...)
	}
	return all
}

// stop is a place of a policy.
type stop struct {
	kind def.Kind
	aim  aim
}

// stopsOfWorld is the number of places that a world visits.
const stopsOfWorld = 4

// tour visits all places of all policies once.
var tour = sync.OnceValue(func() []stop {
	var stops []stop
	for _, k := range kinds.Policies() {
		for _, a := range aimsBelow(k.Fields, nil) {
			stops = append(stops, stop{k, a})
		}
	}
	return stops
})

// stops returns the next places of the tour: worlds with consecutive seeds visit
// all of them, as chance alone would not for a long time.
func (w *world) stops() []stop {
	all := tour()
	stops := make([]stop, stopsOfWorld)
	for i := range stops {
		stops[i] = all[(w.seed%uint64(len(all))*stopsOfWorld+uint64(i))%uint64(len(all))]
	}
	return stops
}

// variantAimedAt returns the value of a field named type that selects the field
// of the same object that is aimed at.
func (w *world) variantAimedAt(o def.Object, f *def.Field) (string, bool) {
	for i := range o {
		for _, value := range f.OneOf {
			if w.aim.has(&o[i]) && f.Name == "type" && strings.EqualFold(value, o[i].Name) {
				return value, true
			}
		}
	}
	return "", false
}
