package managed_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestMoveFromKongMesh plans moves from a recorded state of the provider
// kong/kong-mesh, on a control plane that stores what that provider wrote.
func TestMoveFromKongMesh(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	moves := testworld.Path("internal", "provider", "managed", "testdata", "moves")
	cp := providertest.NewControlPlane(t, providertest.Since("2.14"), providertest.BeforeKuma3, providertest.Writes(kinds.MeshService)) // which was recorded
	config := providertest.RequiredProvider + cp.Config
	labels := map[string]string{"moved": "m", "t1": "t", "r1": "r", "p1": "p", "backend": "s", "l1": "l"}
	for _, doc := range testworld.JSONObjects(t, testworld.Text(t, filepath.Join(moves, "kong-mesh.stored.json"))) {
		r := testworld.FromDocument(t, doc)
		cp.Put(t, r)
		text, err := configuration.File([]kuma.Resource{r}, configuration.Options{})
		testworld.NoError(t, err)
		typeName := configuration.ResourceType(r)
		config += text + fmt.Sprintf("moved {\n  from = kong-mesh_%s.%s\n  to   = %s.%s\n}\n",
			strings.TrimPrefix(typeName, "kuma_"), labels[r.Name], typeName, strings.NewReplacer(".", "_").Replace(r.Name))
	}
	c := providertest.NewCLI(t, map[string]string{"main.tf": config, "terraform.tfstate": testworld.Text(t, filepath.Join(moves, "kong-mesh.state.json"))})
	c.PretendToHaveKongMesh()
	c.OnlyMoves(t, len(labels))
}

// TestTakeOverFromKongMesh generates the configuration for a recorded state of the provider
// kong/kong-mesh, of which one resource has instances in a module, and plans it.
func TestTakeOverFromKongMesh(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	moves := testworld.Path("internal", "provider", "managed", "testdata", "moves")
	cp := providertest.NewControlPlane(t, providertest.Since("2.14"), providertest.BeforeKuma3, providertest.Writes(kinds.MeshService)) // which was recorded
	for _, doc := range testworld.JSONObjects(t, testworld.Text(t, filepath.Join(moves, "kong-mesh.stored.json"))) {
		cp.Put(t, testworld.FromDocument(t, doc))
	}
	cp.Put(t, testworld.Resource(t, "{type: MeshRetry, mesh: moved, name: only-here, spec: {to: [{targetRef: {kind: Mesh}, default: {tcp: {maxConnectAttempt: 1}}}]}}"))
	state := testworld.Text(t, filepath.Join(moves, "kong-mesh.state.json"))
	for name, key := range map[string]string{"kong-mesh_mesh_http_route": "0", "kong-mesh_mesh_timeout": `"a b"`} {
		before, after, _ := strings.Cut(state, name)
		state = before + name + strings.Replace(after, `"schema_version"`, `"index_key": `+key+`, "schema_version"`, 1)
	}
	config := providertest.RequiredProvider + cp.Config
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + `
data "kuma_resources" "moved" {
  mesh       = "moved"
  unmanaged  = true
  include    = ["configuration"]
  state_file = "${path.root}/old.tfstate"
}
output "moved" {
  value = data.kuma_resources.moved.configuration
}
`, "old.tfstate": state})
	c.Must(t, "apply", "-auto-approve")
	text := c.Output(t, "moved")
	for _, from := range []string{"kong-mesh_mesh.m\n", "kong-mesh_mesh_http_route.r[0]\n", "kong-mesh_mesh_timeout.t[\"a b\"]\n"} {
		if !strings.Contains(text, "  from = "+from) {
			t.Errorf("%q is not moved:\n%s", from, text)
		}
	}
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+text)
	providertest.Write(t, filepath.Join(c.Dir, "terraform.tfstate"), state)
	c.PretendToHaveKongMesh()
	if out := c.Must(t, "plan"); strings.Count(out, " has moved to ") != 6 || !strings.Contains(out, "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.") {
		t.Errorf("want 6 moves and an import:\n%s", out)
	}
}

