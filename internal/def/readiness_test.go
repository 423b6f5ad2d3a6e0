package def_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestFind(t *testing.T) {
	t.Parallel()
	doc := tree.Root(map[string]any{
		"list":    []any{map[string]any{"name": "a"}, nil, "text", map[string]any{"name": tree.Unknown}},
		"object":  map[string]any{"y": map[string]any{"z": "1"}, "x": map[string]any{}},
		"labels":  map[string]any{"kuma.io/zone": "east"},
		"unknown": tree.Unknown,
	})
	tests := map[string]struct {
		path string
		want []string
	}{
		"the place itself":       {"", []string{""}},
		"a member":               {"object.y", []string{"object.y"}},
		"a member that is not":   {"object.a.b", []string{"object.a.b"}},
		"a key":                  {`labels["kuma.io/zone"]`, []string{`labels["kuma.io/zone"]`}},
		"elements of a list":     {"list[].name", []string{"list[0].name", "list[1].name", "list[2].name", "list[3].name"}},
		"members of an object":   {"object[].z", []string{"object.x.z", "object.y.z"}},
		"elements of no list":    {"missing[].name", nil},
		"elements of a text":     {"list[].name[]", nil},
		"elements of an unknown": {"unknown[].name", nil},
		"below an unknown":       {"unknown.a", []string{"unknown.a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, n := range doc.Find(tt.path) {
				got = append(got, n.Path.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Find(%q) (-want +got):\n%s", tt.path, diff)
			}
		})
	}
}

// shelf is a kind with conditions in all places where they can stand.
var shelf = def.Kind{
	Name: "Shelf",
	Fields: def.Object{
		{Name: "colour", Type: def.String, Readiness: []def.Condition{{ID: "colour", Doc: "Coloured.", Do: "Paint.", When: def.Is("red", "green")}}},
		{Name: "boards", Readiness: []def.Condition{{ID: "boards", Effect: def.Cosmetic}}, Type: def.List{Elem: def.Object{
			{Name: "width", Type: def.Int, Readiness: []def.Condition{{
				ID: "width", Effect: def.Changes, Do: "Cut it.",
				Instead: func(n tree.Node) string { i, _ := n.Int(); return strings.Repeat("I", int(i)) },
			}}},
		}}},
		{Name: "stock", ServerOwned: true, Type: def.Object{{Name: "nails", Type: def.Object{
			{Name: "count", Type: def.Int, Readiness: []def.Condition{{ID: "count"}}},
		}}}},
	},
	Readiness: []def.Condition{
		{ID: "owner", Danger: def.Security, At: "labels.owner"},
		{ID: "reach", Danger: def.Widens, When: func(doc tree.Node) bool { name, _ := doc.Get("name").Text(); return name == "wide" }},
	},
}

func TestUnready(t *testing.T) {
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
		"a field":             {shelfWith("colour", "red"), []string{"colour spec.colour Paint."}},
		"another value":       {shelfWith("colour", "blue"), nil},
		"an unknown value":    {shelfWith("colour", tree.Unknown), nil},
		"a wrong type":        {shelfWith("colour", []any{"red"}), nil},
		"elements":            {shelfWith("boards", boards), []string{"boards spec.boards ", "width spec.boards[1].width Cut it. II"}},
		"an empty list":       {shelfWith("boards", []any{}), nil},
		"no list":             {shelfWith("boards", "two"), []string{"boards spec.boards "}},
		"what the server has": {shelfWith("stock", stock), []string{"count spec.stock.nails.count "}},
		"what the server wrote": {
			kuma.Resource{CreationTime: time.Unix(1, 0), Body: map[string]any{"spec": map[string]any{"stock": stock, "colour": "green"}}},
			[]string{"colour spec.colour Paint."},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, u := range shelf.Unready(tt.resource) {
				got = append(got, u.ID+" "+u.Path.String()+" "+u.Suggestion)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Unready (-want +got):\n%s", diff)
			}
		})
	}
}

func shelfWith(member string, value any) kuma.Resource {
	return kuma.Resource{Type: "Shelf", Name: "a", Body: map[string]any{"spec": map[string]any{member: value}}}
}

func TestUnreadyFlat(t *testing.T) {
	t.Parallel()
	k := def.Kind{Name: "Shelf", Flat: true, Fields: shelf.Fields}
	found := k.Unready(kuma.Resource{Name: "a", Body: map[string]any{"colour": "red"}})
	if len(found) != 1 || found[0].Path.String() != "colour" {
		t.Errorf("Unready = %+v, want one at colour", found)
	}
}

// TestConditionOrder: danger comes before effect, and effect before the number.
func TestConditionOrder(t *testing.T) {
	t.Parallel()
	conditions := append(shelf.Conditions(), def.Condition{ID: "b", Effect: def.Cosmetic, Danger: def.Widens})
	slices.SortFunc(conditions, def.Condition.Compare)
	var got []string
	for _, c := range conditions {
		got = append(got, c.ID)
	}
	want := []string{"reach", "b", "owner", "colour", "count", "width", "boards"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order of conditions (-want +got):\n%s", diff)
	}
}
