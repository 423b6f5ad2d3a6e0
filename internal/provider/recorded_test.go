package provider

import (
	"os"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestRecordedWritesPlanNothing applies what a control plane 2.14 accepted when the
// rules of single fields were recorded: the next plan is empty, although the
// control plane stores some values in another form, or not at all.
func TestRecordedWritesPlanNothing(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../kinds/testdata/field_rules.json")
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := tree.DecodeJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, write := range decoded.([]any) {
		write := write.(map[string]any)
		r, err := kuma.FromDocument(write["put"].(map[string]any), kinds.Form)
		if err != nil {
			t.Fatal(err)
		}
		k, _ := kinds.Find(r.Type)
		if write["get"] == nil || len(k.UnknownMembers(r)) > 0 {
			continue // refused, or with members that the resource does not have
		}
		t.Run(write["name"].(string), func(t *testing.T) {
			t.Parallel()
			c := newCore(t, meshOf(r)...)
			c.create(t, tfschema.TypeName(k.Name), c.configuration(t, k, r))
		})
	}
}
