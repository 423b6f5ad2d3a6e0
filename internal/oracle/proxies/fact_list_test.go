package proxies_test

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/proxies/envoy"
)

// permission returns permissions for all Dataplanes.
func permission(name, rules string) string {
	return policy("MeshTrafficPermission", name, "rules: [{default: {"+rules+"}}]")
}

// id returns a list with one match of a SPIFFE ID.
func id(kind, value string) string {
	return "[{spiffeID: {type: " + kind + ", value: 'spiffe://" + value + "'}}]"
}

func get(path string) string { return "GET " + path }

// facts returns the facts of proxies.md §3.
func facts() []fact {
	return slices.Concat(routeFacts(), backendFacts(), settingFacts(), entryForRouteFacts(), arrivalFacts(), permissionFacts(), destinationFacts())
}

func routeFacts() []fact {
	return []fact{
		{
			name: "order of matches", show: target, documents: httpRoute("r",
				rule(path("RegularExpression", "/v2.*"), to("db")),
				rule(path("PathPrefix", "/")+", method: GET", to("web")),
				rule(path("PathPrefix", "/v2/long"), to("db")),
				rule(path("Exact", "/v2/long/x"), to("api"))),
			asks: []ask{
				{request: get("/v2"), want: "1 web/v2"},
				{request: "POST /v2", want: "1 db/v2"},
				{request: get("/v2/long"), want: "1 db/v2/long"},
				{request: get("/v2/long/y"), want: "1 db/v2/long/y"},
				{request: get("/v2/longer"), want: "1 web/v2/longer"},
				{request: get("/v2/long/x"), want: "1 api/v2/long/x"},
				{request: get("/v2/long/x/"), want: "1 db/v2/long/x/"},
				{request: "POST /other", want: "1 api/other"},
			},
		},
		{
			name: "equal path", show: target, documents: httpRoute("r",
				rule(path("Exact", "/x")+", headers: [{type: Exact, name: a, value: '1'}, {type: Exact, name: b, value: '1'}]", to("web")),
				rule(path("Exact", "/x")+", method: GET", to("db")),
				rule(path("Exact", "/x")+", queryParams: [{type: Exact, name: q, value: '1'}]", to("api 3", "db 1"))),
			asks: []ask{
				{request: "GET /x a=1 b=1 ?q=1", want: "1 db/x"},
				{request: "POST /x a=1 b=1 ?q=1", want: "1 web/x"},
				{request: "POST /x a=1 ?q=1", want: "3/4 api/x; 1/4 db/x"},
				{request: "POST /x A=1 B=1", want: "1 web/x"},
				{request: "POST /x a=1 b=2", want: "1 api/x"},
			},
		},
		{
			name: "PathPrefix and normalized paths", show: target, documents: httpRoute("r", rule(path("PathPrefix", "/v2"), to("db")), rule(path("Exact", "/p"), to("web"))),
			asks: []ask{
				{request: get("/v2"), want: "1 db/v2"},
				{request: get("/v2/"), want: "1 db/v2/"},
				{request: get("/v2/x"), want: "1 db/v2/x"},
				{request: get("/v20"), want: "1 api/v20"},
				{request: get("/V2"), want: "1 api/V2"},
				{request: get("/q/../p"), want: "1 web/p"},
				{request: get("/%70"), want: "1 web/p"},
				{request: get("//p"), want: "1 api//p"},
				{request: get("/p/"), want: "1 api/p/"},
			},
		},
		{
			name: "equal match in two policies is merged by field", show: target, documents: httpRoute("a", rule(path("Exact", "/x"), to("db"))) +
				httpRoute("b", rule(path("Exact", "/x"), "filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplaceFullPath, replaceFullPath: /y}}}], "+to("web"))),
			asks: []ask{{request: get("/x"), want: "1 db/y"}},
		},
	}
}

