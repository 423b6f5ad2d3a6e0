package upgrade_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade/upgradetest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
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

// identity gives all of them a SPIFFE ID, which needs their workloads.
const identity = `
{type: Dataplane, mesh: shop, name: web-1, labels: {kuma.io/workload: web}, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web, team: a}}, {port: 81, tags: {kuma.io/service: web, team: b}}], transparentProxying: {reachableBackends: {}}}}
---
{type: Dataplane, mesh: shop, name: db-1, labels: {kuma.io/workload: db}, networking: {address: 10.0.0.2, inbound: [{port: 90, protocol: http, tags: {kuma.io/service: db, tier: x}}], transparentProxying: {reachableBackends: {}}}}
---
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
			documents: "{type: MeshTimeout, mesh: shop, name: x, spec: {targetRef: {kind: MeshSubset, tags: {team: a}}, rules: [{default: {idleTimeout: 9s}}]}}",
			report:    "manual K3-001 The tags select only some inbounds of Dataplane web-1",
		},
		"a tag that one inbound has, for the whole proxy": {
			documents: "{type: MeshTrace, mesh: shop, name: x, spec: {targetRef: {kind: MeshSubset, tags: {team: a}}, default: {backends: []}}}",
			report:    "manual K3-001 The labels team=a do not select the same proxies: Dataplane web-1 differs.",
		},
		"one service of a Dataplane, for outgoing traffic": {
			documents: `{type: Dataplane, mesh: shop, name: two-1, networking: {address: 10.0.0.3, inbound: [{port: 80, tags: {kuma.io/service: two}}, {port: 81, tags: {kuma.io/service: two-admin}}], transparentProxying: {reachableBackends: {}}}}
---
{type: MeshTimeout, mesh: shop, name: x, spec: {targetRef: {kind: MeshService, name: two-admin}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 9s}}]}}`,
			stageOne: `{type: MeshTimeout, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane, labels: {service-two-admin: "true"}}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 9s}}]}}`,
			report:   "rewritten K3-002 Selects Dataplanes by the labels service-two-admin=true, which the same proxies have.",
		},
		"a tag of all inbounds": {
			documents: "{type: MeshTrace, mesh: shop, name: x, spec: {targetRef: {kind: MeshSubset, tags: {kuma.io/service: db, tier: x}}, default: {backends: []}}}",
			stageOne:  "{type: MeshTrace, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane, labels: {kuma.io/workload: db, tier: x}}, default: {backends: []}}}",
			report:    "rewritten K3-001 Selects Dataplanes by the labels",
		},
		"sidecars with a tag that no gateway has": {
			documents: `{type: Dataplane, mesh: shop, name: edge-1, networking: {address: 10.0.0.9, gateway: {type: DELEGATED, tags: {kuma.io/service: edge}}}}
---
{type: MeshTrace, mesh: shop, name: x, spec: {targetRef: {kind: MeshSubset, proxyTypes: [Sidecar], tags: {tier: x}}, default: {backends: []}}}`,
			stageOne: "{type: MeshTrace, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane, labels: {tier: x}}, default: {backends: []}}}",
			report:   "rewritten K3-001 Selects Dataplanes by the labels",
		},
		"sidecars with a tag that a gateway has": {
			documents: `{type: Dataplane, mesh: shop, name: edge-1, networking: {address: 10.0.0.9, gateway: {type: DELEGATED, tags: {kuma.io/service: edge, tier: x}}}}
---
{type: MeshTrace, mesh: shop, name: x, spec: {targetRef: {kind: MeshSubset, proxyTypes: [Sidecar], tags: {tier: x}}, default: {backends: []}}}`,
			stageOne: "{type: MeshTrace, mesh: shop, name: x, spec: {targetRef: {kind: MeshSubset, proxyTypes: [Sidecar], tags: {tier: x}}, default: {backends: []}}}",
			stageTwo: "{type: MeshTrace, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane, labels: {tier: x}}, default: {backends: []}}}",
		},
		"a tag with any value": {
			documents: `{type: MeshService, mesh: shop, name: x, spec: {selector: {dataplaneTags: {tier: "*"}}, ports: [{port: 80}]}}`,
			stageOne:  `{type: MeshService, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {selector: {dataplaneTags: {tier: "*"}}, ports: [{port: 80}]}}`,
			report:    "manual K3-060 The tag tier may have any value",
		},
		"hash policies of the algorithm": {
			documents: `{type: MeshLoadBalancingStrategy, mesh: shop, name: x, spec: {to: [{targetRef: {kind: Mesh}, default: {loadBalancer: {type: RingHash, ringHash: {hashFunction: MurmurHash2, hashPolicies: [{type: Header, header: {name: user}}]}}}}]}}`,
			stageOne:  `{type: MeshLoadBalancingStrategy, mesh: shop, name: x, spec: {to: [{targetRef: {kind: Mesh}, default: {hashPolicies: [{type: Header, header: {name: user}}], loadBalancer: {type: RingHash, ringHash: {hashFunction: MurmurHash2}}}}]}}`,
			report:    "rewritten K3-052 Has the hash policies beside the algorithm.",
		},
		"hash policies of the algorithm, and another algorithm": {
			documents: `{type: MeshLoadBalancingStrategy, mesh: shop, name: a, spec: {to: [{targetRef: {kind: Mesh}, default: {loadBalancer: {type: Maglev}}}]}}
