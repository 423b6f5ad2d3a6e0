package command_test

// record000 is the accepted record about routes.
var record000 = []statement{
	{
		record: "000, decision", states: "targetRef selects proxies, and an entry of to selects outbounds", world: "000 routes",
		ask: "request -dataplane frontend-1 -service backend", want: `request 5s, stream idle 31s (MeshTimeout "service-and-route")`,
	},
	{
		record: "000, decision", states: "an entry of from selects clients: those that it selects", world: "000 clients",
		ask: "request -dataplane ui-1 -service backend", want: "Verdict: allowed",
	},
	{
		record: "000, decision", states: "an entry of from selects clients: the others", world: "000 clients",
		ask: "request -dataplane batch-1 -service backend", want: "Verdict: denied",
	},
	{
		record: "000, consequences", states: "a policy can select some of the proxies that have a route", world: "000 override",
		ask: "request -dataplane frontend-1 -service backend -path /slow", want: `request 4s (MeshTimeout "route-override")`,
	},
	{
		record: "000, consequences", states: "the others that have the route keep what they had", world: "000 override",
		ask: "request -dataplane batch-1 -service backend -path /slow", want: `request 2s, stream idle 22s (MeshTimeout "route")`,
	},
	{
		record: "000, consequences", states: "which proxies are configured depends on the policy and on the route", world: "000 routes",
		ask: "rules -dataplane reporting-1", want: "its targetRef requires a Dataplane with the labels app=frontend",
	},
	{
		record: "000, API", states: "targetRef may be omitted, and is Mesh then", world: "000 routes",
		ask: "request -dataplane frontend-1 -service backend -path /slow", want: `stream idle 40s (MeshTimeout "idle-of-route")`,
	},
	{
		record: "000, examples", states: "1: a policy for a service in its namespace is for all proxies", world: "000 roles",
		ask: "request -dataplane other-1.other-ns -service backend.backend-ns", want: `request 1s (MeshTimeout "producer-on-service.backend-ns")`,
	},
	{
		record: "000, examples", states: "2: one for a service of another namespace is for proxies in its own", world: "000 roles",
		ask: "request -dataplane batch-1.frontend-ns -service backend.backend-ns", want: `request 2s (MeshTimeout "consumer-on-service.frontend-ns")`,
	},
	{
		record: "000, examples", states: "3: of which tags select some", world: "000 roles",
		ask: "request -dataplane ui-1.frontend-ns -service backend.backend-ns", want: `request 3s (MeshTimeout "ui-on-service.frontend-ns")`,
	},
	{
		record: "000, examples", states: "3: labels do the same without tags", world: "000 routes",
		ask: "request -dataplane reporting-1 -service backend", want: `request 9s (MeshTimeout "override")`,
	},
	{
		record: "000, examples", states: "4: a policy for a route in its namespace is for all proxies", world: "000 roles",
		ask: "request -dataplane other-1.other-ns -service backend.backend-ns -path /slow", want: `request 4s, stream idle 44s (MeshTimeout "producer-on-route.backend-ns")`,
	},
	{
		record: "000, examples", states: "4: and for the requests on the route", world: "000 routes",
		ask: "request -dataplane frontend-1 -service backend -path /slow", want: `request 12s (MeshTimeout "service-and-route")`,
	},
	{
		record: "000, examples", states: "5: one for a route of another namespace is for proxies in its own", world: "000 roles",
		ask: "request -dataplane batch-1.frontend-ns -service backend.backend-ns -path /slow", want: `request 5s (MeshTimeout "consumer-on-route.frontend-ns")`,
	},
	{
		record: "000, examples", states: "6: of which tags select some", world: "000 roles",
		ask: "request -dataplane ui-1.frontend-ns -service backend.backend-ns -path /slow", want: `request 6s (MeshTimeout "ui-on-route.frontend-ns")`,
	},
	{
		record: "000, examples", states: "7: one policy for a service and a route: requests on the route", world: "000 roles",
		ask: "request -dataplane batch-1.frontend-ns -service stock.backend-ns -path /slow", want: `request 15s (MeshTimeout "service-and-route.frontend-ns")`,
	},
	{
		record: "000, examples", states: "7: the other requests", world: "000 roles",
		ask: "request -dataplane batch-1.frontend-ns -service stock.backend-ns", want: `request 5s (MeshTimeout "service-and-route.frontend-ns")`,
	},
	{
		record: "000, examples", states: "7: the rule of the route", world: "000 routes",
		ask: "rules -dataplane frontend-1 -service backend -route slow -type MeshTimeout", want: "http.requestTimeout = 12s ← service-and-route[1]",
	},
	{
		record: "000, examples", states: "7: the rule of the service", world: "000 routes",
		ask: "rules -dataplane frontend-1 -service backend -type MeshTimeout", want: "http.requestTimeout = 5s ← service-and-route",
	},
	{
		record: "000, affected policies", states: "MeshRetry can be set per route", world: "000 routes",
		ask: "request -dataplane frontend-1 -service backend -path /report", want: `Retries: 7 on 5xx (MeshRetry "retries")`,
	},
	{
		record: "000, affected policies", states: "and applies to the service elsewhere", world: "000 routes",
		ask: "request -dataplane frontend-1 -service backend", want: `Retries: 2 on 5xx (MeshRetry "retries")`,
	},
	{
		record: "000, affected policies", states: "MeshLoadBalancingStrategy can be set per route", world: "000 routes",
		ask: "rules -dataplane frontend-1 -type MeshLoadBalancingStrategy", want: "to MeshHTTPRoute \"slow\"\n    hashPolicies = ",
	},
	{
		record: "000, affected policies", states: "MeshAccessLog can be set per route", world: "000 routes",
		ask: "rules -dataplane frontend-1 -type MeshAccessLog", want: "to MeshHTTPRoute \"slow\"\n    backends = ",
	},
	{
		record: "000, producer and consumer", states: "a consumer keeps what it does not override of a producer's retries", world: "000 roles",
		ask: "rules -dataplane batch-1.frontend-ns -type MeshRetry", want: "http.numRetries = 3 ← producer-retry.backend-ns\n    http.retryOn = [\"5xx\"] ← consumer-retry.frontend-ns, overrides",
	},
	{
		record: "000, producer and consumer", states: "its proxies repeat on the consumer's conditions", world: "000 roles",
		ask: "request -dataplane batch-1.frontend-ns -service backend.backend-ns -path /slow", want: `Retries: 3 (MeshRetry "producer-retry.backend-ns") on 5xx (MeshRetry "consumer-retry.frontend-ns")`,
	},
	{
		record: "000, producer and consumer", states: "those of others on the producer's", world: "000 roles",
		ask: "rules -dataplane other-1.other-ns -type MeshRetry", want: `http.retryOn = ["500"] ← producer-retry.backend-ns`,
	},
	{
		record: "000, producer and consumer", states: "a consumer can change how its own requests are distributed", world: "000 roles",
		ask: "rules -dataplane batch-1.frontend-ns -type MeshLoadBalancingStrategy", want: `hashPolicies = [{"header":{"name":"x-tenant"},"type":"Header"}] ← consumer-hash.frontend-ns, overrides`,
	},
	{
		record: "000, producer and consumer", states: "and not those of others", world: "000 roles",
		ask: "rules -dataplane other-1.other-ns -type MeshLoadBalancingStrategy", want: `hashPolicies = [{"header":{"name":"x-user"},"type":"Header"}] ← producer-hash.backend-ns`,
	},
	{
		record: "000, merging", states: "confs of one route are merged by field", world: "000 routes",
		ask: "rules -dataplane frontend-1 -service backend -route slow", want: "http.streamIdleTimeout = 40s ← idle-of-route",
	},
	{
		record: "000, merging", states: "those of a consumer override those of a producer", world: "000 roles",
		ask: "rules -dataplane batch-1.frontend-ns -type MeshTimeout", want: "http.requestTimeout = 5s ← consumer-on-route.frontend-ns, overrides 4s of producer-on-route.backend-ns\n    http.streamIdleTimeout = 44s ← producer-on-route.backend-ns",
	},
	{
		record: "000, merging", states: "a consumer's reference without a namespace finds the producer's route", world: "000 roles",
		ask: "rules -dataplane batch-1.frontend-ns -type MeshTimeout", want: "9s ← no-namespace", row: 9,
		instead: `Warning: MeshTimeout "no-namespace.frontend-ns": to[0] targets MeshHTTPRoute "slow", which does not exist`,
	},
	{
		record: "000, merging", states: "the rule of a route does not have the settings of the service", world: "000 routes",
		ask: "rules -dataplane frontend-1 -type MeshTimeout", want: "to MeshHTTPRoute \"report\"\n    http.maxConnectionDuration = 1h0m0s ← whole-mesh\n    http.requestTimeout = 7s ← on-report\n  to ",
	},
	{
		record: "000, merging", states: "nor those of the mesh", world: "000 routes",
		ask: "rules -dataplane frontend-1 -type MeshTimeout", want: "to MeshHTTPRoute \"report\"\n    http.requestTimeout = 7s", row: 2,
		instead: "to MeshHTTPRoute \"report\"\n    http.maxConnectionDuration = 1h0m0s ← whole-mesh\n    http.requestTimeout = 7s",
	},
	{
		record: "000, merging", states: "a proxy has those of the service where the route sets nothing, except for the request timeout", world: "000 routes",
		ask: "request -dataplane frontend-1 -service backend -path /report", want: `stream idle 31s (MeshTimeout "service-and-route")`,
	},
	{
		record: "000, merging", states: "a proxy without the route has the settings of the service", world: "000 routes",
		ask: "request -dataplane reporting-1 -service backend -path /report", want: `request 9s (MeshTimeout "override")`,
	},
	{
		record: "000, merging", states: "a policy for a route on proxies without it changes nothing there", world: "000 routes",
		ask: "request -dataplane reporting-1 -service backend -path /report", want: `stream idle 31s (MeshTimeout "service-and-route")`,
	},
	{
		record: "000, merging", states: "nor on those that have it", world: "000 routes",
		ask: "request -dataplane frontend-1 -service backend -path /report", want: `request 7s (MeshTimeout "on-report"); stream idle 31s`,
	},
	{
		record: "000, merging", states: "so it is part of no rules", world: "000 routes",
		ask: "_rules reporting-1", want: `"rules":[]`, row: 6, instead: `"streamIdleTimeout":"44s"`,
	},
	{
		record: "000, merging", states: "and nothing can report it: we do", world: "000 routes",
		ask: "rules -dataplane reporting-1", want: `the settings of "on-report" and "elsewhere" for MeshHTTPRoute "report" have no effect on Dataplane "reporting-1"`,
	},
	{
		record: "000, validation", states: "where a route has a setting that it cannot have, rules reports it", world: "000 routes",
		ask: "rules -dataplane frontend-1", want: `MeshTimeout "not-for-routes": connectionTimeout of to[0] has no effect on requests on MeshHTTPRoute "slow"`,
	},
	{
		record: "000, several to", states: "a route with several entries is one resource: requests for one service", world: "000 routes",
		ask: "request -dataplane frontend-1 -service stock -path /slow", want: `request 12s (MeshTimeout "service-and-route")`,
	},
	{
		record: "000, several to", states: "for the other", world: "000 routes",
		ask: "request -dataplane frontend-1 -service backend -path /slow", want: `request 12s (MeshTimeout "service-and-route")`,
	},
	{
		record: "000, several to", states: "services keep their own rules beside that of the route", world: "000 routes",
		ask: "request -dataplane frontend-1 -service stock", want: "request 15s",
	},
	{
		record: "000, priority", states: "first, a consumer's policy for a consumer's route", world: "000 roles",
		ask: "request -dataplane batch-1.frontend-ns -service backend.backend-ns -path /mine", want: `request 7s (MeshTimeout "own-route.frontend-ns")`,
	},
	{
		record: "000, priority", states: "second, a consumer's policy for a producer's route", world: "000 roles",
		ask: "rules -dataplane batch-1.frontend-ns -type MeshTimeout", want: "5s ← consumer-on-route.frontend-ns, overrides 4s of producer-on-route.backend-ns",
	},
	{
		record: "000, priority", states: "third, a producer's policy for a producer's route", world: "000 roles",
		ask: "request -dataplane batch-1.frontend-ns -service backend.backend-ns -path /slow", want: `stream idle 44s (MeshTimeout "producer-on-route.backend-ns")`,
	},
	{
		record: "000, priority", states: "fourth, a consumer's policy for a service", world: "000 roles",
		ask: "rules -dataplane batch-1.frontend-ns -type MeshTimeout", want: "2s ← consumer-on-service.frontend-ns, overrides 1s of producer-on-service.backend-ns",
	},
	{
		record: "000, priority", states: "last, a producer's policy for a service", world: "000 roles",
		ask: "rules -dataplane other-1.other-ns -type MeshTimeout", want: "to MeshService \"backend.backend-ns\"\n    http.requestTimeout = 1s ← producer-on-service.backend-ns\n",
	},
	{
		record: "000, priority", states: "a consumer's route takes requests before a producer's", world: "000 roles",
		ask: "request -dataplane batch-1.frontend-ns -service backend.backend-ns -path /mine", want: `Route: rule 1 of MeshHTTPRoute "mine.frontend-ns"`,
	},
	{
		record: "000, priority", states: "only for proxies of the consumer", world: "000 roles",
		ask: "request -dataplane other-1.other-ns -service backend.backend-ns -path /mine", want: `of MeshHTTPRoute "slow.backend-ns"`,
	},
	{
		record: "000, priority", states: "also if the producer's matches more specifically", world: "000 roles",
		ask: "request -dataplane batch-1.frontend-ns -service backend.backend-ns -path /mine/deep", want: `of MeshHTTPRoute "mine.frontend-ns"`, row: 11,
		instead: `of MeshHTTPRoute "slow.backend-ns"`,
	},
	{
		record: "000, priority", states: "a policy for a route wins over one for the service, also if that is more specific about proxies", world: "000 routes",
		ask: "request -dataplane reporting-1 -service backend -path /slow", want: `request 12s (MeshTimeout "service-and-route")`,
	},
	{
		record: "000, universal", states: "the more specific targetRef wins: for the service", world: "000 override",
		ask: "rules -dataplane frontend-1", want: "http.requestTimeout = 3s ← service-override, overrides 1s of service\n    http.streamIdleTimeout = 11s ← service",
	},
	{
		record: "000, universal", states: "for the route", world: "000 override",
		ask: "rules -dataplane frontend-1", want: "http.requestTimeout = 4s ← route-override, overrides 2s of route\n    http.streamIdleTimeout = 22s ← route",
	},
	{
		record: "000, universal", states: "and not for other proxies", world: "000 override",
		ask: "rules -dataplane batch-1", want: "http.requestTimeout = 2s ← route\n",
	},
	{
		record: "000, universal", states: "labels of a Dataplane do the same", world: "000 routes",
		ask: "rules -dataplane reporting-1 -service backend", want: "http.requestTimeout = 9s ← override, overrides 5s of service-and-route",
	},
	{
		record: "000, universal", states: "MeshSubset wins over Mesh by tags, too", world: "000 tags",
		ask: "request -dataplane ui-1 -service backend", want: `request 4s (MeshTimeout "subset")`,
	},
	{
		record: "000, compatibility", states: "a route as targetRef of a policy still applies to its requests", world: "000 tags",
		ask: "request -dataplane client-1 -service backend -path /slow", want: `request 30s (MeshTimeout "on-route")`,
	},
	{
		record: "000, compatibility", states: "and to no others", world: "000 tags",
		ask: "request -dataplane client-1 -service backend", want: `request 20s (MeshTimeout "whole-mesh")`,
	},
	{
		record: "000, compatibility", states: "new rules win over older ones, so an entry for a route sets requests by tag", world: "000 tags",
		ask: "request -dataplane client-1 -service backend -path /slow", want: "Retries: 8", row: 12, instead: "Retries: none",
	},
	{
		record: "000, compatibility", states: "and an entry for a service beside it sets the others", world: "000 tags",
		ask: "request -dataplane client-1 -service backend", want: "Retries: 4", row: 12, instead: "Retries: none",
	},
	{
		record: "000, compatibility", states: "which rules reports", world: "000 tags",
		ask: "rules -dataplane client-1", want: `Warning: MeshRetry "beside-a-route": to[1] has no effect on what Dataplane "client-1" sends to services by the tag kuma.io/service. Because of that, to[0] does not apply there, either.`,
	},
	{
		record: "000, addendum", states: "a policy in the namespace of a route is a producer's, also if the route is a consumer's", world: "000 roles",
		ask: "rules -dataplane other-1.other-ns -type MeshTimeout", want: "to MeshHTTPRoute \"mine.frontend-ns\"\n    http.requestTimeout = 8s ← own-route-by-name.frontend-ns",
	},
	{
		record: "000, addendum", states: "harmless, because others do not have the route", world: "000 roles",
		ask: "rules -dataplane other-1.other-ns -type MeshTimeout", want: `the settings of "own-route-by-name.frontend-ns" for MeshHTTPRoute "mine.frontend-ns" have no effect`,
	},
	{
		record: "000, addendum", states: "also if the route does not exist", world: "000 roles",
		ask: "rules -dataplane other-1.other-ns -type MeshTimeout", want: `MeshTimeout "no-namespace.frontend-ns": to[0] targets MeshHTTPRoute "slow", which does not exist`,
	},
	{
		record: "000, addendum", states: "by labels, it is a consumer's", world: "000 roles",
		ask: "rules -dataplane batch-1.frontend-ns -type MeshTimeout", want: "http.requestTimeout = 7s ← own-route.frontend-ns, overrides 8s of own-route-by-name.frontend-ns",
	},
}

