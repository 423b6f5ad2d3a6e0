package kuma3_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// conditionCase contains a document to which a condition applies, the path of the
// problem, and a similar document that is ready.
type conditionCase struct{ unready, at, ready string }

var conditionCases = map[string][]conditionCase{
	"K3-001": {{policyFor(`kind: MeshSubset, tags: {version: v1}`), "spec.targetRef.kind", policyFor(`kind: Dataplane, labels: {version: v1}`)}},
	"K3-002": {{policyFor(`kind: MeshService, name: web`), "spec.targetRef.kind", policyFor(`kind: Dataplane, labels: {app: web}`)}},
	"K3-003": {{policyFor(`kind: MeshServiceSubset, name: web, tags: {version: v1}`), "spec.targetRef.kind", policyFor(`kind: Mesh`)}},
	"K3-004": {{`{type: MeshTimeout, name: t, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}`, "spec.targetRef.kind", policyFor(`kind: Dataplane, labels: {app: edge}`)}},
	"K3-005": {{`{type: MeshTimeout, name: t, spec: {targetRef: {kind: MeshHTTPRoute, name: r}, to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 1s}}}]}}`, "spec.targetRef.kind", timeoutTo(`kind: MeshHTTPRoute, labels: {a: b}`)}},
	"K3-006": {{policyFor(`kind: Dataplane, name: web-1`), "spec.targetRef.name", policyFor(`kind: Dataplane, labels: {kuma.io/display-name: web-1}`)}},
	"K3-007": {
		{policyFor(`kind: Dataplane, namespace: shop`), "spec.targetRef.namespace", policyFor(`kind: Dataplane, labels: {k8s.kuma.io/namespace: shop}`)},
		{policyFor(`kind: Dataplane, namespace: x`), "spec.targetRef.namespace", policyFor(`kind: Dataplane, name: web-1, namespace: shop`)},
	},
	"K3-008": {
		{policyFor(`kind: Mesh, proxyTypes: [Sidecar]`), "spec.targetRef.proxyTypes", policyFor(`kind: Mesh, proxyTypes: [Sidecar, Gateway]`)},
		{policyFor(`kind: Mesh, proxyTypes: [Gateway, Gateway]`), "spec.targetRef.proxyTypes", policyFor(`kind: Mesh`)},
	},
	"K3-009": {
		{policyFor(`kind: Dataplane, labels: {kuma.io/proxy-type: sidecar}`), `spec.targetRef.labels["kuma.io/proxy-type"]`, policyFor(`kind: Dataplane, labels: {my/proxy-type: sidecar}`)},
		{timeoutTo(`kind: MeshService, labels: {kuma.io/proxy-type: sidecar}`), `spec.to[0].targetRef.labels["kuma.io/proxy-type"]`, timeoutTo(`kind: MeshService, labels: {a: b}`)},
		{`{type: MeshService, name: web, spec: {selector: {dataplaneLabels: {matchLabels: {kuma.io/proxy-type: sidecar}}}}}`, `spec.selector.dataplaneLabels.matchLabels["kuma.io/proxy-type"]`, `{type: MeshService, name: web, spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}}}`},
		{`{type: MeshIdentity, name: all, spec: {selector: {dataplane: {matchLabels: {kuma.io/proxy-type: sidecar}}}}}`, `spec.selector.dataplane.matchLabels["kuma.io/proxy-type"]`, `{type: MeshIdentity, name: all, spec: {selector: {dataplane: {matchLabels: {}}}}}`},
	},
	"K3-010": {
		{`{type: MeshRateLimit, name: l, spec: {targetRef: {kind: Mesh, proxyTypes: [Sidecar]}, rules: [` + limit + `]}}`, "spec.rules", `{type: MeshRateLimit, name: l, spec: {targetRef: {kind: Dataplane}, rules: [` + limit + `]}}`},
	},
	"K3-011": {
		{`{type: MeshRateLimit, name: l, spec: {targetRef: {kind: MeshGateway, name: g}, to: [` + limitTo + `]}}`, "spec.to", `{type: MeshRateLimit, name: l, spec: {to: [` + limitTo + `]}}`},
		{`{type: MeshFaultInjection, name: f, spec: {targetRef: {kind: MeshGateway, name: g}, to: [{targetRef: {kind: Mesh}, default: {}}]}}`, "spec.to", `{type: MeshFaultInjection, name: f, spec: {targetRef: {kind: Mesh}, to: [{targetRef: {kind: Mesh}, default: {}}]}}`},
	},
	"K3-020": {
		{timeoutTo(`kind: MeshService, name: web`), "spec.to[0].targetRef.name", timeoutTo(`kind: MeshService, labels: {kuma.io/display-name: web}`)},
		{timeoutTo(`kind: MeshHTTPRoute, name: web`), "spec.to[0].targetRef.name", timeoutTo(`kind: Mesh`)},
		{route(`{kind: MeshExternalService, name: mail}`, ``), "spec.to[0].targetRef.name", route(`{kind: MeshExternalService, labels: {a: b}}`, ``)},
	},
	"K3-021": {
		{timeoutTo(`kind: MeshService, name: web_shop_svc_80`), "spec.to[0].targetRef.name", timeoutTo(`kind: MeshService, name: web-shop`)},
		{timeoutTo(`kind: MeshService, name: web_shop_svc`), "spec.to[0].targetRef.name", timeoutTo(`kind: MeshExternalService, name: web_shop_svc`)},
	},
	"K3-024": {{timeoutTo(`kind: MeshSubset, tags: {a: b}`), "spec.to[0].targetRef.kind", timeoutTo(`kind: MeshService, labels: {a: b}`)}},
	"K3-025": {{
		`{type: MeshTCPRoute, name: r, spec: {targetRef: {kind: MeshGateway, name: g}, to: [{targetRef: {kind: Mesh}, rules: [{default: {backendRefs: [{kind: MeshService, name: a}]}}]}]}}`, "spec.to[0].targetRef.kind",
		`{type: MeshTCPRoute, name: r, spec: {to: [{targetRef: {kind: MeshService, name: a}, rules: []}]}}`,
	}},
	"K3-026": {
		{policyFor(`kind: Mesh, proxyTypes: [Sidecar, Gateway]`), "spec.targetRef.proxyTypes", policyFor(`kind: Mesh`)},
		{timeoutTo(`kind: Mesh, proxyTypes: [Sidecar]`), "spec.to[0].targetRef.proxyTypes", timeoutTo(`kind: Mesh`)},
	},
	"K3-030": {{`{type: MeshTimeout, name: t, spec: {from: [` + timeoutOfMesh + `]}}`, "spec.from", `{type: MeshTimeout, name: t, spec: {rules: [{default: {idleTimeout: 1s}}]}}`}},
	"K3-031": {{`{type: MeshTimeout, name: t, spec: {from: [` + timeoutOfMesh + `], to: [` + timeoutOfMesh + `]}}`, "spec.from", timeoutTo(`kind: Mesh`)}},
	"K3-032": {{`{type: MeshTLS, name: t, spec: {from: [{targetRef: {kind: Mesh}, default: {mode: Strict}}]}}`, "spec.from", `{type: MeshTLS, name: t, spec: {rules: [{default: {mode: Strict}}]}}`}},
	"K3-033": {{
		`{type: MeshTrafficPermission, name: p, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}`, "spec.from",
		`{type: MeshTrafficPermission, name: p, spec: {rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://default"}}]}}]}}`,
	}},
	"K3-034": {{`{type: MeshFaultInjection, name: f, spec: {targetRef: {kind: Dataplane}, from: [{targetRef: {kind: Mesh}, default: {}}]}}`, "spec.from", `{type: MeshFaultInjection, name: f, spec: {targetRef: {kind: Dataplane}, rules: [{default: {}}]}}`}},
	"K3-040": {
		{route(anyService, `backendRefs: [{kind: MeshServiceSubset, name: web, tags: {a: b}}]`), "spec.to[0].rules[0].default.backendRefs[0].kind", route(anyService, `backendRefs: [{kind: MeshService, labels: {a: b}}]`)},
		{route(anyService, mirror(`{kind: MeshServiceSubset, name: web}`)), "spec.to[0].rules[0].default.filters[0].requestMirror.backendRef.kind", route(anyService, mirror(`{kind: MeshService, labels: {a: b}}`))},
		{sentTo(`{kind: MeshServiceSubset, name: web}`), "spec.to[0].rules[0].default.backendRefs[0].kind", sentTo(`{kind: MeshService, labels: {a: b}}`)},
	},
	"K3-041": {
		{route(anyService, `backendRefs: [{kind: MeshService, name: web, port: 80}]`), "spec.to[0].rules[0].default.backendRefs[0].name", route(anyService, `backendRefs: [{kind: MeshService, labels: {kuma.io/display-name: web}, port: 80}]`)},
		{route(anyService, mirror(`{kind: MeshService, name: web}`)), "spec.to[0].rules[0].default.filters[0].requestMirror.backendRef.name", route(anyService, ``)},
		{sentTo(`{kind: MeshMultiZoneService, name: web, port: 80}`), "spec.to[0].rules[0].default.backendRefs[0].name", sentTo(`{kind: MeshMultiZoneService, labels: {a: b}, port: 80}`)},
	},
	"K3-044": {{
		`{type: MeshHTTPRoute, name: r, spec: {targetRef: {kind: MeshGateway, name: g}, to: [{targetRef: {kind: Mesh}, hostnames: [shop.example], rules: [{matches: [{}], default: {backendRefs: [{kind: MeshService, name: a}]}}]}]}}`, "spec.to[0].hostnames",
		route(anyService, ``),
	}},
	"K3-045": {{
		`{type: MeshHTTPRoute, name: r, spec: {targetRef: {kind: MeshGateway, name: g}, to: [{targetRef: {kind: Mesh}, rules: [{matches: [{}], default: {filters: [{type: URLRewrite, urlRewrite: {hostToBackendHostname: true}}], backendRefs: [{kind: MeshService, name: a}]}}]}]}}`,
		"spec.to[0].rules[0].default.filters[0].urlRewrite.hostToBackendHostname",
		route(anyService, `filters: [{type: URLRewrite, urlRewrite: {hostname: shop.example}}]`),
	}},
	"K3-046": {{
		route(anyService, `backendRefs: [{kind: MeshService, labels: {a: b}, weight: 4294967296}]`), "spec.to[0].rules[0].default.backendRefs[0].weight",
		route(anyService, `backendRefs: [{kind: MeshService, labels: {a: b}, weight: 4294967295}]`),
	}},
	"K3-050": {{`{type: MeshHealthCheck, name: h, spec: {to: [{targetRef: {kind: Mesh}, default: {tcp: {}, healthyPanicThreshold: 0}}]}}`, "spec.to[0].default.healthyPanicThreshold", `{type: MeshHealthCheck, name: h, spec: {to: [{targetRef: {kind: Mesh}, default: {tcp: {}}}]}}`}},
	"K3-051": {
		{accessLog("to", `endpoint: "otel:4317"`), "spec.to[0].default.backends[0].openTelemetry.endpoint", accessLog("to", `backendRef: {kind: MeshOpenTelemetryBackend, labels: {a: b}}`)},
		{accessLog("from", `endpoint: "otel:4317"`), "spec.from[0].default.backends[0].openTelemetry.endpoint", accessLog("from", `backendRef: {kind: MeshOpenTelemetryBackend, labels: {a: b}}`)},
		{`{type: MeshTrace, name: t, spec: {default: {backends: [{type: OpenTelemetry, openTelemetry: {endpoint: "otel:4317"}}]}}}`, "spec.default.backends[0].openTelemetry.endpoint", `{type: MeshTrace, name: t, spec: {default: {backends: []}}}`},
		{`{type: MeshMetric, name: m, spec: {default: {backends: [{type: OpenTelemetry, openTelemetry: {endpoint: "otel:4317"}}]}}}`, "spec.default.backends[0].openTelemetry.endpoint", `{type: MeshMetric, name: m, spec: {default: {backends: [{type: Prometheus, prometheus: {}}]}}}`},
	},
	"K3-052": {
		{balancing(`loadBalancer: {type: RingHash, ringHash: {hashPolicies: [{type: Header, header: {name: user}}]}}`), "spec.to[0].default.loadBalancer.ringHash.hashPolicies", balancing(`loadBalancer: {type: RingHash}, hashPolicies: [{type: Header, header: {name: user}}]`)},
		{balancing(`loadBalancer: {type: Maglev, maglev: {hashPolicies: [{type: Header, header: {name: user}}]}}`), "spec.to[0].default.loadBalancer.maglev.hashPolicies", balancing(`loadBalancer: {type: Maglev, maglev: {tableSize: 7}}`)},
	},
	"K3-053": {
		{balancing(`hashPolicies: [{type: SourceIP, connection: {sourceIP: true}}]`), "spec.to[0].default.hashPolicies[0].type", balancing(`hashPolicies: [{type: Connection, connection: {sourceIP: true}}]`)},
		{balancing(`loadBalancer: {type: Maglev, maglev: {hashPolicies: [{type: SourceIP, connection: {sourceIP: true}}]}}`), "spec.to[0].default.loadBalancer.maglev.hashPolicies[0].type", balancing(`loadBalancer: {type: Random}`)},
	},
	"K3-060": {{`{type: MeshService, name: web, spec: {selector: {dataplaneTags: {kuma.io/service: web}}}}`, "spec.selector.dataplaneTags", `{type: MeshService, name: web, spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}}}`}},
	"K3-061": {{`{type: MeshService, name: web, spec: {identities: [{type: SpiffeID, value: "spiffe://a"}, {type: ServiceTag, value: web}]}}`, "spec.identities[1].type", `{type: MeshService, name: web, spec: {identities: [{type: SpiffeID, value: "spiffe://a"}]}}`}},
	"K3-062": {
		{`{type: MeshMultiZoneService, name: web, spec: {selector: {meshService: {matchLabels: {a: b}}}, ports: [{port: 80, appProtocol: kafka}]}}`, "spec.ports[0].appProtocol", `{type: MeshMultiZoneService, name: web, spec: {selector: {meshService: {matchLabels: {a: b}}}, ports: [{port: 80, appProtocol: tcp}]}}`},
		{`{type: MeshService, name: web, spec: {ports: [{port: 80, appProtocol: kafka}]}}`, "spec.ports[0].appProtocol", `{type: MeshService, name: web, spec: {ports: [{port: 80, appProtocol: HTTP}, {port: 81}]}}`},
	},
	"K3-063": {{external(`tls: {enabled: true, verification: {caCert: {secret: ca}}}`), "spec.tls.verification.caCert.secret", external(`tls: {enabled: true, verification: {mode: SkipAll}}`)}},
	"K3-066": {{`{type: MeshTrust, name: t, spec: {origin: {kri: kri_mid_default___id_}, trustDomain: a.b, caBundles: [{type: Pem, pem: {value: "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----"}}]}}`, "spec.origin", `{type: MeshTrust, name: t, spec: {trustDomain: a.b, caBundles: [{type: Pem, pem: {value: "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----"}}]}}`}},
	"K3-067": {
		{`{type: MeshZoneAddress, name: a, spec: {address: 0.0.0.0, port: 10001}}`, "spec.address", `{type: MeshZoneAddress, name: a, spec: {address: ingress.zone-1.example, port: 10001}}`},
		{`{type: MeshZoneAddress, name: a, spec: {address: "::", port: 10001}}`, "spec.address", `{type: MeshZoneAddress, name: a, spec: {address: "::1", port: 10001}}`},
		{`{type: MeshZoneAddress, name: a, spec: {address: "not a host", port: 1}}`, "spec.address", `{type: MeshZoneAddress, name: a, spec: {address: 10.0.0.1, port: 1}}`},
	},
	"K3-068": {
		{`{type: Mesh, name: shop.eu}`, "name", `{type: Mesh, name: shop-eu}`},
		{`{type: Zone, name: 1st}`, "name", `{type: Zone, name: first}`},
		{`{type: MeshService, name: web.shop, spec: {}}`, "name", `{type: MeshService, name: web.shop, labels: {kuma.io/display-name: web}, spec: {}}`},
	},
	"K3-073": {{`{type: Mesh, name: shop}`, "meshServices.mode", `{type: Mesh, name: shop, meshServices: {mode: Exclusive}}`}, {`{type: Mesh, name: shop, meshServices: {mode: Everywhere}}`, "meshServices.mode", `{type: Mesh, name: shop, meshServices: {mode: Exclusive}}`}},
	"K3-074": {{`{type: Mesh, name: shop, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}, routing: {zoneEgress: true}}`, "routing.zoneEgress", `{type: Mesh, name: shop, routing: {zoneEgress: false}}`}},
	"K3-075": {{`{type: Mesh, name: shop, routing: {defaultForbidMeshExternalServiceAccess: true}}`, "routing.defaultForbidMeshExternalServiceAccess", `{type: Mesh, name: shop, routing: {}}`}},
	"K3-076": {{`{type: Mesh, name: shop, routing: {localityAwareLoadBalancing: true}}`, "routing.localityAwareLoadBalancing", `{type: Mesh, name: shop, routing: {localityAwareLoadBalancing: false}}`}},
	"K3-077": {{`{type: Mesh, name: shop, networking: {outbound: {passthrough: false}}}`, "networking.outbound.passthrough", `{type: Mesh, name: shop, networking: {outbound: {passthrough: true}}}`}},
	"K3-078": {{`{type: Mesh, name: shop, tracing: {backends: [{name: z, type: zipkin, conf: {url: "http://z:9411/a"}}]}}`, "tracing", `{type: Mesh, name: shop, tracing: {}}`}},
	"K3-079": {{`{type: Mesh, name: shop, logging: {backends: [{name: f, type: file, conf: {path: /tmp/log}}]}}`, "logging", `{type: Mesh, name: shop}`}},
	"K3-080": {{`{type: Mesh, name: shop, metrics: {backends: [{name: p, type: prometheus}]}}`, "metrics", `{type: Mesh, name: shop}`}},
	"K3-081": {
		{`{type: Mesh, name: shop, constraints: {dataplaneProxy: {requirements: [{tags: {a: b}}]}}}`, "constraints.dataplaneProxy", `{type: Mesh, name: shop, constraints: {dataplaneProxy: {requirements: []}}}`},
		{`{type: Mesh, name: shop, constraints: {dataplaneProxy: {restrictions: [{tags: {a: b}}]}}}`, "constraints.dataplaneProxy", `{type: Mesh, name: shop, constraints: {}}`},
	},
	"K3-082": {{`{type: Mesh, name: shop, skipCreatingInitialPolicies: [MeshTimeout, TrafficRoute]}`, "skipCreatingInitialPolicies", `{type: Mesh, name: shop, skipCreatingInitialPolicies: []}`}},
	"K3-090": {{`{type: Dataplane, name: d, networking: {address: 10.0.0.1, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}}`, "networking.gateway.type", `{type: Dataplane, name: d, networking: {address: 10.0.0.1, gateway: {tags: {kuma.io/service: edge}}}}`}},
	"K3-091": {{dataplaneWith(`{port: 80, tags: {kuma.io/service: web}}`), "networking.inbound[0].tags", dataplaneWith(`{port: 80, tags: {}}`)}},
	"K3-092": {{dataplaneWith(`{port: 79}, {port: 80, tags: {kuma.io/service: web, kuma.io/protocol: http}}`), `networking.inbound[1].tags["kuma.io/protocol"]`, dataplaneWith(`{port: 80, protocol: http, tags: {kuma.io/service: web, kuma.io/protocol: http}}, {port: 81, tags: {kuma.io/service: db, kuma.io/protocol: tcp}}`)}},
	"K3-093": {
		{dataplaneWith(`{port: 80, protocol: kafka}`), "networking.inbound[0].protocol", dataplaneWith(`{port: 80, protocol: tcp}`)},
		{dataplaneWith(`{port: 80, tags: {kuma.io/service: q, kuma.io/protocol: kafka}}`), `networking.inbound[0].tags["kuma.io/protocol"]`, dataplaneWith(`{port: 80, protocol: tcp, tags: {kuma.io/service: q, kuma.io/protocol: kafka}}`)},
	},
	"K3-094": {{`{type: Dataplane, name: d, networking: {address: 10.0.0.1, outbound: [{port: 80, tags: {kuma.io/service: web}}]}}`, "networking.outbound[0].tags", `{type: Dataplane, name: d, networking: {address: 10.0.0.1, outbound: [{port: 80, backendRef: {kind: MeshService, name: web, port: 80}}]}}`}},
	"K3-095": {{`{type: Dataplane, name: d, networking: {address: 10.0.0.1, advertisedAddress: 1.2.3.4}}`, "networking.advertisedAddress", `{type: Dataplane, name: d, networking: {address: 10.0.0.1}}`}},
	"K3-096": {{`{type: Dataplane, name: d, networking: {address: 10.0.0.1, transparentProxying: {reachableServices: [web]}}}`, "networking.transparentProxying.reachableServices", `{type: Dataplane, name: d, networking: {address: 10.0.0.1, transparentProxying: {reachableBackends: {refs: [{kind: MeshService, name: web}]}}}}`}},
	"K3-097": {{`{type: Dataplane, name: d, networking: {address: 10.0.0.1}, probes: {port: 9000}}`, "probes", `{type: Dataplane, name: d, networking: {address: 10.0.0.1}}`}},
	"K3-098": {{`{type: Dataplane, name: d, networking: {address: 10.0.0.1}, metrics: {type: prometheus}}`, "metrics", `{type: Dataplane, name: d, networking: {address: 10.0.0.1}}`}},
	"K3-215": {{reaching(`kind: MeshService, name: web`), "networking.transparentProxying.reachableBackends.refs[0].name", reaching(`kind: MeshService, labels: {kuma.io/display-name: web}`)}},
	"K3-100": {{`{type: MeshGateway, name: g, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [{port: 80, protocol: HTTP}]}}`, "", `{type: Dataplane, name: d, networking: {address: 10.0.0.1, gateway: {}}}`}, {`{type: MeshGatewayRoute, name: g}`, "", `{type: MeshService, name: g, spec: {}}`}},
	"K3-101": {{`{type: ZoneIngress, name: z, networking: {port: 10001}}`, "", `{type: Dataplane, name: z, networking: {address: 10.0.0.1, listeners: [{type: ZoneIngress, address: 10.0.0.1, port: 10001}]}}`}, {`{type: ZoneEgress, name: z, networking: {port: 10002}}`, "", `{type: Zone, name: z}`}},
	"K3-102": {{`{type: TrafficPermission, name: allow-all-default, sources: []}`, "", `{type: MeshTrafficPermission, name: allow-all-default, spec: {rules: [{default: {deny: [{spiffeID: {type: Exact, value: "spiffe://a/b"}}]}}]}}`}},
	"K3-110": {{
		`{type: MeshTimeout, name: mesh-timeout-all-shop, mesh: shop, spec: {from: [` + timeoutOfMesh + `], to: [` + timeoutOfMesh + `]}}`, "",
		`{type: MeshTimeout, name: mesh-timeout-all-shop, mesh: shop, spec: {rules: [{default: {idleTimeout: 1s}}]}}`,
	}},
	"K3-111": {
		{timeoutNamed("mesh-gateways-timeout-all-shop"), "", timeoutNamed("mesh-gateways-timeout-all-default")},
		{timeoutNamed("mesh-gateways-timeout-to-all-shop"), "", timeoutNamed("gateways")},
	},
}