---
{type: MeshLoadBalancingStrategy, mesh: shop, name: x, spec: {to: [{targetRef: {kind: Mesh}, default: {loadBalancer: {type: RingHash, ringHash: {hashPolicies: [{type: Header, header: {name: user}}]}}}}]}}`,
			stageOne: `{type: MeshLoadBalancingStrategy, mesh: shop, name: x, spec: {to: [{targetRef: {kind: Mesh}, default: {loadBalancer: {type: RingHash, ringHash: {hashPolicies: [{type: Header, header: {name: user}}]}}}}]}}`,
			report:   "manual K3-052 Other policies of the mesh set another algorithm or hash policies beside it",
		},
		"a service that an outbound reaches by its tag": {
			documents: `{type: Dataplane, mesh: shop, name: jobs-1, networking: {address: 10.0.0.3, inbound: [{port: 70, tags: {kuma.io/service: jobs}}], outbound: [{port: 10001, tags: {kuma.io/service: db}}]}}
---
{type: MeshRetry, mesh: shop, name: x, spec: {to: [{targetRef: {kind: MeshService, name: db}, default: {tcp: {maxConnectAttempt: 2}}}]}}`,
			stageOne: `{type: MeshRetry, mesh: shop, name: x, spec: {to: [{targetRef: {kind: MeshService, name: db}, default: {tcp: {maxConnectAttempt: 2}}}]}}`,
			stageTwo: `{type: MeshRetry, mesh: shop, name: x, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: db, kuma.io/zone: east}}, default: {tcp: {maxConnectAttempt: 2}}}]}}`,
			report:   "deferred  On 2.14, a reference by labels does not apply to the outbound of Dataplane jobs-1",
		},
		"a service that no outbound reaches by its tag, beside one that does": {
			documents: `{type: Dataplane, mesh: shop, name: jobs-1, networking: {address: 10.0.0.3, inbound: [{port: 70, tags: {kuma.io/service: jobs}}], outbound: [{port: 10001, tags: {kuma.io/service: db}}]}}
