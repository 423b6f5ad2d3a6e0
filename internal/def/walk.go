package def

import (
	"iter"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Place is a described place in a document: the whole, a field of an object, an
// element of a list or a value of a map.
type Place struct {
	tree.Node
	// Field describes the field that is here, or that the element or value is
	// part of. It is empty for the whole.
	Field *Field
	// Type is the type of what is here.
	Type Type
	// Element is true for an element of the list, or a value of the map, that
	// Field describes.
	Element bool
	// FreeForm is true if the control plane stores what is sent here unchanged,
	// see [Field.FreeForm].
	FreeForm bool
}

// Walk visits n, which t describes, and every place below it once, from the
// outside in: fields in the order of the description, including null ones, but
// not absent ones. It does not go below a place for which visit returns false.
// A visit may change what is below its place.
func Walk(t Type, n tree.Node, visit func(p Place) bool) {
	walk(Place{Node: n, Field: &whole, Type: t}, visit)
}

var whole Field

func walk(p Place, visit func(p Place) bool) {
	if !visit(p) {
		return
	}
	switch t := p.Type.(type) {
	case Object:
		for i := range t {
			if f := &t[i]; p.Has(f.Name) {
				walk(Place{Node: p.Get(f.Name), Field: f, Type: f.Type, FreeForm: p.FreeForm || f.FreeForm}, visit)
			}
		}
	case List:
		for _, e := range p.Items() {
			walk(Place{Node: e, Field: p.Field, Type: t.Elem, Element: true, FreeForm: p.FreeForm}, visit)
		}
	case StringMap:
		for _, e := range p.Entries() {
			walk(Place{Node: e, Field: p.Field, Type: String, Element: true, FreeForm: p.FreeForm}, visit)
		}
	case Scalar, Secret:
	}
}

// All returns the fields of o and of all objects below it, outer ones first.
func (o Object) All() iter.Seq[*Field] {
	return func(yield func(*Field) bool) { o.each(yield) }
}

func (o Object) each(yield func(*Field) bool) bool {
	for i := range o {
		if !yield(&o[i]) || !ObjectOf(o[i].Type).each(yield) {
			return false
		}
	}
	return true
}

// anyField reports whether an object in a value of type t can have such a
// field. Visits that look for something rare use it to skip values without it.
func anyField(t Type, such func(f *Field) bool) bool {
	for f := range ObjectOf(t).All() {
		if such(f) {
			return true
		}
	}
	return false
}

// ObjectOf returns the object that a value of type t is, or is a list of; nil
// when it is neither.
func ObjectOf(t Type) Object {
	if list, ok := t.(List); ok {
		t = list.Elem
	}
	o, _ := t.(Object)
	return o
}

// ObjectAt returns the description of the object that a path in a document
// leads to; false when there is none.
func (k Kind) ObjectAt(p tree.Path) (Object, bool) {
	at := Field{Type: k.Root()}
	for _, step := range p {
		var ok bool
		if at, ok = at.below(step); !ok {
			return nil, false
		}
	}
	o, ok := at.Type.(Object)
	return o, ok
}

// below returns the field that one step of a path leads to; for an element of a
// list or a value of a map one with its type alone.
func (f Field) below(step any) (Field, bool) {
	switch t := f.Type.(type) {
	case Object:
		name, _ := step.(string)
		return t.Field(name)
	case List:
		return Field{Type: t.Elem}, true
	case StringMap:
		return Field{Type: String}, true
	case Scalar, Secret:
	}
	return Field{}, false
}
