package managed_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestRefusedDocuments converts every document that a control plane rejected to
// configuration, and checks that Terraform or the provider rejects it before
// the plan, on an attribute.
func TestRefusedDocuments(t *testing.T) {
	t.Parallel()
	// Documents that only the control plane can reject, or that have no configuration.
	needsOthers := map[string]string{
		"Mesh-7":     "the secrets of the authority may be created in the same apply",
		"Secret-3":   "Terraform converts the number to a string",
		"Workload-2": "users do not write the status",
		"Zone-3":     "the configuration does not say which zone the control plane belongs to",

		"MeshHTTPRoute-21":            "Kuma 3.0 mirrors requests to this kind, and the release is not known before the plan",
		"MeshLoadBalancingStrategy-1": "Kuma 3.0 accepts the kind of destination, and the release is not known before the plan",
	}
	c := providertest.NewCore(t)
	var refused, passed atomic.Int32
	t.Run("kinds", func(t *testing.T) {
		for _, k := range kinds.All() {
			for _, file := range testworld.Files(t, filepath.Join(providertest.Catalog, "invalid", k.Name+"-*.yaml")) {
				name := strings.TrimSuffix(filepath.Base(file), ".yaml")
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					found := rejection(t, c, testworld.Document(t, testworld.Text(t, file)))
					switch why := needsOthers[name]; {
					case why == "" && found == "":
						t.Errorf("the document was not refused on an attribute")
					case why != "" && found != "":
						t.Errorf("refused with %s, although %s", found, why)
					case why != "":
						passed.Add(1)
					default:
						refused.Add(1)
					}
				})
			}
		}
	})
	t.Logf("%d refused documents: %d refused at plan, %d for others to find", refused.Load()+passed.Load(), refused.Load(), passed.Load())
}

// rejection returns the error that is reported on an attribute of a document, empty
// without one.
func rejection(t *testing.T, c providertest.Core, doc map[string]any) string {
	t.Helper()
	r, err := kuma.FromDocument(doc, kinds.Form)
	if err != nil {
		return err.Error() // no type, no name: no resource block
	}
	written, err := configuration.File([]kuma.Resource{r}, providertest.Verbatim)
	if err != nil {
		return err.Error() // a value of a type that cannot be written
	}
	typeName, config, diags := c.Config(t, written)
	if diags.HasErrors() {
		return diags.Error()
	}
	for _, d := range c.Validate(t, typeName, config) {
		if d.Severity == tfprotov6.DiagnosticSeverityError && (len(d.Attribute.Steps()) > 0 || hides(doc, d.Detail)) {
			return d.Summary
		}
	}
	return ""
}

// hides reports whether an error is about a secret of a document, for which Terraform shows
// the block: it would print the line of an attribute with the value.
func hides(doc map[string]any, detail string) bool {
	k, _ := kinds.Find(tree.Text(doc["type"]))
	return slices.ContainsFunc(k.SecretFields(), func(f def.Field) bool {
		return strings.HasPrefix(detail, f.Name) && strings.Contains(detail, " (sensitive value) ")
	})
}

// TestAcceptedDocuments converts every document that a control plane accepted to
// configuration, and applies it. It checks that the same is stored as by the control
// plane, and that the second plan is empty. Then it imports the resource, by
// identifier and by identity, and destroys it.
func TestAcceptedDocuments(t *testing.T) {
	t.Parallel()
	var count tally
	eachKind(t, func(t *testing.T, k def.Kind) {
		answers := storedDocuments(t, k)
		for i, doc := range providertest.CatalogExamples(t, k) {
			if testing.Short() && i > 0 {
				break
			}
			t.Run(doc.Name, func(t *testing.T) {
				c := coreFor(t, doc)
				if doc.Mesh == "normx" { // the recordings were made in such a mesh
					providertest.Put(t, c.Client, kuma.Resource{Type: "Mesh", Name: doc.Mesh, Body: map[string]any{"meshServices": map[string]any{"mode": "Exclusive"}}})
				}
				config := c.Configuration(t, k, doc)
				created := c.Create(t, tfschema.TypeName(k.Name), config)
				storesAsRecorded(t, c, k, answers[i])
				importedAsAnswered(t, c, k, doc.Key())
				created = imported(t, c, k, doc.Key(), config, created, &count)
				storesAsRecorded(t, c, k, answers[i])
				created = replaced(t, c, k, config, created)
				c.Destroy(t, tfschema.TypeName(k.Name), created)
				c.NothingLeft(t, doc)
				count.add("accepted documents", "applied, stored as recorded, planned again without a change, destroyed")
			})
		}
	})
	count.log(t)
}

// coreFor returns a core that has the mesh of a resource.
func coreFor(t *testing.T, r kuma.Resource) providertest.Core {
	t.Helper()
	if r.Mesh == "" {
		return providertest.NewCore(t)
	}
	return providertest.NewCore(t, r.Mesh)
}