---
{type: MeshRetry, mesh: shop, name: x, spec: {to: [{targetRef: {kind: MeshService, name: web}, default: {tcp: {maxConnectAttempt: 2}}}]}}`,
			stageOne: `{type: MeshRetry, mesh: shop, name: x, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: web, kuma.io/zone: east}}, default: {tcp: {maxConnectAttempt: 2}}}]}}`,
			report:   "rewritten K3-020 Refers to MeshService \"web\" by the labels",
		},
		"an outbound by the tag of a service": {
			documents: `{type: Dataplane, mesh: shop, name: jobs-1, networking: {address: 10.0.0.3, inbound: [{port: 70, tags: {kuma.io/service: jobs}}], outbound: [{port: 10001, tags: {kuma.io/service: db}}], transparentProxying: {reachableBackends: {}}}}`,
			stageOne:  `{type: Dataplane, mesh: shop, name: jobs-1, labels: {kuma.io/workload: jobs}, networking: {address: 10.0.0.3, inbound: [{port: 70, tags: {kuma.io/service: jobs}}], outbound: [{port: 10001, tags: {kuma.io/service: db}}], transparentProxying: {reachableBackends: {}}}}`,
			stageTwo:  `{type: Dataplane, mesh: shop, name: jobs-1, labels: {kuma.io/workload: jobs}, networking: {address: 10.0.0.3, inbound: [{port: 70}], outbound: [{port: 10001, backendRef: {kind: MeshService, labels: {kuma.io/display-name: db, kuma.io/zone: east}, port: 90}}], transparentProxying: {reachableBackends: {}}}}`,
			report:    "rewritten K3-094 Refers to MeshService",
		},
		"an outbound by the tag of a service beside one by reference": {
			documents: `{type: Dataplane, mesh: shop, name: jobs-1, networking: {address: 10.0.0.3, inbound: [{port: 70, tags: {kuma.io/service: jobs}}], outbound: [{port: 10001, tags: {kuma.io/service: db}}, {port: 10002, backendRef: {kind: MeshService, labels: {kuma.io/display-name: db, kuma.io/zone: east}, port: 90}}], transparentProxying: {reachableBackends: {}}}}`,
			stageOne:  `{type: Dataplane, mesh: shop, name: jobs-1, labels: {kuma.io/workload: jobs}, networking: {address: 10.0.0.3, inbound: [{port: 70, tags: {kuma.io/service: jobs}}], outbound: [{port: 10001, tags: {kuma.io/service: db}}, {port: 10002, backendRef: {kind: MeshService, labels: {kuma.io/display-name: db, kuma.io/zone: east}, port: 90}}], transparentProxying: {reachableBackends: {}}}}`,
			stageTwo:  `{type: Dataplane, mesh: shop, name: jobs-1, labels: {kuma.io/workload: jobs}, networking: {address: 10.0.0.3, inbound: [{port: 70}], outbound: [{port: 10001, tags: {kuma.io/service: db}}, {port: 10002, backendRef: {kind: MeshService, labels: {kuma.io/display-name: db, kuma.io/zone: east}, port: 90}}], transparentProxying: {reachableBackends: {}}}}`,
			report:    "manual K3-094 Another outbound refers to the same port of MeshService db, and Kuma 3.0 opens only one listener for both.",
		},
		"two outbounds by the tag of a service": {
			documents: `{type: Dataplane, mesh: shop, name: jobs-1, networking: {address: 10.0.0.3, inbound: [{port: 70, tags: {kuma.io/service: jobs}}], outbound: [{port: 10002, tags: {kuma.io/service: db}}, {port: 10003, tags: {kuma.io/service: db}}], transparentProxying: {reachableBackends: {}}}}`,
			stageOne:  `{type: Dataplane, mesh: shop, name: jobs-1, labels: {kuma.io/workload: jobs}, networking: {address: 10.0.0.3, inbound: [{port: 70, tags: {kuma.io/service: jobs}}], outbound: [{port: 10002, tags: {kuma.io/service: db}}, {port: 10003, tags: {kuma.io/service: db}}], transparentProxying: {reachableBackends: {}}}}`,
			stageTwo:  `{type: Dataplane, mesh: shop, name: jobs-1, labels: {kuma.io/workload: jobs}, networking: {address: 10.0.0.3, inbound: [{port: 70}], outbound: [{port: 10002, backendRef: {kind: MeshService, labels: {kuma.io/display-name: db, kuma.io/zone: east}, port: 90}}, {port: 10003, tags: {kuma.io/service: db}}], transparentProxying: {reachableBackends: {}}}}`,
			report:    "manual K3-094 Another outbound refers to the same port of MeshService db, and Kuma 3.0 opens only one listener for both.",
		},
		"an outbound by a tag that no service has": {
			documents: `{type: Dataplane, mesh: shop, name: jobs-1, networking: {address: 10.0.0.3, inbound: [{port: 70, tags: {kuma.io/service: jobs}}], outbound: [{port: 10001, tags: {kuma.io/service: gone}}], transparentProxying: {reachableBackends: {}}}}`,
			stageOne:  `{type: Dataplane, mesh: shop, name: jobs-1, labels: {kuma.io/workload: jobs}, networking: {address: 10.0.0.3, inbound: [{port: 70, tags: {kuma.io/service: jobs}}], outbound: [{port: 10001, tags: {kuma.io/service: gone}}], transparentProxying: {reachableBackends: {}}}}`,
			stageTwo:  `{type: Dataplane, mesh: shop, name: jobs-1, labels: {kuma.io/workload: jobs}, networking: {address: 10.0.0.3, inbound: [{port: 70}], outbound: [{port: 10001, tags: {kuma.io/service: gone}}], transparentProxying: {reachableBackends: {}}}}`,
			report:    "manual K3-094 The mesh has no MeshService with the name gone.",
		},
		"a canary by header, whose requests the rule for the rest leaves alone": {
			documents: `{type: MeshHTTPRoute, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: web}}, rules: [{matches: [{headers: [{name: canary, value: "1"}]}], default: {backendRefs: [{kind: MeshService, labels: {kuma.io/display-name: db}, port: 90}]}}]}]}}`,
			stageOne:  `{type: MeshHTTPRoute, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: web}}, rules: [{matches: [{headers: [{name: canary, value: "1"}]}], default: {backendRefs: [{kind: MeshService, labels: {kuma.io/display-name: db}, port: 90}]}}, {matches: [{}], default: {}}]}]}}`,
			report:    "rewritten K3-203 Has a rule for all other requests",
		},
		"a service of another zone without a display name": {
			documents: `{type: MeshService, mesh: shop, name: x, labels: {kuma.io/zone: west}, spec: {selector: {dataplaneLabels: {matchLabels: {app: x}}}, ports: [{port: 80}]}}`,
			stageOne:  `{type: MeshService, mesh: shop, name: x, labels: {kuma.io/zone: west}, spec: {selector: {dataplaneLabels: {matchLabels: {app: x}}}, ports: [{port: 80}]}}`,
			stageTwo:  `{type: MeshService, mesh: shop, name: x, labels: {kuma.io/display-name: x, kuma.io/zone: west}, spec: {selector: {dataplaneLabels: {matchLabels: {app: x}}}, ports: [{port: 80}]}}`,
			report:    "deferred  On 2.14, the label changes the SNI by which proxies reach the service in zone west",
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
			stageTwo:  `{type: MeshService, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {selector: {dataplaneLabels: {matchLabels: {a: b}}}, ports: [{port: 80, appProtocol: tcp}]}}`,
			report:    "deferred  On 2.14, proxies lose the statistics of the protocol Kafka",
		},
		"sources without a type": {
			documents: `{type: MeshExternalService, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {match: {type: HostnameGenerator, port: 443, protocol: tcp}, endpoints: [{address: x.example, port: 443}], tls: {enabled: true, verification: {caCert: {secret: ca}, clientCert: {inlineString: cert}, clientKey: {inline: a2V5}}}}}`,
			stageTwo:  `{type: MeshExternalService, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {match: {type: HostnameGenerator, port: 443, protocol: tcp}, endpoints: [{address: x.example, port: 443}], tls: {enabled: true, verification: {caCert: {type: Secret, secretRef: {kind: Secret, name: ca}}, clientCert: {type: InsecureInline, insecureInline: {value: cert}}, clientKey: {type: InsecureInline, insecureInline: {value: key}}}}}}`,
			report:    "rewritten K3-063",
		},
		"permissions without identities": {
			documents: `{type: MeshTrafficPermission, mesh: shop, name: x, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}`,
			report:    "manual K3-033 Rules match clients by the SPIFFE ID of a MeshIdentity, and none selects db-1 and web-1.",
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
		"faults for all clients": {
			documents: `{type: MeshFaultInjection, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane}, from: [{targetRef: {kind: Mesh}, default: {http: [{abort: {httpStatus: 500, percentage: 10}}]}}]}}`,
			stageTwo:  `{type: MeshFaultInjection, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane}, rules: [{default: {http: [{abort: {httpStatus: 500, percentage: 10}}]}}]}}`,
			report:    "rewritten K3-034 Has rules instead of from.",
		},
		"faults for one client": {
			documents: identity + `{type: MeshFaultInjection, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane}, from: [{targetRef: {kind: MeshSubset, tags: {kuma.io/service: web}}, default: {http: [{abort: {httpStatus: 500, percentage: 10}}]}}]}}`,
			stageTwo:  `{type: MeshFaultInjection, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane}, rules: [{matches: [{spiffeID: {type: Exact, value: "spiffe://td/workload/web"}}], default: {http: [{abort: {httpStatus: 500, percentage: 10}}]}}]}}`,
			report:    "rewritten K3-034",
		},
		"faults for one client and for all": {
			documents: identity + `{type: MeshFaultInjection, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane}, from: [{targetRef: {kind: Mesh}, default: {http: [{abort: {httpStatus: 500, percentage: 10}}]}}, {targetRef: {kind: MeshService, name: web}, default: {http: []}}]}}`,
			report:    "manual K3-034 Several entries select the same clients",
		},
		"faults without identities": {
			documents: `{type: MeshFaultInjection, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane}, from: [{targetRef: {kind: MeshService, name: web}, default: {http: []}}]}}`,
			report:    "manual K3-034 Rules match clients by the SPIFFE ID of a MeshIdentity",
		},
		"services by tag in an Exclusive mesh, which the proxy does not reach": {
			documents: `{type: Dataplane, mesh: shop, name: x, labels: {kuma.io/workload: x}, networking: {address: 10.0.0.3, inbound: [{port: 80, protocol: http}], transparentProxying: {redirectPortInbound: 1, redirectPortOutbound: 2, reachableServices: [web, "*"]}}}`,
			stageTwo:  `{type: Dataplane, mesh: shop, name: x, labels: {kuma.io/workload: x}, networking: {address: 10.0.0.3, inbound: [{port: 80, protocol: http}], transparentProxying: {redirectPortInbound: 1, redirectPortOutbound: 2, reachableBackends: {refs: []}}}}`,
			report:    "rewritten K3-201 Lists the services that reachableServices lists, which are none",
		},
		"services that have the name of another one as a label": {
			documents: `{type: MeshService, mesh: shop, name: x, labels: {kuma.io/display-name: db, kuma.io/zone: east}, spec: {selector: {dataplaneLabels: {matchLabels: {a: b}}}, ports: [{port: 80, targetPort: 80}]}}