func backendFacts() []fact {
	toNothing := policy("MeshTCPRoute", "r", "to: [{"+toAPI+", rules: [{default: {"+to("nope")+"}}]}]")
	const rewrite = "filters: [{type: URLRewrite, urlRewrite: {hostname: other.example}}]"
	return []fact{
		{
			name: "ReplacePrefixMatch", show: target, documents: httpRoute("r",
				rule(path("PathPrefix", "/v2"), "filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /new}}}]"),
				rule(path("PathPrefix", "/v3"), "filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /new/}}}]"),
				rule(path("PathPrefix", "/v4"), "filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: ''}}}]")),
			asks: []ask{
				{request: get("/v4/x"), want: "1 api/v4/x"},
				{request: get("/v2/x"), want: "1 api/newx"},
				{request: get("/v2/"), want: "1 api/new"},
				{request: get("/v2"), want: "1 api/new"},
				{request: get("/v3/x"), want: "1 api/new/x"},
				{request: get("/v3"), want: "1 api/new/"},
			},
		},
		{
			name: "redirect", show: target, documents: httpRoute("r", rule(path("PathPrefix", "/v2"), "filters: [{type: RequestRedirect, requestRedirect: {hostname: other.example}}]")),
			asks: []ask{{request: get("/v2/x"), want: "1 302 http://other.example/v2/x"}},
		},
		{
			name: "backends that do not resolve", show: target, documents: httpRoute("r",
				rule(path("Exact", "/missing"), to("nope")), rule(path("Exact", "/port"), to("db:4999")), rule(path("Exact", "/tcp"), to("db:81")),
				rule(path("Exact", "/zero"), to("db 0")), rule(path("Exact", "/some"), to("nope 50", "db 50")), rule(path("Exact", "/three"), to("nope 100", "db 50", "api 50"))),
			asks: []ask{
				{request: get("/missing"), want: "1 api/missing", want3: "1 500"},
				{request: get("/port"), want: "1 api/port", want3: "1 500"},
				{request: get("/tcp"), want: "1 api/tcp", want3: "1 500"},
				{request: get("/zero"), want: "1 api/zero", want3: "1 500"},
				{request: get("/some"), want: "1 db/some", want3: "1/2 500; 1/2 db/some"},
				{request: get("/three"), want: "1/2 db/three; 1/2 api/three", want3: "1/2 500; 1/2 api/three"},
			},
		},
		{
			name: "HTTP route and TCP route without a service for a TCP port", show: target, documents: toNothing + httpRoute("r",
				rule(path("Exact", "/absent"), rewrite), rule(path("Exact", "/empty"), "backendRefs: []"),
				rule(path("Exact", "/missing"), to("nope")), rule(path("Exact", "/tcp"), to("api:81")), rule(path("Exact", "/db"), to("db"))),
			asks: []ask{
				{request: get("/absent port=11002"), want: "1 no route"},
				{request: get("/empty port=11002"), want: "1 no route"},
				{request: get("/missing port=11002"), want: "1 no route", want3: "1 500"},
				{request: get("/tcp port=11002"), want: "1 no route", want3: "1 500"},
				{request: get("/db port=11002"), want: "1 db/db"},
				{request: get("/other port=11002"), want: "1 no route"},
			},
		},
		{
			name: "HTTP route to the TCP port itself, and TCP route without a service", show: target, documents: toNothing + httpRoute("r",
				rule(path("Exact", "/rewrite"), rewrite), rule(path("Exact", "/redirect"), "filters: [{type: RequestRedirect, requestRedirect: {hostname: other.example}}]")),
			asks: []ask{
				{request: get("/rewrite port=11002"), want: "1 no listener"},
				{request: get("/redirect port=11002"), want: "1 no listener"},
				{request: "TCP / port=11002", want: "1 no listener"},
			},
		},
		{
			name: "TCP route for an HTTP port", show: limits, documents: policy("MeshTCPRoute", "r", "to: [{"+toAPI+", rules: [{default: {"+to("db")+"}}]}]"),
			asks: []ask{{request: get("/x"), want: "connect 5s request 0s stream 0s idle 1h0m0s max 0s"}},
		},
	}
}

