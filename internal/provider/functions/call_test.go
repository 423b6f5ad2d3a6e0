package functions

import (
	"strings"
	"testing"
)

// TestCall calls a function without Terraform, with options and with wrong arguments.
func TestCall(t *testing.T) {
	t.Parallel()
	documents := []any{"type: Mesh\nname: shop\n"}
	result, err := Call(t.Context(), "mesh_lint", documents, "shop", map[string]any{"kuma3": true})
	if summary, _ := result["summary"].(string); err != nil || !strings.HasPrefix(summary, `Mesh "shop" has `) {
		t.Errorf("got %v, %v", result, err)
	}
	for want, arguments := range map[string][]any{
		`the provider has no function "lint"`: {"lint", documents},
		"1 arguments instead of 2":            {"mesh_lint", documents},
		`"kuma" is not a valid option`:        {"mesh_lint", documents, "shop", map[string]any{"kuma": true}},
	} {
		if _, err := Call(t.Context(), arguments[0].(string), arguments[1:]...); err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(want)) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
