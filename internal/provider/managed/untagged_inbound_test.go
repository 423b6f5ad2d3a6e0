package managed_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

// TestUntaggedInboundOutsideExclusive checks that the plan rejects an inbound without tags
// in a mesh where the control plane stores it once and rejects every later write.
func TestUntaggedInboundOutsideExclusive(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t, providertest.Since("2.14"), providertest.BeforeKuma3, providertest.Writes(kinds.Dataplane))
	mesh := func(mode string) string {
		return `
resource "kuma_mesh" "shop" {
  name                           = "shop"
  skip_creating_initial_policies = ["*"]
  mesh_services {
    mode = ` + mode + `
  }
}
`
	}
	dataplane := func(meshName string) string {
		return `
resource "kuma_dataplane" "web" {
  mesh = ` + meshName + `
  name = "web"
  networking {
    address = "10.0.0.1"
    inbound {
      port = 80
    }
  }
}
`
	}
	const reference, literal = "kuma_mesh.shop.name", `"shop"`
	manifest := `
resource "kuma_manifest" "web" {
  manifest = { type = "Dataplane", mesh = kuma_mesh.shop.name, name = "web", networking = { address = "10.0.0.1", inbound = [{ port = 80 }] } }
}
`
	c := providertest.NewCLI(t, map[string]string{"main.tf": ""})
	plan := func(want string, parts ...string) {
		t.Helper()
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), providertest.RequiredProvider+cp.Config+strings.Join(parts, ""))
		out, code := c.Run(t, "plan")
		if said := strings.Join(strings.Fields(out), " "); (code == 0) != (want == "") || !strings.Contains(said, want) {
			t.Errorf("exit code %d, want %q in\n%s", code, want, out)
		}
	}
	const rejected = `The mode of MeshServices in mesh "shop" is "`
	plan(rejected+`Everywhere"`, mesh(`"Everywhere"`), dataplane(reference))
	plan(rejected+`Everywhere"`, mesh(`"Everywhere"`), manifest)
	plan(rejected+`Disabled"`, mesh("null"), dataplane(reference))
	plan("", mesh(`"Exclusive"`), dataplane(reference))
	plan("", mesh(`"Exclusive"`), manifest)

	plan("", mesh(`"Everywhere"`))
	c.Must(t, "apply", "-auto-approve")
	plan(rejected+`Everywhere"`, mesh(`"Everywhere"`), dataplane(literal))
	plan("", mesh(`"Exclusive"`), dataplane(reference))

	plan("", mesh(`"Exclusive"`), dataplane(reference))
	c.Must(t, "apply", "-auto-approve")
	c.PlanIsEmpty(t)
}
