package upgrade_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade/upgradetest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// olderMesh has proxies of HTTP, TCP and gRPC services, and sends by tags.
const olderMesh = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}, skipCreatingInitialPolicies: ["*"], logging: {defaultBackend: f, backends: [{name: f, type: file, conf: {path: /a.log}}, {name: t, type: tcp, conf: {address: "10.0.0.9:5000"}}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web, kuma.io/protocol: http, v: "1"}}], outbound: [{port: 10001, tags: {kuma.io/service: web}}, {port: 10002, tags: {kuma.io/service: db}}]}}
---
{type: Dataplane, mesh: shop, name: web-2, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: web, kuma.io/protocol: http, v: "2"}}]}}
---
{type: Dataplane, mesh: shop, name: db-1, networking: {address: 10.0.0.3, inbound: [{port: 90, tags: {kuma.io/service: db}}]}}
---
`

// sendsAll is what older control planes created with a mesh.
const sendsAll = `{type: TrafficRoute, mesh: shop, name: all, sources: [{match: {kuma.io/service: "*"}}], destinations: [{match: {kuma.io/service: "*"}}], conf: {loadBalancer: {roundRobin: {}}, destination: {kuma.io/service: "*"}}}
---
`

// edge is a builtin gateway.
const edge = `{type: Dataplane, mesh: shop, name: edge-1, networking: {address: 10.0.0.9, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}}
---
`

const feed = `{type: Dataplane, mesh: shop, name: feed-1, networking: {address: 10.0.0.4, inbound: [{port: 70, tags: {kuma.io/service: feed, kuma.io/protocol: grpc}}]}}
---
`

const sql = `{type: Dataplane, mesh: shop, name: sql-1, networking: {address: 10.0.0.8, inbound: [{port: 90, tags: {kuma.io/service: sql, kuma.io/protocol: tcp}}]}}
---
`

const kafka = `{type: Dataplane, mesh: shop, name: log-1, networking: {address: 10.0.0.8, inbound: [{port: 90, tags: {kuma.io/service: log, kuma.io/protocol: kafka}}]}}
---
`

// between returns the selectors of connections.
func between(from, to string) string {
	return "sources: [{match: {" + from + "}}], destinations: [{match: {" + to + "}}]"
}

const (
	anyone = `kuma.io/service: "*"`
	web    = `kuma.io/service: web`
	db     = `kuma.io/service: db`
)

// TestOlderKinds checks which policies replace older kinds, and what the report says where none does.
func TestOlderKinds(t *testing.T) {
	t.Parallel()
	const noTimeouts = `{type: MeshTimeout, mesh: shop, name: timeout-all, spec: {targetRef: {kind: Mesh}, to: [
  {targetRef: {kind: Mesh}, default: {connectionTimeout: 5s, idleTimeout: 1h, http: {requestTimeout: 0s, streamIdleTimeout: 0s}}},
  {targetRef: {kind: MeshService, name: db}, default: {connectionTimeout: 5s, idleTimeout: 0s, http: {requestTimeout: 0s, streamIdleTimeout: 0s}}}]}}`
	for name, test := range map[string]struct {
		documents string
		stageOne  string // policies
		gone      string // what stage one does not contain any more
		report    string
	}{
		"no TrafficRoute": {
			documents: `{type: Retry, mesh: shop, name: x, ` + between(anyone, anyone) + `, conf: {http: {numRetries: 4}}}`,
			report:    "removed K3-102 Without a TrafficRoute in the mesh, this resource has no effect",
		},
		"no Timeout": {
			documents: sendsAll, stageOne: noTimeouts, report: "added K3-102 A mesh with TrafficRoutes and without a Timeout has no timeouts",
		},
		"the most specific Retry decides alone": {
			documents: sendsAll + `{type: Retry, mesh: shop, name: all, ` + between(anyone, anyone) + `, conf: {http: {numRetries: 4}}}
---
{type: Retry, mesh: shop, name: web, ` + between(web, web) + `, conf: {tcp: {maxConnectAttempts: 3}}}`,
			stageOne: `{type: MeshRetry, mesh: shop, name: 01-web, spec: {targetRef: {kind: MeshSubset, tags: {kuma.io/service: web}}, to: [
  {targetRef: {kind: Mesh}, default: {http: {numRetries: 4}, grpc: {numRetries: 0}, tcp: {maxConnectAttempt: 1}}},
  {targetRef: {kind: MeshService, name: web}, default: {http: {numRetries: 0}, grpc: {numRetries: 0}, tcp: {maxConnectAttempt: 1}}}]}}
---
{type: MeshRetry, mesh: shop, name: 02-all, spec: {targetRef: {kind: Mesh}, to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 4}, grpc: {numRetries: 0}, tcp: {maxConnectAttempt: 1}}}]}}`,
			report: "removed K3-102 A MeshRetry replaces it. Both may exist on 2.14",
		},
		"equally specific": {
			documents: sendsAll + `{type: Retry, mesh: shop, name: a, ` + between(web, anyone) + `, conf: {http: {numRetries: 4}}}
---
{type: Retry, mesh: shop, name: b, ` + between(anyone, web) + `, conf: {http: {numRetries: 2}}}`,
			report: "manual K3-102 a and b select the same traffic as specifically, of which the newer one decides",
		},
		"another policy": {
			documents: sendsAll + `{type: Retry, mesh: shop, name: a, ` + between(anyone, anyone) + `, conf: {http: {numRetries: 4}}}
---
{type: MeshRetry, mesh: shop, name: b, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 1}}}]}}`,
			report: "manual K3-102 Dataplane db-1 has a MeshRetry as well.",
		},
		"a policy that overrides Timeouts": {
			documents: sendsAll + `{type: Timeout, mesh: shop, name: a, ` + between(anyone, anyone) + `, conf: {http: {requestTimeout: 4s}}}
