package def

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// StoreContext is what determines how a document is stored, besides the
// document.
type StoreContext struct {
	kuma.ControlPlane
	Mesh   kuma.Resource // the mesh that the resource belongs to
	Create bool          // there is no resource with that name yet
}

// Store returns what a control plane stores when r is written: unknown fields
// dropped, defaults added or removed, values in canonical form, labels
// computed. r must be valid; it is not modified.
func (k Kind) Store(r kuma.Resource, c StoreContext) kuma.Resource {
	return k.store(r, c, normalizer{proto: k.Proto(), release: c.Release})
}

// Normalize is [Kind.Store], but also converts values that a control plane
// stores as they are sent to canonical form: equivalent resources become equal.
func (k Kind) Normalize(r kuma.Resource, c StoreContext) kuma.Resource {
	return k.store(r, c, normalizer{proto: k.Proto(), release: c.Release, oneSpelling: true})
}

func (k Kind) store(r kuma.Resource, c StoreContext, n normalizer) kuma.Resource {
	r.Body = n.object(k.Root(), r.Body) // which shares nothing with that of r
	if k.Complete != nil {
		k.Complete(&r, c)
	}
	r.Labels = k.Labels(r, c.ControlPlane)
	return r
}

type normalizer struct {
	proto          bool
	release        kuma.Release
	storesDefaults bool // this object does, although its kind is an older one
	oneSpelling    bool // also for what is stored as sent
}

func (s normalizer) object(o Object, m map[string]any) map[string]any {
	if !s.proto {
		m = o.withDeclaredNames(m)
	}
	out := make(map[string]any, len(o))
	for _, f := range o {
		if f.Removed.AppliesTo(s.release) {
			continue
		}
		if v := f.valueIn(m); v != nil {
			v = s.value(f, f.Type, v)
			absent := f.CountsAsAbsent(v, s.proto) ||
				s.oneSpelling && s.release.Kuma3() && f.DefaultIn3 != nil && tree.Equal(v, f.DefaultIn3)
			if !absent && !s.dropsEmpty(f, v) {
				out[f.Name] = v
			}
			if !absent {
				continue
			}
		}
		if d := s.defaultOf(&f, m); d != nil {
			out[f.Name] = d
		}
	}
	return out
}

// FillDefaults writes the defaults of absent fields into r, which a control plane
// does by itself since [kuma.CompletesSince].
func (k Kind) FillDefaults(r kuma.Resource) {
	n := normalizer{proto: k.Proto()}
	Walk(k.Root(), tree.Root(r.Body), func(p Place) bool {
		o, _ := p.Type.(Object)
		m, _ := p.Value().(map[string]any)
		for i := range o {
			if f := &o[i]; m != nil && m[f.Name] == nil && !f.ServerOwned {
				if d := n.defaultOf(f, m); d != nil {
					m[f.Name] = d
				}
			}
		}
		return true
	})
}

// withDeclaredNames returns an object with the declared names of its fields, which control planes read in any case of letters
// (rest-api.md §9.1).
func (o Object) withDeclaredNames(m map[string]any) map[string]any {
	var others []string
	for name := range m {
		if _, ok := o.Field(name); !ok {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return m
	}
	m = maps.Clone(m)
	for _, name := range phrase.Sorted(others) {
		if i := slices.IndexFunc(o, func(f Field) bool { return strings.EqualFold(f.Name, name) }); i >= 0 {
			m[o[i].Name] = m[name]
		}
	}
	return m
}

// valueIn returns the value of the field in an object that a client wrote.
func (f Field) valueIn(m map[string]any) any {
	if v := m[f.Name]; v != nil || !f.SnakeCase {
		return v
	}
	return m[snakeCase(f.Name)]
}

// defaultOf returns the default that is written for an absent field, nil for none.
func (s normalizer) defaultOf(f *Field, parent map[string]any) any {
	if s.proto && !s.storesDefaults && !f.StoresDefaults {
		return nil
	}
	if f.DefaultIn3 != nil {
		return nil
	}
	d := f.AbsentMeans(parent, false, s.release)
	if _, ok := f.Type.(Object); ok && (d != nil || f.StoresDefaults) {
		return s.value(*f, f.Type, d)
	}
	if (f.DropsEmpty.Contain(s.release) || f.EmptyIsAbsent) && isEmpty(d) {
		return nil
	}
	return tree.Clone(d)
}

// dropsEmpty reports whether a value is not stored because it is empty. The default does
// not replace it.
func (s normalizer) dropsEmpty(f Field, v any) bool {
	drops := !s.proto && f.DropsEmpty.Contain(s.release) || s.oneSpelling && f.EmptyIsAbsent
	return drops && isEmpty(v)
}

func isEmpty(v any) bool { return tree.IsEmpty(v) || v == false || tree.Equal(v, json.Number("0")) }

func (s normalizer) value(f Field, t Type, v any) any {
	switch t := t.(type) {
	case Scalar:
		return s.scalar(t, v)
	case Secret:
		return s.scalar(Base64, v)
	case List:
		list := tree.List(v)
		out := make([]any, len(list))
		for i, e := range list {
			out[i] = s.value(f, t.Elem, e)
		}
		return out
	case StringMap:
		m := tree.Object(v)
		out := make(map[string]any, len(m))
		for key, e := range m {
			out[key] = s.scalar(String, e)
		}
		return out
	case Object:
		m := tree.Object(v)
		if f.FreeForm {
			return freeForm(m)
		}
		s.storesDefaults = f.StoresDefaults
		return s.object(t, m)
	default:
		panic(fmt.Sprintf("def: unknown type %T", t))
	}
}

func (s normalizer) scalar(t Scalar, v any) any {
	c, err := Canonical(t, v)
	switch {
	case err != nil:
		return tree.Clone(v)
	case t == IntOrString && !s.oneSpelling:
		return v // stored as sent
	default:
		return c
	}
}

// AbsentMeans returns the value that is equivalent to an absent field, nil when
// absence has its own meaning. parent is the object that lacks the field; proto
// reports whether it belongs to an older kind, see [Kind.Proto]; r is the release of the
// control plane.
func (f Field) AbsentMeans(parent map[string]any, proto bool, r kuma.Release) any {
	switch {
	case f.DefaultIn3 != nil && r.Kuma3():
		return f.DefaultIn3
	case f.DefaultFrom != nil:
		return f.DefaultFrom(parent)
	case f.Default != nil:
		return f.Default
	case proto && !f.Distinct, f.DropsEmpty == kuma.Always(), f.EmptyIsAbsent:
		return zero(f.Type)
	default:
		return nil
	}
}

// CountsAsAbsent reports whether the control plane cannot distinguish v from an
// absent field, such as zero in an older kind; proto reports whether it is one.
func (f Field) CountsAsAbsent(v any, proto bool) bool {
	return proto && !f.Distinct && isZero(f, v)
}

// zero returns the value that protobuf does not distinguish from an absent one,
// nil for none.
func zero(t Type) any {
	switch t := t.(type) {
	case List:
		return []any{}
	case StringMap:
		return map[string]any{}
	case Secret:
		return ""
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
	case Object:
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