// documents000 are documents that record 000 accepts, rejects or deprecates.
var documents000 = []statement{
	{
		record: "000, API", states: "an entry may target a MeshTCPRoute", ask: "lint", row: 1,
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {to: [{targetRef: {kind: MeshTCPRoute, name: r}, default: {http: {requestTimeout: 5s}}}]}}",
		want:  "dangling-target", instead: "invalid-document",
	},
	{
		record: "000, API", states: "beside an entry for a route, targetRef may be a MeshGateway", ask: "lint", row: 5,
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {targetRef: {kind: MeshGateway, name: g}, to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {requestTimeout: 5s}}}]}}",
		want:  "dangling-target", instead: "With MeshGateway as top-level reference, entries of \"to\" accept Mesh and MeshExternalService",
	},
	{
		record: "000, API", states: "a route as targetRef is deprecated", ask: "lint",
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {targetRef: {kind: MeshHTTPRoute, name: r}, to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 5s}}}]}}",
		want:  "info deprecated: MeshTimeout \"a\", spec.targetRef.kind",
	},
	{
		record: "000, validation", states: "what cannot be set on a route is rejected: MeshTimeout", ask: "lint", row: 3,
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {connectionTimeout: 5s}}]}}",
		want:  "invalid-document", instead: "error no-effect-on-route: MeshTimeout \"a\", spec.to[0].default.connectionTimeout",
	},
	{
		record: "000, affected policies", states: "MeshRetry", ask: "lint", row: 3,
		world: "{type: MeshRetry, mesh: m, name: a, spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {tcp: {maxConnectAttempt: 5}}}]}}",
		want:  "invalid-document", instead: "error no-effect-on-route: MeshRetry \"a\", spec.to[0].default.tcp",
	},
	{
		record: "000, affected policies", states: "MeshLoadBalancingStrategy", ask: "lint",
		world: "{type: MeshLoadBalancingStrategy, mesh: m, name: a, spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {localityAwareness: {disabled: true}}}]}}",
		want:  "Only hashPolicies can be set for a MeshHTTPRoute",
	},
	{
		record: "000, affected policies", states: "MeshRateLimit cannot be set for a route in to", ask: "lint",
		world: "{type: MeshRateLimit, mesh: m, name: a, spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {local: {http: {requestRate: {num: 5, interval: 1s}}}}}]}}",
		want:  "The only valid kind for this reference is Mesh, not MeshHTTPRoute",
	},
	{
		record: "000, several to", states: "several entries of a route are deprecated", ask: "lint",
		world: "{type: MeshHTTPRoute, mesh: m, name: a, spec: {to: [{targetRef: {kind: MeshService, name: a}, rules: []}, {targetRef: {kind: MeshService, name: b}, rules: []}]}}",
		want:  "More than one entry in \"to\" of a route is deprecated",
	},
	{
		record: "000, compatibility", states: "and rejected for producers and consumers", ask: "lint", row: 7,
		world: "{type: MeshHTTPRoute, mesh: m, name: a, labels: {kuma.io/policy-role: producer, k8s.kuma.io/namespace: n}, spec: {to: [{targetRef: {kind: MeshService, name: a}, rules: []}, {targetRef: {kind: MeshService, name: b}, rules: []}]}}",
		want:  "invalid-document", instead: "warning several-destinations",
	},
	{
		record: "000, compatibility", states: "a route as targetRef is rejected for producers and consumers", ask: "lint",
		world: "{type: MeshTimeout, mesh: m, name: a, labels: {kuma.io/policy-role: consumer, k8s.kuma.io/namespace: n}, spec: {targetRef: {kind: MeshHTTPRoute, name: r}, to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 5s}}}]}}",
		want:  "A policy with the role \"consumer\" accepts only Mesh, Dataplane",
	},
	{
		record: "000, examples", states: "there is no workloadSelector: that option was not chosen", ask: "lint",
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {workloadSelector: {labels: {a: b}}, to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 5s}}}]}}",
		want:  "MeshTimeout does not have the field \"workloadSelector\" here",
	},
	{
		record: "000, examples", states: "nor a conf for a service as targetRef", ask: "lint",
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {targetRef: {kind: MeshService, name: a}, default: {http: {requestTimeout: 5s}}}}",
		want:  "MeshTimeout does not have the field \"default\" here",
	},
	{
		record: "000, examples", states: "3 and 6 as printed, with tag for tags, select proxies by nothing", ask: "lint",
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {targetRef: {kind: MeshSubset, tag: {service-type: ui}}, to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 5s}}}]}}",
		want:  "Did you mean \"tags\"?",
	},
}