const (
	limit         = `{default: {local: {http: {requestRate: {num: 1, interval: 1s}}}}}`
	limitTo       = `{targetRef: {kind: Mesh}, default: {local: {http: {requestRate: {num: 1, interval: 1s}}}}}`
	timeoutOfMesh = `{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}`
	anyService    = `{kind: MeshService, labels: {a: b}}`
)

func policyFor(top string) string {
	return `{type: MeshTimeout, name: t, spec: {targetRef: {` + top + `}, to: [` + timeoutOfMesh + `]}}`
}

func timeoutTo(ref string) string {
	return `{type: MeshTimeout, name: t, spec: {to: [{targetRef: {` + ref + `}, default: {http: {requestTimeout: 1s}}}]}}`
}

func timeoutNamed(name string) string {
	return `{type: MeshTimeout, name: ` + name + `, mesh: shop, spec: {to: [` + timeoutOfMesh + `]}}`
}

func route(to, conf string) string {
	return `{type: MeshHTTPRoute, name: r, spec: {to: [{targetRef: ` + to + `, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {` + conf + `}}]}]}}`
}

func mirror(ref string) string {
	return `filters: [{type: RequestMirror, requestMirror: {backendRef: ` + ref + `}}]`
}

func sentTo(backend string) string {
	return `{type: MeshTCPRoute, name: r, spec: {to: [{targetRef: ` + anyService + `, rules: [{default: {backendRefs: [` + backend + `]}}]}]}}`
}