func settingFacts() []fact {
	return []fact{
		{
			name: "defaults", show: func(o envoy.Outcome) string { return limits(o) + " / " + arrival(o) },
			asks: []ask{
				{request: get("/"), want: "connect 5s request 15s stream 30m0s idle 1h0m0s max 0s / connect 5s request 15s stream 30m0s idle 1h0m0s"},
				{request: "TCP / port=11002", want: "connect 5s request 0s stream 0s idle 1h0m0s max 0s / connect 5s request 0s stream 0s idle 1h0m0s"},
				{request: get("/ port=11003"), want: "connect 5s request 15s stream 30m0s idle 1h0m0s max 0s / connect 5s request 15s stream 30m0s idle 2h0m0s"},
			},
		},
		{
			name: "timeouts of gRPC", show: limits, documents: policy("MeshTimeout", "t", "to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 1s, idleTimeout: 2s, http: {requestTimeout: 3s, streamIdleTimeout: 4s, maxStreamDuration: 5s}}}]"),
			asks: []ask{
				{request: get("/"), want: "connect 1s request 3s stream 4s idle 2s max 5s"},
				{request: get("/ port=11003"), want: "connect 1s request 3s stream 4s idle 1h0m0s max 0s"},
			},
		},
		{
			name: "whose timeouts and retries", show: limits, documents: httpRoute("r", rule(path("Exact", "/db"), to("db"))) +
				policy("MeshTimeout", "api", "to: [{"+toAPI+", default: {connectionTimeout: 1s, http: {requestTimeout: 3s}}}]") +
				policy("MeshTimeout", "db", "to: [{targetRef: {kind: MeshService, labels: {app: db}}, default: {connectionTimeout: 2s, http: {requestTimeout: 4s}}}]") +
				policy("MeshRetry", "db", "to: [{targetRef: {kind: MeshService, labels: {app: db}}, default: {http: {numRetries: 7}}}]") +
				policy("MeshRetry", "api", "to: [{"+toAPI+", default: {http: {numRetries: 2}}}]"),
			asks: []ask{{request: get("/db"), want: "connect 2s request 3s stream 30m0s idle 1h0m0s max 0s retry 2 gateway-error,connect-failure,refused-stream []"}},
		},
		{
			name: "retries for a method", show: limits, documents: policy("MeshRetry", "r", "to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 3, retryOn: ['5xx', '503', HttpMethodGet]}}}]"),
			asks: []ask{
				{request: get("/"), want: "connect 5s request 15s stream 30m0s idle 1h0m0s max 0s retry 3 5xx,retriable-status-codes [503]"},
				{request: "POST /", want: "connect 5s request 15s stream 30m0s idle 1h0m0s max 0s"},
			},
		},
		{
			name: "no retries", show: limits, documents: policy("MeshRetry", "r", "to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 0}}}]"),
			asks: []ask{{request: get("/"), want: "connect 5s request 15s stream 30m0s idle 1h0m0s max 0s"}},
		},
		{
			name: "section of a destination", show: limits, documents: policy("MeshTimeout", "t", "to: [{"+toAPI+", default: {http: {requestTimeout: 3s, streamIdleTimeout: 4s}}}, {targetRef: {kind: MeshService, labels: {app: api}, sectionName: '80'}, default: {http: {requestTimeout: 5s}}}]"),
			asks: []ask{{request: get("/"), want: "connect 5s request 5s stream 4s idle 1h0m0s max 0s"}},
		},
	}
}

// tagged is a client of the service legacy by its tag, with a route.
const tagged = `---
{type: Dataplane, mesh: MESH, name: legacy, networking: {address: 127.0.0.8, inbound: [{port: 9000, tags: {kuma.io/service: legacy, kuma.io/protocol: http}}]}}
---
{type: Dataplane, mesh: MESH, name: tagged, networking: {address: 127.0.0.9, inbound: [{port: 9000, tags: {kuma.io/service: tagged}}], outbound: [{port: 12000, tags: {kuma.io/service: legacy}}]}}
---
{type: MeshHTTPRoute, mesh: MESH, name: r, spec: {to: [{targetRef: {kind: MeshService, name: legacy}, rules: [{matches: [{path: {type: Exact, value: /slow}}], default: {backendRefs: [{kind: MeshService, name: legacy}]}}]}]}}
`