// routeAlone is a gateway with an entry for its route and no other MeshTimeout. Measured on 2.14.3: any
// MeshTimeout that selects the gateway gives its connections by tags an idle timeout of 1 h, also if it has
// only entries for routes or MeshExternalServices, or only rules.
const routeAlone = `{type: Mesh, name: draft, meshServices: {mode: Everywhere}}
---
{type: MeshGateway, mesh: draft, name: demo-app, selectors: [{match: {kuma.io/service: demo-gateway}}], conf: {listeners: [{port: 8080, protocol: HTTP}]}}
---
{type: Dataplane, mesh: draft, name: gateway-1, networking: {address: 10.0.0.1, gateway: {type: BUILTIN, tags: {kuma.io/service: demo-gateway}}}}
---
{type: Dataplane, mesh: draft, name: backend-1, networking: {address: 10.0.0.3, inbound: [{port: 5000, tags: {kuma.io/service: backend, kuma.io/protocol: http}}]}}
---
{type: MeshHTTPRoute, mesh: draft, name: r, spec: {targetRef: {kind: MeshGateway, name: demo-app}, to: [{targetRef: {kind: Mesh}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, name: backend}]}}]}]}}
---
{type: MeshTimeout, mesh: draft, name: t, spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {requestTimeout: 5s}}}]}}
`

