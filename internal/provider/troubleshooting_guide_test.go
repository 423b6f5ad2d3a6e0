package provider_test

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestTroubleshootingGuide causes symptoms, and finds them in the guide.
func TestTroubleshootingGuide(t *testing.T) {
	t.Parallel()
	needCLI(t)
	guide := testworld.Text(t, "../../templates/guides/troubleshooting.md.tmpl")
	cp := newEmbeddedRelease(t, kuma.ParseRelease("3.0"))
	put := func(k def.Kind, document string) {
		t.Helper()
		if _, _, err := cp.client.Put(t.Context(), k, testworld.Resources(t, document)[0]); err != nil {
			t.Fatal(err)
		}
	}
	put(kinds.Mesh, "{type: Mesh, name: default}")
	server := httptest.NewTLSServer(nil)
	t.Cleanup(server.Close)
	const gateway = `
resource "kuma_mesh_gateway" "edge" {
  mesh = "default"
  name = "edge"
  selectors {
    match = { "kuma.io/service" = "edge" }
  }
  conf {
    listeners {
      port     = 80
      protocol = "HTTP"
    }
  }
}`
	const mesh = `
resource "kuma_mesh" "shop" {
  name = "shop"
}`
	const direct = mesh + `
data "kuma_mesh_lint" "shop" {
  mesh    = "shop"
  planned = [kuma_mesh.shop]
}
output "findings" { value = data.kuma_mesh_lint.shop.findings }`
	for _, symptom := range []struct{ symptom, provider, config, command string }{
		{"already exists", cp.config, `resource "kuma_mesh" "default" { name = "default" }`, "apply"},
		{"Control plane does not support", cp.config, gateway, "plan"},
		{"certificate signed by unknown authority", fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", server.URL), mesh, "plan"},
		{"depends on a resource or a module with changes pending", cp.config, direct, "plan"},
	} {
		c := newCLI(t, map[string]string{"main.tf": requiredProvider + symptom.provider + symptom.config})
		args := map[string][]string{"apply": {"apply", "-auto-approve"}, "plan": {"plan"}}[symptom.command]
		out, _ := c.run(t, args...)
		if !strings.Contains(strings.Join(strings.Fields(out), " "), symptom.symptom) || !strings.Contains(guide, symptom.symptom) {
			t.Errorf("the output or the guide does not contain %q:\n%s", symptom.symptom, out)
		}
	}

	c := newCLI(t, map[string]string{"main.tf": requiredProvider + cp.config + mesh})
	c.must(t, "apply", "-auto-approve")
	put(kinds.MeshTimeout, "{type: MeshTimeout, mesh: shop, name: other, spec: {rules: [{default: {idleTimeout: 1m}}]}}")
	c.refused(t, "Mesh contains other resources", "destroy", "-auto-approve")
	write(t, filepath.Join(c.dir, "main.tf"), requiredProvider+cp.config+"removed {\n  from = kuma_mesh.shop\n  lifecycle {\n    destroy = false\n  }\n}\n")
	if out := c.must(t, "apply", "-auto-approve"); !strings.Contains(out, "0 destroyed") {
		t.Errorf("the mesh is not forgotten:\n%s", out)
	}
}
