package def_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestMissingFieldSaysHowToSetIt checks that the message about a missing field
// contains its valid values, or the rules for its value.
func TestMissingFieldSaysHowToSetIt(t *testing.T) {
	t.Parallel()
	someEntry := def.Check{Test: func(n tree.Node) []def.Problem {
		if !n.Get("to").Empty() {
			return nil
		}
		return []def.Problem{def.ErrorAt(n, "Missing entries", "Add a block to to.")}
	}}
	kind := def.Kind{Name: "MeshTest", Fields: def.Object{
		{Name: "to", Type: def.List{Elem: def.Object{
			{Name: "type", Type: def.String, Required: true, OneOf: []string{"Exact", "Prefix"}, Doc: "How the value is compared."},
			{Name: "value", Type: def.String, Required: true, Doc: "Value to compare.", Checks: def.Checks(def.Check{Doc: "Begins with a slash.", Test: func(tree.Node) []def.Problem { return nil }})},
		}}},
	}, Checks: def.Checks(someEntry)}
	for name, test := range map[string]struct {
		spec any
		path string
		want string
	}{
		"enum":             {map[string]any{"to": []any{map[string]any{"value": "/"}}}, "spec.to[0].type", "Valid values: Exact and Prefix."},
		"rule of a field":  {map[string]any{"to": []any{map[string]any{"type": "Exact"}}}, "spec.to[0].value", "Value to compare. Begins with a slash."},
		"rule of the kind": {nil, "spec", "Add a block to to."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := map[string]any{"type": "MeshTest", "name": "a", "mesh": "default"}
			if test.spec != nil {
				doc["spec"] = test.spec
			}
			problems := kind.Validate(doc)
			if len(problems) != 1 || problems[0].Path.String() != test.path || !strings.HasSuffix(problems[0].Detail, test.want) {
				t.Errorf("Validate() = %v, want one problem of %s that ends with %q", problems, test.path, test.want)
			}
		})
	}
}