// record001 is the draft of 000, where it says something else.
var record001 = []statement{
	{
		record: "001, API", states: "a policy for a route that a gateway has applies to its requests", world: "001 draft",
		ask: "request -dataplane gateway-1 -host a.example -port 8080", want: `request 5s (MeshTimeout "demo-app-timeout")`, row: 31, instead: "request 15s",
	},
	{
		record: "001, API", states: "which rules reports", world: "001 draft",
		ask: "rules -dataplane gateway-1", want: "a builtin gateway ignores entries for routes",
	},
	{
		record: "001, API", states: "beside an entry for a route alone, connections by tags have the idle timeout of the control plane", world: routeAlone,
		ask: "request -dataplane gateway-1 -host a.example -port 8080", want: "connect 5s, idle 1h0m0s (default of the control plane)",
	},
	{
		record: "001, API", states: "the example sets requestTimeout beside http", ask: "lint",
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {requestTimeout: 5s}}]}}",
		want:  "MeshTimeout does not have the field \"requestTimeout\" here",
	},
	{
		record: "001, producer and consumer", states: "a service as targetRef selects its proxies: they repeat", world: "001 draft",
		ask: "request -dataplane web-1 -service backend", want: `500 (MeshRetry "of-web")`,
	},
	{
		record: "001, producer and consumer", states: "others do not", world: "001 draft",
		ask: "request -dataplane backend-1 -service backend", want: "Retries: none",
	},
	{
		record: "001, merging", states: "the rule of a route has the settings of the service", world: "000 routes",
		ask: "rules -dataplane frontend-1 -service backend -route report -type MeshTimeout", want: "31s ← service-and-route", row: 15,
		instead: "to MeshHTTPRoute \"report\"\n    http.maxConnectionDuration = 1h0m0s ← whole-mesh\n    http.requestTimeout = 7s ← on-report\n",
	},
	{
		record: "001, universal", states: "the rule of a route has those of all four policies", world: "000 override",
		ask: "rules -dataplane frontend-1 -service backend -route route-to-backend -type MeshTimeout", want: "of service", row: 15,
		instead: "http.requestTimeout = 4s ← route-override, overrides 2s of route\n    http.streamIdleTimeout = 22s ← route\n",
	},
	{
		record: "001, priority", states: "a consumer's policy for a service comes after all for routes", world: "000 roles",
		ask: "request -dataplane ui-1.frontend-ns -service backend.backend-ns -path /slow", want: `request 6s (MeshTimeout "ui-on-route.frontend-ns")`,
	},
}

