package kinds_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestWalk checks that in a document with a value for every described field,
// and others, every described place is visited once, outer ones first.
func TestWalk(t *testing.T) {
	t.Parallel()
	for _, k := range kinds.All() {
		var want, got []string
		doc := fill(k.Root(), nil, &want)
		def.Walk(k.Root(), tree.Root(doc), func(p def.Place) bool {
			got = append(got, p.Path.String())
			if name, _ := p.Value().(string); p.Field.Name != name && name != "" {
				t.Errorf("%s: %s is described as %s, and belongs to %s", k.Name, p.Path, p.Field.Name, name)
			}
			return true
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: places (-there +visited):\n%s", k.Name, diff)
		}
	}
}

// TestWalkStops checks that nothing is visited below a place that ends the
// walk.
func TestWalkStops(t *testing.T) {
	t.Parallel()
	for _, k := range kinds.All() {
		var places []string
		doc := fill(k.Root(), nil, &places)
		seen := 0
		def.Walk(k.Root(), tree.Root(doc), func(p def.Place) bool {
			seen++
			return len(p.Path) == 0
		})
		if want := 1 + len(k.Root()); seen != want {
			t.Errorf("%s: %d places are visited, want %d", k.Name, seen, want)
		}
	}
}

// fill returns a value of type t with two elements in each list and map.
// Strings contain the name of their field. It adds the places to the given
// ones.
func fill(t def.Type, at tree.Path, places *[]string) any {
	*places = append(*places, at.String())
	switch t := t.(type) {
	case def.Object:
		o := map[string]any{"unheardOf": map[string]any{"of": "nothing"}}
		for _, f := range t {
			o[f.Name] = fill(f.Type, at.Child(f.Name), places)
		}
		return o
	case def.List:
		return []any{fill(t.Elem, at.Child(0), places), fill(t.Elem, at.Child(1), places)}
	case def.StringMap:
		return map[string]any{"a": fill(def.String, at.Child("a"), places), "b": fill(def.String, at.Child("b"), places)}
	case def.Scalar, def.Secret:
		return field(at)
	}
	panic(fmt.Sprintf("unknown type %T", t))
}

// field returns the name of the field that a path leads to or passes last.
func field(at tree.Path) string {
	for _, a := range slices.Backward(at) {
		if name, ok := a.(string); ok && name != "a" && name != "b" {
			return name
		}
	}
	return ""
}

// TestRefersTo checks that fields refer to existing kinds.
func TestRefersTo(t *testing.T) {
	t.Parallel()
	found := 0
	for _, k := range kinds.All() {
		for f := range k.Root().All() {
			if f.RefersTo == "" {
				continue
			}
			found++
			if _, ok := kinds.Find(f.RefersTo); !ok {
				t.Errorf("%s: %s refers to %q, which is not a kind", k.Name, f.Name, f.RefersTo)
			}
		}
	}
	if found == 0 {
		t.Error("no field refers to a kind")
	}
}