---
{type: Dataplane, mesh: shop, name: x, labels: {kuma.io/workload: x}, networking: {address: 10.0.0.3, inbound: [{port: 80, protocol: http}], transparentProxying: {redirectPortInbound: 1, redirectPortOutbound: 2}}}`,
			stageTwo: `{type: Dataplane, mesh: shop, name: x, labels: {kuma.io/workload: x}, networking: {address: 10.0.0.3, inbound: [{port: 80, protocol: http}], transparentProxying: {redirectPortInbound: 1, redirectPortOutbound: 2, reachableBackends: {refs: [{kind: MeshService, labels: {kuma.io/display-name: db, kuma.io/zone: east}}, {kind: MeshService, labels: {kuma.io/display-name: web, kuma.io/zone: east}}, {kind: MeshService, labels: {kuma.io/display-name: x, kuma.io/zone: east}}]}}}}`,
			report:   `manual K3-201 From the upgrade until stage two, the proxy reaches no service: on 2.14, the labels kuma.io/display-name=db, kuma.io/zone=east, which identify MeshService "x" in a list, also select "db".`,
		},
		"a field in another spelling": {
			documents: identity + `{type: MeshTrafficPermission, mesh: shop, name: x, spec: {rules: [{default: {allow: [{spiffeId: {type: Exact, value: "spiffe://td/workload/web"}}]}}]}}`,
			stageOne:  `{type: MeshTrafficPermission, mesh: shop, name: x, spec: {rules: [{default: {allow: [{spiffeID: {type: Exact, value: "spiffe://td/workload/web"}}]}}]}}`,
			report:    "rewritten  Is spiffeID, as which Kuma 2.14 reads the field.",
		},
		"a typing error beside the field": {
			documents: `{type: MeshTimeout, mesh: shop, name: x, spec: {to: [{targetRef: {kind: Mesh}, default: {connectTimeout: 5s, connectionTimeout: 3s}}]}}`,
			stageOne:  `{type: MeshTimeout, mesh: shop, name: x, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 3s}}]}}`,
			report:    `manual  MeshTimeout does not have the field "connectTimeout" here. A control plane would drop it silently. Did you mean "connectionTimeout"?`,
		},
		"a field of an older release": {
			documents: `{type: MeshMetric, mesh: shop, name: x, spec: {targetRef: {kind: Mesh}, default: {sidecar: {regex: "http2.*"}, backends: [{type: Prometheus, prometheus: {port: 5670, path: /metrics, tls: {mode: Disabled}}}]}}}`,
			stageOne:  `{type: MeshMetric, mesh: shop, name: x, spec: {targetRef: {kind: Mesh}, default: {sidecar: {}, backends: [{type: Prometheus, prometheus: {port: 5670, path: /metrics, tls: {mode: Disabled}}}]}}}`,
			report:    `manual  MeshMetric does not have the field "regex" here.`,
		},
		"a field that does not exist": {
			documents: `{type: MeshService, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {selector: {dataplaneLabels: {matchLabels: {a: b}}}, ports: [{port: 80, targetPort: 80, protocol: http}]}}`,
			stageOne:  `{type: MeshService, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {selector: {dataplaneLabels: {matchLabels: {a: b}}}, ports: [{port: 80, targetPort: 80}]}}`,
			report:    `manual  MeshService does not have the field "protocol" here.`,
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
			report:    "manual K3-102",
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
		"a service of a tag, which Kuma 3.0 does not generate": {
			documents: `{type: Mesh, name: shop, meshServices: {mode: Disabled}, skipCreatingInitialPolicies: ["*"]}
