package store_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestWithServerLabels checks which labels of a stored resource a write keeps.
func TestWithServerLabels(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		stored, want map[string]string
		release      string
	}{
		"computed and immutable labels": {
			map[string]string{kuma.LabelZone: "east", kuma.LabelDisplayName: "web", "team": "a"},
			map[string]string{kuma.LabelZone: "east", kuma.LabelDisplayName: "web", "mine": "x"},
			"2.14.3",
		},
		"a generated resource": {
			map[string]string{kuma.LabelZone: "east", kuma.LabelManagedBy: "meshservice-generator", kuma.LabelGracePeriod: "2026-11-22T18:45:04Z"},
			map[string]string{kuma.LabelZone: "east", "mine": "x"},
			"2.14.3",
		},
		"managed by another tool": {
			map[string]string{kuma.LabelManagedBy: "argo"},
			map[string]string{kuma.LabelManagedBy: "argo", "mine": "x"},
			"2.14.3",
		},
		"what Kuma 3.0 rejects": {
			map[string]string{kuma.LabelZone: "east", kuma.LabelProxyType: "sidecar", kuma.LabelManagedBy: "argo"},
			map[string]string{kuma.LabelZone: "east", "mine": "x"},
			"3.0.1",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testworld.Equal(t, "labels", test.want, store.WithServerLabels(map[string]string{"mine": "x"}, test.stored, kuma.ParseRelease(test.release)))
		})
	}
}