func accessLog(section, collector string) string {
	return `{type: MeshAccessLog, name: l, spec: {` + section + `: [{targetRef: {kind: Mesh}, default: {backends: [{type: OpenTelemetry, openTelemetry: {` + collector + `}}]}}]}}`
}

func balancing(conf string) string {
	return `{type: MeshLoadBalancingStrategy, name: b, spec: {to: [{targetRef: {kind: Mesh}, default: {` + conf + `}}]}}`
}

func reaching(ref string) string {
	return `{type: Dataplane, name: d, networking: {address: 10.0.0.1, transparentProxying: {reachableBackends: {refs: [{` + ref + `}]}}}}`
}

func external(more string) string {
	return `{type: MeshExternalService, name: pay, spec: {match: {port: 443}, ` + more + `}}`
}

func dataplaneWith(inbounds string) string {
	return `{type: Dataplane, name: d, networking: {address: 10.0.0.1, inbound: [` + inbounds + `]}}`
}

// rejectedNow lists the conditions on documents that 2.14 also rejects.
var rejectedNow = []string{"K3-024"}

func TestConditionsOnExamples(t *testing.T) {
	t.Parallel()
	for id, cases := range conditionCases {
		for i, c := range cases {
			t.Run(fmt.Sprintf("%s/%d", id, i), func(t *testing.T) {
				t.Parallel()
				if got := unready(t, c.unready)[id]; !slices.Contains(got, c.at) || len(got) != 1 {
					t.Errorf("found at %q, want it once at %q, in %s", got, c.at, c.unready)
				}
				if got := unready(t, c.ready)[id]; got != nil {
					t.Errorf("found at %q in %s", got, c.ready)
				}
				for _, doc := range []map[string]any{testworld.Document(t, c.unready), testworld.Document(t, c.ready)} {
					k, described := kinds.Find(doc["type"].(string))
					if errs := def.Errors(k.Validate(doc)); described && len(errs) > 0 && !slices.Contains(rejectedNow, id) {
						t.Errorf("2.14 rejects the example: %+v", errs)
					}
				}
			})
		}
	}
}

