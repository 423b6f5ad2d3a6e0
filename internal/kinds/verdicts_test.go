package kinds_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestVerdicts compares verdicts with those of a control plane 2.14 about
// documents for which random comparisons once found differences, and the fields
// that it reports.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	const (
		timeouts = `{type: MeshTimeout, name: a, spec: `
		traces   = `{type: MeshTrace, name: a, spec: {default: {backends: [`
		patch    = `{type: MeshProxyPatch, name: a, spec: {default: {appendModifications: [`
		balance  = `{type: MeshLoadBalancingStrategy, name: a, spec: {to: [{targetRef: {kind: `
		proxy    = `{type: Dataplane, name: a, networking: {address: 10.0.0.1`
		faults   = `{type: MeshFaultInjection, name: a, spec: {to: [{targetRef: {kind: Mesh}, default: {http: [`
	)
	for name, tt := range map[string]struct{ document, want string }{
		// What a rule requires, and not the schema.
		"settings and reference missing":  {timeouts + `{from: [{}]}}`, "spec.from[0].targetRef"},
		"settings missing":                {timeouts + `{from: [{targetRef: {kind: Mesh}}]}}`, "spec.from[0].default"},
		"settings null":                   {timeouts + `{to: [{default: null}]}}`, "spec.to[0].default spec.to[0].targetRef"},
		"limits missing as a whole":       {`{type: MeshRateLimit, name: a, spec: {targetRef: {kind: Dataplane}, rules: [{}]}}`, "spec.rules[0].default"},
		"traces without settings":         {`{type: MeshTrace, name: a, spec: {}}`, "spec.default"},
		"client without action":           {`{type: MeshTrafficPermission, name: a, spec: {from: [{targetRef: {kind: Mesh}}]}}`, "spec.from[0].default"},
		"rule without clients":            {`{type: MeshTrafficPermission, name: a, spec: {rules: [{default: {}}]}}`, "spec.rules[0]"},
		"rule without lists of clients":   {`{type: MeshTrafficPermission, name: a, spec: {rules: [{}]}}`, "spec.rules[0].default"},
		"host name of nothing":            {`{type: HostnameGenerator, name: a, spec: {template: "{{"}}`, "spec.selector spec.template"},
		"no detectors, and a bad name":    {`{type: MeshCircuitBreaker, name: a, spec: {from: [{targetRef: {kind: Mesh, name: b}, default: {outlierDetection: {}}}]}}`, "spec.from[0].default.outlierDetection.detectors spec.from[0].targetRef.name"},
		"proxy without networking":        {`{type: Dataplane, name: a, probes: {}}`, "networking"},
		"admin port of another loopback":  {proxy + `, inbound: [{port: 1, address: 127.0.0.2, tags: {kuma.io/service: a}}], admin: {port: 1}}}`, ""},
		"admin port of all addresses":     {proxy + `, inbound: [{port: 1, address: 0.0.0.0, tags: {kuma.io/service: a}}], admin: {port: 1}}}`, "networking.admin.port"},
		"proxy with metrics of no type":   {proxy + `}, metrics: {}}`, "metrics.type"},
		"proxy with probes of no path":    {proxy + `}, probes: {port: 1, endpoints: [{inboundPort: 1}]}}`, "probes.endpoints[0].inboundPath probes.endpoints[0].path"},
		"collector without labels":        {traces + `{type: OpenTelemetry, openTelemetry: {backendRef: {kind: MeshOpenTelemetryBackend}}}]}}}`, "spec.default.backends[0].openTelemetry.backendRef"},
		"reference by name without one":   {timeouts + `{targetRef: {kind: MeshGateway}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}`, "spec.targetRef.name"},
		"reference by labels without any": {timeouts + `{to: [{targetRef: {kind: MeshService}, default: {idleTimeout: 1s}}]}}`, "spec.to[0].targetRef"},

		// Null.
		"null for a default":             {`{type: MeshExternalService, name: a, spec: {match: {port: 80, type: null, protocol: null}, extension: {type: b, config: null}}}`, ""},
		"null for a precedence":          {`{type: MeshOpenTelemetryBackend, name: a, spec: {env: {mode: null, precedence: null}}}`, ""},
		"null for a value of no default": {`{type: MeshOpenTelemetryBackend, name: a, spec: {protocol: null}}`, "spec.protocol"},
		"null for a percentage":          {faults + `{abort: {httpStatus: 500, percentage: null}}]}}]}}`, ""},
		"null for a share above zero":    {balance + `Mesh}, default: {localityAwareness: {crossZone: {failoverThreshold: {percentage: null}}}}}]}}`, "spec.to[0].default.localityAwareness.crossZone.failoverThreshold.percentage"},
		"null for an object of defaults": {balance + `Mesh}, default: null}]}}`, "spec.to[0].default"},

		"null for a text of a list": {`{type: Mesh, name: a, skipCreatingInitialPolicies: [null]}`, ""},

		// Forms of values in older kinds.
		"bytes one by one":       {`{type: Secret, name: a, data: [104, 105]}`, ""},
		"no bytes":               {`{type: GlobalSecret, name: a, data: []}`, ""},
		"texts for bytes":        {`{type: GlobalSecret, name: a, data: [a]}`, "data"},
		"port with an exponent":  {`{type: ZoneEgress, name: a, networking: {port: 1e2}}`, "networking.port"},
		"port with a fraction":   {`{type: ZoneEgress, name: a, networking: {port: 80.0}}`, "networking.port"},
		"port of a newer kind":   {`{type: MeshService, name: a, spec: {ports: [{port: 8.0e1}]}}`, ""},
		"tag of an inbound":      {proxy + `, inbound: [{port: 1, tags: {kuma.io/service: a/b}}]}}`, `networking.inbound[0].tags["kuma.io/service"]`},
		"tag that is null":       {proxy + `, inbound: [{port: 1, tags: {kuma.io/service: null}}]}}`, `networking.inbound[0].tags["kuma.io/service"]`},
		"tag of an outbound":     {proxy + `, outbound: [{port: 1, tags: {kuma.io/service: "*"}}]}}`, `networking.outbound[0].tags["kuma.io/service"]`},
		"tag of a gateway":       {proxy + `, gateway: {tags: {kuma.io/service: "a b"}}}}`, `networking.gateway.tags["kuma.io/service"]`},
		"tag that selects":       {timeouts + `{targetRef: {kind: MeshServiceSubset, name: a, tags: {b: a/b}}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}`, ""},
		"long part of a name":    {proxy[:len(proxy)-len("10.0.0.1")] + strings.Repeat("a", 64) + `}}`, "networking.address"},
		"address with a zone":    {`{type: Dataplane, name: a, networking: {address: "fe80::1%eth0"}}`, "networking.address"},
		"address as server name": {`{type: MeshExternalService, name: a, spec: {match: {port: 80}, tls: {verification: {serverName: 10.0.0.1}}}}`, "spec.tls.verification.serverName"},

		// Protocols (validation.md, Dataplane).
		"protocol of an inbound":          {proxy + `, inbound: [{port: 1, protocol: tls}, {port: 2, protocol: mysql}, {port: 3, protocol: kafka}, {port: 4, protocol: ""}]}}`, ""},
		"protocol in upper case":          {proxy + `, inbound: [{port: 1, protocol: HTTP}, {port: 2, protocol: Grpc}, {port: 3, protocol: TLS}]}}`, ""},
		"protocol that is not one":        {proxy + `, inbound: [{port: 1, protocol: websocket}]}}`, "networking.inbound[0].protocol"},
		"protocol as a tag":               {proxy + `, inbound: [{port: 1, tags: {kuma.io/service: a, kuma.io/protocol: TLS}}, {port: 2, tags: {kuma.io/service: a, kuma.io/protocol: mysql}}]}}`, ""},
		"protocol as a tag, empty":        {proxy + `, inbound: [{port: 1, tags: {kuma.io/service: a, kuma.io/protocol: ""}}]}}`, `networking.inbound[0].tags["kuma.io/protocol"]`},
		"protocol of a gateway":           {proxy + `, gateway: {tags: {kuma.io/service: a, kuma.io/protocol: TCP}}}}`, ""},
		"protocol of services in a zone":  {`{type: MeshService, name: a, spec: {ports: [{port: 1, appProtocol: HTTP}, {port: 2, appProtocol: websocket}]}}`, ""},
		"protocol of services everywhere": {`{type: MeshMultiZoneService, name: a, spec: {selector: {meshService: {matchLabels: {a: b}}}, ports: [{port: 1, appProtocol: kafka}, {port: 2, appProtocol: HTTP}]}}`, "spec.ports[1].appProtocol"},

		// What is not checked.
		"collector that the type does not use": {traces + `{type: Datadog, datadog: {url: "http://a:1"}, zipkin: {url: x}, openTelemetry: {endpoint: a/b}}]}}}`, ""},
		"endpoint that the type does not use":  {`{type: MeshMetric, name: a, spec: {default: {backends: [{type: OpenTelemetry, prometheus: {port: 0}, openTelemetry: {endpoint: "a:1"}}]}}}`, ""},
		"patch that is not applied":            {patch + `{networkFilter: {operation: Remove, jsonPatches: [{op: move, path: /a}]}}]}}}`, ""},
		"patch by null":                        {patch + `{cluster: {operation: Patch, jsonPatches: [{op: add, path: /a, value: null}, {op: remove, path: /a, value: null}]}}]}}}`, "spec.default.appendModifications[0].cluster.jsonPatches[1].value"},
		"two modifications in one entry":       {patch + `{cluster: {operation: Add}, listener: {operation: Add}}]}}}`, "spec.default.appendModifications[0]"},
		"section that gateways have not":       {`{type: MeshRateLimit, name: a, spec: {rules: [{}]}}`, "spec.rules"},
		"destination that is not taken":        {timeouts + `{targetRef: {kind: MeshGateway, name: a}, to: [{targetRef: {kind: MeshService}, default: {idleTimeout: 1s}}]}}`, "spec.to[0].targetRef.kind"},

		"types of proxies of a service": {timeouts + `{to: [{targetRef: {kind: MeshService, name: a, proxyTypes: []}, default: {idleTimeout: 1s}}]}}`, ""},
		"no ciphers of one proxy":       {`{type: MeshTLS, name: a, spec: {targetRef: {kind: Dataplane}, rules: [{default: {tlsCiphers: []}}]}}`, ""},
		"listeners of a gateway":        {proxy + `, gateway: {}, inbound: [{}], listeners: [{}]}}`, "networking.inbound networking.inbound[0].port networking.listeners"},

		// What is.
		"identity of a client":         {`{type: MeshFaultInjection, name: a, spec: {rules: [{default: {}, matches: [{spiffeID: {type: Exact, value: a}}]}]}}`, "spec.rules[0].matches[0].spiffeID"},
		"more than one selector":       {`{type: MeshGateway, name: a, selectors: [{match: {kuma.io/service: a}}, {match: {kuma.io/service: b}}, {match: {kuma.io/service: c}}], conf: {listeners: [{port: 80, protocol: HTTP, crossMesh: true}]}}`, "selectors[1] selectors[2]"},
		"no routes":                    {`{type: MeshTCPRoute, name: a, spec: {targetRef: {kind: MeshServiceSubset}, to: []}}`, "spec.to"},
		"locality of a route":          {balance + `MeshHTTPRoute, name: a}, default: {localityAwareness: {}}}]}}`, "spec.to[0].default.localityAwareness"},
		"hash policies twice":          {balance + `Mesh}, default: {hashPolicies: [], loadBalancer: {type: Random, ringHash: {hashPolicies: []}}}}]}}`, "spec.to[0].default.loadBalancer.ringHash.hashPolicies"},
		"rules of a policy for routes": {timeouts + `{targetRef: {kind: MeshHTTPRoute, name: a}, rules: [{default: {idleTimeout: 1s, http: {requestTimeout: 1s, maxStreamDuration: 1s}}}]}}`, "spec.rules[0].default.http.maxStreamDuration spec.rules[0].default.idleTimeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := testworld.Document(t, tt.document)
			if got := firstRefusal(kind(t, doc).Validate(doc)); got != tt.want {
				t.Errorf("rejected at %q, want %q", got, tt.want)
			}
		})
	}
}