---
{type: MeshTimeout, mesh: shop, name: b, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 1s}}}]}}`,
			report: "removed K3-102 The MeshTimeouts that select all proxies override this resource",
		},
		"faults of several services": {
			documents: `{type: FaultInjection, mesh: shop, name: a, ` + between(db, web) + `, conf: {abort: {httpStatus: 500, percentage: 10}}}
---
{type: FaultInjection, mesh: shop, name: b, ` + between(web, db) + `, conf: {abort: {httpStatus: 503, percentage: 20}}}`,
			stageOne: `{type: MeshFaultInjection, mesh: shop, name: b, spec: {targetRef: {kind: MeshSubset, tags: {kuma.io/service: db}, proxyTypes: [Sidecar]}, from: [
  {targetRef: {kind: MeshSubset, tags: {kuma.io/service: web}}, default: {http: [{abort: {httpStatus: 503, percentage: 20}}]}}]}}`,
			report: "added K3-102 Has the effect of FaultInjection a.",
		},
		"the idle timeout of Envoy for gRPC": {
			documents: sendsAll + feed + `{type: Timeout, mesh: shop, name: a, ` + between(anyone, web) + `, conf: {http: {requestTimeout: 15s, idleTimeout: 1h, maxStreamDuration: 0s}}}
---
{type: Timeout, mesh: shop, name: b, ` + between(anyone, anyone) + `, conf: {http: {requestTimeout: 9s, idleTimeout: 60m}}}`,
			stageOne: `{type: MeshTimeout, mesh: shop, name: a, spec: {targetRef: {kind: Mesh}, to: [
  {targetRef: {kind: Mesh}, default: {connectionTimeout: 5s, idleTimeout: 1h, http: {requestTimeout: 9s, streamIdleTimeout: 0s}}},
  {targetRef: {kind: MeshService, name: db}, default: {connectionTimeout: 5s, idleTimeout: 0s, http: {requestTimeout: 9s, streamIdleTimeout: 0s}}},
  {targetRef: {kind: MeshService, name: web}, default: {connectionTimeout: 5s, idleTimeout: 1h, http: {requestTimeout: 15s, streamIdleTimeout: 0s}}}]}}`,
			report: "removed K3-102 A MeshTimeout replaces it. Both may exist on 2.14, where the policy applies. Delete it with the TrafficRoutes: beside them",
		},
		"a Timeout with the deprecated section for gRPC": {
			documents: sendsAll + feed + `{type: Timeout, mesh: shop, name: a, ` + between(anyone, `kuma.io/service: feed`) + `, conf: {grpc: {streamIdleTimeout: 5m}}}`,
			stageOne: `{type: MeshTimeout, mesh: shop, name: a, spec: {targetRef: {kind: Mesh}, to: [
  {targetRef: {kind: Mesh}, default: {connectionTimeout: 5s, idleTimeout: 1h, http: {requestTimeout: 0s, streamIdleTimeout: 0s}}},
  {targetRef: {kind: MeshService, name: db}, default: {connectionTimeout: 5s, idleTimeout: 0s, http: {requestTimeout: 0s, streamIdleTimeout: 0s}}},
  {targetRef: {kind: MeshService, name: feed}, default: {connectionTimeout: 5s, idleTimeout: 1h, http: {requestTimeout: 0s, streamIdleTimeout: 5m}}}]}}`,
		},
		"a maximum duration in the deprecated section for gRPC": {
			documents: sendsAll + feed + `{type: Timeout, mesh: shop, name: a, ` + between(anyone, anyone) + `, conf: {http: {maxStreamDuration: 0s}, grpc: {maxStreamDuration: 30m}}}`,
			report:    "manual K3-102 It limits the time of gRPC connections or streams, which a MeshTimeout cannot.",
		},
		"another idle timeout for gRPC": {
			documents: sendsAll + feed + `{type: Timeout, mesh: shop, name: a, ` + between(anyone, anyone) + `, conf: {http: {idleTimeout: 4s}}}`,
			report:    "manual K3-102 It limits the time of gRPC connections or streams, which a MeshTimeout cannot.",
		},
		"a breaker that sets more than a specific one": {
			documents: sendsAll + `{type: CircuitBreaker, mesh: shop, name: a, ` + between(anyone, anyone) + `, conf: {detectors: {totalErrors: {consecutive: 7}}}}
---
{type: CircuitBreaker, mesh: shop, name: b, ` + between(anyone, web) + `, conf: {thresholds: {maxConnections: 7}}}`,
			stageOne: `{type: MeshCircuitBreaker, mesh: shop, name: a, spec: {targetRef: {kind: Mesh}, to: [
  {targetRef: {kind: Mesh}, default: {outlierDetection: {detectors: {totalFailures: {consecutive: 7}}}}},
  {targetRef: {kind: MeshService, name: web}, default: {connectionLimits: {maxConnections: 7}, outlierDetection: {detectors: {totalFailures: {consecutive: 7}}, disabled: true}}}]}}`,
		},
		"a Retry of HTTP that overrides the intervals of gRPC": {
			documents: sendsAll + `{type: Retry, mesh: shop, name: a, ` + between(anyone, anyone) + `, conf: {http: {numRetries: 4}, grpc: {numRetries: 3, backOff: {baseInterval: 25ms, maxInterval: 1s}}}}
---
{type: Retry, mesh: shop, name: b, ` + between(anyone, web) + `, conf: {http: {numRetries: 2}}}`,
			stageOne: `{type: MeshRetry, mesh: shop, name: a, spec: {targetRef: {kind: Mesh}, to: [
  {targetRef: {kind: Mesh}, default: {http: {numRetries: 4}, grpc: {numRetries: 3, backOff: {baseInterval: 25ms, maxInterval: 1s}}, tcp: {maxConnectAttempt: 1}}},
  {targetRef: {kind: MeshService, name: web}, default: {http: {numRetries: 2}, grpc: {numRetries: 3, backOff: {baseInterval: 25ms, maxInterval: 1s}}, tcp: {maxConnectAttempt: 1}}}]}}`,
		},
		"a Retry that overrides the timeout and the intervals of another": {
			documents: sendsAll + `{type: Retry, mesh: shop, name: a, ` + between(anyone, anyone) + `, conf: {http: {numRetries: 4, perTryTimeout: 16s, backOff: {baseInterval: 50ms, maxInterval: 1s}}}}