---
{type: Dataplane, mesh: shop, name: jobs-1, networking: {address: 10.0.0.3, inbound: [{port: 70, tags: {kuma.io/service: jobs}}, {port: 70, address: 10.0.0.4, tags: {kuma.io/service: cron}}]}}
---
{type: MeshTrace, mesh: shop, name: tags, spec: {targetRef: {kind: MeshSubset, tags: {team: a}}, default: {backends: []}}}
---
{type: MeshTimeout, mesh: shop, name: x, spec: {to: [{targetRef: {kind: MeshService, name: jobs}, default: {idleTimeout: 1s}}]}}`,
			stageOne: `{type: MeshTimeout, mesh: shop, name: x, spec: {to: [{targetRef: {kind: MeshService, name: jobs}, default: {idleTimeout: 1s}}]}}`,
			stageTwo: `{type: MeshTimeout, mesh: shop, name: x, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: jobs, kuma.io/zone: east}}, default: {idleTimeout: 1s}}]}}`,
		},
		"faults by SPIFFE IDs, which identities have in mode Exclusive only": {
			documents: identity + `{type: Mesh, name: shop, meshServices: {mode: Everywhere}, skipCreatingInitialPolicies: ["*"]}
---
{type: MeshFaultInjection, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane}, from: [{targetRef: {kind: MeshService, name: db}, default: {http: []}}]}}`,
			stageOne: `{type: MeshFaultInjection, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane}, from: [{targetRef: {kind: MeshService, name: db}, default: {http: []}}]}}`,
			stageTwo: `{type: MeshFaultInjection, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane}, rules: [{matches: [{spiffeID: {type: Exact, value: "spiffe://td/workload/db"}}], default: {http: []}}]}}`,
		},
		"a mirror, which no proxy of 2.14 gets by labels": {
			documents: `{type: MeshHTTPRoute, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: web}}, rules: [{matches: [{}], default: {filters: [{type: RequestMirror, requestMirror: {backendRef: {kind: MeshService, name: web, port: 80}}}]}}]}]}}`,
			stageOne:  `{type: MeshHTTPRoute, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: web}}, rules: [{matches: [{}], default: {filters: [{type: RequestMirror, requestMirror: {backendRef: {kind: MeshService, name: web, port: 80}}}]}}]}]}}`,
			stageTwo:  `{type: MeshHTTPRoute, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: web}}, rules: [{matches: [{}], default: {filters: [{type: RequestMirror, requestMirror: {backendRef: {kind: MeshService, labels: {kuma.io/display-name: web, kuma.io/zone: east}, port: 80}}}]}}]}]}}`,
			report:    "deferred  2.14 or the plan does not accept this",
		},
		"a protocol for which 2.14 configures no proxy": {
			documents: `{type: Dataplane, mesh: shop, name: x, networking: {address: 10.0.0.3, inbound: [{port: 70, tags: {kuma.io/service: jobs, kuma.io/protocol: mysql}}], transparentProxying: {reachableBackends: {}}}}`,
			stageOne:  `{type: Dataplane, mesh: shop, name: x, labels: {kuma.io/workload: jobs}, networking: {address: 10.0.0.3, inbound: [{port: 70, tags: {kuma.io/service: jobs, kuma.io/protocol: mysql}}], transparentProxying: {reachableBackends: {}}}}`,
			stageTwo:  `{type: Dataplane, mesh: shop, name: x, labels: {kuma.io/workload: jobs}, networking: {address: 10.0.0.3, inbound: [{port: 70, protocol: tcp}], transparentProxying: {reachableBackends: {}}}}`,
			report:    "manual  2.14 stores this, and plans reject it",
		},
		"a removed field that says nothing": {
			documents: `{type: MeshHTTPRoute, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: web}}, rules: [{matches: [{}], default: {filters: [{type: URLRewrite, urlRewrite: {hostname: x.example, hostToBackendHostname: false}}]}}]}]}}`,
			stageOne:  `{type: MeshHTTPRoute, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: web}}, rules: [{matches: [{}], default: {filters: [{type: URLRewrite, urlRewrite: {hostname: x.example, hostToBackendHostname: false}}]}}]}]}}`,
			stageTwo:  `{type: MeshHTTPRoute, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: web}}, rules: [{matches: [{}], default: {filters: [{type: URLRewrite, urlRewrite: {hostname: x.example}}]}}]}]}}`,
		},
		"a route of a gateway, which gets no rule for the rest": {
			documents: `{type: MeshHTTPRoute, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, rules: [{matches: [{method: POST}], default: {}}]}]}}`,
			stageOne:  `{type: MeshHTTPRoute, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, rules: [{matches: [{method: POST}], default: {}}]}]}}`,
			report:    "manual K3-004",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents := append(testworld.Resources(t, proxies), testworld.Resources(t, test.documents)...)
			result := upgradetest.CheckInvariants(t, documents, upgrade.Options{ControlPlane: zone.ControlPlane})
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

// TestRestOfConfiguredRoute checks that the timeouts for a route do not apply to the rule for the rest.
func TestRestOfConfiguredRoute(t *testing.T) {
	t.Parallel()
	const route = `{type: MeshHTTPRoute, mesh: shop, name: x, labels: {kuma.io/display-name: x}, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: web}}, rules: [{matches: [{method: POST}], default: {}}]}]}}`
	const rest = `{type: MeshHTTPRoute, mesh: shop, name: x-rest, labels: {kuma.io/display-name: x-rest}, spec: {to: [{targetRef: {kind: MeshService, labels: {kuma.io/display-name: web}}, rules: [{matches: [{}], default: {}}]}]}}`
	const timeout = `