// unready returns the paths of what is found in a document, by condition.
func unready(t *testing.T, document string) map[string][]string {
	t.Helper()
	r := testworld.Resource(t, document)
	out := map[string][]string{}
	for _, u := range kuma3.Check(r) {
		out[u.ID] = append(out[u.ID], u.Path.String())
	}
	return out
}

// TestConditions expects a case for each condition, and the texts that the
// documentation shows.
func TestConditions(t *testing.T) {
	t.Parallel()
	conditions := kuma3.Conditions()
	if !slices.IsSortedFunc(conditions, kuma3.Condition.Compare) {
		t.Error("the conditions are not in order")
	}
	for _, c := range conditions {
		if len(conditionCases[c.ID]) == 0 {
			t.Errorf("%s has no case", c.ID)
		}
		if !strings.HasSuffix(c.Doc, ".") || !strings.HasSuffix(c.Suggestion(), ".") {
			t.Errorf("%s: what is found and what to do are full sentences: %q, %q", c.ID, c.Doc, c.Suggestion())
		}
	}
	known := map[string]bool{}
	for _, c := range conditions {
		if known[c.ID] {
			t.Errorf("%s is declared twice", c.ID)
		}
		known[c.ID] = true
		for _, p := range c.Paths {
			if !slices.Contains(kindNames(), p.Kind) {
				t.Errorf("%s is about %q, which is not a kind", c.ID, p.Kind)
			}
		}
		if len(c.Paths) == 0 {
			t.Errorf("%s has no paths", c.ID)
		}
	}
	for id := range conditionCases {
		if !known[id] {
			t.Errorf("there is no condition %s", id)
		}
	}
}

