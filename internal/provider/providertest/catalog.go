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