// backgroundJobs lists fields that a control plane wrote between the recorded write
// and read.
var backgroundJobs = map[string][]string{
	"MeshService": {"state", "identities"},
	"ZoneIngress": {"availableServices"},
}

// storesAsRecorded compares what is stored with a recorded response.
func storesAsRecorded(t *testing.T, c providertest.Core, k def.Kind, want kuma.Resource) {
	t.Helper()
	got, want := c.Stored(t, want.Key()), want.Clone()
	for _, field := range backgroundJobs[k.Name] {
		for _, r := range []kuma.Resource{got, want} {
			delete(r.Body, field)
			delete(r.Spec(), field)
		}
	}
	if diff := difference(k, want.Document(), got.Document()); diff != "" {
		t.Errorf("stored (-by the control plane +here):\n%s", diff)
	}
}

// imported imports a resource instead of what was created, and applies the
// configuration to it.
func imported(t *testing.T, c providertest.Core, k def.Kind, key kuma.Key, config tftypes.Value, created providertest.Instance, count *tally) providertest.Instance {
	t.Helper()
	imported := c.Imports(t, tfschema.TypeName(k.Name), configuration.KindImportID(k, key.Mesh, key.Name), nil)
	if other := c.Imports(t, tfschema.TypeName(k.Name), "", created.Identity); !other.Value.Equal(imported.Value) {
		t.Error("an import by identity reads something else")
	}
	planned, diags := c.PlanChange(t, tfschema.TypeName(k.Name), config, imported)
	switch {
	case providertest.HasErrors(diags) || planned.Replaced:
		t.Errorf("the plan after an import replaces the resource: %s", providertest.Messages(diags))
	case planned.Empty():
		count.add("imports", "planned without a change")
	case !strings.Contains(providertest.Messages(diags), "Update changes only the state"):
		t.Errorf("the plan after an import writes something: %s", providertest.Messages(diags))
	default:
		count.add("imports", "updated once in the state, with what the configuration writes out and an import leaves open")
	}
	return c.Update(t, tfschema.TypeName(k.Name), config, imported)
}

// replaced replaces a resource as the -replace option does.
func replaced(t *testing.T, c providertest.Core, k def.Kind, config tftypes.Value, now providertest.Instance) providertest.Instance {
	t.Helper()
	planned, diags := c.Plan(t, tfschema.TypeName(k.Name), config, now, true)
	if providertest.HasErrors(diags) {
		t.Fatalf("the plan of a replacement fails: %s", providertest.Messages(diags))
	}
	return c.MustRefresh(t, tfschema.TypeName(k.Name), c.MustApply(t, planned))
}

// importedAsAnswered imports a resource as a manifest that is configured exactly like
// the response of the control plane, including computed fields.
func importedAsAnswered(t *testing.T, c providertest.Core, k def.Kind, key kuma.Key) {
	t.Helper()
	steps := []string{k.Path, key.Name}
	if k.Scope == def.InMesh {
		steps = []string{"meshes", key.Mesh, k.Path, key.Name}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+strings.Join(steps, "/"), nil)
	answer := httptest.NewRecorder()
	c.ControlPlane.ServeHTTP(answer, r)
	manifest, err := tfvalue.FromTree(t.Context(), testworld.JSON(t, answer.Body.String())).ToTerraformValue(t.Context())
	testworld.NoError(t, err)
	block := c.Schemas.ResourceSchemas["kuma_manifest"].Block
	values := map[string]tftypes.Value{"manifest": manifest}
	for _, a := range block.Attributes {
		if a.Name != "manifest" {
			values[a.Name] = tftypes.NewValue(a.Type, nil)
		}
	}
	imported := c.Imports(t, "kuma_manifest", configuration.ManifestImportID(key), nil)
	planned, diags := c.PlanChange(t, "kuma_manifest", tftypes.NewValue(block.ValueType(), values), imported)
	if !planned.Empty() || providertest.HasErrors(diags) {
		diffs, _ := imported.Value.Diff(planned.Planned.Value)
		t.Errorf("the manifest that is the answer of the control plane plans %v %s", diffs, providertest.Messages(diags))
	}
}

// TestWrittenResources checks that configuration written for a document is
// equivalent to it, and that a document stored by a control plane can be
// imported: when it is written back, it does not change.
func TestWrittenResources(t *testing.T) {
	t.Parallel()
	c := providertest.NewCore(t)
	for _, k := range kinds.All() {
		answers := storedDocuments(t, k)
		for i, doc := range providertest.CatalogExamples(t, k) {
			t.Run(k.Name+"/"+doc.Name, func(t *testing.T) {
				t.Parallel()
				config := c.Configuration(t, k, doc)
				back, err := tfvalue.Encode(k, config)
				testworld.NoError(t, err)
				if diff := difference(k, doc.Document(), back); diff != "" {
					t.Errorf("written as configuration (-document +configuration):\n%s", diff)
				}

				typ, _ := config.Type().(tftypes.Object)
				imported, err := tfvalue.Decode(k, answers[i], kuma.Release{}, typ, tftypes.NewValue(typ, nil), false)
				testworld.NoError(t, err)
				if back, err = tfvalue.Encode(k, tftypes.NewValue(typ, imported)); err != nil {
					t.Fatal(err)
				}
				again := testworld.FromDocument(t, back)
				k.KeepServerOwned(&again, answers[i])
				circumstances := def.StoreContext{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: answers[i].Zone()}}
				want, got := k.Store(answers[i], circumstances), k.Store(again, circumstances)
				if diff := difference(k, want.Document(), got.Document()); diff != "" {
					t.Errorf("importing and applying changes the document (-stored +written):\n%s", diff)
				}
			})
		}
	}
}