func kindNames() []string {
	var names []string
	for _, k := range append(kinds.All(), kuma3.RemovedKinds()...) {
		names = append(names, k.Name)
	}
	return names
}

func TestRemovedKinds(t *testing.T) {
	t.Parallel()
	for _, k := range kuma3.RemovedKinds() {
		_, ok := kinds.Find(k.Name)
		if found := kuma3.Check(kuma.Resource{Type: k.Name, Name: "a"}); ok || k.Path == "" || len(found) != 1 || strings.Contains(found[0].Suggestion, "is .") {
			t.Errorf("%s (path %q) is described, or nothing is known about it: %+v", k.Name, k.Path, found)
		}
	}
	if got := kuma3.Check(kuma.Resource{Type: "MeshNothing", Name: "n"}); got != nil {
		t.Errorf("Check(MeshNothing) = %v, want nothing", got)
	}
}

// TestReplacements checks the suggestions that follow from the document.
func TestReplacements(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ id, document, want string }{
		"name":               {"K3-020", timeoutTo(`kind: MeshService, name: web`), "Here: labels {kuma.io/display-name: web}."},
		"name and namespace": {"K3-020", timeoutTo(`kind: MeshService, name: web, namespace: shop`), "Here: labels {kuma.io/display-name: web, k8s.kuma.io/namespace: shop}."},
		"legacy service":     {"K3-021", timeoutTo(`kind: MeshService, name: web_shop_svc_80`), "Here: labels {kuma.io/display-name: web, k8s.kuma.io/namespace: shop} and the port with number 80."},
		"no port":            {"K3-021", timeoutTo(`kind: MeshService, name: web_shop_svc`), "Here: labels {kuma.io/display-name: web, k8s.kuma.io/namespace: shop}."},
		"backend":            {"K3-041", sentTo(`{kind: MeshService, name: web}`), "Here: labels {kuma.io/display-name: web}."},
		"older kind":         {"K3-102", `{type: Timeout, name: t}`, "Use MeshTimeout. Create it, then delete this resource."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := testworld.Resource(t, tt.document)
			for _, u := range kuma3.Check(r) {
				if u.ID == tt.id && strings.HasSuffix(u.Suggestion, tt.want) {
					return
				}
			}
			t.Errorf("no %s with a suggestion that ends in %q", tt.id, tt.want)
		})
	}
}

