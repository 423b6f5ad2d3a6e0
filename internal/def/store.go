package def

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Circumstances are what else decides how a document is stored.
type Circumstances struct {
	kuma.ControlPlane
	Mesh   kuma.Resource // the mesh that the resource belongs to
	Create bool          // there is no resource of that name yet
}

// Store returns what a control plane stores when r is written: unknown members
// dropped, defaults filled in or taken out, values in canonical form, labels
// computed. r must be valid; it is not modified.
func (k Kind) Store(r kuma.Resource, c Circumstances) kuma.Resource {
	return k.store(r, c, normaliser{flat: k.Flat})
}

// Normalise is [Kind.Store], with one spelling for values that a control plane
// stores as they are sent: two resources that mean the same become equal.
func (k Kind) Normalise(r kuma.Resource, c Circumstances) kuma.Resource {
	return k.store(r, c, normaliser{flat: k.Flat, oneSpelling: true})
}

func (k Kind) store(r kuma.Resource, c Circumstances, n normaliser) kuma.Resource {
	r = r.Clone()
	if k.Flat {
		r.Body = n.object(k.Fields, r.Body)
	} else {
		fields, _ := r.Body["spec"].(map[string]any)
		r.Body = map[string]any{"spec": n.object(k.Fields, fields)}
	}
	if k.Complete != nil {
		k.Complete(&r, c)
	}
	r.Labels = k.Labels(r, c.ControlPlane)
	return r
}

type normaliser struct {
	flat           bool
	storesDefaults bool // the object at hand does, although it is flat
	oneSpelling    bool // also for what is stored as sent
}

func (s normaliser) object(o Object, m map[string]any) map[string]any {
	out := make(map[string]any, len(o))
	for _, f := range o {
		if v := f.sent(m); v != nil {
			if v = s.value(f, f.Type, v); !s.drops(f, v) {
				out[f.Name] = v
				continue
			}
		}
		if d := s.fill(f, m); d != nil {
			out[f.Name] = d
		}
	}
	return out
}

// sent returns the value of the member in an object that a client wrote.
func (f Field) sent(m map[string]any) any {
	if v := m[f.Name]; v != nil || !f.SnakeCase {
		return v
	}
	return m[AttributeName(f.Name)]
}

// fill returns the default that is written for an absent member, nil for none.
func (s normaliser) fill(f Field, parent map[string]any) any {
	if s.flat && !s.storesDefaults && !f.StoresDefaults {
		return nil
	}
	d := f.AbsentMeans(parent, false)
	if _, ok := f.Type.(Object); ok && d != nil {
		return s.value(f, f.Type, d)
	}
	if f.DropsEmpty {
		return nil
	}
	return tree.Clone(d)
}

func (s normaliser) drops(f Field, v any) bool {
	return f.CountsAsAbsent(v, s.flat) || !s.flat && f.DropsEmpty && tree.IsEmpty(v)
}

func (s normaliser) value(f Field, t Type, v any) any {
	switch t := t.(type) {
	case Scalar:
		c, err := Canonical(t, v)
		if err != nil {
			return tree.Clone(v)
		}
		if t == IntOrString && !s.oneSpelling { // stored as sent
			return v
		}
		return c
	case List:
		list, _ := v.([]any)
		out := make([]any, len(list))
		for i, e := range list {
			out[i] = s.value(f, t.Elem, e)
		}
		return out
	case Map:
		m, _ := v.(map[string]any)
		out := make(map[string]any, len(m))
		for k, e := range m {
			out[k] = s.value(f, t.Elem, e)
		}
		return out
	case Object:
		m, _ := v.(map[string]any)
		if f.FreeForm {
			return freeForm(m)
		}
		s.storesDefaults = f.StoresDefaults
		return s.object(t, m)
	default:
		panic(fmt.Sprintf("def: unknown type %T", t))
	}
}

