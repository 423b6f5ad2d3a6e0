package functions

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
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

// TestNullHeaderIsNotSent checks that a null header or parameter is the same as none.
func TestNullHeaderIsNotSent(t *testing.T) {
	t.Parallel()
	mesh := testworld.Text(t, filepath.Join("..", "..", "command", "testdata", "tcp", "http.yaml"))
	mesh = strings.Replace(mesh, "{path: {type: PathPrefix, value: /v2}}", "{path: {type: PathPrefix, value: /}, headers: [{type: Present, name: x}]}", 1)
	for want, header := range map[string]any{"redirected": "", "allowed": nil} {
		result, err := Call(t.Context(), "request", []any{mesh}, map[string]any{
			"mesh": "shop", "dataplane": "web-1", "service": "api", "headers": map[string]any{"x": header},
		})
		if got := result["verdict"]; err != nil || got != want {
			t.Errorf("header %v: %v (%v), want %s", header, got, err, want)
		}
	}
}