---
{type: Retry, mesh: shop, name: b, ` + between(anyone, web) + `, conf: {http: {numRetries: 2}}}`,
			stageOne: `{type: MeshRetry, mesh: shop, name: a, spec: {targetRef: {kind: Mesh}, to: [
  {targetRef: {kind: Mesh}, default: {http: {numRetries: 4, perTryTimeout: 16s, backOff: {baseInterval: 50ms, maxInterval: 1s}}, grpc: {numRetries: 0}, tcp: {maxConnectAttempt: 1}}},
  {targetRef: {kind: MeshService, name: web}, default: {http: {numRetries: 2, perTryTimeout: 0s, backOff: {baseInterval: 25ms, maxInterval: 250ms}}, grpc: {numRetries: 0}, tcp: {maxConnectAttempt: 1}}}]}}`,
		},
		"other checks of two services": {
			documents: sendsAll + sql + `{type: HealthCheck, mesh: shop, name: a, ` + between(anyone, web) + `, conf: {interval: 1s, timeout: 2s, unhealthyThreshold: 3, healthyThreshold: 1, noTrafficInterval: 9s}}
---
{type: HealthCheck, mesh: shop, name: b, ` + between(anyone, `kuma.io/service: sql`) + `, conf: {interval: 1s, timeout: 2s, unhealthyThreshold: 3, healthyThreshold: 1, healthyPanicThreshold: 61}}`,
			stageOne: `{type: MeshHealthCheck, mesh: shop, name: a, spec: {targetRef: {kind: Mesh}, to: [
  {targetRef: {kind: MeshService, name: sql}, default: {interval: 1s, timeout: 2s, unhealthyThreshold: 3, healthyThreshold: 1, healthyPanicThreshold: 61, tcp: {}, http: {disabled: true}}},
  {targetRef: {kind: MeshService, name: web}, default: {interval: 1s, timeout: 2s, unhealthyThreshold: 3, healthyThreshold: 1, noTrafficInterval: 9s, tcp: {}, http: {disabled: true}}}]}}`,
			gone: "HealthCheck b",
		},
		"a retry condition that a MeshRetry does not have": {
			documents: sendsAll + `{type: Retry, mesh: shop, name: a, ` + between(anyone, anyone) + `, conf: {grpc: {retryOn: [cancelled]}}}`,
			report:    "manual K3-102 A MeshRetry has no condition cancelled.",
		},
		"TCP checks of HTTP services": {
			documents: sendsAll + `{type: HealthCheck, mesh: shop, name: a, ` + between(web, web) + `, conf: {interval: 10s, timeout: 2s, unhealthyThreshold: 3, healthyThreshold: 1}}`,
			stageOne: `{type: MeshHealthCheck, mesh: shop, name: a, spec: {targetRef: {kind: MeshSubset, tags: {kuma.io/service: web}}, to: [
  {targetRef: {kind: MeshService, name: web}, default: {interval: 10s, timeout: 2s, unhealthyThreshold: 3, healthyThreshold: 1, tcp: {}, http: {disabled: true}}}]}}`,
			gone:   "HealthCheck a",
			report: "removed K3-102 A MeshHealthCheck replaces it. Apply that first, then delete this at once",
		},
		"checks of services without a protocol": {
			documents: sendsAll + `{type: HealthCheck, mesh: shop, name: a, ` + between(web, db) + `, conf: {interval: 10s, timeout: 2s, unhealthyThreshold: 3, healthyThreshold: 1}}`,
			report:    "manual K3-102 On 2.14, a MeshHealthCheck has no effect on a service with kafka or without a protocol. Set the tag kuma.io/protocol of its inbounds to tcp first.",
		},
		"retries of services without a protocol": {
			documents: sendsAll + `{type: Retry, mesh: shop, name: a, ` + between(web, db) + `, conf: {tcp: {maxConnectAttempts: 3}}}`,
			report:    "manual K3-102 On 2.14, a MeshRetry has no effect on a service with kafka or without a protocol.",
		},
		"checks of Kafka": {
			documents: sendsAll + kafka + `{type: HealthCheck, mesh: shop, name: a, ` + between(web, `kuma.io/service: log`) + `, conf: {interval: 10s, timeout: 2s, unhealthyThreshold: 3, healthyThreshold: 1}}`,
			report:    "manual K3-102 On 2.14, a MeshHealthCheck has no effect on a service with kafka",
		},
		"retries of Kafka": {
			documents: sendsAll + kafka + `{type: Retry, mesh: shop, name: a, ` + between(web, `kuma.io/service: log`) + `, conf: {tcp: {maxConnectAttempts: 3}}}`,
			report:    "manual K3-102 On 2.14, a MeshRetry has no effect on a service with kafka",
		},
		"HTTP checks of TCP services": {
			documents: sendsAll + sql + `{type: HealthCheck, mesh: shop, name: a, ` + between(web, `kuma.io/service: sql`) + `, conf: {interval: 10s, timeout: 2s, unhealthyThreshold: 3, healthyThreshold: 1, http: {path: /}}}`,
			report:    "manual K3-102 It makes HTTP checks of a service whose protocol is not HTTP",
		},
		"TrafficRoutes to the services that requests are for": {
			documents: sendsAll + `{type: TrafficRoute, mesh: shop, name: x, ` + between(anyone, web) + `, conf: {destination: {kuma.io/service: web}}}`,
			report:    "removed K3-102 Proxies send the same requests without it.",
		},
		"a transparent proxy that no TrafficRoute selects": {
			documents: `{type: Mesh, name: shop, skipCreatingInitialPolicies: ["*"]}
