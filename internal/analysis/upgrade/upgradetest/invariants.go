// Package upgradetest checks what must be true of each rewriting of documents for Kuma 3.0. It
// is for tests.
package upgradetest

import (
	"slices"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// CheckInvariants rewrites documents, and checks that the input stays as it is, that stage one
// changes nothing on 2.14, that no document is lost, and that rewriting stage two again changes
// nothing. It returns the result.
func CheckInvariants(t *testing.T, documents []kuma.Resource, o upgrade.Options) upgrade.Result {
	t.Helper()
	before := copies(documents)
	result, err := upgrade.Rewrite(documents, o)
	if err != nil {
		t.Fatal(err)
	}
	if differences := tree.Diff(before, copies(documents)); differences != nil {
		t.Errorf("the input is modified: %v", differences)
	}
	if !result.Proof.StageOne.None() {
		t.Errorf("stage one changes proxies on 2.14:\n%s", result.Proof)
	}
	for _, r := range documents {
		isKept := slices.ContainsFunc(result.StageTwo, func(kept kuma.Resource) bool { return kept.Key() == r.Key() })
		isGone := slices.ContainsFunc(result.Report, func(i upgrade.Item) bool {
			return i.Key == r.Key() && i.Path == "" && (i.Action == upgrade.Removed || i.Action == upgrade.Generated)
		})
		if !isKept && !isGone {
			t.Errorf("%s is neither in stage two nor named as removed", r.Key())
		}
	}
	again, err := upgrade.Rewrite(result.StageTwo, o)
	if err != nil {
		t.Fatal(err)
	}
	if differences := tree.Diff(copies(result.StageTwo), copies(again.StageTwo)); differences != nil {
		t.Errorf("rewriting stage two changes it: %v", differences)
	}
	return result
}

// copies returns the documents of resources, which share nothing with them.
func copies(resources []kuma.Resource) []any {
	documents := make([]any, len(resources))
	for i, r := range resources {
		documents[i] = tree.Clone(any(r.Document()))
	}
	return documents
}
