package providertest

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Catalog contains documents that were sent to a control plane 2.14, and its
// responses; see the README there.
var Catalog = testworld.Path("internal", "kinds", "testdata", "catalog")

// CatalogExamples returns the documents of a kind that a control plane accepted.
func CatalogExamples(t *testing.T, k def.Kind) []kuma.Resource {
	t.Helper()
	out := testworld.Resources(t, testworld.Text(t, filepath.Join(Catalog, "examples", k.Name+".yaml")))
	if len(out) == 0 {
		t.Fatalf("%s has no accepted document", k.Name)
	}
	return out
}

// Configuration converts a document to its resource block, and parses that as
// Terraform does.
func (c Core) Configuration(t *testing.T, k def.Kind, doc kuma.Resource) tftypes.Value {
	t.Helper()
	written, err := configuration.File([]kuma.Resource{doc}, Verbatim)
	testworld.NoError(t, err)
	typeName, config, diags := c.Config(t, written)
	if diags.HasErrors() || typeName != tfschema.TypeName(k.Name) {
		t.Fatalf("%s: %s in\n%s", typeName, diags, written)
	}
	return config
}

// MeshOf returns the mesh of a resource, empty for a kind outside meshes.
func MeshOf(r kuma.Resource) []string {
	if r.Mesh == "" {
		return nil
	}
	return []string{r.Mesh}
}

// NothingLeft checks that the control plane has only the mesh of the resource.
func (c Core) NothingLeft(t *testing.T, r kuma.Resource) {
	t.Helper()
	for _, k := range kinds.All() {
		left, err := c.Client.List(t.Context(), k, "")
		testworld.NoError(t, err)
		left = slices.DeleteFunc(left, func(o kuma.Resource) bool { return o.Type == "Mesh" && o.Name == r.Mesh })
		if len(left) > 0 {
			t.Errorf("after the destroy there is %v", left)
		}
	}
}

// Canonical converts strings that may be numbers to numbers, because Terraform has one
// type for both, and omits values that are equivalent to absent ones.
func Canonical(k def.Kind, doc map[string]any) map[string]any {
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

// leftAlone copies the stored secrets that r omits into r, because an update
// without them keeps them.
func leftAlone(k def.Kind, r *kuma.Resource, stored kuma.Resource) {
	for _, f := range k.SecretFields() {
		if value, ok := stored.Body[f.Name]; ok && r.Body[f.Name] == nil {
			r.Body[f.Name] = value
		}
	}
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
