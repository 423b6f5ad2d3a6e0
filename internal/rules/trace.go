package rules

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// trace is built along with a conf while it is merged, and records which layer
// set what. A trace mirrors one value: it has children if the value is an
// object, or a list whose elements are set separately.
//
// All methods do nothing on a nil trace, which records nothing.
type trace struct {
	settings []layerSetting // of the value itself, in order of increasing precedence
	fields   map[string]*trace
	elems    []*trace
	layers   int // how many are merged, for which settings have room
}

// layerSetting is a value that a layer set, here or below, where it was
// replaced as part of a larger value.
type layerSetting struct {
	below tree.Path
	value any
	by    *layer
}

// field returns the trace of a field of an object.
func (t *trace) field(name string) *trace {
	if t == nil {
		return nil
	}
	if t.fields == nil {
		t.fields = map[string]*trace{}
	}
	m, ok := t.fields[name]
	if !ok {
		m = &trace{layers: t.layers}
		t.fields[name] = m
	}
	return m
}

// follow returns the trace of a nested field.
func (t *trace) follow(path []string) *trace {
	for _, name := range path {
		t = t.field(name)
	}
	return t
}

// elem returns the trace of an element of a list.
func (t *trace) elem(i int) *trace {
	if t == nil {
		return nil
	}
	for len(t.elems) <= i {
		t.elems = append(t.elems, &trace{layers: t.layers})
	}
	return t.elems[i]
}

// set records that a layer replaces the whole value.
func (t *trace) set(value any, by *layer) {
	if t == nil {
		return
	}
	t.collapse()
	if tree.IsEmptyObject(value) {
		value = map[string]any{} // the other may be filled later
	}
	if t.settings == nil {
		t.settings = make([]layerSetting, 0, t.layers)
	}
	t.settings = append(t.settings, layerSetting{value: value, by: by})
}

// write records that a layer sets every leaf of a value.
func (t *trace) write(value any, by *layer) {
	if t == nil {
		return
	}
	m := tree.Object(value)
	if len(m) == 0 {
		t.set(value, by)
		return
	}
	for k, v := range m {
		t.field(k).write(v, by)
	}
}

// overlay records for each field of an object that all layers that have it set
// it as a whole.
func (t *trace) overlay(value map[string]any, layers []*layer) {
	if t == nil {
		return
	}
	for name := range value {
		for _, l := range layers {
			if v, ok := tree.Object(l.conf.value)[name]; ok {
				t.field(name).set(v, l)
			}
		}
	}
}

// remove records that a field was removed.
func (t *trace) remove(name string) {
	if t != nil {
		delete(t.fields, name)
	}
}

// reset discards everything that was recorded, before as many layers are merged.
func (t *trace) reset(layers int) {
	if t != nil {
		*t = trace{layers: layers}
	}
}

// collapse turns everything that was set below the value into settings of the
// value.
func (t *trace) collapse() {
	for _, c := range t.children() {
		c.collapse()
		for _, s := range c.settings {
			s.below = slices.Concat(tree.Path{c.step}, s.below)
			t.settings = append(t.settings, s)
		}
	}
	t.fields, t.elems = nil, nil
}

// child is a trace together with the step that leads to it.
type child struct {
	step any
	*trace
}

// children returns the traces of fields and elements, by name and position.
func (t *trace) children() []child {
	if len(t.fields)+len(t.elems) == 0 {
		return nil
	}
	out := make([]child, 0, len(t.fields)+len(t.elems))
	for name, m := range t.fields {
		out = append(out, child{name, m})
	}
	slices.SortFunc(out, func(a, b child) int { return strings.Compare(tree.Text(a.step), tree.Text(b.step)) })
	for i, e := range t.elems {
		out = append(out, child{i, e})
	}
	return out
}

// leaves lists the leaves of the value at a path, in the order of their paths.
// above are settings of the enclosing objects from when they were not objects.
func (t *trace) leaves(at tree.Path, above []Setting, describe func(*layer) Origin) []Leaf {
	settings := append(make([]Setting, 0, len(above)+len(t.settings)), above...)
	for _, s := range t.settings {
		path := at
		if len(s.below) > 0 {
			path = slices.Concat(at, s.below)
		}
		settings = append(settings, Setting{
			Path:  path,
			Value: tree.Clone(s.value),
			SetBy: describe(s.by),
		})
	}
	children := t.children()
	if len(children) == 0 {
		last := len(settings) - 1
		return []Leaf{{Setting: settings[last], Overridden: settings[:last]}}
	}
	// An empty object that was filled later is not overridden, but part of it.
	settings = slices.DeleteFunc(settings, func(s Setting) bool { return tree.IsEmptyObject(s.Value) })
	var out []Leaf
	for _, c := range children {
		out = append(out, c.leaves(at.Child(c.step), settings, describe)...)
	}
	return out
}
