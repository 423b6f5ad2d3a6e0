package tree_test

import (
	"reflect"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestWith(t *testing.T) {
	t.Parallel()
	other := map[string]any{"x": "y"}
	doc := map[string]any{"list": []any{"a", map[string]any{"b": "c"}}, "other": other}
	original := tree.Clone(doc)
	got := tree.With(doc, tree.Path{"list", 1, "d"}, "e")
	want := map[string]any{"list": []any{"a", map[string]any{"b": "c", "d": "e"}}, "other": other}
	testworld.Equal(t, "with a value", any(want), got)
	testworld.Equal(t, "the document", original, any(doc))
	shared := reflect.ValueOf(tree.Object(got)["other"]).Pointer() == reflect.ValueOf(other).Pointer()
	testworld.Equal(t, "shares the rest", true, shared)
}