---
{type: Dataplane, mesh: shop, name: t-1, networking: {address: 10.0.0.8, inbound: [{port: 90, tags: {kuma.io/service: t}}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}
---
{type: TrafficRoute, mesh: shop, name: x, ` + between(web, anyone) + `, conf: {destination: {kuma.io/service: "*"}}}`,
			report: "manual K3-102 No TrafficRoute sends requests of Dataplane t-1 to service db, which fail because of that.",
		},
		"logs of some proxies": {
			documents: sendsAll + `{type: TrafficLog, mesh: shop, name: a, ` + between(web, anyone) + `, conf: {backend: t}}`,
			stageOne:  `{type: MeshAccessLog, mesh: shop, name: a, spec: {targetRef: {kind: MeshSubset, tags: {kuma.io/service: web}}, to: [{targetRef: {kind: Mesh}, default: {backends: [{type: Tcp, tcp: {address: "10.0.0.9:5000"}}]}}]}}`,
			gone:      "TrafficLog a",
			report:    "added K3-079 Has the effect of TrafficLog a",
		},
		"logs of connections to the outside": {
			documents: sendsAll + `{type: Dataplane, mesh: shop, name: t-1, networking: {address: 10.0.0.8, inbound: [{port: 90, tags: {kuma.io/service: t}}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}
---
{type: TrafficLog, mesh: shop, name: a, ` + between(anyone, anyone) + `}`,
			report: "deferred K3-102 On 2.14, a MeshAccessLog without a format logs only the text tcp for connections to the outside of the mesh, so only stage two",
		},
		"permissions": {
			documents: `{type: TrafficPermission, mesh: shop, name: all, ` + between(anyone, anyone) + `}
---
{type: TrafficPermission, mesh: shop, name: x, ` + between(`kuma.io/service: "*", v: "1"`, db) + `}`,
			stageOne: `{type: MeshTrafficPermission, mesh: shop, name: 01-x, spec: {targetRef: {kind: MeshSubset, tags: {kuma.io/service: db}}, from: [
  {targetRef: {kind: Mesh}, default: {action: Deny}}, {targetRef: {kind: MeshSubset, tags: {v: "1"}}, default: {action: Allow}}]}}
---
{type: MeshTrafficPermission, mesh: shop, name: 02-all, spec: {targetRef: {kind: Mesh}, from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}`,
			report: "removed K3-102 A MeshTrafficPermission replaces it. Both may exist on 2.14",
		},
		"faults": {
			documents: `{type: FaultInjection, mesh: shop, name: x, ` + between(db, web+`, kuma.io/protocol: http`) + `, conf: {delay: {percentage: 2.5, value: 2s}}}`,
			stageOne: `{type: MeshFaultInjection, mesh: shop, name: x, spec: {targetRef: {kind: MeshSubset, proxyTypes: [Sidecar], tags: {kuma.io/service: web}}, from: [
  {targetRef: {kind: MeshSubset, tags: {kuma.io/service: db}}, default: {http: [{delay: {percentage: "2.5", value: 2s}}]}}]}}`,
			gone: "FaultInjection x",
		},
		"faults with a bandwidth that proxies do not take": {
			documents: `{type: FaultInjection, mesh: shop, name: x, ` + between(db, web+`, kuma.io/protocol: http`) + `, conf: {responseBandwidth: {percentage: 50, limit: 50mbps}}}`,
			report:    "manual K3-102 Its proxies get no configuration on 2.14",
		},
		"limits": {
			documents: `{type: RateLimit, mesh: shop, name: x, ` + between(anyone, web) + `, conf: {http: {requests: 5, interval: 10s}}}`,
			report:    "deferred K3-102 On 2.14, a MeshRateLimit also limits requests without the header",
		},
		"limits of some clients, without identities": {
			documents: `{type: RateLimit, mesh: shop, name: x, ` + between(db, web) + `, conf: {http: {requests: 5, interval: 10s}}}`,
			report:    "manual K3-102 Rules match clients by the SPIFFE ID of a MeshIdentity",
		},
		"limits of requests to an ExternalService": {
			documents: `{type: ExternalService, mesh: shop, name: pay, tags: {kuma.io/service: pay, kuma.io/protocol: http}, networking: {address: "a.example:80"}}
---
{type: RateLimit, mesh: shop, name: x, ` + between(web, `kuma.io/service: pay`) + `, conf: {http: {requests: 5, interval: 10s}}}`,
			report: "removed K3-102 It selects only ExternalServices, which Kuma 3.0 does not have. Delete it with the ExternalServices.",
		},
		"faults of requests to an ExternalService": {
			documents: `{type: ExternalService, mesh: shop, name: pay, tags: {kuma.io/service: pay, kuma.io/protocol: http}, networking: {address: "a.example:80"}}
---
{type: FaultInjection, mesh: shop, name: x, ` + between(web, `kuma.io/service: pay, kuma.io/protocol: http`) + `, conf: {delay: {percentage: 2, value: 2s}}}`,
			report: "removed K3-102 It selects only ExternalServices, which Kuma 3.0 does not have. Delete it with the ExternalServices.",
		},
		"patches": {
			documents: `{type: ProxyTemplate, mesh: shop, name: x, selectors: [{match: {kuma.io/service: web}}], conf: {imports: [default-proxy], modifications: [{httpFilter: {operation: addFirst, match: {origin: inbound}, value: "name: x"}}]}}`,
			stageOne:  `{type: MeshProxyPatch, mesh: shop, name: x, spec: {targetRef: {kind: MeshSubset, tags: {kuma.io/service: web}}, default: {appendModifications: [{httpFilter: {operation: AddFirst, match: {origin: inbound}, value: "name: x"}}]}}}`,
			gone:      "ProxyTemplate x",
		},
		"a Timeout of a builtin gateway": {
			documents: sendsAll + edge + `{type: Timeout, mesh: shop, name: edge, ` + between(`kuma.io/service: edge`, anyone) + `, conf: {http: {requestTimeout: 4s}}}`,
			stageOne:  strings.Replace(noTimeouts, "targetRef: {kind: Mesh}, to", "targetRef: {kind: Mesh, proxyTypes: [Sidecar]}, to", 1),
			report:    "removed K3-102 It selects only builtin gateways, which Kuma 3.0 does not have. Dataplane edge-1, a builtin gateway, reads it: delete it with the gateway.",
		},
		"a Timeout of both kinds of gateways": {
			documents: sendsAll + edge + `{type: Dataplane, mesh: shop, name: kong-1, networking: {address: 10.0.0.7, gateway: {tags: {kuma.io/service: kong}}}}
---
{type: Timeout, mesh: shop, name: a, ` + between(anyone, anyone) + `, conf: {http: {requestTimeout: 4s}}}`,
			report: "manual K3-102 It selects Dataplane edge-1, a builtin gateway, and kong-1, a delegated one, which a MeshTimeout does not tell apart.",
		},
		"a Retry of a builtin gateway, without a TrafficRoute": {
			documents: edge + `{type: Retry, mesh: shop, name: a, ` + between(anyone, anyone) + `, conf: {http: {numRetries: 4}}}`,
			report:    "has no effect on sidecars, and nothing replaces it. Dataplane edge-1, a builtin gateway, reads it: delete it with the gateway.",
		},
		"a permission for an external service": {
			documents: sendsAll + `{type: ExternalService, mesh: shop, name: pay, tags: {kuma.io/service: pay}, networking: {address: "a.example:80"}}
---
{type: TrafficPermission, mesh: shop, name: web, ` + between(anyone, web) + `}
---
{type: TrafficPermission, mesh: shop, name: pay, ` + between(web, `kuma.io/service: pay`) + `}`,
			stageOne: `{type: MeshTrafficPermission, mesh: shop, name: 02-web, spec: {targetRef: {kind: MeshSubset, tags: {kuma.io/service: web}}, from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}`,
			report:   "where the policy applies. Delete the TrafficRoutes first: beside one, proxies reach an ExternalService only if a TrafficPermission allows it.",
		},
		"a TrafficRoute that only passes on": {
			documents: sendsAll, stageOne: noTimeouts, report: "removed K3-102 Proxies send the same requests without it.",
		},
		"a TrafficRoute that divides requests": {
			documents: sendsAll + `{type: TrafficRoute, mesh: shop, name: x, ` + between(web, db) + `, conf: {split: [{weight: 9, destination: {kuma.io/service: db}}, {weight: 1, destination: {kuma.io/service: web}}]}}`,
			report:    "manual K3-102 TrafficRoutes that divide or redirect requests: x.",
		},
		"TrafficRoutes with a load balancer and with parts": {
			documents: strings.Replace(sendsAll, "roundRobin", "random", 1) + `{type: TrafficRoute, mesh: shop, name: x, ` + between(web, db) + `, conf: {http: [{match: {path: {prefix: /v1}}, destination: {kuma.io/service: web}}], destination: {kuma.io/service: "*"}}}`,
			report:    "do not exist in Kuma 3.0. TrafficRoutes with a load balancer: all. Each needs a MeshLoadBalancingStrategy.",
		},
		"a service that no TrafficRoute sends to": {
			documents: `{type: TrafficRoute, mesh: shop, name: x, ` + between(web, db) + `, conf: {destination: {kuma.io/service: "*"}}}`,
			report:    "manual K3-102 No TrafficRoute sends requests of Dataplane web-1 to service web",
		},
		"an ExternalService whose MeshExternalService exists": {
			documents: `{type: ExternalService, mesh: shop, name: x, tags: {kuma.io/service: pay, kuma.io/protocol: http}, networking: {address: "a.example:80"}}
---
{type: MeshExternalService, mesh: shop, name: pay, spec: {match: {port: 80, protocol: http}, endpoints: [{address: a.example, port: 80}]}}`,
			report: "removed K3-102 MeshExternalServices with the same endpoints replace it.",
		},
		"a VirtualOutbound": {
			documents: `{type: VirtualOutbound, mesh: shop, name: x, selectors: [{match: {kuma.io/service: "*"}}], conf: {host: "{{.s}}.x", port: "80", parameters: [{name: s, tagKey: kuma.io/service}]}}`,
			report:    "manual K3-102 Kuma 3.0 removes this kind.",
		},
		"resources of a patch": {
			documents: `{type: ProxyTemplate, mesh: shop, name: x, selectors: [{match: {kuma.io/service: web}}], conf: {imports: [default-proxy], resources: [{name: x}]}}`,
			report:    "manual K3-102 It does more than modify the default configuration",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents := testworld.Resources(t, olderMesh+test.documents)
			result := upgradetest.CheckInvariants(t, documents, upgrade.Options{ControlPlane: zone.ControlPlane})
			for text := range strings.SplitSeq(test.stageOne, "\n---\n") {
				if text == "" {
					continue
				}
				r := testworld.Resource(t, text)
				is := slices.IndexFunc(result.StageOne, func(is kuma.Resource) bool { return is.Key() == r.Key() })
				if is < 0 {
					t.Errorf("stage one has no %s:\n%s", r.Key(), result.Report)
					continue
				}
				got := result.StageOne[is].Clone()
				if top := r.TopRef(); top.Kind == kuma.KindMeshSubset { // by labels, if these select the same
					got.Spec()["targetRef"] = r.Spec()["targetRef"]
				}
				expect(t, "stage one", []kuma.Resource{got}, r, text)
			}
			for _, r := range result.StageOne {
				if r.Type+" "+r.Name == test.gone {
					t.Errorf("stage one contains %s", r.Key())
				}
				isNew := !slices.ContainsFunc(documents, func(d kuma.Resource) bool { return d.Key() == r.Key() })
				if isNew && test.stageOne == "" && r.Type != "MeshPassthrough" && r.Name != "timeout-all" {
					t.Errorf("stage one contains %s", r.Key())
				}
			}
			var lines []string
			for _, i := range result.Report {
				lines = append(lines, string(i.Action)+" "+i.Condition+" "+phrase.Paragraph(i.Text, i.Deletion))
			}
			if got := strings.Join(lines, "\n"); !strings.Contains(got, test.report) {
				t.Errorf("the report does not contain %q:\n%s", test.report, got)
			}
		})
	}
}

// TestBackendsThatNothingUses checks that the logging and the tracing of a Mesh ask for a decision only if an older resource
// that nothing replaces uses them.
func TestBackendsThatNothingUses(t *testing.T) {
	t.Parallel()
	const tracing = "{type: Mesh, name: shop, tracing: {defaultBackend: z, backends: [{name: z, type: zipkin, conf: {url: \"http://z:9411/api/v2/spans\"}}]}, "
	documents := strings.Replace(olderMesh, "{type: Mesh, name: shop, ", tracing, 1)
	const log = "{type: TrafficLog, mesh: shop, name: x, sources: [{match: {kuma.io/service: web}}], destinations: [{match: {kuma.io/service: '*'}}], conf: {backend: t}}"
	const traces = "{type: TrafficTrace, mesh: shop, name: %s, selectors: [{match: {kuma.io/service: '*'}}]}"
	for name, test := range map[string]struct {
		more string
		want string
	}{
		"none":                                {"", ""},
		"a TrafficLog without effect":         {log, ""},
		"a TrafficLog that a policy replaces": {sendsAll + log, ""},
		"a TrafficTrace for all and another":  {strings.ReplaceAll(traces, "%s", "a") + "\n---\n" + strings.NewReplacer("%s", "b", "'*'", "web").Replace(traces), ""},
		"two TrafficTraces":                   {strings.ReplaceAll(traces, "%s", "a") + "\n---\n" + strings.ReplaceAll(traces, "%s", "b"), "tracing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var manual []string
			for _, i := range rewrite(t, zone, documents+test.more).Report.Of(upgrade.Manual) {
				if i.Path == "logging" || i.Path == "tracing" {
					manual = append(manual, i.Path)
				}
			}
			if got := strings.Join(manual, " "); got != test.want {
				t.Errorf("decisions about %q, want %q", got, test.want)
			}
		})
	}
}

// TestTracesOfOneService checks that the MeshTrace for the proxies of one service does not take the sampling of the one for all.
func TestTracesOfOneService(t *testing.T) {
	t.Parallel()
	documents := strings.Replace(olderMesh, "{type: Mesh, name: shop, ", `{type: Mesh, name: shop, tracing: {defaultBackend: z, backends: [{name: z, type: zipkin, sampling: 30, conf: {url: "http://z:1/"}}, {name: y, type: datadog, conf: {address: y, port: 1}}]}, `, 1)
	result := rewrite(t, zone, documents, `{type: TrafficTrace, mesh: shop, name: b, selectors: [{match: {kuma.io/service: '*'}}]}
---
{type: TrafficTrace, mesh: shop, name: a, selectors: [{match: {kuma.io/service: web}}], conf: {backend: y}}`)
	const ofAll = `{type: MeshTrace, mesh: shop, name: b, spec: {targetRef: {kind: Mesh}, default: {backends: [{type: Zipkin, zipkin: {url: "http://z:1/"}}], sampling: {overall: 30}}}}`
	expect(t, "stage two", result.StageTwo, testworld.Resource(t, ofAll), ofAll)
	const ofWeb = `{type: MeshTrace, mesh: shop, name: a, spec: {targetRef: {kind: Dataplane, labels: {kuma.io/workload: web}}, default: {backends: [{type: Datadog, datadog: {url: "http://y:1"}}], sampling: {overall: 100}}}}`
	expect(t, "stage two", result.StageTwo, testworld.Resource(t, ofWeb), ofWeb)
}

// TestOlderKindsWait checks what only stage two replaces.
func TestOlderKindsWait(t *testing.T) {
	t.Parallel()
	result := rewrite(t, zone, olderMesh, `{type: ExternalService, mesh: shop, name: e1, tags: {kuma.io/service: pay, kuma.io/protocol: http}, networking: {address: "a.example:443", tls: {enabled: true, serverName: x.example}}}
---
{type: ExternalService, mesh: shop, name: e2, tags: {kuma.io/service: pay, kuma.io/protocol: http}, networking: {address: "b.example:443", tls: {enabled: true, serverName: x.example}}}
---
{type: RateLimit, mesh: shop, name: x, `+between(anyone, web)+`, conf: {http: {requests: 5, interval: 10s, onRateLimit: {status: 423, headers: [{key: X, value: y, append: true}]}}}}`)
	const limit = `{type: MeshRateLimit, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane, labels: {kuma.io/workload: web}}, rules: [{default: {local: {http: {requestRate: {num: 5, interval: 10s}, onRateLimit: {status: 423, headers: {add: [{name: x, value: y}]}}}}}}]}}`
	expect(t, "stage two", result.StageTwo, testworld.Resource(t, limit), limit)
	const pay = `{type: MeshExternalService, mesh: shop, name: pay, labels: {kuma.io/display-name: pay}, spec: {match: {type: HostnameGenerator, port: 443, protocol: http}, endpoints: [{address: a.example, port: 443}, {address: b.example, port: 443}], tls: {enabled: true, verification: {mode: SkipAll, serverName: x.example}}}}`
	expect(t, "stage two", result.StageTwo, testworld.Resource(t, pay), pay)
	for _, i := range result.Report.Of(upgrade.Removed) {
		if i.Key.Type == "RateLimit" && i.Stage != 2 {
			t.Errorf("removed in stage %d: %s", i.Stage, i)
		}
	}
}

// TestLimitsBeforeExclusive checks that stage two replaces the RateLimits of a mesh whose MeshIdentity has no effect before it.
func TestLimitsBeforeExclusive(t *testing.T) {
	t.Parallel()
	documents := strings.Replace(olderMesh, "meshServices: {mode: Exclusive}", "mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}", 1)
	for _, name := range []string{"web-1", "web-2", "db-1"} {
		workload, _, _ := strings.Cut(name, "-")
		documents = strings.Replace(documents, "name: "+name+",", "name: "+name+", labels: {kuma.io/workload: "+workload+"},", 1)
	}
	result := rewrite(t, zone, documents, `{type: MeshIdentity, mesh: shop, name: i, spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {trustDomain: td, path: "/{{ label \"kuma.io/workload\" }}"}, provider: {type: Bundled, bundled: {meshTrustCreation: Enabled, insecureAllowSelfSigned: true, autogenerate: {enabled: true}}}}}
---
{type: RateLimit, mesh: shop, name: x, `+between(db, web)+`, conf: {http: {requests: 5, interval: 10s}}}`)
	const limit = `{type: MeshRateLimit, mesh: shop, name: x, spec: {targetRef: {kind: Dataplane, labels: {kuma.io/workload: web}}, rules: [{matches: [{spiffeID: {type: Exact, value: "spiffe://td/db"}}], default: {local: {http: {requestRate: {num: 5, interval: 10s}}}}}]}}`
	expect(t, "stage two", result.StageTwo, testworld.Resource(t, limit), limit)
	if report := result.Report.Of(upgrade.Manual).String(); strings.Contains(report, "none selects") {
		t.Errorf("the report says that no MeshIdentity selects proxies:\n%s", report)
	}
}

// TestStageOneOfOlderKindsAgain checks that rewriting stage one again adds no policy a second time, and does not ask to
// write one by hand that is there.
func TestStageOneOfOlderKindsAgain(t *testing.T) {
	t.Parallel()
	for name, documents := range map[string]string{
		"each kind": testworld.OlderKinds("shop"),
		"some proxies": olderMesh + sendsAll + `{type: Retry, mesh: shop, name: x, ` + between(web, anyone) + `, conf: {http: {numRetries: 4}}}
---
{type: CircuitBreaker, mesh: shop, name: x, ` + between(web, web) + `, conf: {detectors: {totalErrors: {consecutive: 7}}}}
---
{type: TrafficPermission, mesh: shop, name: x, ` + between(web, db) + `}
---
{type: TrafficPermission, mesh: shop, name: y, ` + between(web, `kuma.io/service: elsewhere`) + `}
---
{type: TrafficPermission, mesh: shop, name: z, ` + between(db, web+`, v: "1"`) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := rewrite(t, zone, documents)
			again, err := upgrade.Rewrite(first.StageOne, zone)
			testworld.NoError(t, err)
			for _, i := range again.Report {
				known := slices.ContainsFunc(first.Report, func(f upgrade.Item) bool { return f.Key == i.Key && f.Path == i.Path && f.Action == i.Action })
				if !known && (i.Action == upgrade.Added || i.Action == upgrade.Manual) {
					t.Errorf("%s again: %s", i.Action, i)
				}
			}
		})
	}
}

// TestStageTwoRefersToExternalServices checks that policies for an ExternalService refer to the MeshExternalService that
// replaces it.
func TestStageTwoRefersToExternalServices(t *testing.T) {
	t.Parallel()
	result := rewrite(t, zone, olderMesh+sendsAll+`{type: ExternalService, mesh: shop, name: x, tags: {kuma.io/service: pay, kuma.io/protocol: http}, networking: {address: "a.example:80"}}
---
{type: Timeout, mesh: shop, name: pay, `+between(anyone, `kuma.io/service: pay`)+`, conf: {http: {requestTimeout: 4s}}}`)
	text := yaml(t, slices.DeleteFunc(result.StageTwo, func(r kuma.Resource) bool { return r.Name != "pay" }))
	if n := strings.Count(text, "kind: MeshExternalService\n"); n != 1 || strings.Contains(result.Report.String(), "does not exist") {
		t.Errorf("%d references:\n%s\n%s", n, text, result.Report)
	}
}

// TestFirstPageOfOlderKinds checks that the first page says about each older kind why it is not replaced.
func TestFirstPageOfOlderKinds(t *testing.T) {
	t.Parallel()
	external := rewrite(t, zone, proxies, `{type: ExternalService, mesh: shop, name: x, tags: {kuma.io/service: pay}, networking: {address: "a.example:80"}}`)
	if page := external.Overview(1, upgrade.Checks{}).Text; strings.Contains(page, "No proxy changes, compared") {
		t.Errorf("the first page says that nothing changes, although nothing replaces the ExternalService on 2.14:\n%s", page)
	}
	page := rewrite(t, zone, testworld.OlderKinds("shop")).Overview(1, upgrade.Checks{}).Text
	for _, want := range []string{
		`K3-102 ExternalService "httpbin": Proxies connect to an ExternalService directly`, `K3-102 RateLimit "db": `, `K3-102 TrafficRoute "db": `,
		`K3-034 MeshFaultInjection "db", which the stages add: `,
		`- Not compared in stage two: what only 2.14 reads, without which the values before are computed: CircuitBreaker "all", ExternalService "httpbin"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the first page does not contain %s:\n%s", want, page)
		}
	}
}

// TestFirstPageOfDeletions checks that the first page contains what to delete before the upgrade, in an order that breaks
// nothing, and that a mesh is not ready as long as something is left to delete.
func TestFirstPageOfDeletions(t *testing.T) {
	t.Parallel()
	documents := olderMesh + feed + edge + `{type: HealthCheck, mesh: shop, name: all, ` + between(anyone, web) + `, conf: {interval: 10s, timeout: 2s, unhealthyThreshold: 3, healthyThreshold: 1}}
---
{type: Retry, mesh: shop, name: all, ` + between(anyone, anyone) + `, conf: {http: {numRetries: 4}}}
---
{type: Retry, mesh: shop, name: web, ` + between(web, anyone) + `, conf: {http: {numRetries: 5}}}
---
{type: Timeout, mesh: shop, name: all, ` + between(anyone, anyone) + `, conf: {http: {requestTimeout: 9s, idleTimeout: 1h}}}
---
{type: TrafficPermission, mesh: shop, name: all, ` + between(anyone, anyone) + `}
---
`
	const want = ` Delete documents of older kinds in this order (5):
   - TrafficRoute all: Delete the TrafficRoutes before the upgrade, and before other older kinds. Those of kind HealthCheck that stage one does not replace have no effect on sidecars then.
   - Retry all: Dataplane edge-1, a builtin gateway, reads it: delete it with the gateway.
   - Retry web: Delete this before the upgrade.
   - Timeout all: Dataplane edge-1, a builtin gateway, reads it: delete it with the gateway.
   - TrafficPermission all: Delete this before the upgrade.
`
	if page := rewrite(t, zone, documents+sendsAll).Overview(1, upgrade.Checks{}).Text; !strings.Contains(page, want) ||
		!strings.Contains(page, "and 5 documents must be deleted.") {
		t.Errorf("the first page does not contain%s\n%s", want, page)
	}
	ready := `{type: Mesh, name: s, skipCreatingInitialPolicies: ["*"], meshServices: {mode: Exclusive}}
---
{type: MeshPassthrough, mesh: s, name: p, spec: {default: {passthroughMode: All}}}
---
`
	for more, want := range map[string]bool{"": true, `{type: Retry, mesh: s, name: all, ` + between(anyone, anyone) + `, conf: {http: {numRetries: 4}}}`: false} {
		if o := rewrite(t, zone, ready+more).Overview(1, upgrade.Checks{}); o.Ready != want {
			t.Errorf("ready: %t, want %t:\n%s", o.Ready, want, o.Text)
		}
	}
	lacks := rewrite(t, zone, ready).Overview(1, upgrade.Checks{Running: []string{"feature-delta-grpc is missing on web."}})
	missing := "not ready. 1 release or feature is missing.\n\nBefore the upgrade, on Kuma 2.14\n" +
		"1. Upgrade or configure control planes and kuma-dp (1):\n   - feature-delta-grpc is missing on web.\n"
	if lacks.Ready || !strings.Contains(lacks.Text, missing) {
		t.Errorf("with a proxy that Kuma 3.0 does not serve, ready: %t:\n%s", lacks.Ready, lacks.Text)
	}
}

// TestIdleConnectionsWithoutTrafficRoutes checks that the proof names the proxies whose gRPC connections have no idle timeout
// beside a TrafficRoute, as random mesh u400035-older had.
func TestIdleConnectionsWithoutTrafficRoutes(t *testing.T) {
	t.Parallel()
	documents := strings.Replace(olderMesh, "{kuma.io/service: db}}]}}", "{kuma.io/service: feed}}]}}", 1) + feed
	for name, test := range map[string]struct {
		more string
		want bool
	}{
		"no TrafficRoute":           {"", false},
		"no Timeout":                {sendsAll, true},
		"a Timeout of requests":     {sendsAll + `{type: Timeout, mesh: shop, name: a, ` + between(anyone, anyone) + `, conf: {http: {requestTimeout: 4s}}}`, true},
		"an idle timeout":           {sendsAll + `{type: Timeout, mesh: shop, name: a, ` + between(anyone, anyone) + `, conf: {http: {idleTimeout: 4s}}}`, false}, // not compared
		"the idle timeout of Envoy": {sendsAll + `{type: Timeout, mesh: shop, name: a, ` + between(anyone, anyone) + `, conf: {http: {idleTimeout: 1h}}}`, false},
		"an idle timeout of zero":   {sendsAll + `{type: Timeout, mesh: shop, name: a, ` + between(anyone, anyone) + `, conf: {http: {idleTimeout: 0s}}}`, true},
		"an idle timeout of others": {sendsAll + `{type: Timeout, mesh: shop, name: a, ` + between(db, anyone) + `, conf: {http: {idleTimeout: 4s}}}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proof := rewrite(t, zone, documents+test.more).Proof
			const text = "Stage two, on Kuma 3.0: gRPC connections of web-1 that are idle for an hour are closed, because no TrafficRoute is left. Otherwise: "
			if strings.Contains(proof.String(), text) != test.want || test.want && !slices.Equal(proof.Dataplanes(), []string{"web-1"}) {
				t.Errorf("the proof says of gRPC connections what they do: %t, want %t; %v change:\n%s", !test.want, test.want, proof.Dataplanes(), proof)
			}
		})
	}
}

// TestIdentityBesideTrafficRoutes checks that the way to a MeshIdentity begins with the TrafficRoutes, beside which proxies have no
// listeners for backendRef.
func TestIdentityBesideTrafficRoutes(t *testing.T) {
	t.Parallel()
	mesh := strings.Replace(olderMesh, "{type: Mesh, name: shop,", "{type: Mesh, name: shop, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]},", 1)
	const first = "Choices: Delete all TrafficRoutes, beside which proxies do not listen for backendRef. Then, on 2.14, let outbounds by tags"
	for documents, want := range map[string]bool{mesh: false, mesh + sendsAll: true} {
		if report := rewrite(t, zone, documents).Report.String(); strings.Contains(report, first) != want {
			t.Errorf("the TrafficRoutes come first: %t, want %t:\n%s", !want, want, report)
		}
	}
}