// record002 is about references to MeshService.
var record002 = []statement{
	{
		record: "002, context", states: "a service as targetRef selects the inbounds with its tag", world: "002 mixed",
		ask: "rules -dataplane client-1", want: "inbound port 8081\n    http.requestTimeout = 6s ← of-inbounds",
	},
	{
		record: "002, context", states: "and no others", world: "002 mixed",
		ask: "_rules client-1", want: `"inboundRules":[{"inbound":{"port":8081`,
	},
	{
		record: "002, options", states: "a MeshMultiZoneService can be a target", world: "002 references",
		ask: "rules -dataplane client-1 -type MeshTimeout", want: "to MeshMultiZoneService \"everywhere\"\n    connectionTimeout = 2s ← whole-mesh\n    http.requestTimeout = 12s ← on-everywhere",
	},
	{
		record: "002, options", states: "a MeshService has priority over the tag", world: "002 mixed",
		ask: "request -dataplane client-1 -service backend", want: `request 8s (MeshTimeout "by-name")`,
	},
	{
		record: "002, targetRef", states: "an entry applies to the listener: requests", world: "002 references",
		ask: "request -dataplane client-1 -service green", want: `request 6s (MeshTimeout "by-labels")`, only: "2.14",
	},
	{
		record: "000, merging", states: "a request that no route takes goes to the service", world: "002 references",
		ask: "request -dataplane client-1 -service green", want: `request 6s (MeshTimeout "by-labels")`, row: 35, instead: "Verdict: no route", only: "3.0",
	},
	{
		record: "002, targetRef", states: "and to the cluster: connections", world: "002 references",
		ask: "request -dataplane client-1 -service green", want: `timeouts of connections: connect 2s (MeshTimeout "whole-mesh")`, only: "2.14",
	},
	{
		record: "002, targetRef", states: "labels apply to each service that has them: one", world: "002 references",
		ask: "rules -dataplane client-1 -service green", want: "http.requestTimeout = 6s ← by-labels",
	},
	{
		record: "002, targetRef", states: "another", world: "002 references",
		ask: "rules -dataplane client-1 -service blue", want: "http.requestTimeout = 6s ← by-labels",
	},
	{
		record: "002, sectionName", states: "a section is one port", world: "002 references",
		ask: "rules -dataplane client-1 -type MeshTimeout", want: "to MeshService \"blue\", port admin\n    connectionTimeout = 2s ← whole-mesh\n    http.requestTimeout = 8s ← one-port, overrides 6s of by-labels",
	},
	{
		record: "002, sectionName", states: "and no other", world: "002 references",
		ask: "request -dataplane client-1 -service blue -port 80", want: `request 6s (MeshTimeout "by-labels")`,
	},
	{
		record: "002, sectionName", states: "it is the name of the port, so a number finds no port with a name", world: "002 references",
		ask: "rules -dataplane client-1", want: `MeshTimeout "by-number": to[0] targets MeshService with labels app=blue and section 81, which does not exist`,
	},
	{
		record: "002, sectionName", states: "requests for a port by its number have the settings of its name", world: "002 references",
		ask: "request -dataplane client-1 -service blue -port 81", want: `request 8s (MeshTimeout "one-port")`, row: 18, instead: `request 6s (MeshTimeout "by-labels")`,
	},
	{
		record: "002, name", states: "a name is that of a service in the namespace of the policy", world: "002 zones",
		ask: "rules -dataplane client-1.frontend -type MeshTimeout", want: "to MeshService \"backend.frontend\"\n    http.requestTimeout = 1s ← own.frontend",
	},
	{
		record: "002, name", states: "or in the namespace beside it", world: "002 zones",
		ask: "rules -dataplane client-1.frontend -type MeshTimeout", want: "to MeshService \"backend.shop\"\n    connectionTimeout = 6s ← any-zone.frontend\n    http.requestTimeout = 2s ← other-namespace.frontend",
	},
	{
		record: "002, name", states: "and never of another zone", world: "002 zones",
		ask: "rules -dataplane client-1.frontend -type MeshTimeout", want: "to MeshService \"backend-x7f4\"\n    connectionTimeout = 6s ← any-zone.frontend\n    http.requestTimeout = 3s ← other-zone.frontend",
	},
	{
		record: "002, name", states: "the hashed name of a synchronized service is accepted without effect", world: "002 zones",
		ask: "rules -dataplane client-1.frontend -type MeshTimeout", want: `MeshTimeout "hashed.frontend": to[0] targets MeshService "backend-x7f4" with namespace shop, which does not exist`,
	},
	{
		record: "002, name", states: "without such a MeshService, the name is a value of kuma.io/service", world: "002 mixed",
		ask: "request -dataplane client-1 -service legacy", want: `request 9s (MeshTimeout "by-name")`,
	},
	{
		record: "002, name", states: "only then", world: "002 mixed",
		ask: "rules -dataplane client-1", want: "http.requestTimeout = 8s ← by-name\n  to kuma.io/service=legacy", row: 20, instead: "to kuma.io/service=backend\n    http.requestTimeout = 3s ← a-with-namespace, overrides 8s of by-name",
	},
	{
		record: "002, labels", states: "labels find services of another zone by display name", world: "002 zones",
		ask: "rules -dataplane client-1.frontend -type MeshTimeout", want: "http.requestTimeout = 3s ← other-zone.frontend",
	},
	{
		record: "002, labels", states: "of all namespaces unless one is given", world: "002 zones",
		ask: "rules -dataplane client-1.frontend -type MeshTimeout", want: "to MeshService \"backend.frontend\"\n    http.requestTimeout = 1s ← own.frontend\n    http.streamIdleTimeout = 55s ← any-namespace.frontend",
	},
	{
		record: "002, labels", states: "of all zones unless one is given", world: "002 zones",
		ask: "rules -dataplane client-1.frontend -type MeshTimeout", want: "to MeshService \"backend-x7f4\"\n    connectionTimeout = 6s ← any-zone.frontend",
	},
	{
		record: "002, labels", states: "and have nothing to do with tags", world: "002 mixed",
		ask: "_rules client-1", want: `"rules":[]`, row: 21, instead: `{"key":"kuma.io/service","value":"","not":false}`,
	},
	{
		record: "002, backendRef", states: "with several services, a route is as if none matched", world: "002 references",
		ask: "request -dataplane client-1 -service green -path /team", want: "100% to green", row: 23, instead: "100% to blue, port 80",
	},
	{
		record: "002, backendRef", states: "which rules reports", world: "002 references",
		ask: "rules -dataplane client-1", want: "refers to MeshService with labels team=core, which matches 2 services",
	},
	{
		record: "002, backendRef", states: "in a Kubernetes zone without a namespace, also with one service", world: "../cases/backend-in-kubernetes-zone",
		ask: "request -dataplane fe-1 -service entry", want: "100% to entry", row: 32, instead: "100% to frontend",
	},
	{record: "002, backendRef", states: "which lint reports", world: "../cases/backend-in-kubernetes-zone", ask: "lint", want: "info backend-without-namespace"},
	{
		record: "002, backendRef", states: "without a service, the rule sends to the service that was called", world: "002 references",
		ask: "request -dataplane client-1 -service green -path /none", want: "100% to green, port 80", only: "2.14",
	},
	{
		record: "002, backendRef", states: "in 3.0, it answers", world: "002 references",
		ask: "request -dataplane client-1 -service green -path /none", want: "100% to green", row: 33, instead: "answers with 500", only: "3.0",
	},
	{
		record: "002, status", states: "what does not exist is reported: a service", world: "002 references",
		ask: "rules -dataplane client-1", want: `MeshTimeout "missing": to[0] targets MeshService with labels app=red, which does not exist`,
	},
	{
		record: "002, status", states: "a port", world: "002 references",
		ask: "rules -dataplane client-1", want: `MeshTimeout "missing-port": to[0] targets MeshService with labels app=green and section admin, which does not exist`,
	},
	{
		record: "002, status", states: "a destination of a route", world: "002 references",
		ask: "rules -dataplane client-1", want: "backendRefs[0] refers to MeshService with labels app=red, which does not exist",
	},
	{
		record: "002, status", states: "and its port", world: "002 references",
		ask: "rules -dataplane client-1", want: `refers to port 99 of MeshService "blue", which does not exist`,
	},
	{
		record: "002, status", states: "by the control plane, with the policy", world: "002 references",
		ask: "_rules client-1", want: "does not exist", row: 24, instead: `"warnings":[]`,
	},
}