// TestMovedInstances moves instances of a resource one by one: after the first, Terraform
// names this provider as the source of the others.
func TestMovedInstances(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewControlPlane(t)
	var instances []string
	for i, name := range []string{"red", "green"} {
		cp.Put(t, testworld.Resource(t, "{type: Mesh, name: "+name+"}"))
		instances = append(instances, fmt.Sprintf(`{"index_key": %d, "schema_version": 0, "attributes": {"type": "Mesh", "name": %q}}`, i, name))
	}
	c := providertest.NewCLI(t, map[string]string{
		"main.tf": providertest.RequiredProvider + cp.Config + `
resource "kuma_mesh" "t" {
  count = 2
  name  = ["red", "green"][count.index]
}
moved {
  from = kong-mesh_mesh.t[0]
  to   = kuma_mesh.t[0]
}
moved {
  from = kong-mesh_mesh.t[1]
  to   = kuma_mesh.t[1]
}
`,
		"terraform.tfstate": fmt.Sprintf(`{"version": 4, "terraform_version": "1.11.0", "serial": 1, "lineage": "00000000-0000-0000-0000-000000000001", "outputs": {}, "resources": [{
			"mode": "managed", "type": "kong-mesh_mesh", "name": "t", "provider": "provider[\"registry.terraform.io/kong/kong-mesh\"]", "instances": [%s]}]}`, strings.Join(instances, ",")),
	})
	c.PretendToHaveKongMesh()
	c.OnlyMoves(t, 2)
}

// TestMoveBetweenManifestAndResource moves resources from kuma_manifest to the
// resources of their kinds, and back.
func TestMoveBetweenManifestAndResource(t *testing.T) {
	t.Parallel()
	cp := providertest.NewControlPlane(t)
	const documents = `
type: Mesh
name: shop
---
type: MeshTimeout
mesh: shop
name: web
labels:
  team: a
spec:
  to:
  - targetRef:
      kind: Mesh
    default:
      idleTimeout: 60s
---
type: Secret
mesh: shop
name: key
data: c2VjcmV0
`
	resources := testworld.Resources(t, documents)
	var manifests, typed, movesToTyped, movesBack string
	for _, r := range resources {
		from, to := "kuma_manifest."+r.Name, configuration.ResourceType(r)+"."+r.Name
		manifests += fmt.Sprintf("resource \"kuma_manifest\" %q {\n  manifest = jsondecode(%q)\n", r.Name, phrase.JSON(r.Document()))
		if r.Mesh != "" {
			manifests += "  depends_on = [kuma_manifest.shop]\n"
		}
		manifests += "}\n"
		movesToTyped += fmt.Sprintf("moved {\n  from = %s\n  to   = %s\n}\n", from, to)
		movesBack += fmt.Sprintf("moved {\n  from = %s\n  to   = %s\n}\n", to, from)
	}
	typed, err := configuration.File(resources, providertest.Verbatim)
	testworld.NoError(t, err)
	config := providertest.RequiredProvider + cp.Config
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + manifests})
	c.Must(t, "apply", "-auto-approve")
	for _, next := range []string{typed + movesToTyped, manifests + movesBack} {
		providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+next)
		c.OnlyMoves(t, len(resources))
		c.Must(t, "apply", "-auto-approve")
		c.PlanIsEmpty(t)
	}
}

// TestMoveOfAnotherKind checks the error when the resource cannot manage the kind in
// the state.
func TestMoveOfAnotherKind(t *testing.T) {
	t.Parallel()
	cp := providertest.NewControlPlane(t)
	config := providertest.RequiredProvider + cp.Config
	c := providertest.NewCLI(t, map[string]string{"main.tf": config + "resource \"kuma_manifest\" \"shop\" {\n  manifest = { type = \"Mesh\", name = \"shop\" }\n}\n"})
	c.Must(t, "apply", "-auto-approve")
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), config+`
resource "kuma_hostname_generator" "shop" {
  name = "shop"
  spec {
    selector {
      mesh_service {
        match_labels = { a = "b" }
      }
    }
    template = "{{ .Name }}.mesh"
  }
}
moved {
  from = kuma_manifest.shop
  to   = kuma_hostname_generator.shop
}
`)
	out, code := c.Run(t, "plan")
	for _, want := range []string{"Moved resource has a different kind", `kuma_manifest contains Mesh "shop"`, "Move it to kuma_mesh or kuma_manifest."} {
		if code == 0 || !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("exit code %d, want %q in\n%s", code, want, out)
		}
	}
}
