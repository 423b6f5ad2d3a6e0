package provider

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// catalog holds documents that a control plane 2.14 was sent, and what it
// answered; see the README there.
const catalog = "../kinds/testdata/catalog"

// TestInvalidDocumentsAreRefusedAtPlan sends what a control plane refused
// through the provider as configuration.
func TestInvalidDocumentsAreRefusedAtPlan(t *testing.T) {
	t.Parallel()
	// What other resources or the control plane tell, or Terraform itself.
	needsOthers := map[string]string{
		"Mesh-7":     "the secrets of the authority may be created in the same apply",
		"Zone-2":     "Terraform refuses text for a boolean",
		"Zone-3":     "the configuration does not say which zone the control plane belongs to",
		"Workload-2": "the status is no part of what users write",
	}
	server := providerserver.NewProtocol6(New("test")())()
	count := 0
	for _, k := range kinds.All() {
		files, err := filepath.Glob(filepath.Join(catalog, "invalid", k.Name+"-*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no documents of kind %s: %v", k.Name, err)
		}
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".yaml")
			if needsOthers[name] != "" {
				continue
			}
			count++
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				config := configuration(t, k, documents(t, file)[0])
				value, err := tfprotov6.NewDynamicValue(config.Type(), config)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: TypeName(k.Name), Config: &value})
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range resp.Diagnostics {
					if d.Severity == tfprotov6.DiagnosticSeverityError && len(d.Attribute.Steps()) > 0 {
						return
					}
				}
				t.Errorf("the document was not refused on an attribute: %v", resp.Diagnostics)
			})
		}
	}
	t.Logf("%d documents", count)
}

// TestExamplesRoundTrip checks that what a control plane stored, read with the
// configuration in hand, is the configuration: no difference would be planned.
// Read without it, it is written back as it was stored.
func TestExamplesRoundTrip(t *testing.T) {
	t.Parallel()
	// What Terraform has one spelling for, and a document two.
	rewritten := map[string]string{
		"MeshFaultInjection/0": "a percentage is the text 1, written as a number like the targetPort below",
		"MeshHealthCheck/0":    "healthyPanicThreshold is the text 60, written as a number like the targetPort below",
		"MeshService/2":        "targetPort is the text 8080, which Terraform cannot tell from the number; it is written as a number",
		"MeshTrace/0":          "sampling.random is the text 0, as above",
	}
	for _, k := range kinds.All() {
		sent := documents(t, filepath.Join(catalog, "examples", k.Name+".yaml"))
		var stored []any
		data, err := os.ReadFile(filepath.Join(catalog, "examples", k.Name+".stored.json"))
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := mesh.DecodeJSON(data)
		if err != nil {
			t.Fatal(err)
		}
		stored, _ = decoded.([]any)
		if len(stored) != len(sent) {
			t.Fatalf("%s: %d documents and %d answers", k.Name, len(sent), len(stored))
		}
		for i, doc := range sent {
			name := fmt.Sprintf("%s/%d", k.Name, i)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				config := configuration(t, k, doc)
				r, err := mesh.FromDocument(stored[i], kinds.Form)
				if err != nil {
					t.Fatal(err)
				}
				typ, _ := config.Type().(tftypes.Object)
				values, err := decodeResource(k, r, typ, config, false)
				if err != nil {
					t.Fatal(err)
				}
				values["kri"] = tftypes.NewValue(tftypes.String, nil)
				values["type"] = values["kri"]
				diffs, err := config.Diff(tftypes.NewValue(typ, values))
				if err != nil || len(diffs) > 0 {
					t.Errorf("reading the stored document changes the configuration: %v %v", diffs, err)
				}

				if rewritten[name] != "" {
					return
				}
				imported, err := decodeResource(k, r, typ, tftypes.NewValue(typ, nil), false)
				if err != nil {
					t.Fatal(err)
				}
				doc, err := encodeDocument(k, tftypes.NewValue(typ, imported))
				if err != nil {
					t.Fatal(err)
				}
				back, err := mesh.FromDocument(doc, kinds.Form)
				if err != nil {
					t.Fatal(err)
				}
				k.KeepServerOwned(&back, r)
				c := spec.Circumstances{ControlPlane: spec.ControlPlane{Mode: spec.ModeZone, Zone: r.Zone()}}
				if diff := cmp.Diff(text(t, k.Store(r, c).Document()), text(t, k.Store(back, c).Document())); diff != "" {
					t.Errorf("importing and applying changes the document (-stored +written):\n%s", diff)
				}
			})
		}
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func documents(t *testing.T, file string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := mesh.DecodeYAML(data)
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]any
	for _, d := range docs {
		m, ok := d.(map[string]any)
		if !ok {
			t.Fatalf("%s holds something that is no document", file)
		}
		out = append(out, m)
	}
	return out
}