// documents002 are documents that record 002 accepts or rejects.
var documents002 = []statement{
	{
		record: "002, outcome", states: "labels and a name exclude each other", ask: "lint",
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {to: [{targetRef: {kind: MeshService, name: a, labels: {a: b}}, default: {http: {requestTimeout: 5s}}}]}}",
		want:  "A reference to a MeshService must use either name (with an optional namespace) or labels",
	},
	{
		record: "002, targetRef", states: "one of them is required", ask: "lint",
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {to: [{targetRef: {kind: MeshService}, default: {http: {requestTimeout: 5s}}}]}}",
		want:  "A reference of kind MeshService must set labels or",
	},
	{
		record: "002, targetRef", states: "also of a MeshMultiZoneService", ask: "lint", row: 16,
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {to: [{targetRef: {kind: MeshMultiZoneService}, default: {http: {requestTimeout: 5s}}}]}}",
		want:  "invalid-document", instead: "Missing name or labels. A control plane of Kuma 2.14 accepts the document nevertheless.",
	},
	{
		record: "002, labels", states: "labels and a namespace exclude each other", ask: "lint",
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {to: [{targetRef: {kind: MeshService, namespace: a, labels: {a: b}}, default: {http: {requestTimeout: 5s}}}]}}",
		want:  "A reference to a MeshService must use either name (with an optional namespace) or labels",
	},
	{
		record: "002, name", states: "in universal mode, there is no namespace", ask: "lint", row: 17,
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {to: [{targetRef: {kind: MeshService, name: a, namespace: b}, default: {http: {requestTimeout: 5s}}}]}}",
		want:  "invalid-document", instead: "Namespace matches nothing outside Kubernetes. A control plane of Kuma 2.14 accepts the document nevertheless.",
	},
	{
		record: "002, name", states: "a MeshMultiZoneService is named like a MeshService", world: "002 mixed", row: 19,
		ask: "rules -dataplane client-1", want: "to MeshMultiZoneService \"all\"", instead: "to[0] targets MeshMultiZoneService \"all\", which does not exist",
	},
	{
		record: "002, backendRef", states: "a port is required", ask: "lint", row: 22,
		world: "{type: MeshHTTPRoute, mesh: m, name: a, spec: {to: [{targetRef: {kind: MeshService, name: a}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, labels: {a: b}}]}}]}]}}",
		want:  "invalid-document", instead: "Mesh \"m\" has no findings",
	},
	{
		record: "002, backendRef", states: "there is no sectionName", ask: "lint", row: 22,
		world: "{type: MeshHTTPRoute, mesh: m, name: a, spec: {to: [{targetRef: {kind: MeshService, name: a}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, name: a, sectionName: http}]}}]}]}}",
		want:  "invalid-document", instead: "dangling-backend",
	},
	{
		record: "002, context", states: "clients by kind MeshService are deprecated", ask: "lint",
		world: "{type: MeshTrafficPermission, mesh: m, name: a, spec: {from: [{targetRef: {kind: MeshService, name: a}, default: {action: Allow}}]}}",
		want:  "info deprecated: MeshTrafficPermission \"a\", spec.from[0].targetRef.kind",
	},
}