// toLegacy and toR are entries of `to` for the service and its route.
const (
	toLegacy = "{targetRef: {kind: MeshService, name: legacy}, default: "
	toR      = "{targetRef: {kind: MeshHTTPRoute, name: r}, default: "
)

// entryForRouteFacts shows what an entry for a route does to requests by tags.
func entryForRouteFacts() []fact {
	const timeout, retry = "{connectionTimeout: 3s, http: {requestTimeout: 7s}}}", "{http: {numRetries: 4}}}"
	const slow, more = "{http: {requestTimeout: 13s}}}", "{http: {numRetries: 9}}}"
	const set, unset = "connect 3s request 7s stream 30m0s idle 1h0m0s max 0s retry 4 gateway-error,connect-failure,refused-stream []", "connect 5s request 0s stream 5m0s idle 1h0m0s max 0s"
	asks := func(want string) []ask {
		return []ask{{request: get("/ port=12000 from=tagged"), want: want}, {request: get("/slow port=12000 from=tagged"), want: want}}
	}
	return []fact{
		{
			name: "an entry for a route takes away the others by tag", only: "2.14", show: limits, asks: asks(unset), documents: tagged +
				policy("MeshTimeout", "t", "to: ["+toLegacy+timeout+", "+toR+slow+"]") + policy("MeshRetry", "r", "to: ["+toLegacy+retry+", "+toR+more+"]"),
		},
		{
			name: "an entry for a route in its own policy does not", only: "2.14", show: limits, asks: asks(set), documents: tagged +
				policy("MeshTimeout", "t", "to: ["+toLegacy+timeout+"]") + policy("MeshTimeout", "a", "to: ["+toR+slow+"]") +
				policy("MeshRetry", "r", "to: ["+toLegacy+retry+"]") + policy("MeshRetry", "a", "to: ["+toR+more+"]"),
		},
	}
}

