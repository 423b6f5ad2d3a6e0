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
			{Name: "by", Type: def.Object{{Name: "a", Type: def.String}}, Required: true, Doc: "Selects.", Checks: def.Checks(
				def.Check{Doc: "At least one of `a` or `b` is required.", Test: func(tree.Node) []def.Problem { return nil }},
				def.Check{Doc: "At most one of `a` or `b` can be set.", Test: func(tree.Node) []def.Problem { return nil }},
			)},
			{Name: "value", Type: def.String, Required: true, Doc: "Value to compare. Proxies reject `x`.", Checks: def.Checks(def.Check{Doc: "Begins with a slash.", Test: func(tree.Node) []def.Problem { return nil }})},
		}}},
	}, Checks: def.Checks(someEntry)}
	for name, test := range map[string]struct {
		spec any
		path string
		want string
	}{
		"enum":             {map[string]any{"to": []any{map[string]any{"value": "/", "by": map[string]any{"a": "x"}}}}, "spec.to[0].type", "Valid values: Exact and Prefix."},
		"rule of a field":  {map[string]any{"to": []any{map[string]any{"type": "Exact", "by": map[string]any{"a": "x"}}}}, "spec.to[0].value", "value is required here: value to compare. Begins with a slash."},
		"rules of a block": {map[string]any{"to": []any{map[string]any{"type": "Exact", "value": "/"}}}, "spec.to[0].by", "by is required here. Add a by block. At least one of a or b is required."},
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