// TestCheckOfStored checks that the identities in a stored service, which the
// control plane sets, are not reported.
func TestCheckOfStored(t *testing.T) {
	t.Parallel()
	r := testworld.Resource(t, conditionCases["K3-061"][0].unready)
	r.CreationTime = time.Unix(1, 0)
	if got := kuma3.Check(r); len(got) != 0 {
		t.Errorf("Check of a stored MeshService = %+v, want nothing", got)
	}
}

// TestCheckOfAnything checks that no document causes a panic, and that unknown
// values cause no findings.
func TestCheckOfAnything(t *testing.T) {
	t.Parallel()
	others := []any{"x", "", true, false, json.Number("1e400"), []any{nil, "x", map[string]any{}}, map[string]any{"x": nil, "kind": json.Number("1")}}
	for _, file := range testworld.Files(t, "../kinds/testdata/catalog/*/*.yaml") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			for _, doc := range testworld.Documents(t, testworld.Text(t, file)) {
				r, err := kuma.FromDocument(doc, kinds.Form)
				if err != nil {
					continue // not a resource, and rejected earlier
				}
				found := at(kuma3.Check(r))
				replaceEach(r.Body, nil, tree.Unknown, func(path tree.Path) {
					for _, u := range at(kuma3.Check(r)) {
						if !slices.Contains(found, u) {
							t.Errorf("with an unknown %s: %s", path, u)
						}
					}
				})
				for _, other := range others {
					replaceEach(r.Body, nil, other, func(tree.Path) { kuma3.Check(r) })
				}
			}
		})
	}
}

