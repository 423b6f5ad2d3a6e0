package answer_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestDefaultsThatKuma3LacksAreNoChange checks that an upgrade does not name proxies for a field of which Kuma 2
// stores the default, and which Kuma 3.0 does not have.
func TestDefaultsThatKuma3LacksAreNoChange(t *testing.T) {
	t.Parallel()
	for endpoint, want := range map[string]string{
		`""`:             "Computed as Kuma 3.0 reads what Kuma 2.14 has stored.\n\nMesh shop: no dataplane changes.",
		"collector:4317": "Computed as Kuma 3.0 reads what Kuma 2.14 has stored. It does not read spec.default.backends[].openTelemetry.endpoint of MeshTrace \"t\".\n\nMesh shop: every dataplane changes.",
	} {
		stored := testworld.Resources(t, `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, protocol: http}]}}
---
{type: MeshTrace, mesh: shop, name: t, spec: {default: {backends: [{type: OpenTelemetry, openTelemetry: {endpoint: `+endpoint+`, backendRef: {kind: MeshOpenTelemetryBackend, labels: {a: b}}}}]}}}
`)
		before, after := input.Written("shop", kuma.ControlPlane{Release: kuma.Newest2()}, rules.Newest(), stored, nil, nil)
		review, err := answer.OfReview(before, after, false)
		testworld.NoError(t, err)
		if got := review.Impact.Summary; len(got) < len(want) || got[:len(want)] != want {
			t.Errorf("endpoint %s: %s\nwant %s", endpoint, got, want)
		}
	}
}