// storedDocuments returns what the control plane stored for [examples].
func storedDocuments(t *testing.T, k def.Kind) []kuma.Resource {
	t.Helper()
	answers := testworld.JSONObjects(t, testworld.Text(t, filepath.Join(providertest.Catalog, "examples", k.Name+".stored.json")))
	if sent := providertest.CatalogExamples(t, k); len(answers) != len(sent) {
		t.Fatalf("%s: %d documents and %d answers", k.Name, len(sent), len(answers))
	}
	return phrase.Each(answers, func(answer map[string]any) kuma.Resource { return testworld.FromDocument(t, answer) })
}

// TestCatalogOnTheCommandLine applies all accepted documents of all kinds in one
// configuration, in which all nested blocks are known only after the apply. It checks
// that the documents are stored, that the second plan is empty, and that the destroy
// removes everything.
func TestCatalogOnTheCommandLine(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	cp := providertest.NewEmbedded(t) // the documents would replace what a real one has in its mesh "default"
	config, documents := catalogConfiguration(t)
	config += strings.Replace(cp.Config, "{", "{\n  policy_checks = \"warning\" # the control plane accepted them all", 1)
	planned := make([]plancheck.PlanCheck, 0, len(documents))
	for address := range documents {
		planned = append(planned, plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate))
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providertest.Factories,
		Steps: []resource.TestStep{{
			Config:           config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: planned, PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			Check: func(*terraform.State) error {
				for address, r := range documents {
					if diff := cmp.Diff(wouldStore(r), stores(t, cp, r)); diff != "" {
						t.Errorf("%s (-document +stored):\n%s", address, diff)
					}
				}
				return nil
			},
		}},
		CheckDestroy: func(*terraform.State) error { return cp.IsEmpty() },
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
		for _, r := range providertest.CatalogExamples(t, k) {
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
	text := &strings.Builder{}
	fmt.Fprintf(text, "%sresource \"terraform_data\" \"later\" {\n  input = {\n%s  }\n}\n", file.Bytes(), later.Bytes())
	for name := range meshes {
		fmt.Fprintf(text, "resource \"kuma_mesh\" %q {\n  name = %q\n  skip_creating_initial_policies = [\"*\"]\n}\n", name, name)
	}
	return text.String(), documents
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

// resourceBlock returns a resource as a block of configuration.
func resourceBlock(tb testing.TB, r kuma.Resource) *hclwrite.Block {
	tb.Helper()
	text, err := configuration.File([]kuma.Resource{r}, providertest.Verbatim)
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

// stores returns what the control plane has of a resource.
func stores(t *testing.T, cp providertest.ControlPlane, r kuma.Resource) map[string]any {
	t.Helper()
	k, _ := kinds.Find(r.Type)
	got, err := cp.Client.Get(context.Background(), k, r.Mesh, r.Name)
	testworld.NoError(t, err)
	return canonical(k, got.Document())
}

// wouldStore returns what the control plane stores for a document.
func wouldStore(r kuma.Resource) map[string]any {
	k, _ := kinds.Find(r.Type)
	circumstances := def.StoreContext{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1"}, Create: true}
	return canonical(k, k.Store(r, circumstances).Document())
}

// TestRecordedWritesPlanNothing applies what a control plane 2.14 accepted when the
// rules of single fields were recorded: the next plan is empty, although the
// control plane stores some values in another form, or not at all.
func TestRecordedWritesPlanNothing(t *testing.T) {
	t.Parallel()
	for n, write := range testworld.JSONObjects(t, testworld.Text(t, testworld.Path("internal", "kinds", "testdata", "field_rules.json"))) {
		r := testworld.FromDocument(t, write["put"])
		k, _ := kinds.Find(r.Type)
		if write["get"] == nil || len(k.UnknownFields(r)) > 0 {
			continue // refused, or with fields that the resource does not have
		}
		if testing.Short() && n%7 != 0 {
			continue
		}
		t.Run(write["name"].(string), func(t *testing.T) {
			t.Parallel()
			c := coreFor(t, r)
			c.Create(t, tfschema.TypeName(k.Name), c.Configuration(t, k, r))
		})
	}
}
