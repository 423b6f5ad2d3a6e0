package provider_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
)

// TestUntaggedInboundOutsideExclusive checks that the plan rejects an inbound without tags
// in a mesh where the control plane stores it once and rejects every later write.
func TestUntaggedInboundOutsideExclusive(t *testing.T) {
	t.Parallel()
	needCLI(t)
	cp := newTestControlPlane(t, since("2.14"), beforeKuma3, writes(kinds.Dataplane))
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
	c := newCLI(t, map[string]string{"main.tf": ""})
	plan := func(want string, parts ...string) {
		t.Helper()
		write(t, filepath.Join(c.dir, "main.tf"), requiredProvider+cp.config+strings.Join(parts, ""))
		out, code := c.run(t, "plan")
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
	c.must(t, "apply", "-auto-approve")
	plan(rejected+`Everywhere"`, mesh(`"Everywhere"`), dataplane(literal))
	plan("", mesh(`"Exclusive"`), dataplane(reference))

	plan("", mesh(`"Exclusive"`), dataplane(reference))
	c.must(t, "apply", "-auto-approve")
	c.planIsEmpty(t)
}
