package managed_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestRecordedEmptyLists compares explicitly empty lists with those that a control
// plane 2.14 stored.
func TestRecordedEmptyLists(t *testing.T) {
	t.Parallel()
	c := providertest.NewCore(t)
	var count tally
	for _, write := range testworld.JSONObjects(t, testworld.Text(t, testworld.Path("internal", "kinds", "testdata", "writes.json"))) {
		put, _ := write["put"].(map[string]any)
		stored, ok := write["get"].(map[string]any)
		r, err := kuma.FromDocument(put, kinds.Form)
		k, known := kinds.Find(r.Type)
		if !ok || err != nil || !known {
			continue
		}
		for _, p := range places(k, put) {
			list, ok := p.value.([]any)
			if !ok || len(list) > 0 || !tfschema.IsBlockList(p.typ) || p.field.ServerOwned {
				continue
			}
			kept, _ := tree.At(stored, p.path).([]any)
			doc, err := tfvalue.Encode(k, c.Configuration(t, k, r))
			testworld.NoError(t, err)
			sent, _ := tree.At(doc, p.path).([]any)
			if (kept == nil) != (sent == nil) {
				t.Errorf("%s: %s: the control plane stores %v, the resource sends %v", r.Key(), p.path, kept, sent)
			}
			count.add("recorded empty lists of objects", map[bool]string{true: "kept, and sent", false: "dropped, and not sent"}[kept != nil])
		}
	}
	count.log(t)
}
