package managed_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

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
			c := providertest.NewCore(t, providertest.MeshOf(r)...)
			c.Create(t, tfschema.TypeName(k.Name), c.Configuration(t, k, r))
		})
	}
}