func arrivalFacts() []fact {
	return []fact{
		{
			name: "timeouts of clients", show: arrival, documents: everyone + allowAll +
				policy("MeshTimeout", "in", "rules: [{matches: [{spiffeID: {type: Prefix, value: 'spiffe://td/w'}}], default: {http: {streamIdleTimeout: 11s}}}]"),
			asks: []ask{
				{request: get("/"), want: "connect 10s request 0s stream 11s idle 2h0m0s"},
				{request: get("/ from=db"), want: "connect 10s request 0s stream 1h0m0s idle 2h0m0s"},
			},
		},
		{
			name: "timeouts of clients beside limits of clients", show: arrival, documents: everyone + allowAll +
				policy("MeshTimeout", "in", "rules: [{default: {http: {requestTimeout: 5s}}}, {matches: [{spiffeID: {type: Exact, value: 'spiffe://td/web'}}], default: {http: {requestTimeout: 11s}}}]") +
				policy("MeshRateLimit", "in", "targetRef: {kind: Dataplane}, rules: [{default: {local: {http: {requestRate: {num: 5, interval: 10s}, onRateLimit: {status: 423}}, tcp: {connectionRate: {num: 6, interval: 1s}}}}}, {matches: [{spiffeID: {type: Exact, value: 'spiffe://td/web'}}], default: {local: {http: {requestRate: {num: 7, interval: 10s}}}}}]"),
			asks: []ask{
				{request: get("/"), want: "connect 5s request 5s stream 30m0s idle 1h0m0s limit 7/10s 423 connections 6/1s"},
				{request: get("/ from=db"), want: "connect 5s request 5s stream 30m0s idle 1h0m0s limit 5/10s 423 connections 6/1s"},
			},
		},
		{
			name: "timeouts of clients beside a limit of other clients", show: arrival, documents: everyone + allowAll + limitsOfClients("requestRate: {num: 5, interval: 10s}"),
			asks: []ask{{request: get("/"), want: "connect 5s request 5s stream 30m0s idle 1h0m0s"}},
		},
		{
			name: "timeouts of clients beside a limit without a rate", show: arrival, documents: everyone + allowAll + limitsOfClients("onRateLimit: {status: 423}"),
			asks: []ask{{request: get("/"), want: "connect 5s request 11s stream 30m0s idle 1h0m0s"}},
		},
		{
			name: "timeouts of clients beside a disabled limit", show: arrival, documents: everyone + allowAll + limitsOfClients("disabled: true, requestRate: {num: 5, interval: 10s}"),
			asks: []ask{{request: get("/"), want: "connect 5s request 11s stream 30m0s idle 1h0m0s"}},
		},
		{
			name: "timeouts of clients beside a limit of a server name", show: arrival, documents: everyone + allowAll + limitsOfClients("disabled: true") +
				policy("MeshRateLimit", "name", "targetRef: {kind: Dataplane}, rules: [{matches: [{sni: {type: Exact, value: sni.msvc.MESH.zone-1.api.80}}], default: {local: {http: {requestRate: {num: 5, interval: 10s}}}}}]"),
			asks: []ask{{request: get("/"), want: "connect 5s request 11s stream 30m0s idle 1h0m0s"}},
		},
		{
			name: "all faults that match", show: arrival, documents: everyone + allowAll +
				policy("MeshFaultInjection", "in", "targetRef: {kind: Dataplane}, rules: [{default: {http: [{abort: {httpStatus: 500, percentage: 10}}]}}, {matches: [{spiffeID: {type: Exact, value: 'spiffe://td/web'}}], default: {http: [{delay: {value: 5s, percentage: 20}}]}}]"),
			asks: []ask{
				{request: get("/"), want: "connect 5s request 15s stream 30m0s idle 1h0m0s fault 1/5 0 5s fault 1/10 500 0s"},
				{request: get("/ from=db"), want: "connect 5s request 15s stream 30m0s idle 1h0m0s fault 1/10 500 0s"},
			},
		},
		{
			name: "faults of a service reach those with a longer name", only: "2.14", show: arrival,
			documents: policy("MeshFaultInjection", "in", "targetRef: {kind: Dataplane}, from: [{targetRef: {kind: MeshSubset, tags: {kuma.io/service: b}}, default: {http: [{abort: {httpStatus: 500, percentage: 10}}]}}]"),
			asks: []ask{
				{request: get("/"), want: "connect 5s request 15s stream 30m0s idle 1h0m0s fault 1/10 500 0s"},
				{request: get("/ from=db"), want: "connect 5s request 15s stream 30m0s idle 1h0m0s fault 1/10 500 0s"},
				{request: get("/ from=api"), want: "connect 5s request 15s stream 30m0s idle 1h0m0s"},
			},
		},
	}
}

// limitsOfClients are timeouts for all and for one client, beside a limit for another client.
func limitsOfClients(limit string) string {
	return policy("MeshTimeout", "in", "rules: [{default: {http: {requestTimeout: 5s}}}, {matches: [{spiffeID: {type: Exact, value: 'spiffe://td/web'}}], default: {http: {requestTimeout: 11s}}}]") +
		policy("MeshRateLimit", "in", "targetRef: {kind: Dataplane}, rules: [{matches: [{spiffeID: {type: Exact, value: 'spiffe://td/db'}}], default: {local: {http: {"+limit+"}}}}]")
}

