package providertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// AllConfiguration requests the configuration of all resources.
const AllConfiguration = `
data "kuma_resources" "all" {
  global    = true
  unmanaged = true
  include   = ["configuration"]
}
output "configuration" {
  value = data.kuma_resources.all.configuration
}
`

// CatalogConfiguration returns the accepted documents as one configuration, and
// by address.
func CatalogConfiguration(t *testing.T) (string, map[string]kuma.Resource) {
	t.Helper()
	file := hclwrite.NewEmptyFile()
	later := hclwrite.NewEmptyFile()
	documents := map[string]kuma.Resource{}
	meshes := map[string]bool{}
	for _, k := range kinds.All() {
		for _, r := range testworld.Resources(t,
			testworld.Text(t, testworld.Path("internal", "kinds", "testdata", "catalog", "examples", k.Name+".yaml"))) {
			block := ResourceBlock(t, r)
			label := fmt.Sprintf("r%d", len(documents))
			block.SetLabels([]string{tfschema.TypeName(k.Name), label})
			documents[tfschema.TypeName(k.Name)+"."+label] = r
			if r.Mesh != "" {
				meshes[r.Mesh] = true
				block.Body().SetAttributeTraversal("mesh", traversal("kuma_mesh", r.Mesh, "name"))
			}
			for _, nested := range block.Body().Blocks() {
				postpone(nested.Body(), later.Body())
			}
			file.Body().AppendBlock(block)
		}
	}
	text := &strings.Builder{}
	fmt.Fprintf(text, "%sresource \"terraform_data\" \"later\" {\n  input = {\n%s  }\n}\n", file.Bytes(), later.Bytes())
	for name := range meshes {
		fmt.Fprintf(text, "resource \"kuma_mesh\" %q {\n  name = %q\n  skip_creating_initial_policies = [\"*\"]\n}\n", name, name)
	}
	return text.String(), documents
}

// CheckoutProxy is the mesh of the examples of analyses.
const CheckoutProxy = `
resource "kuma_mesh" "shop" {
  name = "shop"
  mesh_services {
    mode = "Exclusive"
  }
}
resource "kuma_dataplane" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout-1"
  labels = { app = "checkout" }
  networking {
    address = "10.0.0.5"
    inbound {
      port     = 8080
      protocol = "http"
    }
  }
}
resource "kuma_mesh_service" "checkout" {
  mesh   = kuma_mesh.shop.name
  name   = "checkout"
  labels = { app = "checkout" }
  spec {
    selector {
      dataplane_labels {
        match_labels = { app = "checkout" }
      }
    }
    ports {
      port        = 8080
      target_port = 8080
    }
  }
}`

// postpone moves the values in a block to another body, and replaces them by
// references that are known only after the apply.
func postpone(body, later *hclwrite.Body) {
	for name, a := range body.Attributes() {
		key := fmt.Sprintf("v%d", len(later.Attributes()))
		later.SetAttributeRaw(key, a.Expr().BuildTokens(nil))
		body.SetAttributeTraversal(name, traversal("terraform_data", "later", "output", key))
	}
	for _, nested := range body.Blocks() {
		postpone(nested.Body(), later)
	}
}

// RequiredProvider names the source of the provider.
const RequiredProvider = `
terraform {
  required_providers {
    kuma = { source = "kuma-universal/kuma" }
  }
}
`

// EmbeddedConfig is a configuration with an embedded control plane of a release.
func EmbeddedConfig(release string) string {
	return RequiredProvider +
		fmt.Sprintf("provider \"kuma\" {\n  embedded {\n    directory    = \"${path.root}/mesh\"\n    kuma_version = %q\n  }\n}\n", release)
}

// SharedMesh is a mesh named shop.
const SharedMesh = `
resource "kuma_mesh" "shop" {
  name = "shop"
}
`

// ResourceBlock returns a resource as a block of configuration.
func ResourceBlock(tb testing.TB, r kuma.Resource) *hclwrite.Block {
	tb.Helper()
	text, err := configuration.File([]kuma.Resource{r}, Verbatim)
	testworld.NoError(tb, err)
	file, diags := hclwrite.ParseConfig([]byte(text), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	return file.Body().Blocks()[0]
}

func traversal(root string, names ...string) hcl.Traversal {
	out := hcl.Traversal{hcl.TraverseRoot{Name: root}}
	for _, name := range names {
		out = append(out, hcl.TraverseAttr{Name: name})
	}
	return out
}