---
{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: MeshHTTPRoute, labels: {kuma.io/display-name: x}}, default: {http: {requestTimeout: 1s}}}]}}`
	result := rewrite(t, zone, proxies, route+timeout)
	for _, documents := range []string{route, rest} {
		expect(t, "stage one", result.StageOne, testworld.Resources(t, documents)[0], documents)
	}
	const gateway = `
---
{type: Dataplane, mesh: shop, name: edge-1, networking: {address: 10.0.0.4, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}}
---
{type: MeshGateway, mesh: shop, name: edge, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [{port: 8080, protocol: HTTP}]}}`
	result = rewrite(t, zone, proxies, route+timeout+gateway)
	expect(t, "stage one for a gateway", result.StageOne, testworld.Resources(t, rest)[0], "none")
	expect(t, "stage two for a gateway", result.StageTwo, testworld.Resources(t, rest)[0], rest)
}

// TestMeshSettings checks the policies that stage two has instead of settings of a Mesh, and what
// the report says where there are none.
func TestMeshSettings(t *testing.T) {
	t.Parallel()
	const everything = `{match: {kuma.io/service: "*"}}`
	for name, test := range map[string]struct{ settings, documents, want, report string }{
		"metrics": {
			settings: `metrics: {enabledBackend: p, backends: [{name: p, type: prometheus, conf: {port: 1234, path: /m, skipMTLS: true, envoy: {usedOnly: true}, aggregate: [{name: app, path: /x, port: 8080}, {name: off, port: 8081, enabled: false}]}}]}`,
			want: `{type: MeshMetric, mesh: shop, name: metrics, spec: {targetRef: {kind: Mesh}, default: {sidecar: {includeUnused: false, profiles: {appendProfiles: [{name: All}]}}, applications: [{name: app, path: /x, port: 8080}],
  backends: [{type: Prometheus, prometheus: {port: 1234, path: /m, tls: {mode: Disabled}}}]}}}`,
			report: "deferred  On 2.14, the policy replaces the endpoint of the Mesh",
		},
		"metrics with mutual TLS": {
			settings: `mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}, metrics: {enabledBackend: p, backends: [{name: p, type: prometheus}]}`,
			report:   "manual K3-080 The endpoint uses the mutual TLS of the Mesh",
		},
		"metrics that are disabled": {
			settings: `metrics: {backends: [{name: p, type: prometheus}]}`,
			report:   "manual K3-080 The mesh has metrics backends.",
		},
		"traces": {
			settings:  `tracing: {defaultBackend: z, backends: [{name: z, type: zipkin, sampling: 12.5, conf: {url: "http://z:9411/api/v2/spans", traceId128bit: true}}]}`,
			documents: `{type: TrafficTrace, mesh: shop, name: x, selectors: [` + everything + `]}`,
			want:      `{type: MeshTrace, mesh: shop, name: x, spec: {targetRef: {kind: Mesh}, default: {backends: [{type: Zipkin, zipkin: {url: "http://z:9411/api/v2/spans", traceId128bit: true}}], sampling: {overall: "12.5"}}}}`,
			report:    "removed K3-078",
		},
		"traces for Datadog": {
			settings:  `tracing: {backends: [{name: d, type: datadog, sampling: 50, conf: {address: dd, port: 8126, splitService: true}}]}`,
			documents: `{type: TrafficTrace, mesh: shop, name: x, selectors: [` + everything + `], conf: {backend: d}}`,
			want:      `{type: MeshTrace, mesh: shop, name: x, spec: {targetRef: {kind: Mesh}, default: {backends: [{type: Datadog, datadog: {url: "http://dd:8126", splitService: true}}], sampling: {overall: 50}}}}`,
		},
		"traces of some proxies": {
			settings:  `tracing: {defaultBackend: z, backends: [{name: z, type: zipkin, conf: {url: "http://z:9411/api/v2/spans"}}]}`,
			documents: `{type: TrafficTrace, mesh: shop, name: x, selectors: [{match: {kuma.io/service: web}}]}`,
			want:      `{type: MeshTrace, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane, labels: {kuma.io/workload: web}}, default: {backends: [{type: Zipkin, zipkin: {url: "http://z:9411/api/v2/spans"}}]}}}`,
			report:    "deferred K3-102 On 2.14, a MeshTrace also traces requests to services",
		},
		"logs": {
			settings: `logging: {backends: [{name: f, type: file, format: "%START_TIME% x", conf: {path: /tmp/a.log}}]}`,
			documents: `{type: TrafficLog, mesh: shop, name: x, sources: [` + everything + `], destinations: [` + everything + `], conf: {backend: f}}
