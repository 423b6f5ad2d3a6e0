package provider

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// catalog contains documents that were sent to a control plane 2.14, and its
// responses; see the README there.
const catalog = "../kinds/testdata/catalog"

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

		"MeshLoadBalancingStrategy-1": "Kuma 3.0 accepts the kind of destination, and the release is not known before the plan",
	}
	c := newCore(t)
	var refused, passed atomic.Int32
	t.Run("kinds", func(t *testing.T) {
		for _, k := range kinds.All() {
			for _, file := range testworld.Files(t, filepath.Join(catalog, "invalid", k.Name+"-*.yaml")) {
				name := strings.TrimSuffix(filepath.Base(file), ".yaml")
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					found := c.refusal(t, testworld.Document(t, testworld.Text(t, file)))
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

// refusal returns the error that is reported on an attribute of a document, empty
// without one.
func (c core) refusal(t *testing.T, doc map[string]any) string {
	t.Helper()
	r, err := kuma.FromDocument(doc, kinds.Form)
	if err != nil {
		return err.Error() // no type, no name: no resource block
	}
	written, err := configuration.File(t.Context(), []kuma.Resource{r}, Verbatim)
	if err != nil {
		return err.Error() // a value of a type that cannot be written
	}
	typeName, config, diags := c.config(t, written)
	if diags.HasErrors() {
		return diags.Error()
	}
	for _, d := range c.validate(t, typeName, config) {
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
	t.Run("kinds", func(t *testing.T) {
		for _, k := range kinds.All() {
			t.Run(k.Name, func(t *testing.T) {
				t.Parallel()
				answers := storedDocuments(t, k)
				for i, doc := range catalogExamples(t, k) {
					t.Run(doc.Name, func(t *testing.T) {
						c := newCore(t, meshOf(doc)...)
						if doc.Mesh == "normx" { // the recordings were made in such a mesh
							c.put(t, kuma.Resource{Type: "Mesh", Name: doc.Mesh, Body: map[string]any{"meshServices": map[string]any{"mode": "Exclusive"}}})
						}
						config := c.configuration(t, k, doc)
						created := c.create(t, tfschema.TypeName(k.Name), config)
						c.storesAsRecorded(t, k, answers[i])
						c.importedAsAnswered(t, k, doc.Key())
						created = c.imported(t, k, doc.Key(), config, created, &count)
						c.storesAsRecorded(t, k, answers[i])
						created = c.replaced(t, k, config, created)
						c.destroy(t, tfschema.TypeName(k.Name), created)
						c.nothingLeft(t, doc)
						count.add("accepted documents", "applied, stored as recorded, planned again without a change, destroyed")
					})
				}
			})
		}
	})
	count.log(t)
}

// backgroundJobs lists fields that a control plane wrote between the recorded write
// and read.
var backgroundJobs = map[string][]string{
	"MeshService": {"state", "identities"},
	"ZoneIngress": {"availableServices"},
}

// storesAsRecorded compares what is stored with a recorded response.
func (c core) storesAsRecorded(t *testing.T, k def.Kind, want kuma.Resource) {
	t.Helper()
	got, want := c.stored(t, want.Key()), want.Clone()
	for _, field := range backgroundJobs[k.Name] {
		for _, r := range []kuma.Resource{got, want} {
			delete(r.Body, field)
			delete(r.Spec(), field)
		}
	}
	if diff := cmp.Diff(canonical(k, want.Document()), canonical(k, got.Document())); diff != "" {
		t.Errorf("stored (-by the control plane +here):\n%s", diff)
	}
}

// imported imports a resource instead of what was created, and applies the
// configuration to it.
func (c core) imported(t *testing.T, k def.Kind, key kuma.Key, config tftypes.Value, created instance, count *tally) instance {
	t.Helper()
	imported := c.imports(t, tfschema.TypeName(k.Name), configuration.KindImportID(k, key.Mesh, key.Name), nil)
	if other := c.imports(t, tfschema.TypeName(k.Name), "", created.identity); !other.value.Equal(imported.value) {
		t.Error("an import by identity reads something else")
	}
	planned, diags := c.plan(t, tfschema.TypeName(k.Name), config, imported)
	switch {
	case HasErrors(diags) || planned.replaced:
		t.Errorf("the plan after an import replaces the resource: %s", messages(diags))
	case planned.empty():
		count.add("imports", "planned without a change")
	case !strings.Contains(messages(diags), "Update changes only the state"):
		t.Errorf("the plan after an import writes something: %s", messages(diags))
	default:
		count.add("imports", "updated once in the state, with what the configuration writes out and an import leaves open")
	}
	return c.update(t, tfschema.TypeName(k.Name), config, imported)
}

// replaced replaces a resource as the -replace option does.
func (c core) replaced(t *testing.T, k def.Kind, config tftypes.Value, now instance) instance {
	t.Helper()
	planned, diags := c.replace(t, tfschema.TypeName(k.Name), config, now)
	if HasErrors(diags) {
		t.Fatalf("the plan of a replacement fails: %s", messages(diags))
	}
	return c.refresh(t, tfschema.TypeName(k.Name), c.apply(t, planned))
}

// importedAsAnswered imports a resource as a manifest that is configured exactly like
// the response of the control plane, including computed fields.
func (c core) importedAsAnswered(t *testing.T, k def.Kind, key kuma.Key) {
	t.Helper()
	steps := []string{k.Path, key.Name}
	if k.Scope == def.InMesh {
		steps = []string{"meshes", key.Mesh, k.Path, key.Name}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+strings.Join(steps, "/"), nil)
	answer := httptest.NewRecorder()
	c.controlPlane.ServeHTTP(answer, r)
	manifest, err := tfvalue.FromTree(t.Context(), testworld.JSON(t, answer.Body.String())).ToTerraformValue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	block := c.schemas.ResourceSchemas["kuma_manifest"].Block
	values := map[string]tftypes.Value{"manifest": manifest}
	for _, a := range block.Attributes {
		if a.Name != "manifest" {
			values[a.Name] = tftypes.NewValue(a.Type, nil)
		}
	}
	imported := c.imports(t, "kuma_manifest", configuration.ManifestImportID(key), nil)
	planned, diags := c.plan(t, "kuma_manifest", tftypes.NewValue(block.ValueType(), values), imported)
	if !planned.empty() || HasErrors(diags) {
		diffs, _ := imported.value.Diff(planned.planned.value)
		t.Errorf("the manifest that is the answer of the control plane plans %v %s", diffs, messages(diags))
	}
}

// nothingLeft checks that the control plane has only the mesh of the resource.
func (c core) nothingLeft(t *testing.T, r kuma.Resource) {
	t.Helper()
	for _, k := range kinds.All() {
		left, err := c.client.List(t.Context(), k, "")
		if err != nil {
			t.Fatal(err)
		}
		left = slices.DeleteFunc(left, func(o kuma.Resource) bool { return o.Type == "Mesh" && o.Name == r.Mesh })
		if len(left) > 0 {
			t.Errorf("after the destroy there is %v", left)
		}
	}
}

// TestWrittenResources checks that configuration written for a document is
// equivalent to it, and that a document stored by a control plane can be
// imported: when it is written back, it does not change.
func TestWrittenResources(t *testing.T) {
	t.Parallel()
	c := newCore(t)
	for _, k := range kinds.All() {
		answers := storedDocuments(t, k)
		for i, doc := range catalogExamples(t, k) {
			t.Run(k.Name+"/"+doc.Name, func(t *testing.T) {
				t.Parallel()
				config := c.configuration(t, k, doc)
				back, err := tfvalue.Encode(k, config)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(canonical(k, doc.Document()), canonical(k, back)); diff != "" {
					t.Errorf("written as configuration (-document +configuration):\n%s", diff)
				}

				typ, _ := config.Type().(tftypes.Object)
				imported, err := tfvalue.Decode(k, answers[i], kuma.Release{}, typ, tftypes.NewValue(typ, nil), false)
				if err != nil {
					t.Fatal(err)
				}
				if back, err = tfvalue.Encode(k, tftypes.NewValue(typ, imported)); err != nil {
					t.Fatal(err)
				}
				again := testworld.FromDocument(t, back)
				k.KeepServerOwned(&again, answers[i])
				circumstances := def.StoreContext{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: answers[i].Zone()}}
				want, got := k.Store(answers[i], circumstances), k.Store(again, circumstances)
				if diff := cmp.Diff(canonical(k, want.Document()), canonical(k, got.Document())); diff != "" {
					t.Errorf("importing and applying changes the document (-stored +written):\n%s", diff)
				}
			})
		}
	}
}

// leftAlone copies the stored secrets that r omits into r, because an update
// without them keeps them.
func leftAlone(k def.Kind, r *kuma.Resource, stored kuma.Resource) {
	for _, f := range k.SecretFields() {
		if value, ok := stored.Body[f.Name]; ok && r.Body[f.Name] == nil {
			r.Body[f.Name] = value
		}
	}
}

// canonical converts strings that may be numbers to numbers, because Terraform has one
// type for both, and omits values that are equivalent to absent ones.
func canonical(k def.Kind, doc map[string]any) map[string]any {
	root, out := k.Root(), map[string]any{}
	for field, v := range doc {
		f, ok := root.Field(field)
		if !ok {
			out[field] = v
			continue
		}
		if v := canonicalValue(f, f.Type, v, k.Proto()); v != nil {
			out[field] = v
		}
	}
	return out
}

func canonicalValue(f def.Field, typ def.Type, v any, proto bool) any {
	if (f.EmptyIsAbsent || f.IsSecret()) && tree.IsEmpty(v) {
		return nil
	}
	switch typ := typ.(type) {
	case def.Object:
		m, _ := v.(map[string]any)
		out := map[string]any{}
		for _, f := range typ {
			if v := canonicalValue(f, f.Type, m[f.Name], proto); v != nil {
				out[f.Name] = v
			}
		}
		if m == nil {
			return nil
		}
		return out
	case def.List:
		list, ok := v.([]any)
		if !ok || len(list) == 0 && tfschema.IsBlockList(typ) && !tfschema.CanBeExplicitlyEmpty(f, proto) {
			return nil
		}
		out := make([]any, len(list))
		for i, e := range list {
			out[i] = canonicalValue(f, typ.Elem, e, proto)
		}
		return out
	case def.Scalar:
		if c, err := def.Canonical(typ, v); err == nil && typ == def.IntOrString {
			return c
		}
	case def.StringMap, def.Secret:
	}
	return v
}

// catalogExamples returns the documents of a kind that a control plane accepted.
func catalogExamples(t *testing.T, k def.Kind) []kuma.Resource {
	t.Helper()
	out := testworld.Resources(t, testworld.Text(t, filepath.Join(catalog, "examples", k.Name+".yaml")))
	if len(out) == 0 {
		t.Fatalf("%s has no accepted document", k.Name)
	}
	return out
}

// storedDocuments returns what the control plane stored for [examples].
func storedDocuments(t *testing.T, k def.Kind) []kuma.Resource {
	t.Helper()
	answers := testworld.JSONObjects(t, testworld.Text(t, filepath.Join(catalog, "examples", k.Name+".stored.json")))
	if sent := catalogExamples(t, k); len(answers) != len(sent) {
		t.Fatalf("%s: %d documents and %d answers", k.Name, len(sent), len(answers))
	}
	out := make([]kuma.Resource, len(answers))
	for i, answer := range answers {
		out[i] = testworld.FromDocument(t, answer)
	}
	return out
}

// configuration converts a document to its resource block, and parses that as
// Terraform does.
func (c core) configuration(t *testing.T, k def.Kind, doc kuma.Resource) tftypes.Value {
	t.Helper()
	written, err := configuration.File(t.Context(), []kuma.Resource{doc}, Verbatim)
	if err != nil {
		t.Fatal(err)
	}
	typeName, config, diags := c.config(t, written)
	if diags.HasErrors() || typeName != tfschema.TypeName(k.Name) {
		t.Fatalf("%s: %s in\n%s", typeName, diags, written)
	}
	return config
}

// meshOf returns the mesh of a resource, empty for a kind outside meshes.
func meshOf(r kuma.Resource) []string {
	if r.Mesh == "" {
		return nil
	}
	return []string{r.Mesh}
}