func permissionFacts() []fact {
	return []fact{
		{name: "without an identity", show: access, documents: permission("none", "deny: "+id("Prefix", "td")), asks: []ask{{request: get("/"), want: "allowed"}}},
		{name: "without a permission", show: access, documents: everyone, asks: []ask{{request: get("/"), want: "denied by default"}, {request: "TCP / port=11002", want: "denied by default"}}},
		{
			name: "prefix of a SPIFFE ID", show: access, documents: everyone + permission("p", "allow: "+id("Prefix", "td/we")),
			asks: []ask{{request: get("/"), want: "allowed by p"}, {request: get("/ from=db"), want: "denied by default"}},
		},
		{
			name: "deny before allow", show: access, documents: everyone + permission("deny", "deny: "+id("Exact", "td/web")) +
				policy("MeshTrafficPermission", "allow", "targetRef: {kind: Dataplane, labels: {app: api}}, rules: [{default: {allow: "+id("Prefix", "td")+"}}]"),
			asks: []ask{{request: get("/"), want: "denied by deny"}, {request: get("/ from=db"), want: "allowed by allow"}},
		},
		{
			name: "shadow", show: access, documents: everyone + permission("p", "allow: "+id("Exact", "td/db")+", allowWithShadowDeny: "+id("Exact", "td/web")),
			asks: []ask{{request: get("/"), want: "allowed by p, shadow denied by p"}, {request: get("/ from=db"), want: "allowed by p, shadow denied by default"}, {request: get("/ from=api"), want: "denied by default, shadow denied by default"}},
		},
		{
			name: "permission for one inbound", show: access, documents: everyone + policy("MeshTrafficPermission", "p", "targetRef: {kind: Dataplane, sectionName: main}, rules: [{default: {allow: "+id("Prefix", "td")+"}}]"),
			asks: []ask{{request: get("/"), want: "allowed by p"}, {request: get("/ port=11003"), want: "denied by default"}},
		},
		{
			name: "from beside an identity", only: "2.14", show: access, documents: everyone + policy("MeshTrafficPermission", "f", "from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]"),
			asks: []ask{{request: get("/"), want: "denied by default"}},
		},
		{
			name: "identity of some Dataplanes", show: access, documents: withIdentity("{app: web}") + allowAll,
			asks: []ask{{request: get("/"), want: "the inbound does not speak TLS", want3: "allowed"}, {request: get("/ from=db"), want: "allowed"}},
		},
		{
			name: "mirror", only: "3.0", show: mirrors, documents: everyone + allowAll + httpRoute("r", rule(path("Exact", "/m"), "filters: [{type: RequestMirror, requestMirror: {percentage: 30, backendRef: {kind: MeshService, labels: {app: db}, port: 80}}}]")),
			asks: []ask{{request: get("/m"), want: "1 api/m mirror 3/10 db allowed by all"}},
		},
	}
}

// zoneEgress is an external service, the proxy through which requests leave, and a client.
const zoneEgress = `---
{type: MeshExternalService, mesh: MESH, name: ext, labels: {app: ext}, spec: {match: {type: HostnameGenerator, port: 443, protocol: http}, endpoints: [{address: 10.9.9.9, port: 8443}]}}
---
{type: Dataplane, mesh: MESH, name: egress, labels: {app: egress}, networking: {address: 127.0.5.5, listeners: [{type: ZoneEgress, address: 127.0.5.5, port: 10002, name: egress}]}}
---
{type: Dataplane, mesh: MESH, name: out, labels: {app: out}, networking: {address: 127.0.0.9, inbound: [{port: 9000, tags: {kuma.io/service: out}}],
  outbound: [{port: 11443, backendRef: {kind: MeshExternalService, labels: {app: ext}, port: 443}}]}}
`

