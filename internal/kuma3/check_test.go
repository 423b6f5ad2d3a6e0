package kuma3

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// shelf is a kind of which Kuma 3.0 removed something in every form.
var shelf = def.Kind{Name: "Shelf", Fields: def.Object{
	{Name: "color", Type: def.String, RemovedOf: map[string]def.Removal{"red": def.RemovedIn3("Use pink."), "green": def.RemovedIn3("Use lime.")}},
	{Name: "boards", Type: def.List{Elem: def.Object{{Name: "width", Type: def.Int}}}, Removed: def.RemovedIn3("Use planks.")},
	{Name: "stock", Type: def.StringMap{}},
	{Name: "ref", Type: def.Object{{Name: "kind", Type: def.String}, {Name: "name", Type: def.String, Removed: def.RemovedIn3("Use labels.")}, {Name: "tags", Type: def.StringMap{}, Removed: def.RemovedIn3("Use labels.")}}},
}}

// onShelves contains all forms of conditions on shelves.
var onShelves = []Condition{
	{ID: "first", Paths: at("spec.color", "Shelf"), When: is("green"), Do: "Or teal."},
	{ID: "color", Paths: at("spec.color", "Shelf")},
	{ID: "boards", Paths: at("spec.boards", "Shelf"), Effect: Cosmetic},
	{
		ID: "width", Paths: at("spec.boards[].width", "Shelf"), Effect: Changes, Do: "Cut it.",
		Instead: func(n tree.Node) string { i, _ := n.Int(); return strings.Repeat("I", int(i)) },
	},
	{ID: "count", Paths: at("spec.stock[]", "Shelf"), Undeclared: true, When: is("3"), Do: "Count.", ServerOwned: true},
	{ID: "owner", Paths: at("labels.owner", "Shelf"), Undeclared: true, When: tree.Node.Filled, Effect: Security},
	{ID: "name", Paths: append(at("spec.ref.name", "Shelf"), at("spec.ref.tags", "Shelf")...)},
	{ID: "reach", Paths: at("", "Shelf"), Effect: Widens, Undeclared: true, When: func(doc tree.Node) bool { name, _ := doc.Get("name").Text(); return name == "wide" }},
}

func TestCheck(t *testing.T) {
	t.Parallel()
	stock := map[string]any{"nails": "3"}
	boards := []any{map[string]any{}, map[string]any{"width": json.Number("2")}}
	tests := map[string]struct {
		resource kuma.Resource
		want     []string
	}{
		"nothing":              {kuma.Resource{Name: "a", Body: map[string]any{}}, nil},
		"the whole":            {kuma.Resource{Name: "wide"}, []string{"reach"}},
		"a label":              {kuma.Resource{Labels: map[string]string{"owner": "me"}}, []string{`owner labels["owner"]`}},
		"a field":              {shelfWith("color", "red"), []string{"color spec.color Use pink."}},
		"another value":        {shelfWith("color", "blue"), nil},
		"an unknown value":     {shelfWith("color", tree.Unknown), nil},
		"a wrong type":         {shelfWith("color", []any{"red"}), nil},
		"a reference":          {shelfWith("ref", map[string]any{"kind": "Room", "name": "a", "tags": map[string]any{"b": "c"}}), []string{"name spec.ref.name Use labels."}},
		"an unknown reference": {shelfWith("ref", map[string]any{"kind": tree.Unknown, "name": "a"}), nil},
		"elements":             {shelfWith("boards", boards), []string{"boards spec.boards Use planks.", "width spec.boards[1].width Use planks. Cut it. II"}},
		"an empty list":        {shelfWith("boards", []any{}), nil},
		"no list":              {shelfWith("boards", "two"), []string{"boards spec.boards Use planks."}},
		"what the server has":  {shelfWith("stock", stock), []string{"count spec.stock.nails Count."}},
		"what the server wrote": {
			kuma.Resource{CreationTime: time.Unix(1, 0), Body: map[string]any{"spec": map[string]any{"stock": stock, "color": "green"}}},
			[]string{"first spec.color Use lime. Or teal."},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range apply(onShelves, shelf, tt.resource) {
				got = append(got, strings.TrimSpace(p.ID+" "+p.Path.String()+" "+p.Suggestion()+" "+p.Here))
			}
			testworld.Equal(t, "problems", tt.want, got)
		})
	}
}