// record003 is about rules by resource.
var record003 = []statement{
	{
		record: "003, context", states: "a proxy has the rule by tag of the destination: one", world: "003 finance",
		ask: "request -dataplane client-1 -service foo", want: `request 15s (MeshTimeout "legacy")`,
	},
	{
		record: "003, context", states: "another", world: "003 finance",
		ask: "request -dataplane client-1 -service bar", want: `request 20s (MeshTimeout "legacy")`,
	},
	{
		record: "003, context", states: "requests on a route by tag have an artificial key", world: "000 tags",
		ask: "_rules client-1", want: `"key":"__rule-matches-hash__"`,
	},
	{
		record: "003, context", states: "which people read as the rule of the route", world: "000 tags",
		ask: "rules -dataplane client-1", want: "to kuma.io/service=backend, rule 1 of MeshHTTPRoute \"slow\"",
	},
	{
		record: "003, outcome", states: "a reference by name gives one rule", world: "003 finance",
		ask: "rules -dataplane client-1", want: "to MeshService \"ledger\"\n    http.requestTimeout = 2s ← by-name\n    http.streamIdleTimeout = 33s ← by-labels\n  to MeshService \"payroll\"\n    http.streamIdleTimeout = 33s ← by-labels\n",
	},
	{
		record: "003, outcome", states: "one by labels one for each service", world: "003 finance",
		ask: "rules -dataplane client-1", want: "to MeshService \"payroll\"\n    http.streamIdleTimeout = 33s ← by-labels",
	},
	{
		record: "003, outcome", states: "one for an external service, too", world: "003 finance",
		ask: "rules -dataplane client-1", want: "to MeshExternalService \"bank\"\n    http.requestTimeout = 7s ← external",
	},
	{
		record: "003, outcome", states: "destinations that are a MeshService use the new rules", world: "003 finance",
		ask: "request -dataplane client-1 -service ledger", want: `request 2s (MeshTimeout "by-name"); stream idle 33s (MeshTimeout "by-labels")`,
	},
	{
		record: "003, outcome", states: "an entry for Mesh is a part of the rule of each resource", world: "002 references",
		ask: "rules -dataplane client-1 -service green", want: "connectionTimeout = 2s ← whole-mesh\n    http.requestTimeout = 6s ← by-labels\n    http.streamIdleTimeout = 50s ← whole-mesh",
	},
	{
		record: "003, outcome", states: "and the rule for Mesh applies to other destinations", world: "002 references",
		ask: "rules -dataplane client-1", want: "to Mesh \"references\"\n    connectionTimeout = 2s ← whole-mesh",
	},
	{
		record: "003, outcome", states: "a rule has one conf, and policies as its origin", world: "003 finance", row: 25,
		ask: "_rules client-1", want: `"toResourceRules":[{"conf":{`, instead: `"ruleIndex":0`,
	},
	{
		record: "003, outcome", states: "from and its answer stay as they are", world: "003 finance", row: 26,
		ask: "_rules client-1", want: `"inboundRules":[]`, instead: `"inboundRules":[{`,
	},
	{
		record: "003, outcome", states: "and proxies apply it", world: "003 finance",
		ask: "rules -dataplane client-1", want: "inbound port 8080\n    http.requestTimeout = 11s ← incoming",
	},
	{
		record: "003, outcome", states: "rules by tag will be removed: in mode Exclusive", world: "000 routes",
		ask: "_rules frontend-1", want: `"type":"MeshTimeout","toRules":[]`, only: "2.14",
	},
	{
		record: "003, outcome", states: "and in 3.0", world: "000 routes",
		ask: "_rules frontend-1", want: `"type":"MeshTimeout","toResourceRules":[{`, only: "3.0",
	},
	{
		record: "003, outcome", states: "but not yet in others", world: "003 finance", row: 27,
		ask: "_rules client-1", want: `"type":"MeshTimeout","toRules":[]`, instead: `"matchers":[{"key":"kuma.io/service","value":"foo","not":false}]`,
	},
}