// AbsentMeans returns the value that the control plane takes an absent member
// for, nil when absence has a meaning of its own. parent is the object that
// lacks the member; flat tells whether it belongs to an older kind.
func (f Field) AbsentMeans(parent map[string]any, flat bool) any {
	switch {
	case f.DefaultFrom != nil:
		return f.DefaultFrom(parent)
	case f.Default != nil:
		return f.Default
	case flat && !f.Distinct, f.DropsEmpty:
		return zero(f.Type)
	default:
		return nil
	}
}

// CountsAsAbsent reports whether the control plane cannot tell v from an absent
// member, as with zero in an older kind; flat says that it is one.
func (f Field) CountsAsAbsent(v any, flat bool) bool {
	return flat && !f.Distinct && isZero(f, v)
}

func zero(t Type) any {
	switch t := t.(type) {
	case List:
		return []any{}
	case Map:
		return map[string]any{}
	case Scalar:
		switch t {
		case String, IntOrString, Base64:
			return ""
		case Bool:
			return false
		case Int, Number:
			return json.Number("0")
		case Duration, ProtoDuration, JSON: // messages of their own, which are absent or not
		}
	}
	return nil
}

func isZero(f Field, v any) bool {
	if f.Default != nil {
		return tree.Equal(f.Default, v)
	}
	z := zero(f.Type)
	return z != nil && tree.Equal(z, v)
}

// WithoutServerOwned returns r without what the control plane writes by itself,
// computed labels included. What is left changes only when somebody changes it.
func (k Kind) WithoutServerOwned(r kuma.Resource) kuma.Resource {
	r = r.Clone()
	maps.DeleteFunc(r.Labels, func(label, _ string) bool { return kuma.ComputedLabel(label) })
	if k.Flat {
		dropServerOwned(k.Fields, r.Body)
	} else {
		dropServerOwned(k.Fields, r.Spec())
	}
	return r
}

func dropServerOwned(t Type, v any) {
	switch t := t.(type) {
	case Object:
		m, _ := v.(map[string]any)
		for _, f := range t {
			if f.ServerOwned {
				delete(m, f.Name)
				continue
			}
			if keyed, ok := m[f.Name].(map[string]any); ok {
				for _, key := range f.ServerKeys {
					delete(keyed, key.Name)
				}
				if f.ServerKeys != nil && len(keyed) == 0 { // without them it says nothing
					delete(m, f.Name)
				}
			}
			dropServerOwned(f.Type, m[f.Name])
		}
	case List:
		list, _ := v.([]any)
		for _, e := range list {
			dropServerOwned(t.Elem, e)
		}
	case Map, Scalar:
	}
}

// KeepServerOwned copies into r the members of current that the control plane
// writes by itself and r leaves out: a write without them would take them away
// until the control plane's next round (rest-api.md §10). An element of a
// list is taken for the one in its place when their required members agree.
func (k Kind) KeepServerOwned(r *kuma.Resource, current kuma.Resource) {
	if k.Flat {
		keepServerOwned(k.Fields, r.Body, current.Body)
		return
	}
	keepServerOwned(k.Fields, r.Spec(), current.Spec())
}

func keepServerOwned(t Type, v, current any) {
	switch t := t.(type) {
	case Object:
		m, _ := v.(map[string]any)
		old, _ := current.(map[string]any)
		if m == nil || old == nil {
			return
		}
		for _, f := range t {
			_, ok := m[f.Name]
			switch {
			case f.ServerOwned && !ok && old[f.Name] != nil:
				m[f.Name] = tree.Clone(old[f.Name])
			case !f.ServerOwned:
				keepServerOwned(f.Type, m[f.Name], old[f.Name])
			}
		}
	case List:
		list, _ := v.([]any)
		old, _ := current.([]any)
		elem, _ := t.Elem.(Object)
		for i := range min(len(list), len(old)) {
			if elem.sameRequired(list[i], old[i]) {
				keepServerOwned(elem, list[i], old[i])
			}
		}
	case Map, Scalar:
	}
}

// sameRequired reports whether two objects agree in all required members.
func (o Object) sameRequired(a, b any) bool {
	x, _ := a.(map[string]any)
	y, _ := b.(map[string]any)
	for _, f := range o {
		if f.Required && !tree.Equal(x[f.Name], y[f.Name]) {
			return false
		}
	}
	return true
}
