package tree_test

import (
	"encoding/json"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	for name, tt := range map[string]struct {
		a, b any
		want []tree.Difference
	}{
		"equal":            {object{"a": []any{json.Number("1")}}, object{"a": []any{json.Number("1.0")}}, nil},
		"value":            {object{"a": object{"b": "x"}}, object{"a": object{"b": "y"}}, []tree.Difference{{tree.Path{"a", "b"}, "x", "y", true, true}}},
		"element":          {[]any{"x", "y"}, []any{"x", "z"}, []tree.Difference{{tree.Path{1}, "y", "z", true, true}}},
		"list that grows":  {[]any{"x"}, []any{"x", "z"}, []tree.Difference{{nil, []any{"x"}, []any{"x", "z"}, true, true}}},
		"field of one":     {object{"a": nil}, object{"b": "x"}, []tree.Difference{{tree.Path{"a"}, nil, nil, true, false}, {tree.Path{"b"}, nil, "x", false, true}}},
		"other type":       {object{"a": "x"}, object{"a": object{}}, []tree.Difference{{tree.Path{"a"}, "x", object{}, true, true}}},
		"order of paths":   {object{"b": "x", "a": "x"}, object{"b": "y", "a": "y"}, []tree.Difference{{tree.Path{"a"}, "x", "y", true, true}, {tree.Path{"b"}, "x", "y", true, true}}},
		"object and array": {object{}, []any{}, []tree.Difference{{nil, object{}, []any{}, true, true}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testworld.Equal(t, "differences", tt.want, tree.Diff(tt.a, tt.b))
		})
	}
}
