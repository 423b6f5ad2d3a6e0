package tree_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestMap(t *testing.T) {
	t.Parallel()
	v := map[string]any{"drop": "x", "list": []any{"drop", "keep", []any{}}, "keep": map[string]any{"drop": 1}}
	got := tree.Map(v, func(step, v any) (any, bool) {
		if step == "keep" {
			return map[string]any{"new": v}, true
		}
		return v, !slices.Contains([]any{step, v}, any("drop"))
	})
	want := map[string]any{"list": []any{"keep", []any{}}, "keep": map[string]any{"new": map[string]any{}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mapped (-want +got):\n%s", diff)
	}
	if v["drop"] != "x" {
		t.Error("the original has changed")
	}
}
