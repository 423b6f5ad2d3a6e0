package e2e_test

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestTroubleshootingGuide causes symptoms, and finds them in the guide.
func TestTroubleshootingGuide(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	guide := testworld.Text(t, testworld.Path("templates", "guides", "troubleshooting.md.tmpl"))
	cp := providertest.NewEmbeddedRelease(t, kuma.ParseRelease("3.0"))
	cp.Put(t, testworld.Resource(t, "{type: Mesh, name: default}"))
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
		{"already exists", cp.Config, `resource "kuma_mesh" "default" { name = "default" }`, "apply"},
		{"Control plane does not support", cp.Config, gateway, "plan"},
		{"certificate signed by unknown authority", fmt.Sprintf("provider \"kuma\" {\n  endpoint = %q\n}\n", server.URL), mesh, "plan"},
		{"depends on a resource or a module with changes pending", cp.Config, direct, "plan"},
	} {
		c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + symptom.provider + symptom.config})
		args := map[string][]string{"apply": {"apply", "-auto-approve"}, "plan": {"plan"}}[symptom.command]
		out, _ := c.Run(t, args...)
		if !strings.Contains(strings.Join(strings.Fields(out), " "), symptom.symptom) || !strings.Contains(guide, symptom.symptom) {
			t.Errorf("the output or the guide does not contain %q:\n%s", symptom.symptom, out)
		}
	}

	c := providertest.NewCLI(t, map[string]string{"main.tf": providertest.RequiredProvider + cp.Config + mesh})
	c.Must(t, "apply", "-auto-approve")
	cp.Put(t, testworld.Resource(t, "{type: MeshTimeout, mesh: shop, name: other, spec: {rules: [{default: {idleTimeout: 1m}}]}}"))
	c.Refused(t, "Mesh contains other resources", "destroy", "-auto-approve")
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), providertest.RequiredProvider+cp.Config+"removed {\n  from = kuma_mesh.shop\n  lifecycle {\n    destroy = false\n  }\n}\n")
	if out := c.Must(t, "apply", "-auto-approve"); !strings.Contains(out, "0 destroyed") {
		t.Errorf("the mesh is not forgotten:\n%s", out)
	}
}