// record004 is about MeshGateway as target.
var record004 = []statement{
	{
		record: "004, context", states: "a gateway is not a destination", ask: "lint",
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {to: [{targetRef: {kind: MeshGateway, name: a}, default: {http: {requestTimeout: 5s}}}]}}",
		want:  "\"to\" is for destinations. To select the proxies, set spec.targetRef.",
	},
	{
		record: "004, context", states: "nor are clients outside of the mesh a kind of from", ask: "lint",
		world: "{type: MeshAccessLog, mesh: m, name: a, spec: {targetRef: {kind: MeshGateway, name: a}, from: [{targetRef: {kind: External}, default: {backends: []}}]}}",
		want:  "\"External\" is not a valid kind for this reference",
	},
	{
		record: "004, matching", states: "a gateway as targetRef selects its proxies: one", world: "004 edge",
		ask: "request -dataplane edge-1 -host a.example -port 8080", want: `request 4s (MeshTimeout "gateway")`,
	},
	{
		record: "004, matching", states: "another", world: "004 edge",
		ask: "request -dataplane edge-2 -host a.example -port 8080", want: `request 4s (MeshTimeout "gateway")`,
	},
	{
		record: "004, matching", states: "and all of its listeners", world: "004 edge",
		ask: "rules -dataplane edge-1", want: "port 8443 of MeshGateway \"edge-gateway\", to any service\n    http.numRetries = 1 ← gateway",
	},
	{
		record: "004, matching", states: "not those of another gateway", world: "004 edge",
		ask: "request -dataplane side-1 -host a.example -port 9080", want: `request 3s (MeshTimeout "side")`,
	},
	{
		record: "004, matching", states: "nor sidecars", world: "004 edge",
		ask: "request -dataplane backend-1 -service backend", want: `request 1s, stream idle 11s (MeshTimeout "mesh")`,
	},
	{
		record: "004, matching", states: "tags select listeners", world: "004 edge",
		ask: "request -dataplane edge-1 -host a.example -port 8443", want: `request 5s (MeshTimeout "https-only")`,
	},
	{
		record: "004, matching", states: "in the rules as well", world: "004 edge",
		ask: "rules -dataplane edge-1", want: "port 8443 of MeshGateway \"edge-gateway\", to any service\n    http.requestTimeout = 5s ← https-only, overrides 4s of gateway and 1s of mesh",
	},
	{
		record: "004, matching", states: "two policies for two listeners: one", world: "../cases/gateway-two-listeners",
		ask: "request -dataplane edge-1 -host a.example -port 8443", want: `request 8s (MeshTimeout "t-https")`,
	},
	{
		record: "004, matching", states: "the answer for a gateway is one for each listener", world: "../cases/gateway-two-listeners",
		ask: "rules -dataplane edge-1", want: "port 8443 of MeshGateway \"edge-gateway\", to any service\n    http.requestTimeout = 8s ← t-https",
	},
	{
		record: "004, matching", states: "tags select a listener that shares its port only", world: "004 edge", row: 34,
		ask: "request -dataplane edge-1 -host a.example -port 8080", want: `Retries: 1 on 5xx (MeshRetry "gateway")`, instead: `Retries: 2 on 5xx (MeshRetry "listener-b")`,
	},
	{
		record: "004, matching", states: "the example names another gateway than it shows, and selects nothing", world: "004 edge", ask: "lint",
		want: "error dangling-target: MeshTimeout \"wrong-name\", spec.targetRef",
	},
	{
		record: "004, matching", states: "a service as targetRef means the same as the gateway", world: "004 edge", row: 28,
		ask: "rules -dataplane side-1", want: "http.numRetries = 4 ← side", instead: "http.numRetries = 3 ← service, overrides 4 of side",
	},
	{
		record: "004, specificity", states: "Mesh and MeshSubset select gateways as well", world: "004 edge",
		ask: "rules -dataplane side-1", want: "http.streamIdleTimeout = 22s ← subset, overrides 11s of mesh",
	},
	{
		record: "004, specificity", states: "and are overridden by MeshGateway, in this order", world: "004 edge",
		ask: "rules -dataplane side-1", want: "http.requestTimeout = 3s ← side, overrides 2s of subset and 1s of mesh",
	},
	{
		record: "004, specificity", states: "which nothing overrides", world: "004 edge", row: 29,
		ask: "request -dataplane side-1 -host a.example -port 9080", want: `(MeshRetry "side")`, instead: `(MeshRetry "service")`,
	},
	{
		record: "004, incoming", states: "from makes sense where a policy has it for gateways: MeshAccessLog", world: "004 edge",
		ask: "rules -dataplane edge-1", want: "MeshAccessLog\n  inbound port 8080\n    backends = ",
	},
	{
		record: "004, incoming", states: "MeshTimeout, too", ask: "lint", row: 30,
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {targetRef: {kind: MeshGateway, name: a}, from: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 5s}}}]}}",
		want:  "dangling-target", instead: "A policy whose targetRef is MeshGateway cannot set \"from\"",
	},
	{
		record: "004, options", states: "listeners have no sections", ask: "lint",
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {targetRef: {kind: MeshGateway, name: a, sectionName: https}, to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 5s}}}]}}",
		want:  "A reference of kind MeshGateway can set kind, name and tags",
	},
	{
		record: "004, options", states: "and targetRef has no listener", ask: "lint",
		world: "{type: MeshTimeout, mesh: m, name: a, spec: {targetRef: {kind: MeshGateway, name: a, listener: https}, to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 5s}}}]}}",
		want:  "MeshTimeout does not have the field \"listener\" here",
	},
}
