package kuma3

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// onShelves contains all forms of conditions, on a kind named Shelf.
var onShelves = []Condition{
	{ID: "color", Paths: at("spec.color", "Shelf"), Doc: "Colored.", Do: "Paint.", When: is("red", "green")},
	{ID: "boards", Paths: at("spec.boards", "Shelf"), Effect: Cosmetic},
	{
		ID: "width", Paths: at("spec.boards[].width", "Shelf"), Effect: Changes, Do: "Cut it.",
		Instead: func(n tree.Node) string { i, _ := n.Int(); return strings.Repeat("I", int(i)) },
	},
	{ID: "count", Paths: at("spec.stock[].count", "Shelf"), ServerOwned: true},
	{ID: "owner", Paths: at("labels.owner", "Shelf"), Danger: Security},
	{ID: "reach", Paths: at("", "Shelf"), Danger: Widens, When: func(doc tree.Node) bool { name, _ := doc.Get("name").Text(); return name == "wide" }},
}

func TestCheck(t *testing.T) {
	t.Parallel()
	stock := map[string]any{"nails": map[string]any{"count": json.Number("3")}}
	boards := []any{map[string]any{}, map[string]any{"width": json.Number("2")}}
	tests := map[string]struct {
		resource kuma.Resource
		want     []string
	}{
		"nothing":             {kuma.Resource{Name: "a", Body: map[string]any{}}, nil},
		"the whole":           {kuma.Resource{Name: "wide"}, []string{"reach  "}},
		"a label":             {kuma.Resource{Labels: map[string]string{"owner": "me"}}, []string{`owner labels["owner"] `}},
		"a field":             {shelfWith("color", "red"), []string{"color spec.color Paint."}},
		"another value":       {shelfWith("color", "blue"), nil},
		"an unknown value":    {shelfWith("color", tree.Unknown), nil},
		"a wrong type":        {shelfWith("color", []any{"red"}), nil},
		"elements":            {shelfWith("boards", boards), []string{"boards spec.boards ", "width spec.boards[1].width Cut it. II"}},
		"an empty list":       {shelfWith("boards", []any{}), nil},
		"no list":             {shelfWith("boards", "two"), []string{"boards spec.boards "}},
		"what the server has": {shelfWith("stock", stock), []string{"count spec.stock.nails.count "}},
		"what the server wrote": {
			kuma.Resource{CreationTime: time.Unix(1, 0), Body: map[string]any{"spec": map[string]any{"stock": stock, "color": "green"}}},
			[]string{"color spec.color Paint."},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range apply(onShelves, tt.resource) {
				got = append(got, p.ID+" "+p.Path.String()+" "+p.Suggestion)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func shelfWith(field string, value any) kuma.Resource {
	return kuma.Resource{Type: "Shelf", Name: "a", Body: map[string]any{"spec": map[string]any{field: value}}}
}

// TestConditionOrder checks that danger comes before effect, and effect before
// the number.
func TestConditionOrder(t *testing.T) {
	t.Parallel()
	conditions := append(slices.Clone(onShelves), Condition{ID: "b", Effect: Cosmetic, Danger: Widens})
	slices.SortFunc(conditions, Condition.Compare)
	var got []string
	for _, c := range conditions {
		got = append(got, c.ID)
	}
	want := []string{"reach", "b", "owner", "color", "count", "width", "boards"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order of conditions (-want +got):\n%s", diff)
	}
}

// TestPlaces checks that the paths of the conditions exist in the declarations of the
// kinds, and that ServerOwned is set for the fields that a control plane sets.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range Conditions() {
		for _, p := range c.Paths {
			k, ok := kinds.Find(p.Kind)
			if !ok {
				continue // a removed kind
			}
			found, serverOwned := find(tree.ParsePath(strings.ReplaceAll(p.Path, "[]", ".*")), k.Root())
			if !found {
				t.Errorf("%s: a %s has no %s", c.ID, p.Kind, p.Path)
			}
			if serverOwned != c.ServerOwned {
				t.Errorf("%s: %s of a %s is written by the control plane: %t", c.ID, p.Path, p.Kind, serverOwned)
			}
		}
	}
}

// find reports whether a path exists in values of the type, and whether the control
// plane sets its value.
func find(path tree.Path, t def.Type) (found, serverOwned bool) {
	if len(path) == 0 {
		return true, false
	}
	switch t := t.(type) {
	case def.Object:
		for _, f := range t {
			if f.Name == path[0] || path[0] == "*" {
				if ok, owned := find(path[1:], f.Type); ok {
					return true, owned || f.ServerOwned
				}
			}
		}
		return false, false
	case def.List:
		if path[0] != "*" {
			return false, false
		}
		return find(path[1:], t.Elem)
	case def.Scalar:
		return false, false
	default: // a map with arbitrary keys
		return true, false
	}
}