// firstRefusal lists the paths of the errors that a control plane reports.
func firstRefusal(problems []def.Problem) string {
	errs := def.Errors(problems)
	var places []string
	for _, p := range errs {
		if p.Stage == slices.MinFunc(errs, func(a, b def.Problem) int { return int(a.Stage) - int(b.Stage) }).Stage {
			places = append(places, p.Path.String())
		}
	}
	return strings.Join(slices.Compact(places), " ")
}

// TestZipkinURL lists which URLs of Zipkin a control plane accepts.
func TestZipkinURL(t *testing.T) {
	t.Parallel()
	for url, accepted := range map[string]bool{
		"http://zipkin:9411/api/v2/spans": true, "https://zipkin.example": true, "ws://a.b": true, "ftp://a.b": true, "tcp://a:1": true, "zipkin.example": true, "a:80": true,
		"http://zip_kin:9411": true, "http://a:99999": true, "10.0.0.1": true, "http://10.0.0.1:9411": true,
		"a.b": false, "zipkin": false, "http": false, "HTTP://a.b": false, "grpc://a:1": false, "http://a..b": false, "-a.b": false, "a_b.c": false, "a.123": false, "1.2.3": false, "http://a:": false,
		"a b.c": false, "spiffe://shop/web": false, "/api/v2": false,
	} {
		t.Run(url, func(t *testing.T) {
			t.Parallel()
			doc := testworld.Document(t, `{type: MeshTrace, name: a, spec: {default: {backends: [{type: Zipkin, zipkin: {url: "`+url+`"}}]}}}`)
			want := ""
			if !accepted {
				want = "spec.default.backends[0].zipkin.url"
			}
			if got := firstRefusal(kind(t, doc).Validate(doc)); got != want {
				t.Errorf("rejected at %q, want %q", got, want)
			}
		})
	}
}