---
{type: TrafficRoute, mesh: shop, name: x, sources: [` + everything + `], destinations: [` + everything + `], conf: {destination: {kuma.io/service: "*"}}}`,
			want: `{type: MeshAccessLog, mesh: shop, name: x, spec: {targetRef: {kind: Mesh}, to: [{targetRef: {kind: Mesh}, default: {
  backends: [{type: File, file: {path: /tmp/a.log, format: {type: Plain, plain: "%START_TIME% x"}}}]}}]}}`,
		},
		"logs that nothing activates": {
			settings: `logging: {defaultBackend: f, backends: [{name: f, type: file, conf: {path: /tmp/a.log}}]}`,
			report:   "removed K3-079 No TrafficLog uses these backends",
		},
		"permissive mutual TLS": {
			settings: `mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin, mode: PERMISSIVE}]}`,
			want:     `{type: MeshTLS, mesh: shop, name: tls-permissive, spec: {targetRef: {kind: Mesh}, rules: [{default: {mode: Permissive}}]}}`,
			report:   "manual K3-071 Proxies get their certificates from the mutual TLS of the Mesh",
		},
		"mutual TLS that MeshIdentity replaces": {
			settings:  `mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}`,
			documents: strings.TrimSuffix(strings.TrimSpace(identity), "---"),
			report:    "removed K3-070",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := rewrite(t, zone, strings.Replace(proxies, "meshServices: {mode: Exclusive},", "meshServices: {mode: Exclusive}, "+test.settings+",", 1), test.documents)
			for _, r := range testworld.Resources(t, test.want) {
				expect(t, "stage two", result.StageTwo, r, test.want)
			}
			var lines []string
			for _, i := range result.Report {
				lines = append(lines, string(i.Action)+" "+i.Condition+" "+i.Text)
			}
			if got := strings.Join(lines, "\n"); !strings.Contains(got, test.report) {
				t.Errorf("the report does not contain %q:\n%s", test.report, got)
			}
			settings := map[string]bool{"MeshMetric": true, "MeshTrace": true, "MeshAccessLog": true, "MeshTLS": true}
			for _, row := range result.Proof.StageTwo.Settings {
				if settings[row.Type] {
					t.Errorf("a setting of the Mesh counts as new: %+v", row)
				}
			}
		})
	}
}

// TestOutsideThatTheMeshDenies checks that the report asks for no MeshPassthrough for proxies that reach nothing outside on
// 2.14 either.
func TestOutsideThatTheMeshDenies(t *testing.T) {
	t.Parallel()
	for passthrough, want := range map[string]bool{"false": false, "true": true} {
		report := rewrite(t, zone, `{type: Mesh, name: shop, networking: {outbound: {passthrough: `+passthrough+`}}, meshServices: {mode: Exclusive}, skipCreatingInitialPolicies: ["*"]}