// configuration writes a document as the configuration of its resource, member
// by member, the way a person would.
func configuration(t *testing.T, k spec.Kind, doc map[string]any) tftypes.Value {
	t.Helper()
	var resp resource.SchemaResponse
	(&kindResource{remote{kind: k}}).Schema(t.Context(), resource.SchemaRequest{}, &resp)
	typ, ok := resp.Schema.Type().TerraformType(t.Context()).(tftypes.Object)
	if !ok {
		t.Fatal("a resource is always an object")
	}
	fields := spec.Object{
		{Name: "name", Type: spec.String}, {Name: "mesh", Type: spec.String}, {Name: "labels", Type: spec.Map{Elem: spec.String}},
	}
	if k.Flat {
		fields = append(fields, k.Fields...)
	} else {
		fields = append(fields, spec.Field{Name: "spec", Type: k.Fields})
	}
	return write(t, fields, typ, doc)
}

func write(t *testing.T, st spec.Type, typ tftypes.Type, v any) tftypes.Value {
	t.Helper()
	if st == spec.JSON && v != nil {
		return tftypes.NewValue(typ, text(t, v))
	}
	if v == nil {
		if l, ok := typ.(tftypes.List); ok && isBlockList(st) {
			return tftypes.NewValue(l, []tftypes.Value{})
		}
		return tftypes.NewValue(typ, nil)
	}
	if st == spec.JSON {
		return tftypes.NewValue(typ, text(t, v))
	}
	switch typ := typ.(type) {
	case tftypes.Object:
		o, ok := st.(spec.Object)
		m, isMap := v.(map[string]any)
		if !ok || !isMap {
			t.Fatalf("%v is no object", v)
		}
		values := map[string]tftypes.Value{}
		for name, attribute := range typ.AttributeTypes {
			values[name] = tftypes.NewValue(attribute, nil)
		}
		var empty []tftypes.Value
		for _, f := range o {
			name := spec.AttributeName(f.Name)
			if f.Secret {
				name += suffixBase64 // as in the document
			}
			if attribute, ok := typ.AttributeTypes[name]; ok {
				values[name] = write(t, f.Type, attribute, m[f.Name])
			}
			if list, ok := m[f.Name].([]any); ok && len(list) == 0 && canBeExplicitlyEmpty(f, false) {
				empty = append(empty, tftypes.NewValue(tftypes.String, name))
			}
		}
		if set, ok := typ.AttributeTypes[explicitlyEmpty]; ok && empty != nil {
			values[explicitlyEmpty] = tftypes.NewValue(set, empty)
		}
		return tftypes.NewValue(typ, values)
	case tftypes.List:
		l, _ := st.(spec.List)
		list, _ := v.([]any)
		values := []tftypes.Value{}
		for _, e := range list {
			values = append(values, write(t, l.Elem, typ.ElementType, e))
		}
		return tftypes.NewValue(typ, values)
	case tftypes.Map:
		mt, _ := st.(spec.Map)
		m, _ := v.(map[string]any)
		values := map[string]tftypes.Value{}
		for key, e := range m {
			values[key] = write(t, mt.Elem, typ.ElementType, e)
		}
		return tftypes.NewValue(typ, values)
	}
	switch v := v.(type) {
	case json.Number:
		if typ.Is(tftypes.Number) {
			n, _ := mesh.ParseNumber(v)
			return tftypes.NewValue(typ, n)
		}
		return tftypes.NewValue(typ, v.String())
	case string, bool:
		return tftypes.NewValue(typ, v)
	default:
		t.Fatalf("%v has no place in %s", v, typ)
		return tftypes.Value{}
	}
}
