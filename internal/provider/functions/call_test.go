package functions

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
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

// TestDocumentsWithoutSecrets analyzes the documents of all kinds as kuma_resources returns them,
// without sensitive values.
func TestDocumentsWithoutSecrets(t *testing.T) {
	t.Parallel()
	omitted := 0
	for _, k := range kinds.All() {
		for _, r := range testworld.Resources(t, testworld.Text(t, filepath.Join("..", "..", "kinds", "testdata", "catalog", "examples", k.Name+".yaml"))) {
			without := k.WithoutSecrets(r)
			if !tree.Equal(without.Document(), r.Document()) {
				omitted++
			}
			mesh, documents := cmp.Or(r.Mesh, "default"), []any{phrase.JSON(without.Document())}
			if k.Name == kuma.KindMesh {
				mesh = r.Name
			} else {
				documents = append(documents, "{type: Mesh, name: "+mesh+"}")
			}
			for name, arguments := range map[string][]any{
				"mesh_lint": {documents, mesh}, "access": {documents, mesh}, "policy_impact": {documents, documents, mesh},
				"request": {documents, map[string]any{"mesh": mesh, "spiffe_id": "spiffe://a/b", "service": "a"}},
			} {
				if _, err := Call(t.Context(), name, arguments...); err != nil && strings.Contains(err.Error(), r.Type+" ") {
					t.Errorf("%s of %s %s: %v", name, r.Type, r.Name, err)
				}
			}
		}
	}
	if omitted < 5 {
		t.Errorf("%d resources have sensitive values, want at least 5", omitted)
	}
}

// TestInstancesOfAResource checks the error about a resource with for_each.
func TestInstancesOfAResource(t *testing.T) {
	t.Parallel()
	resource := map[string]any{"type": "MeshTimeout", "mesh": "shop", "name": "a", "kri": "kri_mt_shop___a_"}
	_, err := Call(t.Context(), "mesh_lint", []any{map[string]any{"a": resource}}, "shop")
	if want := "Write values(kuma_mesh_timeout.web) instead"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