func at(found []kuma3.Problem) []string {
	var out []string
	for _, u := range found {
		out = append(out, u.ID+" at "+u.Path.String())
	}
	return out
}

// replaceEach replaces each value below v in turn, leaves and others, and calls visit
// each time.
func replaceEach(v any, at tree.Path, other any, visit func(at tree.Path)) {
	try := func(step, old any, put func(any)) {
		replaceEach(old, at.Child(step), other, visit)
		put(other)
		visit(at.Child(step))
		put(old)
	}
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			try(key, value, func(x any) { v[key] = x })
		}
	case []any:
		for i, value := range v {
			try(i, value, func(x any) { v[i] = x })
		}
	}
}

// TestCheckOfInitialPolicies lists the problems of the policies that a control plane
// 2.14 creates.
func TestCheckOfInitialPolicies(t *testing.T) {
	t.Parallel()
	var got []string
	for _, r := range kinds.Initial(kuma.Resource{Type: kuma.KindMesh, Name: "shop"}, kuma.Newest2()) {
		for _, u := range kuma3.Check(r) {
			got = append(got, fmt.Sprintf("%s: %s at %s", r.Name, u.ID, u.Path))
		}
	}
	want := []string{
		"mesh-timeout-all-shop: K3-110 at ",
		"mesh-timeout-all-shop: K3-031 at spec.from",
		"mesh-timeout-all-shop: K3-008 at spec.targetRef.proxyTypes",
		"mesh-gateways-timeout-all-shop: K3-111 at ",
		"mesh-gateways-timeout-all-shop: K3-031 at spec.from",
		"mesh-gateways-timeout-all-shop: K3-008 at spec.targetRef.proxyTypes",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("in the policies of a new mesh (-want +got):\n%s", diff)
	}
}

func TestAcceptsPlainText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		document string
		want     bool
	}{
		"permissive":        {`{type: MeshTLS, name: t, spec: {rules: [{default: {}}, {default: {mode: Permissive}}]}}`, true},
		"strict":            {`{type: MeshTLS, name: t, spec: {rules: [{default: {mode: Strict}}]}}`, false},
		"in the older form": {`{type: MeshTLS, name: t, spec: {from: [{targetRef: {kind: Mesh}, default: {mode: Permissive}}]}}`, false},
		"another kind":      {`{type: MeshTimeout, name: t, spec: {rules: [{default: {mode: Permissive}}]}}`, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := testworld.Resource(t, tt.document)
			if got := kuma3.AcceptsPlainText(r); got != tt.want {
				t.Errorf("AcceptsPlainText = %t, want %t", got, tt.want)
			}
		})
	}
}
