package answer_test

import (
	"slices"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
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

// TestSentencesOfFindings checks the sentences about a client that loses access to a service without an outbound to it.
func TestSentencesOfFindings(t *testing.T) {
	t.Parallel()
	const mesh = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [{port: 81, backendRef: {kind: MeshService, labels: {a: other}}}]}}
---
{type: Dataplane, mesh: shop, name: api-1, labels: {app: api}, networking: {address: 10.0.0.2, inbound: [{port: 80}], outbound: [{port: 81, backendRef: {kind: MeshService, labels: {a: other}}}]}}
---
{type: MeshService, mesh: shop, name: api, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80, appProtocol: tcp}]}}
---
{type: MeshIdentity, mesh: shop, name: i, spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {trustDomain: td, path: /all}, provider: {type: Bundled}}}
`
	const permission = "{type: MeshTrafficPermission, mesh: shop, name: p, spec: {rules: [{default: {allow: [{spiffeID: {type: Exact, value: 'spiffe://td/all'}}]}}]}}"
	stored := testworld.Resources(t, mesh+"---\n"+permission)
	deleted := map[kuma.Key]bool{testworld.Resource(t, permission).Key(): true}
	before, after := input.Written("shop", kuma.ControlPlane{Release: rules.Newest()}, rules.Newest(), stored, nil, deleted)
	review, err := answer.OfReview(before, after, false)
	testworld.NoError(t, err)
	messages := phrase.Each(review.Findings, func(f answer.ReviewFinding) string { return f.Message })
	for _, want := range []string{
		"web-1 can no longer call api port 80: no permission allows it. There is no outbound to it.",
		"MeshTrafficPermission, on port 80: access: `some clients` → `no client`. No permission allows a client. It changes on api-1 and web-1.",
	} {
		if !slices.Contains(messages, want) {
			t.Errorf("got %q, want %q", messages, want)
		}
	}
}

// TestNamesInReachableBackendsAreNotRead checks that a reference by name, which Kuma 3.0 does not read, selects nothing there, as one
// by labels of nothing, and not everything, as one without labels.
func TestNamesInReachableBackendsAreNotRead(t *testing.T) {
	t.Parallel()
	stored := testworld.Resources(t, `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, spec: {selector: {dataplaneLabels: {matchLabels: {}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, protocol: http}], transparentProxying: {
  redirectPortInbound: 15006, redirectPortOutbound: 15001, reachableBackends: {refs: [{kind: MeshService, name: api}, {kind: MeshService, labels: {a: b}}]}}}}
`)
	for _, cp := range []kuma.Release{kuma.Newest2(), rules.Newest()} {
		_, m := input.Written("shop", kuma.ControlPlane{Release: cp}, rules.Newest(), stored, nil, nil)
		sent, err := answer.OfRequest(m, request.Request{Mesh: "shop", Dataplane: "web-1", Service: request.Service{Name: "api", Port: 80}})
		testworld.NoError(t, err)
		testworld.Equal(t, cp.String(), "unreachable", sent.Verdict)
		found := answer.OfLint(m, false, func(f lint.Finding) bool { return f.Code != "dangling-outbound" }, true)
		testworld.Equal(t, cp.String(), 2, len(found.Findings))
	}
}