---
{type: Dataplane, mesh: shop, name: web-1, labels: {kuma.io/workload: web}, networking: {address: 10.0.0.1, inbound: [{port: 80}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}
---
{type: MeshPassthrough, mesh: shop, name: none, spec: {targetRef: {kind: Dataplane, labels: {kuma.io/workload: db}}, default: {passthroughMode: All}}}`).Report.String()
		if strings.Contains(report, ": K3-202. ") != want {
			t.Errorf("passthrough %s: %s", passthrough, report)
		}
	}
}

// TestSettingsThatAreDroppedTogether checks that each setting of a removed part of a Mesh is named.
func TestSettingsThatAreDroppedTogether(t *testing.T) {
	t.Parallel()
	report := rewrite(t, zone, `{type: Mesh, name: shop, routing: {zoneEgress: true, defaultForbidMeshExternalServiceAccess: true, localityAwareLoadBalancing: true}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}, meshServices: {mode: Exclusive}, skipCreatingInitialPolicies: ["*"]}`).Report.String()
	for _, want := range []string{"K3-074", "K3-075", "K3-076"} {
		if !strings.Contains(report, want) {
			t.Errorf("the report does not contain %s:\n%s", want, report)
		}
	}
}

// TestPermissiveTLSOfTransparentProxies checks that stage one says what the Mesh says if that
// changes no listener.
func TestPermissiveTLSOfTransparentProxies(t *testing.T) {
	t.Parallel()
	transparent := strings.NewReplacer("meshServices: {mode: Exclusive},", "meshServices: {mode: Exclusive}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin, mode: PERMISSIVE}]},",
		"transparentProxying: {", "transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001, ").Replace(proxies)
	result := rewrite(t, zone, transparent)
	const policy = "{type: MeshTLS, mesh: shop, name: tls-permissive, spec: {targetRef: {kind: Mesh}, rules: [{default: {mode: Permissive}}]}}"
	expect(t, "stage one", result.StageOne, testworld.Resources(t, policy)[0], policy)
}

// TestReachableServices checks that stage two lists the services that a Dataplane lists by tag,
// and not all services, in a mesh that is not Exclusive.
func TestReachableServices(t *testing.T) {
	t.Parallel()
	const dataplane = "{type: Dataplane, mesh: shop, name: x, labels: {kuma.io/workload: x}, networking: {address: 10.0.0.3, inbound: [{port: 80, protocol: http, tags: {kuma.io/service: x}}], transparentProxying: {reachableServices: [db, gone]}}}"
	result := rewrite(t, zone, strings.Replace(proxies, "meshServices: {mode: Exclusive}, ", "", 1), dataplane)
	expect(t, "stage two", result.StageTwo, testworld.Resources(t, dataplane)[0], `
{type: Dataplane, mesh: shop, name: x, labels: {kuma.io/workload: x}, networking: {address: 10.0.0.3, inbound: [{port: 80, protocol: http}], transparentProxying: {
  reachableBackends: {refs: [{kind: MeshService, labels: {kuma.io/display-name: db, kuma.io/zone: east}}]}}}}`)
	if report := result.Report.Of(upgrade.Manual).String(); !strings.Contains(report, "Change to Everywhere on 2.14 first") {
		t.Errorf("the report does not say that the proxy would reach nothing in mode Exclusive:\n%s", report)
	}
}

// TestManyReachableServices checks that a proxy of a mesh with very many services keeps reaching
// all of them, by references that only Kuma 3.0 accepts.
func TestManyReachableServices(t *testing.T) {
	t.Parallel()
	const dataplane = "{type: Dataplane, mesh: shop, name: x, labels: {kuma.io/workload: x}, networking: {address: 10.0.0.3, inbound: [{port: 80, protocol: http}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}"
	documents := []string{proxies, dataplane}
	for i := range 101 {
		documents = append(documents, fmt.Sprintf("{type: MeshService, mesh: shop, name: s-%d, labels: {kuma.io/display-name: s-%[1]d}, spec: {selector: {dataplaneLabels: {matchLabels: {a: b}}}, ports: [{port: 80}]}}", i))
	}
	result := rewrite(t, zone, documents...)
	expect(t, "stage one", result.StageOne, testworld.Resources(t, dataplane)[0], "")
	expect(t, "stage two", result.StageTwo, testworld.Resources(t, dataplane)[0], `
{type: Dataplane, mesh: shop, name: x, labels: {kuma.io/workload: x}, networking: {address: 10.0.0.3, inbound: [{port: 80, protocol: http}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001,
  reachableBackends: {refs: [{kind: MeshService}, {kind: MeshExternalService}, {kind: MeshMultiZoneService}]}}}}`)
	if slices.Contains(result.Proof.Dataplanes(), "x") {
		t.Errorf("the proxy changes:\n%s", result.Proof)
	}
	if report := result.Report.Of(upgrade.Manual).String(); !strings.Contains(report, "From the upgrade until stage two, the proxy reaches no service") {
		t.Errorf("the report does not say what to do until stage two:\n%s", report)
	}
}

// TestServicesThatShareAPort checks that no MeshService is written whose labels select inbounds of
// another service, which its tag does not select.
func TestServicesThatShareAPort(t *testing.T) {
	t.Parallel()
	result := rewrite(t, zone, proxies, `
{type: Dataplane, mesh: shop, name: x, networking: {address: 10.0.0.3, transparentProxying: {reachableBackends: {}}, inbound: [
  {port: 80, tags: {kuma.io/service: x}}, {port: 80, address: 10.0.0.4, tags: {kuma.io/service: y}}, {port: 81, tags: {kuma.io/service: z}}]}}`)
	var written []string
	for _, r := range result.StageOne {
		if r.Type == kuma.KindMeshService {
			written = append(written, r.Name)
		}
	}
	testworld.Equal(t, "MeshServices", []string{"z"}, written)
	if report := result.Report.String(); !strings.Contains(report, "Dataplane x has another inbound on a port of the service") {
		t.Errorf("the report does not say why:\n%s", report)
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
{type: Dataplane, mesh: shop, name: in, labels: {kuma.io/workload: in}, networking: {address: 10.0.0.9, listeners: [{type: ZoneIngress, address: 10.0.0.9, port: 10001}]}}
---
{type: MeshZoneAddress, mesh: shop, name: in, spec: {address: 192.0.2.1, port: 20001}}
---
{type: Dataplane, mesh: shop, name: out, labels: {kuma.io/workload: out}, networking: {address: 10.0.0.9, listeners: [{type: ZoneEgress, address: 10.0.0.9, port: 10002}]}}
`)
	testworld.Equal(t, "added", yaml(t, want), yaml(t, added))
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

// TestConditionsOfItems checks that the conditions that items name exist.
func TestConditionsOfItems(t *testing.T) {
	t.Parallel()
	for _, file := range testworld.Files(t, "*.go") {
		for _, id := range regexp.MustCompile(`"K3-\d+"`).FindAllString(testworld.Text(t, file), -1) {
			if _, ok := kuma3.Find(strings.Trim(id, `"`)); !ok {
				t.Errorf("%s: there is no condition %s", file, id)
			}
		}
	}
}
