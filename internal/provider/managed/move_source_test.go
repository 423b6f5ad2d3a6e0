package managed

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
)

// TestMoveSources checks which resources a kuma_mesh_timeout takes over, and which of
// their attributes.
func TestMoveSources(t *testing.T) {
	t.Parallel()
	const state = `{"type": "MeshTimeout", "mesh": "shop", "name": "web", "spec": {"to": [{"default": {"idle_timeout": "1s"}}]}}`
	for name, test := range map[string]struct {
		provider, typeName, state string
		moves                     bool
	}{
		"manifest":                        {"registry.terraform.io/kuma-universal/kuma", "kuma_manifest", `{"type": "MeshTimeout", "mesh": "shop", "name": "web", "manifest": {"value": {"spec": {}}, "type": "dynamic"}}`, true},
		"manifest, OpenTofu":              {"registry.opentofu.org/kuma-universal/kuma", "kuma_manifest", state, true},
		"itself":                          {"registry.terraform.io/kuma-universal/kuma", "kuma_mesh_timeout", state, false},
		"kong/kong-mesh":                  {"registry.terraform.io/kong/kong-mesh", "kong-mesh_mesh_timeout", state, true},
		"kong/konnect":                    {"registry.terraform.io/kong/konnect", "konnect_mesh_timeout", `{"cp_id": "c", "type": "MeshTimeout", "mesh": "shop", "name": "web"}`, true},
		"kong/konnect, another product":   {"registry.terraform.io/kong/konnect", "konnect_gateway_service", `{"type": "MeshTimeout", "mesh": "shop", "name": "web"}`, false},
		"kong/kuma":                       {"registry.terraform.io/kong/kuma", "kuma_raw_resource", `{"type": "MeshTimeout", "mesh": "shop", "name": "web", "raw_json": "{}"}`, true},
		"another provider":                {"registry.terraform.io/hashicorp/kubernetes", "kubernetes_manifest", state, false},
		"kong/kong-mesh, second instance": {"registry.terraform.io/kuma-universal/kuma", "kong-mesh_mesh_timeout", state, true},
		"no type":                         {"registry.terraform.io/kong/kuma", "kuma_raw_resource", `{"mesh": "shop", "name": "web"}`, false},
		"no state":                        {"registry.terraform.io/kong/kuma", "kuma_raw_resource", `[]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := resource.MoveStateRequest{SourceProviderAddress: test.provider, SourceTypeName: test.typeName, SourceRawState: &tfprotov6.RawState{JSON: []byte(test.state)}}
			got, moves := readMove(req, "kuma_mesh_timeout")
			if moves != test.moves {
				t.Fatalf("moved: %t, want %t", moves, test.moves)
			}
			if key := got.key().String(); moves && key != `MeshTimeout "web" of mesh "shop"` {
				t.Errorf("it names %s", key)
			}
		})
	}
}

// TestMovedSecret checks that the value of a secret is found in each kind of source.
func TestMovedSecret(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]string{
		"text":     `{"type": "Secret", "mesh": "shop", "name": "key", "data": "secret"}`,
		"base64":   `{"type": "Secret", "mesh": "shop", "name": "key", "data": null, "data_base64": "c2VjcmV0"}`,
		"manifest": `{"type": "Secret", "mesh": "shop", "name": "key", "manifest": {"value": {"data": "c2VjcmV0"}, "type": "dynamic"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := resource.MoveStateRequest{SourceProviderAddress: "registry.terraform.io/kong/kong-mesh", SourceTypeName: "kong-mesh_mesh_secret", SourceRawState: &tfprotov6.RawState{JSON: []byte(state)}}
			got, ok := readMove(req, "kuma_secret")
			if !ok || got.secret() != "c2VjcmV0" {
				t.Errorf("the secret is %q (%t)", got.secret(), ok)
			}
		})
	}
}

// TestRefusedMoveSaysWhatToDo checks the error about a resource of another provider: that of
// the framework asks to change this provider.
func TestRefusedMoveSaysWhatToDo(t *testing.T) {
	t.Parallel()
	req := resource.MoveStateRequest{SourceProviderAddress: "terraform.io/builtin/terraform", SourceTypeName: "terraform_data", SourceRawState: &tfprotov6.RawState{JSON: []byte(`{"id": "a"}`)}}
	for _, r := range []resource.ResourceWithMoveState{New(kinds.MeshTimeout), &manifestResource{}} {
		var resp resource.MoveStateResponse
		r.MoveState(t.Context())[0].StateMover(t.Context(), req, &resp)
		if len(resp.Diagnostics) != 1 || !strings.Contains(resp.Diagnostics[0].Detail(), "cannot take over a resource of type terraform_data from provider terraform.io/builtin/terraform.") {
			t.Errorf("%T reports %v", r, resp.Diagnostics)
		}
	}
}