func shelfWith(field string, value any) kuma.Resource {
	return kuma.Resource{Type: "Shelf", Name: "a", Body: map[string]any{"spec": map[string]any{field: value}}}
}

// TestConditionOrder checks that effects come before the number.
func TestConditionOrder(t *testing.T) {
	t.Parallel()
	conditions := append(slices.Clone(onShelves), Condition{ID: "b", Effect: Widens})
	slices.SortFunc(conditions, Condition.Compare)
	var got []string
	for _, c := range conditions {
		got = append(got, c.ID)
	}
	want := []string{"color", "count", "first", "name", "owner", "b", "reach", "width", "boards"}
	testworld.Equal(t, "order of conditions", want, got)
}

// TestPlaces checks that the paths of the conditions exist in the declarations of the
// kinds, and that ServerOwned is set for the fields that a control plane sets.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range Conditions() {
		for _, p := range c.Paths {
			k, ok := kinds.Find(p.Kind)
			if !ok || p.Path == "name" || strings.HasPrefix(p.Path, "labels[") {
				continue // a removed kind, or what all kinds have
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

// TestEveryRemovalHasCondition checks that a condition describes each kind, field and value
// that Kuma 3.0 removed, so that a new declaration is not forgotten here.
func TestEveryRemovalHasCondition(t *testing.T) {
	t.Parallel()
	conditions := byKind()
	described := func(kind, path, value string) bool {
		return slices.ContainsFunc(conditions[kind], func(c Condition) bool {
			at := c.Paths[0].Path
			return !c.Undeclared && (value == "" && path == "" || at == path || value == "" && strings.HasPrefix(at, path+".")) &&
				(value == "" || c.When == nil || c.When(tree.Root(value)))
		})
	}
	removals := 0
	for _, k := range append(kinds.All(), kinds.Older()...) {
		check := func(path, value string) {
			removals++
			if !explainedElsewhere[k.Name+" "+path] && !described(k.Name, path, value) {
				t.Errorf("no condition describes what Kuma 3.0 removed from %s: %s %s", k.Name, path, value)
			}
		}
		if k.Removed.In != "" {
			check("", "")
			continue
		}
		root := k.Root()
		eachRemoval(def.ObjectOf(root), "", check)
	}
	if removals < 200 {
		t.Errorf("only %d removals are declared", removals)
	}
}

// explainedElsewhere are removals that conditions on whole meshes are about.
var explainedElsewhere = map[string]bool{
	"Mesh mtls":                        true, // K3-070, K3-071 and K3-072 depend on the identities of the proxies
	"Mesh skipCreatingInitialPolicies": true, // must stay until 2.14 is gone, and has no effect then
	"Mesh meshServices.mode":           true, // K3-073 also applies to a Mesh without it
}

// eachRemoval visits the removed fields and values of an object, outermost first.
func eachRemoval(o def.Object, within string, visit func(path, value string)) {
	for _, f := range o {
		path := strings.TrimPrefix(within+"."+f.Name, ".")
		if f.Removed.In != "" {
			visit(path, "")
			continue
		}
		for value := range f.RemovedOf {
			if slices.Contains(f.Values(), value) {
				visit(path, value)
			}
		}
		if _, ok := f.Type.(def.List); ok {
			path += "[]"
		}
		eachRemoval(def.ObjectOf(f.Type), path, visit)
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

// TestGeneratedServiceIsNotWritten checks that the labels of a MeshService that a control
// plane is expected to generate are not reported.
func TestGeneratedServiceIsNotWritten(t *testing.T) {
	t.Parallel()
	mesh := kuma.Resource{Type: kuma.KindMesh, Name: "shop", Body: map[string]any{}}
	dataplane := kuma.Resource{
		Type: kuma.KindDataplane, Mesh: "shop", Name: "edge-1", Labels: map[string]string{kuma.LabelWorkload: "edge"},
		Body: map[string]any{"networking": map[string]any{"inbound": []any{map[string]any{"port": json.Number("80")}}}},
	}
	cp := kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "east", Release: kuma.Release{Major: 3}}
	services := kinds.GeneratedServices(mesh, []kuma.Resource{dataplane}, cp)
	if len(services) != 1 {
		t.Fatalf("%d MeshServices are generated", len(services))
	}
	if problems := Check(services[0]); len(problems) > 0 {
		t.Errorf("problems of the generated MeshService: %+v", problems)
	}
}
