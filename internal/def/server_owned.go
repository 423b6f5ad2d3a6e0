package def

import (
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// WithoutServerOwned returns r without what the control plane writes by itself,
// computed labels included. What is left changes only when a user changes it.
func (k Kind) WithoutServerOwned(r kuma.Resource) kuma.Resource {
	r = r.Clone()
	maps.DeleteFunc(r.Labels, func(label, _ string) bool { return kuma.ComputedLabel(label) })
	dropServerOwned(k.Root(), r.Body, true)
	return r
}

// DropServerKeys removes from a document the keys that a control plane adds to
// maps by itself. A map without other keys is removed as well.
func (k Kind) DropServerKeys(doc map[string]any) { dropServerOwned(k.Root(), doc, false) }

// dropServerOwned removes from a value of type t the keys that the control plane adds to maps, and with fields
// also the fields that it writes by itself.
func dropServerOwned(t Type, v any, fields bool) {
	Walk(t, tree.Root(v), func(p Place) bool {
		o, _ := p.Type.(Object)
		m := tree.Object(p.Value())
		for i := range o {
			f := &o[i]
			if fields && f.ServerOwned {
				delete(m, f.Name)
			}
			f.dropServerKeys(m)
		}
		return anyField(p.Type, func(f *Field) bool { return fields && f.ServerOwned || f.ServerKeys != nil })
	})
}

func (f *Field) dropServerKeys(parent map[string]any) {
	keyed, ok := parent[f.Name].(map[string]any)
	if !ok || f.ServerKeys == nil {
		return
	}
	for _, key := range f.ServerKeys {
		delete(keyed, key.Name)
	}
	if len(keyed) == 0 {
		delete(parent, f.Name)
	}
}

// KeepServerOwned copies into r the fields of current that the control plane
// writes by itself and r omits: a write without them would remove them until
// the control plane writes them again (rest-api.md §10). An element of a list
// is treated as the one at the same position when their required fields agree.
func (k Kind) KeepServerOwned(r *kuma.Resource, current kuma.Resource) {
	Walk(k.Root(), tree.Root(r.Body), func(p Place) bool {
		o, _ := p.Type.(Object)
		m := tree.Object(p.Value())
		old := tree.Object(tree.At(current.Body, p.Path))
		switch {
		case p.Field.ServerOwned:
			return false
		case o == nil:
			return true
		case m == nil || old == nil || p.Element && !o.sameRequired(m, old):
			return false
		}
		for _, f := range o {
			if _, ok := m[f.Name]; f.ServerOwned && !ok && old[f.Name] != nil {
				m[f.Name] = tree.Clone(old[f.Name])
			}
		}
		return anyField(p.Type, func(f *Field) bool { return f.ServerOwned })
	})
}

// sameRequired reports whether two objects agree in all required fields.
func (o Object) sameRequired(a, b map[string]any) bool {
	return !slices.ContainsFunc(o, func(f Field) bool { return f.Required && !tree.Equal(a[f.Name], b[f.Name]) })
}
