package upgrade_test

import (
	"slices"
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

// identity gives all of them a SPIFFE ID.
const identity = `
{type: MeshIdentity, mesh: shop, name: all, spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {trustDomain: td}, provider: {type: Spire, spire: {}}}}
---
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
		"the endpoint of a collector": {
			documents: `{type: MeshMetric, mesh: shop, name: x, spec: {default: {backends: [{type: OpenTelemetry, openTelemetry: {endpoint: "otel.example:4317"}}]}}}`,
			stageOne:  `{type: MeshMetric, mesh: shop, name: x, spec: {default: {backends: [{type: OpenTelemetry, openTelemetry: {backendRef: {kind: MeshOpenTelemetryBackend, labels: {kuma.io/display-name: otel-otel-example-4317}}}}]}}}`,
			report:    "rewritten K3-051",
		},
		"a protocol of 2.14": {
			documents: `{type: MeshService, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {selector: {dataplaneLabels: {matchLabels: {a: b}}}, ports: [{port: 80, appProtocol: kafka}]}}`,
			stageOne:  `{type: MeshService, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {selector: {dataplaneLabels: {matchLabels: {a: b}}}, ports: [{port: 80, appProtocol: tcp}]}}`,
			report:    "rewritten K3-062 Is tcp instead of kafka.",
		},
		"sources without a type": {
			documents: `{type: MeshExternalService, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {match: {type: HostnameGenerator, port: 443, protocol: tcp}, endpoints: [{address: x.example, port: 443}], tls: {enabled: true, verification: {caCert: {secret: ca}, clientCert: {inlineString: cert}, clientKey: {inline: a2V5}}}}}`,
			stageTwo:  `{type: MeshExternalService, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {match: {type: HostnameGenerator, port: 443, protocol: tcp}, endpoints: [{address: x.example, port: 443}], tls: {enabled: true, verification: {caCert: {type: Secret, secretRef: {kind: Secret, name: ca}}, clientCert: {type: InsecureInline, insecureInline: {value: cert}}, clientKey: {type: InsecureInline, insecureInline: {value: key}}}}}}`,
			report:    "rewritten K3-063",
		},
		"permissions without identities": {
			documents: `{type: MeshTrafficPermission, mesh: shop, name: x, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}`,
			report:    "manual K3-033 Rules match clients by the SPIFFE ID of a MeshIdentity, which db-1 and web-1 lack.",
		},
		"deny all, allow one": {
			documents: identity + `{type: MeshTrafficPermission, mesh: shop, name: x, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Deny}}, {targetRef: {kind: MeshSubset, tags: {kuma.io/service: web}}, default: {action: Allow}}]}}`,
			stageTwo:  `{type: MeshTrafficPermission, mesh: shop, name: x, spec: {rules: [{default: {allow: [{spiffeID: {type: Exact, value: "spiffe://td/workload/web"}}]}}]}}`,
			report:    "deferred  On 2.14 this changes proxies",
		},
		"allow all, deny one": {
			documents: identity + `{type: MeshTrafficPermission, mesh: shop, name: x, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Allow}}, {targetRef: {kind: MeshService, name: db}, default: {action: Deny}}]}}`,
			stageTwo:  `{type: MeshTrafficPermission, mesh: shop, name: x, spec: {rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://td"}}], deny: [{spiffeID: {type: Exact, value: "spiffe://td/workload/db"}}]}}]}}`,
			report:    "rewritten K3-033",
		},
		"deny one, then allow all": {
			documents: identity + `{type: MeshTrafficPermission, mesh: shop, name: x, spec: {from: [{targetRef: {kind: MeshService, name: db}, default: {action: Deny}}, {targetRef: {kind: Mesh}, default: {action: Allow}}]}}`,
			stageTwo:  `{type: MeshTrafficPermission, mesh: shop, name: x, spec: {rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://td"}}]}}]}}`,
			report:    "rewritten K3-033",
		},
		"deny all": {
			documents: identity + `{type: MeshTrafficPermission, mesh: shop, name: x, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Deny}}]}}`,
			stageOne:  "none",
			report:    "removed K3-033 The policy denies all clients",
		},
		"clients that do not exist": {
			documents: identity + `{type: MeshTrafficPermission, mesh: shop, name: x, spec: {from: [{targetRef: {kind: MeshService, name: gone}, default: {action: Allow}}]}}`,
			report:    "manual K3-033 No Dataplane of the documents has these tags",
		},
		"an unknown kind": {
			documents: `{type: MeshGlobalRateLimit, mesh: shop, name: x, spec: {targetRef: {kind: MeshSubset, tags: {team: a}}}}`,
			report:    "kept  Kind MeshGlobalRateLimit is not described here",
		},
		"a zone ingress": {
			documents: `{type: ZoneIngress, name: x, networking: {address: 10.0.0.9, port: 10001, advertisedAddress: 192.0.2.1, advertisedPort: 20001}}`,
			stageTwo:  "none",
			report:    "removed K3-101",
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

// TestZoneProxiesAreReplaced checks that stage two has a Dataplane for each zone proxy of the
// zone, and the address that an ingress advertises.
func TestZoneProxiesAreReplaced(t *testing.T) {
	t.Parallel()
	result := rewrite(t, zone, proxies, `
{type: ZoneIngress, name: in, zone: east, networking: {address: 10.0.0.9, port: 10001, advertisedAddress: 192.0.2.1, advertisedPort: 20001}}
---
{type: ZoneEgress, name: out, zone: east, networking: {address: 10.0.0.9, port: 10002}}
---
{type: ZoneEgress, name: elsewhere, zone: west, networking: {address: 10.0.0.9, port: 10002}}
---
{type: ZoneEgress, name: web-1, networking: {address: 10.0.0.9, port: 10002}}
`)
	var added []kuma.Resource
	for _, r := range result.StageTwo {
		if !slices.ContainsFunc(result.StageOne, func(one kuma.Resource) bool { return one.Key() == r.Key() }) {
			added = append(added, r)
		}
	}
	want := testworld.Resources(t, `
{type: Dataplane, mesh: shop, name: in, networking: {address: 10.0.0.9, listeners: [{type: ZoneIngress, address: 10.0.0.9, port: 10001}]}}
---
{type: MeshZoneAddress, mesh: shop, name: in, spec: {address: 192.0.2.1, port: 20001}}
---
{type: Dataplane, mesh: shop, name: out, networking: {address: 10.0.0.9, listeners: [{type: ZoneEgress, address: 10.0.0.9, port: 10002}]}}
`)
	if diff := cmp.Diff(yaml(t, want), yaml(t, added)); diff != "" {
		t.Errorf("added (-want +got):\n%s", diff)
	}
	report := result.Report.String()
	for _, text := range []string{"The proxy belongs to a zone, and is replaced there.", "Mesh shop has a Dataplane with its name."} {
		if !strings.Contains(report, text) {
			t.Errorf("the report does not contain %q:\n%s", text, report)
		}
	}
	options := zone
	options.InitialPolicies = false
	again := rewrite(t, options, yaml(t, result.StageTwo))
	if diff := cmp.Diff(yaml(t, result.StageTwo), yaml(t, again.StageTwo)); diff != "" {
		t.Errorf("stage two rewritten again (-first +second):\n%s", diff)
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