func destinationFacts() []fact {
	return []fact{
		{
			name: "transparent proxy", show: everything, documents: `---
{type: Dataplane, mesh: MESH, name: app, labels: {app: app}, networking: {address: 127.0.0.9, inbound: [{port: 9000, tags: {kuma.io/service: app}}],
  transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001, reachableBackends: {refs: [{kind: MeshService, labels: {app: api}}, {kind: MeshExternalService, labels: {app: ext}}]}}}}
---
{type: MeshExternalService, mesh: MESH, name: ext, labels: {app: ext}, spec: {match: {type: HostnameGenerator, port: 443, protocol: http}, endpoints: [{address: 10.9.9.9, port: 8443}]}}
---
{type: HostnameGenerator, name: MESH-services, spec: {selector: {meshService: {matchLabels: {kuma.io/mesh: MESH}}}, template: '{{ .DisplayName }}.services.MESH'}}
---
{type: HostnameGenerator, name: MESH-external, spec: {selector: {meshExternalService: {matchLabels: {kuma.io/mesh: MESH}}}, template: '{{ .DisplayName }}.external.MESH'}}
`,
			asks: []ask{
				{request: "GET /x from=app host=api.services.MESH port=80", want: "1 api/x allowed"},
				{request: "GET /x from=app host=api.services.MESH port=83", want: "1 passthrough"},
				{request: "GET /x from=app host=db.services.MESH port=80", want: "1 passthrough"},
				{request: "GET /x from=app host=other.example port=80", want: "1 passthrough"},
				{request: "GET /x from=app host=ext.external.MESH port=443", want: "1 ext/x"},
				{request: "GET /x host=10.0.0.1 port=80", want: "1 no listener"},
			},
		},
		{
			name: "port without targetPort", show: everything, documents: `---
{type: MeshService, mesh: MESH, name: bare, labels: {app: bare}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 9000, appProtocol: http}]}}
---
{type: MeshService, mesh: MESH, name: full, labels: {app: full}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 9000, targetPort: 9000, appProtocol: http}]}}
` + httpRoute("r", rule(path("Exact", "/bare"), to("bare:9000")), rule(path("Exact", "/full"), to("full:9000"))),
			asks: []ask{{request: get("/bare"), want: "1 bare/bare"}, {request: get("/full"), want: "1 full/full allowed"}},
		},
		{
			name: "external service without permission at the egress", show: access, documents: everyone + zoneEgress,
			asks: []ask{{request: get("/ from=out port=11443"), want: "denied by default"}},
		},
		{
			name: "external service", show: access, documents: everyone + allowAll + zoneEgress,
			asks: []ask{{request: get("/ from=out port=11443"), want: "allowed by all"}},
		},
		{
			name: "external service that the permission names", show: access, documents: everyone + zoneEgress +
				permission("p", "allow: [{spiffeID: {type: Exact, value: 'spiffe://td/out'}, sni: {type: Exact, value: 'sni.extsvc.MESH.zone-1.ext.443'}}]"),
			asks: []ask{{request: get("/ from=out port=11443"), want: "allowed by p"}},
		},
		{
			name: "other external service that the permission names", show: access, documents: everyone + zoneEgress +
				permission("p", "allow: [{spiffeID: {type: Exact, value: 'spiffe://td/out'}, sni: {type: Exact, value: 'sni.msvc.MESH.zone-1.ext.443'}}]"),
			asks: []ask{{request: get("/ from=out port=11443"), want: "denied by default"}},
		},
		{
			name: "split of TCP", show: everything, documents: everyone + allowAll + policy("MeshTCPRoute", "r", "to: [{"+toAPI+", rules: [{default: {"+to("api:81 3", "db:81 1", "nope 1", "web:80 0")+"}}]}]"),
			asks: []ask{{request: "TCP / port=11002", want: "3/4 api allowed by all; 1/4 db allowed by all"}},
		},
		{
			name: "rules replace from on their inbound", only: "2.14", show: access, documents: mutual +
				policy("MeshTrafficPermission", "from", "from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]") +
				policy("MeshTrafficPermission", "rules", "targetRef: {kind: Dataplane, labels: {app: api}, sectionName: main}, rules: [{default: {allow: "+id("Exact", "MESH/web")+", allowWithShadowDeny: "+id("Prefix", "MESH/d")+"}}]"),
			asks: []ask{
				{request: get("/"), want: "denied by default, shadow denied by default"},
				{request: get("/ from=db"), want: "allowed by rules, shadow denied by rules"},
				{request: get("/ port=11003"), want: "allowed by MeshTrafficPermission"},
				{request: get("/ port=11001"), want: "allowed by MeshTrafficPermission"},
			},
		},
		{
			name: "mutual TLS beside an identity", only: "2.14", show: access, documents: mutual + withIdentity("{app: web}") +
				policy("MeshTrafficPermission", "from", "from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]"),
			asks: []ask{
				{request: get("/"), want: "allowed by MeshTrafficPermission"}, {request: get("/ from=db"), want: "allowed by MeshTrafficPermission"},
			},
		},
	}
}
