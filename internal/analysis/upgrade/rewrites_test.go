package upgrade_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// proxies are the proxies of the meshes of [TestRewrites].
const proxies = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}, skipCreatingInitialPolicies: ["*"]}
---
{type: MeshPassthrough, mesh: shop, name: none, spec: {targetRef: {kind: Mesh}, default: {passthroughMode: None}}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web, team: a}}, {port: 81, tags: {kuma.io/service: web, team: b}}], transparentProxying: {reachableBackends: {}}}}
---
{type: Dataplane, mesh: shop, name: db-1, networking: {address: 10.0.0.2, inbound: [{port: 90, tags: {kuma.io/service: db, tier: x}}], transparentProxying: {reachableBackends: {}}}}
`

// TestRewrites checks what single documents become in both stages, and what the report says
// about them.
func TestRewrites(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		documents, stageOne, stageTwo, report string
	}{
		"a tag that one inbound has": {
			documents: "{type: MeshTrace, mesh: shop, name: x, spec: {targetRef: {kind: MeshSubset, tags: {team: a}}, default: {backends: []}}}",
			report:    "manual K3-001 The tags select only some inbounds of Dataplane web-1",
		},
		"a tag of all inbounds": {
			documents: "{type: MeshTrace, mesh: shop, name: x, spec: {targetRef: {kind: MeshSubset, tags: {kuma.io/service: db, tier: x}}, default: {backends: []}}}",
			stageOne:  "{type: MeshTrace, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane, labels: {kuma.io/workload: db, tier: x}}, default: {backends: []}}}",
			report:    "rewritten K3-001 Selects Dataplanes by the labels",
		},
		"a tag with any value": {
			documents: `{type: MeshService, mesh: shop, name: x, spec: {selector: {dataplaneTags: {tier: "*"}}, ports: [{port: 80}]}}`,
			stageOne:  `{type: MeshService, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {selector: {dataplaneTags: {tier: "*"}}, ports: [{port: 80}]}}`,
			report:    "manual K3-060 The tag tier may have any value",
		},
		"a Dataplane that does not exist": {
			documents: `{type: MeshTrace, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane, name: gone}, default: {backends: []}}}`,
			report:    "manual K3-006 The name is that of 0 Dataplanes",
		},
		"from and rules": {
			documents: `{type: MeshTLS, mesh: shop, name: x, spec: {from: [{targetRef: {kind: Mesh}, default: {mode: Strict}}]}}`,
			stageOne:  `{type: MeshTLS, mesh: shop, name: x, spec: {rules: [{default: {mode: Strict}}]}}`,
			report:    "rewritten K3-030 Has rules instead of from.",
		},
		"an unknown kind": {
			documents: `{type: MeshGlobalRateLimit, mesh: shop, name: x, spec: {targetRef: {kind: MeshSubset, tags: {team: a}}}}`,
			report:    "kept  Kind MeshGlobalRateLimit is not described here",
		},
		"a removed kind": {
			documents: `{type: TrafficPermission, mesh: shop, name: x, sources: [], destinations: []}`,
			stageTwo:  "none",
			report:    "removed K3-102",
		},
		"ambiguous services": {
			documents: `
{type: MeshMultiZoneService, mesh: shop, name: a, labels: {kuma.io/origin: zone, kuma.io/zone: east, kuma.io/display-name: a}, spec: {selector: {meshService: {matchLabels: {x: y}}}, ports: [{port: 80, appProtocol: tcp}]}}
---
{type: MeshMultiZoneService, mesh: shop, name: b, labels: {kuma.io/origin: zone, kuma.io/zone: east, kuma.io/display-name: a}, spec: {selector: {meshService: {matchLabels: {x: y}}}, ports: [{port: 80, appProtocol: tcp}]}}
---
{type: MeshTimeout, mesh: shop, name: x, spec: {to: [{targetRef: {kind: MeshMultiZoneService, name: a}, default: {idleTimeout: 1s}}]}}`,
			report: "manual K3-020 Several resources have the labels of MeshMultiZoneService \"a\": a (kuma.io/display-name=a, kuma.io/zone=east) and b (kuma.io/display-name=a, kuma.io/zone=east).",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := rewrite(t, zone, proxies, test.documents)
			given := testworld.Resources(t, test.documents)
			last := given[len(given)-1]
			expect(t, "stage one", result.StageOne, last, test.stageOne)
			if test.stageTwo == "" {
				test.stageTwo = test.stageOne
			}
			expect(t, "stage two", result.StageTwo, last, test.stageTwo)
			var lines []string
			for _, i := range result.Report {
				if i.Key == last.Key() {
					lines = append(lines, string(i.Action)+" "+i.Condition+" "+i.Text)
				}
			}
			if got := strings.Join(lines, "\n"); !strings.Contains(got, test.report) {
				t.Errorf("the report does not contain %q:\n%s", test.report, got)
			}
		})
	}
}

// expect checks the document with a key: unchanged if want is empty, missing if it is "none".
func expect(t *testing.T, stage string, got []kuma.Resource, given kuma.Resource, want string) {
	t.Helper()
	var found []kuma.Resource
	for _, r := range got {
		if r.Key() == given.Key() {
			found = append(found, r)
		}
	}
	expected := []kuma.Resource{given}
	switch want {
	case "":
	case "none":
		expected = nil
	default:
		expected = testworld.Resources(t, want)
	}
	if diff := cmp.Diff(yaml(t, expected), yaml(t, found)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", stage, diff)
	}
}
