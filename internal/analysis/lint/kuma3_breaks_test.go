package lint_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestKuma3Breaks checks that every break of two meshes is found, and nothing else.
func TestKuma3Breaks(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"kuma3-kitchen-sink.yaml": `
warning K3-033: MeshTrafficPermission mtp-system spec.from. Clients: none.
warning K3-033: MeshTrafficPermission mtp-user spec.from.
warning K3-068: MeshService My_Service name.
warning K3-073: Mesh default meshServices.mode.
warning K3-096: Dataplane dp-1 networking.transparentProxying.reachableServices.
warning K3-101: ZoneIngress zi-1 .
warning K3-218: Dataplane dp-1 labels.
warning K3-071: Mesh default mtls.enabledBackend. Dataplanes: dp-1.
warning K3-020: MeshTimeout mt-to-route spec.to[0].targetRef.name.
warning K3-097: Dataplane dp-1 probes.
warning K3-098: Dataplane dp-1 metrics.
warning K3-102: TrafficPermission allow-all .
warning K3-024: MeshTimeout mt-to-subset spec.to[0].targetRef.kind.
info K3-223: Dataplane dp-1 networking.
`,
		"kuma3-breaks.yaml": `
warning K3-201: Dataplane web-1 networking.transparentProxying.
warning K3-202: Mesh default networking. Dataplanes: web-1.
warning K3-203: MeshHTTPRoute cart spec.to[0].rules. Proxies: db-1, edge-1 and web-1. Destinations: MeshService "web".
warning K3-204: MeshHTTPRoute cart spec.to[0].rules[0].default.backendRefs. Proxies now: db-1, edge-1 and web-1. In Kuma 3.0: db-1 and web-1. Destinations: MeshService "web".
warning K3-206: MeshPassthrough payments spec.default.appendMatch[0].
warning K3-211: MeshPassthrough payments spec.targetRef.labels["kuma.io/service"].
warning K3-218: Dataplane db-1 labels.
warning K3-222: Dataplane edge-1 networking.gateway.
warning K3-205: MeshLoadBalancingStrategy failover spec.to[0].default.localityAwareness.crossZone. Proxies now: db-1, edge-1 and web-1. In Kuma 3.0: db-1 and web-1.
warning K3-208: MeshTrafficPermission all spec.rules[0].default.allow[0]. Proxies now: db-1, edge-1 and web-1. In Kuma 3.0: db-1 and web-1.
warning K3-210: MeshTrafficPermission all labels["kuma.io/team"]. Proxies now: db-1, edge-1 and web-1. In Kuma 3.0: db-1 and web-1.
`,
		"kuma3-old-style.yaml": `
warning K3-033: MeshTrafficPermission db spec.from. Proxies: db-1. Clients: web-1 and web-2.
warning K3-060: MeshService db spec.selector.dataplaneTags. Proxies: db-1. Clients: web-1.
warning K3-073: Mesh default meshServices.mode.
warning K3-094: Dataplane web-1 networking.outbound[0].tags.
warning K3-006: MeshTimeout by-name spec.targetRef.name. Proxies now: web-1. In Kuma 3.0: db-1, web-1 and web-2.
warning K3-001: MeshTimeout by-tags spec.targetRef.kind. Proxies now: web-1 and web-2. In Kuma 3.0: none.
warning K3-020: MeshTimeout by-name spec.to[0].targetRef.name. Proxies now: web-1. In Kuma 3.0: db-1, web-1 and web-2. Destinations: MeshService "db".
warning K3-092: Dataplane web-2 networking.inbound[0].tags["kuma.io/protocol"].
info K3-091: Dataplane db-1 networking.inbound[0].tags.
info K3-091: Dataplane web-1 networking.inbound[0].tags.
info K3-091: Dataplane web-2 networking.inbound[0].tags.
`,
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			var got strings.Builder
			got.WriteString("\n")
			for _, f := range lint.Kuma3(snapshotOf(t, testworld.Text(t, filepath.Join("testdata", file))), kuma.DefaultMesh) {
				line := fmt.Sprintf("%s %s: %s %s %s. %s", f.Severity, f.Code, f.Resource.Type, f.Resource.Name, f.Path, f.Detail)
				got.WriteString(strings.TrimSpace(line) + "\n")
			}
			testworld.Equal(t, "findings", want, got.String())
		})
	}
}

// TestNameOfNothing checks that a reference to something that does not exist gets no
// labels to use instead of the name.
func TestNameOfNothing(t *testing.T) {
	t.Parallel()
	const docs = `
{type: Mesh, name: default, meshServices: {mode: Exclusive}}
---
{type: MeshService, name: web, spec: {selector: {dataplaneTags: {app: web}}, ports: [{port: 80}]}}
---
{type: MeshTimeout, name: right, spec: {to: [{targetRef: {kind: MeshService, name: web}, default: {idleTimeout: 1s}}]}}
---
{type: MeshTimeout, name: wrong, spec: {to: [{targetRef: {kind: MeshService, name: wbe}, default: {idleTimeout: 1s}}]}}
`
	got := map[string]string{}
	for _, f := range lint.Kuma3(snapshotOf(t, docs), kuma.DefaultMesh) {
		if f.Code == "K3-020" {
			got[f.Resource.Name] = f.Here
		}
	}
	want := map[string]string{"right": "Here: labels {kuma.io/display-name: web}.", "wrong": "Correct the name first: nothing has it."}
	testworld.Equal(t, "advice", want, got)
}

// TestKuma3SummaryIsReadable checks the size of the summary of a mesh with 104 findings of
// two conditions: each condition is described once, with the policies for the most proxies.
func TestKuma3SummaryIsReadable(t *testing.T) {
	t.Parallel()
	var docs strings.Builder
	docs.WriteString("{type: Mesh, name: default, meshServices: {mode: Exclusive}}\n")
	for i := range 52 {
		fmt.Fprintf(&docs, `---
{type: Dataplane, name: web-%02[1]d, labels: {kuma.io/workload: web, app: app-%02[2]d}, networking: {address: 10.0.0.1, inbound: [{port: 80}]}}
---
type: MeshTimeout
name: by-name-%02[1]d
spec: {targetRef: {kind: Dataplane, name: web-%02[1]d}, to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 1s}}]}
---
type: MeshCircuitBreaker
name: from-%02[1]d
spec: {targetRef: {kind: Dataplane, labels: {app: app-%02[2]d}}, from: [{targetRef: {kind: Mesh}, default: {connectionLimits: {maxConnections: 1}}}]}
`, i, i%7)
	}
	findings := lint.Kuma3(snapshotOf(t, docs.String()), kuma.DefaultMesh)
	summary := lint.Summary(kuma.DefaultMesh, findings, 52)
	if len(findings) != 104 {
		t.Errorf("%d findings, want 104", len(findings))
	}
	if lines := strings.Split(summary, "\n"); len(lines) > 30 {
		t.Errorf("the summary has %d lines:\n%s", len(lines), summary)
	}
	for _, want := range []string{
		"K3-006: MeshTimeout \"by-name-00\", spec.targetRef.name. Proxies now: web-00. In Kuma 3.0: web-00, web-01, web-02, web-03, web-04 and 47 more.",
		"and 42 more",
		"MeshCircuitBreaker \"from-00\", spec.from. Proxies: web-00, web-07, web-14, web-21, web-28 and 3 more.\n",
	} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary has no %q:\n%s", want, summary)
		}
	}
}
