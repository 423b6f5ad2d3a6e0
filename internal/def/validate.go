package def

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Validate returns what is wrong with a document of kind k in universal format:
// all problems, sorted by path. Values may be [Unknown]. Members that the kind
// does not have are ignored, as on a control plane.
func (k Kind) Validate(doc map[string]any) []Problem {
	root := tree.Root(doc)
	fields, v := root, validator{flat: k.Flat}
	if !k.Flat {
		fields = root.Get("spec")
		v.field(Field{Name: "spec", Type: k.Fields, Required: true, Doc: "An empty object will do."}, fields)
	} else {
		v.object(k.Fields, fields)
	}
	v.object(Object{{Name: "labels", Type: Map{String}}}, root)
	v.problems = append(v.problems, v.others(k.Checks, fields)...)
	v.problems = append(v.problems, envelope(root)...)
	return k.finish(doc, v.problems)
}

// Validate returns what is wrong with a value of type o on its own.
func (o Object) Validate(value map[string]any, flat bool) []Problem {
	v := validator{flat: flat}
	v.object(o, tree.Root(value))
	Sort(v.problems)
	return v.problems
}

type validator struct {
	flat     bool
	problems []Problem
}

func (v *validator) add(p Problem) { v.problems = append(v.problems, p) }

// shape reports a value of the wrong type: newer kinds have a schema for that,
// older ones fail to decode.
func (v *validator) shape(n tree.Node, summary, detail string) {
	p := ErrorAt(n, summary, detail)
	p.Stage = Schema
	if v.flat {
		p.Stage = Decode
	}
	v.add(p)
}

func (v *validator) run(checks []Check, n tree.Node) {
	for _, c := range checks {
		v.problems = append(v.problems, c.Test(n)...)
	}
}

// others returns what breaks the checks, except where a value is wrong already:
// how it fits others is no news then.
func (v *validator) others(checks []Check, n tree.Node) []Problem {
	all := validator{}
	all.run(checks, n)
	return slices.DeleteFunc(all.problems, func(p Problem) bool {
		return slices.ContainsFunc(v.problems, func(found Problem) bool { return tree.ComparePaths(found.Path, p.Path) == 0 })
	})
}

func (v *validator) object(o Object, n tree.Node) {
	m, _ := n.Value().(map[string]any)
	for _, f := range o {
		child := n.Get(f.Name)
		if value, present := m[f.Name]; present && value == nil && !v.flat {
			v.shape(child, f.Name+" is null", "null is refused here. Leave the member out instead.")
			continue
		}
		v.field(f, child)
	}
}

func (v *validator) field(f Field, n tree.Node) {
	switch {
	case n.Unknown():
	case f.Required && v.missing(f, n):
		detail := f.Name + " is required here."
		if !n.Absent() {
			detail = f.Name + " is required here, and a value that is empty or zero counts as unset."
		}
		p := ErrorAt(n, f.Name+" is missing", detail+" "+f.Doc)
		if !v.flat {
			p.Stage = Schema
		}
		v.add(p)
	case n.Absent():
	case v.value(f, f.Type, n):
		v.run(f.Checks, n)
	}
}

// missing reports whether nothing is there; older kinds cannot tell a zero value
// from that.
func (v *validator) missing(f Field, n tree.Node) bool {
	return n.Absent() || f.CountsAsAbsent(n.Value(), v.flat)
}

// value reports whether n has the shape of t; what is wrong below it is
// reported, but does not count.
func (v *validator) value(f Field, t Type, n tree.Node) bool {
	if n.Unknown() {
		return true
	}
	switch t := t.(type) {
	case Scalar:
		return v.scalar(f, t, n)
	case List:
		list, ok := n.Value().([]any)
		if !ok {
			v.shape(n, f.Name+" must be a list", fmt.Sprintf("%s takes a list, not %s.", f.Name, tree.Describe(n.Value())))
			return false
		}
		for i := range list {
			v.value(f, t.Elem, n.Items()[i])
		}
		return true
	case Map:
		if _, ok := n.Value().(map[string]any); !ok {
			v.shape(n, f.Name+" must be a map", fmt.Sprintf("%s takes a map, not %s.", f.Name, tree.Describe(n.Value())))
			return false
		}
		for _, e := range n.Entries() {
			if v.flat && e.Absent() {
				continue // null in a map of an older kind is the zero value
			}
			v.value(f, t.Elem, e)
		}
		return true
	case Object:
		if _, ok := n.Value().(map[string]any); !ok {
			v.shape(n, f.Name+" must be an object", fmt.Sprintf("%s takes an object, not %s.", f.Name, tree.Describe(n.Value())))
			return false
		}
		v.object(t, n)
		return true
	default:
		panic(fmt.Sprintf("def: unknown type %T", t))
	}
}

func (v *validator) scalar(f Field, s Scalar, n tree.Node) bool {
	c, err := Canonical(s, n.Value())
	if err != nil {
		found := ""
		if text, ok := n.Text(); ok {
			found = fmt.Sprintf("%q ", text)
		}
		v.shape(n, "Invalid "+f.Name, fmt.Sprintf("%s %s%s.", f.Name, found, err))
		if _, text := n.Value().(string); text && (s == Duration || s == ProtoDuration) {
			v.problems[len(v.problems)-1].Stage = Decode
		}
		return false
	}
	if text := fmt.Sprint(c); f.OneOf != nil && !slices.Contains(f.OneOf, text) {
		v.shape(n, "Unknown "+f.Name, fmt.Sprintf("%q is not allowed as %s. %s", text, f.Name, phrase.Allowed(f.OneOf, text)))
		return false
	}
	return true
}

// ObjectAt returns the description of the object that a path in a document
// leads to; false when there is none.
func (k Kind) ObjectAt(p tree.Path) (Object, bool) {
	f, ok := k.fieldAt(p)
	if !ok {
		return nil, false
	}
	o, ok := f.Type.(Object)
	return o, ok
}

// fieldAt returns the member that a path leads to; for an element of a list one
// with the type of the element alone.
func (k Kind) fieldAt(p tree.Path) (Field, bool) {
	at := Field{Type: k.document()}
	for _, step := range p {
		switch here := at.Type.(type) {
		case Object:
			name, _ := step.(string)
			f, ok := here.Field(name)
			if !ok {
				return Field{}, false
			}
			at = f
		case List:
			at = Field{Type: here.Elem}
		case Map:
			at = Field{Type: here.Elem}
		case Scalar:
			return Field{}, false
		}
	}
	return at, true
}
