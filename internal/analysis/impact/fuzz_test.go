package impact_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// FuzzCompare checks that no documents make the comparison panic, and that the
// reverse change affects as many values.
func FuzzCompare(f *testing.F) {
	all := []string{forPayments, route, forRoute, exclusive, accept, acceptClient, allow, patch}
	for i, document := range all {
		f.Add(strings.Join([]string{shop, document}, "\n---\n"), strings.Join(append([]string{shop}, all[:i]...), "\n---\n"))
	}
	f.Add("type: Mesh\nname: shop", `
type: MeshTimeout
mesh: shop
name: a
spec:
  to: [{targetRef: 1, default: x}]
  rules: [[]]
  from: {}
`)
	f.Fuzz(func(t *testing.T, before, after string) {
		b, a := readable(before), readable(after)
		there, err := impact.Compare(b, a, "shop")
		if err != nil {
			return
		}
		back := compare(t, a, b, "shop")
		if there.Values() != back.Values() || len(there.Added) != len(back.Removed) {
			t.Errorf("forward:\n%s\nreverse:\n%s", there.Summary(), back.Summary())
		}
	})
}

// readable returns a snapshot of the documents that can be read.
func readable(text string) *rules.Snapshot {
	var out []kuma.Resource
	docs, err := tree.DecodeYAML([]byte(text))
	if err != nil {
		return rules.NewSnapshot(nil)
	}
	for _, doc := range docs {
		if r, err := kuma.FromDocument(doc, kinds.Form); err == nil {
			out = append(out, r)
		}
	}
	return rules.NewSnapshot(out)
}
