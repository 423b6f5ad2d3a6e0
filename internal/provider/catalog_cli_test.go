package provider_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// TestCatalogOnTheCommandLine applies all accepted documents of all kinds in one
// configuration, in which all nested blocks are known only after the apply. It checks
// that the documents are stored, that the second plan is empty, and that the destroy
// removes everything.
func TestCatalogOnTheCommandLine(t *testing.T) {
	t.Parallel()
	needCLI(t)
	cp := newEmbedded(t) // the documents would replace what a real one has in its mesh "default"
	config, documents := catalogConfiguration(t)
	config += strings.Replace(cp.config, "{", "{\n  policy_checks = \"warning\" # the control plane accepted them all", 1)
	planned := make([]plancheck.PlanCheck, 0, len(documents))
	for address := range documents {
		planned = append(planned, plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate))
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{{
			Config:           config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: planned, PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			Check: func(*terraform.State) error {
				for address, r := range documents {
					if diff := cmp.Diff(cp.wouldStore(t, r), cp.stores(t, r)); diff != "" {
						t.Errorf("%s (-document +stored):\n%s", address, diff)
					}
				}
				return nil
			},
		}},
		CheckDestroy: func(*terraform.State) error { return cp.isEmpty() },
	})
	t.Logf("%d documents of %d kinds", len(documents), len(kinds.All()))
}

// catalogConfiguration returns the accepted documents as one configuration, and
// by address.
func catalogConfiguration(t *testing.T) (string, map[string]kuma.Resource) {
	t.Helper()
	file := hclwrite.NewEmptyFile()
	later := hclwrite.NewEmptyFile()
	documents := map[string]kuma.Resource{}
	meshes := map[string]bool{}
	for _, k := range kinds.All() {
		for _, r := range testworld.Resources(t, testworld.Text(t, filepath.Join("..", "kinds", "testdata", "catalog", "examples", k.Name+".yaml"))) {
			block := resourceBlock(t, r)
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
	text := string(file.Bytes()) + "resource \"terraform_data\" \"later\" {\n  input = {\n" + string(later.Bytes()) + "  }\n}\n"
	for name := range meshes {
		text += fmt.Sprintf("resource \"kuma_mesh\" %q {\n  name = %q\n  skip_creating_initial_policies = [\"*\"]\n}\n", name, name)
	}
	return text, documents
}

func resourceBlock(tb testing.TB, r kuma.Resource) *hclwrite.Block {
	tb.Helper()
	text, err := configuration.File(tb.Context(), []kuma.Resource{r}, provider.Verbatim)
	if err != nil {
		tb.Fatal(err)
	}
	file, diags := hclwrite.ParseConfig([]byte(text), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	return file.Body().Blocks()[0]
}

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

func traversal(root string, names ...string) hcl.Traversal {
	out := hcl.Traversal{hcl.TraverseRoot{Name: root}}
	for _, name := range names {
		out = append(out, hcl.TraverseAttr{Name: name})
	}
	return out
}

// stores returns what the control plane has of a resource.
func (cp testControlPlane) stores(t *testing.T, r kuma.Resource) map[string]any {
	t.Helper()
	k, _ := kinds.Find(r.Type)
	got, err := cp.client.Get(context.Background(), k, r.Mesh, r.Name)
	if err != nil {
		t.Fatal(err)
	}
	return provider.Canonical(k, got.Document())
}

// wouldStore returns what the control plane stores for a document.
func (cp testControlPlane) wouldStore(t *testing.T, r kuma.Resource) map[string]any {
	t.Helper()
	k, _ := kinds.Find(r.Type)
	circumstances := def.StoreContext{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1"}, Create: true}
	return provider.Canonical(k, k.Store(r, circumstances).Document())
}
