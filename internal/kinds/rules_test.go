package kinds_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestRules covers what the recordings leave out. want lists the paths of the
// problems, those of warnings with a question mark.
func TestRules(t *testing.T) {
	t.Parallel()
	const (
		route = `
type: MeshHTTPRoute
name: web
spec:
  to:
    - targetRef: {kind: MeshService, name: web}
      rules:
        - default: `
		logging   = `{type: MeshAccessLog, name: web, spec: {to: [{targetRef: {kind: Mesh}, default: {backends: `
		faults    = `{type: MeshFaultInjection, name: web, spec: `
		balancing = `{type: MeshLoadBalancingStrategy, name: web, spec: {to: [{targetRef: {kind: Mesh}, default: `
		limit     = `default: {local: {tcp: {disabled: true}}}`
		retry     = `{type: MeshRetry, name: web, spec: {to: [{targetRef: {kind: Mesh}, default: {http: `
		authority = `{type: Mesh, name: shop, mtls: {backends: [{name: ca, type: provided, conf: `
	)
	tests := map[string]struct {
		yaml string
		want string
	}{
		"authority, one secret missing":     {authority + `{cert: {secret: a}}}]}}`, "mtls.backends[0].conf.key"},
		"authority, content unknown before": {authority + `{cert: {inlineString: x}, key: {secret: a}}}]}}`, ""},
		"authority, not validated":          {authority + `{}}], skipValidation: true}}`, ""},
		"authority, bad name": {`
type: Mesh
name: shop
mtls:
  backends: [{name: CA, type: builtin}]
`, "mtls.backends[0].name"},
		"authority, long name": {
			`{type: Mesh, name: shop, mtls: {backends: [{name: ` + strings.Repeat("a", 240) + `, type: builtin}]}}`, "mtls.backends[0].name",
		},
		"authority, without a name": {`
type: Mesh
name: shop
mtls:
  backends: [{type: builtin}]
`, ""},
		"authority, short key":         {`{type: Mesh, name: shop, mtls: {backends: [{type: builtin, conf: {caCert: {RSAbits: 1023}}}]}}`, "mtls.backends[0].conf.caCert.RSAbits"},
		"authority, shortest key":      {`{type: Mesh, name: shop, mtls: {backends: [{type: builtin, conf: {caCert: {RSAbits: 1024}}}]}}`, ""},
		"authority, key not generated": {`{type: Mesh, name: shop, mtls: {skipValidation: true, backends: [{type: provided, conf: {caCert: {RSAbits: 1}}}]}}`, ""},
		"egress with mutual TLS": {`
type: Mesh
name: shop
routing: {zoneEgress: true}
mtls:
  enabledBackend: ca
  backends: [{name: ca, type: builtin}]
`, ""},
		"life of the authority": {`
type: Mesh
name: shop
mtls:
  backends:
    - type: builtin
      conf: {caCert: {expiration: 1h30m}}
`, "mtls.backends[0].conf.caCert.expiration"},
		"share of traces": {`
type: Mesh
name: shop
tracing:
  backends:
    - name: a
      type: zipkin
      sampling: 100.5
      conf: {url: "http://z:9411"}
`, "tracing.backends[0].sampling"},
		"format of traces that are not for zipkin": {
			`{type: Mesh, name: shop, tracing: {backends: [{name: a, type: datadog, conf: {address: a, port: 1, apiVersion: b}}, {name: b, type: zipkin, conf: {url: "http://z:9411", apiVersion: b}}]}}`,
			"tracing.backends[1].conf.apiVersion",
		},
		"field of a free conf": {`
type: Mesh
name: shop
logging:
  backends:
    - name: a
      type: file
      conf: {path: /a, own: b}
`, ""},
		"backends without names": {
			`{type: Mesh, name: shop, metrics: {backends: [{type: prometheus}, {type: prometheus, conf: {aggregate: [{port: 80}, {name: a}, {name: ""}]}}]}}`,
			"metrics.backends[1].conf.aggregate[2].name metrics.backends[1].name",
		},
		"name of a mesh is not a label":       {`{type: Mesh, name: 1a}`, "name?"},
		"service on its own address":          {dataplane(`inbound: [{port: 80, serviceAddress: 10.0.0.1, servicePort: 81}]`), ""},
		"service on the same address":         {dataplane(`inbound: [{port: 80, address: 10.0.0.2, serviceAddress: 10.0.0.2, servicePort: 80}]`), "networking.inbound[0].serviceAddress"},
		"service on the address of the proxy": {dataplane(`inbound: [{port: 80, address: 10.0.0.2, serviceAddress: 10.0.0.1}]`), "networking.inbound[0].serviceAddress"},
		"admin port of an outbound":           {dataplane(`admin: {port: 9901}, outbound: [{port: 9901, tags: {kuma.io/service: a}}]`), "networking.admin.port"},
		"admin port elsewhere":                {dataplane(`admin: {port: 9901}, outbound: [{port: 9901, address: 10.0.0.3, tags: {kuma.io/service: a}}]`), ""},
		"probe every zero seconds":            {dataplane(`inbound: [{port: 80, serviceProbe: {interval: 0ms}}]`), "networking.inbound[0].serviceProbe.interval"},
		"port that no field can hold":         {dataplane(`inbound: [{port: 4294967296}]`), "networking.inbound[0].port"},
		"gateway without tags":                {dataplane(`gateway: {}`), ""},
		"builtin gateway with probes":         {dataplane(`gateway: {type: BUILTIN}}, probes: {port: 80`), "probes"},
		"builtin gateway with bad probes":     {dataplane(`gateway: {type: BUILTIN}}, probes: {endpoints: [{}]`), "probes"},
		"outbound without anything":           {dataplane(`outbound: [{port: 1, backendRef: {kind: MeshExternalService}}]`), "networking.outbound[0].backendRef"},
		"certificate in lines":                {external(`tls: {verification: {caCert: {inline: "aGVs\nbG8="}}}`), "spec.tls.verification.caCert.inline"},
		"secret in lines":                     {`{type: Secret, name: a, data: "aGVs\nbG8="}`, ""},
		"headers of another filter": {
			`{type: MeshHTTPRoute, name: a, spec: {to: [{targetRef: {kind: MeshService, name: b}, rules: [{matches: [{}], default: {filters: [{type: RequestMirror, requestMirror: {backendRef: {kind: MeshService, name: b}}, responseHeaderModifier: {add: [{name: a, value: b}, {name: a, value: b}]}}]}}]}]}}`,
			"",
		},
		"no protocol":                  {dataplane(`inbound: [{port: 80, protocol: ""}]`), ""},
		"no format of traces":          {`{type: Mesh, name: shop, tracing: {backends: [{name: a, type: zipkin, conf: {url: "http://z:9411", apiVersion: ""}}]}}`, ""},
		"metrics with and without TLS": {`{type: Dataplane, name: web, networking: {address: a}, metrics: {type: prometheus, conf: {skipMTLS: true, tls: {}}}}`, "metrics.conf"},
		"outbound to no kind":          {dataplane(`outbound: [{port: 1, backendRef: {name: a}}]`), "networking.outbound[0].backendRef.kind networking.outbound[0].backendRef.port"},
		"reference by bad name":        {dataplane(`transparentProxying: {reachableBackends: {refs: [{kind: MeshService, name: A_b}]}}`), "networking.transparentProxying.reachableBackends.refs[0].name"},
		"address is a host name":       {`{type: Dataplane, name: web, networking: {address: web_1.internal.}}`, ""},
		"address is any IPv6":          {`{type: Dataplane, name: web, networking: {address: "::"}}`, "networking.address"},
		"deprecated proxies": {`
type: MeshHTTPRoute
name: web
spec: {targetRef: {kind: MeshSubset}}
`, "spec.targetRef.kind?"},
		"section of an outgoing route": {
			`
type: MeshHTTPRoute
name: web
spec:
  targetRef: {kind: Dataplane, sectionName: http}
`, "spec.targetRef.sectionName",
		},
		"gateway that redirects": {
			`
type: MeshHTTPRoute
name: web
spec:
  targetRef: {kind: MeshGateway, name: edge}
  to:
    - targetRef: {kind: Mesh}
      rules:
        - matches: [{}]
          default:
            filters:
              - type: RequestRedirect
                requestRedirect: {}
`, "",
		},
		"destination that no route has": {
			`
type: MeshHTTPRoute
name: web
spec:
  to:
    - targetRef: {kind: Dataplane}
      rules: []
`, "spec.to[0].targetRef.kind",
		},
		"prefix of any path": {
			route + `{filters: [{type: RequestRedirect, requestRedirect: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /a}}}]}
          matches: [{path: {type: PathPrefix, value: /b}}, {method: GET}]`,
			"spec.to[0].rules[0].default.filters[0].requestRedirect.path.replacePrefixMatch",
		},
		"header added twice": {
			route + `{filters: [{type: RequestHeaderModifier, requestHeaderModifier: {add: [{name: a, value: b}, {name: a, value: c}]}}]}
          matches: [{}]`,
			"spec.to[0].rules[0].default.filters[0].requestHeaderModifier.add[1].name",
		},
		"regular expression as path": {route + `{}
          matches: [{path: {type: RegularExpression, value: a/}}]`, ""},
		"passthrough without a mode":           {passthrough(`{type: IP, value: 10.0.0.1}`), ""},
		"passthrough to an IPv6 range":         {passthrough(`{type: CIDR, value: 2001:db8::/32}`), ""},
		"passthrough, star inside":             {passthrough(`{type: Domain, value: a.*.com, protocol: tls}`), "spec.default.appendMatch[0].value"},
		"passthrough, wildcard of one":         {passthrough(`{type: Domain, value: "*.com", protocol: tls}`), ""},
		"passthrough, database by name":        {passthrough(`{type: Domain, value: a.com, protocol: mysql, port: 3306}`), "spec.default.appendMatch[0].protocol"},
		"passthrough, ports that differ":       {passthrough(`{type: IP, value: 10.0.0.1, port: 80}, {type: IP, value: 10.0.0.1, port: 81}, {type: IP, value: 10.0.0.1}`), ""},
		"passthrough, default protocol twice":  {passthrough(`{type: IP, value: 10.0.0.1, port: 80}, {type: IP, value: 10.0.0.1, port: 80, protocol: tcp}`), "spec.default.appendMatch[1].value"},
		"passthrough, protocols that do share": {passthrough(`{type: IP, value: 10.0.0.1, port: 80, protocol: http}, {type: IP, value: 10.0.0.2, port: 80, protocol: tls}`), ""},
		"TLS, one version is automatic": {`
type: MeshTLS
name: a
spec:
  rules:
    - default:
        tlsVersion: {min: TLS13, max: TLSAuto}
`, ""},
		"TLS, lowest version only": {`
type: MeshTLS
name: a
spec:
  rules:
    - default: {tlsVersion: {min: TLS13}}
`, ""},
		"TLS of a subset": {`
type: MeshTLS
name: a
spec:
  targetRef: {kind: MeshSubset}
  from:
    - targetRef: {kind: Mesh}
      default: {tlsVersion: {}}
`, "spec.from? spec.from[0].default.tlsVersion spec.targetRef.kind?"},
		"TLS without entries": {`
type: MeshTLS
name: a
spec: {rules: [], from: []}
`, ""},
		"permission for a service": {
			`
type: MeshTrafficPermission
name: a
spec:
  from:
    - targetRef: {kind: MeshService, name: b}
      default: {action: Allow}
`, "spec.from? spec.from[0].targetRef.kind?",
		},
		"patch that adds no object":            {proxyPatch(`cluster: {operation: Add, value: "- a"}`), "spec.default.appendModifications[0].cluster.value"},
		"patch that adds no YAML":              {proxyPatch(`cluster: {operation: Add, value: "a: [b"}`), "spec.default.appendModifications[0].cluster.value"},
		"patch that adds nothing":              {proxyPatch(`cluster: {operation: Add, value: ""}`), "spec.default.appendModifications[0].cluster.value"},
		"patch that adds JSON":                 {proxyPatch(`cluster: {operation: Add, value: '{"name": "a"}'}`), ""},
		"patch with a part of a cluster":       {proxyPatch(`cluster: {operation: Patch, value: "connectTimeout: 1s"}`), ""},
		"patch with a listener without a name": {proxyPatch(`listener: {operation: Add, value: "trafficDirection: INBOUND"}`), ""},
		"patch with a filter without a name":   {proxyPatch(`networkFilter: {operation: AddLast, value: "typedConfig: {}"}`), "spec.default.appendModifications[0].networkFilter.value"},
		"patch with a host without domains":    {proxyPatch(`virtualHost: {operation: Add, match: {}, value: "name: a"}`), "spec.default.appendModifications[0].virtualHost.value"},
		"patch that removes by a patch":        {proxyPatch(`listener: {operation: Remove, jsonPatches: [{op: remove, path: /a}]}`), ""},
		"patch that adds by a patch":           {proxyPatch(`httpFilter: {operation: AddFirst, jsonPatches: [{op: remove, path: /a}]}`), "spec.default.appendModifications[0].httpFilter.value"},
		"patch that puts false":                {proxyPatch(`cluster: {operation: Patch, jsonPatches: [{op: replace, path: "", value: false}]}`), ""},
		"patch behind a filter without a name": {proxyPatch(`networkFilter: {operation: AddAfter, match: {origin: inbound}, value: "name: a"}`), "spec.default.appendModifications[0].networkFilter.match.name"},
		"patch that removes all filters":       {proxyPatch(`networkFilter: {operation: Remove}`), ""},
		"patch that copies a value":            {proxyPatch(`cluster: {operation: Patch, jsonPatches: [{op: copy, path: /a, from: /b, value: 1}]}`), "spec.default.appendModifications[0].cluster.jsonPatches[0].value"},
		"metrics through a gateway's listener": {`
type: MeshMetric
name: a
spec:
  targetRef:
    kind: MeshGateway
    name: edge
    tags: {port: http}
`, ""},
		"metrics to a URL":                      {metrics(`openTelemetry: {endpoint: "http://otel:4317"}`), "spec.default.backends[0].openTelemetry.endpoint spec.default.backends[0].openTelemetry.endpoint?"},
		"metrics to a collector without labels": {metrics(`openTelemetry: {backendRef: {kind: MeshOpenTelemetryBackend}}`), "spec.default.backends[0].openTelemetry.backendRef"},
		"metrics to an empty endpoint":          {metrics(`openTelemetry: {endpoint: "", backendRef: {kind: MeshOpenTelemetryBackend, labels: {a: b}}}`), ""},
		"metrics to something else":             {metrics(`openTelemetry: {backendRef: {kind: MeshService, labels: {a: b}}}`), "spec.default.backends[0].openTelemetry.backendRef.kind"},
		"metrics without settings":              {metrics(`prometheus: {}`), "spec.default.backends[0].openTelemetry"},
		"traces to a host without a port":       {traces(`type: OpenTelemetry, openTelemetry: {endpoint: otel}`), "spec.default.backends[0].openTelemetry.endpoint?"},
		"traces to a path":                      {traces(`type: OpenTelemetry, openTelemetry: {endpoint: "otel:4317/v1"}`), "spec.default.backends[0].openTelemetry.endpoint spec.default.backends[0].openTelemetry.endpoint?"},
		"traces to Zipkin without a scheme":     {traces(`type: Zipkin, zipkin: {url: "zipkin:9411"}`), ""},
		"traces to an agent with a user":        {traces(`type: Datadog, datadog: {url: "http://me@dd:8126"}`), "spec.default.backends[0].datadog.url"},
		"traces to an agent at port zero":       {traces(`type: Datadog, datadog: {url: "http://dd:0"}`), "spec.default.backends[0].datadog.url"},
		"traces to an agent at an IPv6 address": {traces(`type: Datadog, datadog: {url: "http://[::1]:8126"}`), ""},
		"traces of nothing": {`
type: MeshTrace
name: a
spec:
  default:
    backends: []
    sampling: {overall: "0", random: 100, client: "7.25"}
`, ""},
		"TCP route without destinations": {`{type: MeshTCPRoute, name: a, spec: {}}`, ""},
		"service behind a display name":  {`{type: MeshService, name: ` + strings.Repeat("a", 70) + `, labels: {kuma.io/display-name: web}, spec: {}}`, ""},
		"long display name of a service": {
			`{type: MeshService, name: web, labels: {kuma.io/display-name: ` + strings.Repeat("a", 63) + `}, spec: {ports: [{port: 80, name: HTTP}]}}`, "spec.ports[0].name?",
		},
		"service with a dot": {`
type: MeshService
name: a.b
spec:
  ports: [{port: 80}]
`, "name? " + "name?"},
		"service with a dot, without ports": {`{type: MeshService, name: a.b, spec: {}}`, "name?"},
		"service in a mesh with a dot": {`
type: MeshService
name: a
mesh: m.n
spec:
  ports: [{port: 80}]
`, "mesh?"},

		"external service with a dot": {`
type: MeshExternalService
name: a.b
spec: {match: {port: 80}}
`, "name? " + "name?"},
		"external service by IP address":  {external(`endpoints: [{address: "::1", port: 80}]`), ""},
		"external service on any address": {external(`endpoints: [{address: 0.0.0.0, port: 80}]`), ""},
		"external service, extended":      {external(`extension: {type: a}, endpoints: [{address: a b, port: 80}], tls: {version: {min: TLS13, max: TLS12}, verification: {serverName: a b, clientKey: {}}}`), ""},
		"external service, versions":      {external(`tls: {version: {min: TLS12, max: TLS12}}`), ""},
		"external service, no highest":    {external(`tls: {version: {min: TLS13, max: TLSAuto}}`), ""},

		"services of several zones with a dot": {
			`
type: MeshMultiZoneService
name: a.b
spec:
  selector:
    meshService: {matchLabels: {a: b}}
  ports: [{port: 80, name: "1.1"}]
`,
			"name? " + "name? spec.ports[0].name?",
		},

		"template without actions":   {generator(`shop.local`), ""},
		"template with two dots":     {generator(`a..{{ .Mesh }}`), "spec.template"},
		"template with a function":   {generator(`{{ print .Name "-" (label "a") }}`), ""},
		"template, unknown function": {generator(`{{ lower .Name }}`), "spec.template"},
		"template without end":       {generator(`{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}`), "spec.template"},

		"gateway on one port": {
			gateway(`{port: 80, protocol: HTTP, hostname: a}, {port: 80, protocol: HTTP, hostname: b, resources: {connectionLimit: 1}}, {port: 80, protocol: HTTP, hostname: c, resources: {connectionLimit: 1}}`), "",
		},
		"gateway, all hosts by both names": {gateway(`{port: 80, protocol: TCP}, {port: 80, protocol: TCP, hostname: ""}`), "conf.listeners[0] conf.listeners[1]"},
		"gateway, wildcard inside":         {gateway(`{port: 80, protocol: HTTP, hostname: a.*.b}`), "conf.listeners[0].hostname"},
		"gateway, TLS without settings":    {gateway(`{port: 80, protocol: TLS}`), ""},
		"gateway, TLS passed on":           {gateway(`{port: 80, protocol: TLS, tls: {mode: PASSTHROUGH}}`), ""},
		"gateway, crossMesh over TCP":      {gateway(`{port: 80, protocol: TCP, crossMesh: true}`), ""},
		"gateway, crossMesh over HTTPS":    {gateway(`{port: 80, protocol: HTTPS, crossMesh: true}`), "conf.listeners[0].protocol"},
		"gateway, other port":              {gateway(`{port: 80, protocol: HTTP}, {port: 81, protocol: TCP}`), ""},

		"collector, path over gRPC": {`
type: MeshOpenTelemetryBackend
name: a
spec:
  protocol: grpc
  endpoint: {path: /a}
`, "spec.endpoint.path"},
		"collector, empty path over gRPC": {`
type: MeshOpenTelemetryBackend
name: a
spec: {endpoint: {path: ""}}
`, ""},
		"collector, fragment": {`
type: MeshOpenTelemetryBackend
name: a
spec:
  protocol: http
  endpoint: {path: "/a#b"}
`, "spec.endpoint.path"},

		"identity of SPIRE without settings":    {identity(`type: Spire, spire: {}`), ""},
		"identity of another provider":          {identity(`type: Spire, spire: {}, bundled: {ca: {certificate: {type: File, file: {path: a}}}, certificateParameters: {expiry: -1s}}`), ""},
		"identity, authority by another source": {identity(`type: Bundled, bundled: {ca: {certificate: {type: EnvVar, envVar: {name: a}, file: {path: a}}, privateKey: {type: InsecureInline, insecureInline: {value: ""}}}}`), "spec.provider.bundled.ca.privateKey.insecureInline.value"},
		"identity, generated and not":           {identity(`type: Bundled, bundled: {autogenerate: {enabled: false}}`), "spec.provider.bundled.ca"},
		"identity, dots in a path":              {identity(`type: Bundled, bundled: {ca: {certificate: {type: File, file: {path: /a..b}}, privateKey: {type: File, file: {path: /a/..}}}}`), "spec.provider.bundled.ca.privateKey.file.path"},
		"identity of a label": {`
type: MeshIdentity
name: a
spec:
  spiffeID: {path: '/{{ label "a" }}/{{ .Any }}'}
`, ""},

		"trust with an origin": {`
type: MeshTrust
name: a
spec:
  origin: {}
  trustDomain: a
  caBundles:
    - type: Pem
      pem: {value: "-----BEGIN X-----\n-----END X-----\n"}
`, "spec.origin?"},
		"zone with a dot": {`{type: Zone, name: a.b}`, "name?"},

		"ingress by host name": {`
type: ZoneIngress
name: a
networking:
  address: a.b
  port: 80
  admin: {port: 80}
`, ""},
		"ingress on another loopback": {`
type: ZoneIngress
name: a
networking:
  address: "::1"
  port: 80
  admin: {port: 80}
`, "networking.admin.port"},
		"ingress, zero port to tell": {`{type: ZoneIngress, name: a, networking: {port: 80, advertisedAddress: "", advertisedPort: 0}}`, ""},
		"log line without fields":    {logging + `[{type: Tcp, tcp: {address: "a:10", format: {type: Json, json: [{key: "", value: ""}]}}}]}}]}}`, "spec.to[0].default.backends[0].tcp.format.json[0].key spec.to[0].default.backends[0].tcp.format.json[0].value"},
		"log line with quotes":       {logging + `[{type: File, file: {path: 'C:\log', format: {type: Json, json: [{key: a, value: 'say \"hi\"'}]}}}]}}]}}`, ""},
		"log format not used":        {logging + `[{type: File, file: {path: /a, format: {type: Plain, plain: a, json: []}}, tcp: {address: " "}}]}}]}}`, ""},
		"log receiver on IPv6":       {logging + `[{type: Tcp, tcp: {address: "[::1]:5000"}}]}}]}}`, ""},
		"log receiver without host": {
			logging + `[{type: Tcp, tcp: {address: ":5000"}}]}}]}}`, "spec.to[0].default.backends[0].tcp.address",
		},
		"log without conditions": {`
type: MeshAccessLog
name: web
spec:
  rules:
    - matches: [{}]
      default: {backends: []}
`, ""},
		"collector named in blank": {logging + `[{type: OpenTelemetry, openTelemetry: {endpoint: "", backendRef: {kind: MeshOpenTelemetryBackend, labels: {a: b}}}}]}}]}}`, ""},

		"panic of a circuit breaker": {`
type: MeshCircuitBreaker
name: web
spec:
  rules:
    - default:
        outlierDetection: {disabled: true, healthyPanicThreshold: many}
`, "spec.rules[0].default.outlierDetection.detectors spec.rules[0].default.outlierDetection.healthyPanicThreshold"},

		"faults of sidecars and gateways":   {faults + `{targetRef: {kind: Mesh, proxyTypes: [Sidecar, Gateway]}, to: [{targetRef: {kind: Mesh}}], from: [{targetRef: {kind: Mesh}}]}}`, "spec.from spec.from?"},
		"faults of sidecars":                {faults + `{targetRef: {kind: Dataplane}, to: [{targetRef: {kind: Mesh}}], rules: [{default: {}}]}}`, "spec.to"},
		"faults of gateways, rules as well": {faults + `{targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}}], rules: [{default: {}}]}}`, ""},
		"faults of nothing":                 {faults + `{to: [], from: [], rules: []}}`, ""},
		"fault without digits":              {faults + `{rules: [{default: {http: [{responseBandwidth: {limit: kbps, percentage: ".5"}}]}}]}}`, ""},

		"health check without host": {`
type: MeshHealthCheck
name: web
spec:
  to:
    - targetRef: {kind: Mesh}
      default:
        http:
          path: health
          expectedStatuses: [99]
        initialJitter: 0s
`, "spec.to[0].default.http.expectedStatuses[0] spec.to[0].default.initialJitter"},

		"hash of the address, outside":   {balancing + `{hashPolicies: [{type: SourceIP, connection: {}}]}}]}}`, ""},
		"hash of the address, inside":    {balancing + `{loadBalancer: {type: Maglev, maglev: {hashPolicies: [{type: SourceIP}]}}}}]}}`, "spec.to[0].default.loadBalancer.maglev.hashPolicies? spec.to[0].default.loadBalancer.maglev.hashPolicies[0].connection spec.to[0].default.loadBalancer.maglev.hashPolicies[0].type?"},
		"hash of another algorithm":      {balancing + `{loadBalancer: {type: Random, maglev: {hashPolicies: [{type: Header}]}}}}]}}`, ""},
		"hash policies in two places":    {balancing + `{hashPolicies: [], loadBalancer: {type: Random, maglev: {hashPolicies: [{type: Header}]}}}}]}}`, "spec.to[0].default.loadBalancer.maglev.hashPolicies"},
		"hash of a cookie not used":      {balancing + `{hashPolicies: [{type: Header, header: {name: a}, cookie: {name: a, path: a}}]}}]}}`, ""},
		"zones of clients without names": {balancing + `{localityAwareness: {crossZone: {failover: [{from: {zones: [""]}, to: {type: AnyExcept}}]}}}}]}}`, "spec.to[0].default.localityAwareness.crossZone.failover[0].from.zones[0] spec.to[0].default.localityAwareness.crossZone.failover[0].to.zones"},
		"threshold of all zones":         {balancing + `{localityAwareness: {crossZone: {failoverThreshold: {percentage: 1e2}}}}}]}}`, ""},
		"threshold above all":            {balancing + `{localityAwareness: {crossZone: {failoverThreshold: {percentage: "100.1"}}}}}]}}`, "spec.to[0].default.localityAwareness.crossZone.failoverThreshold.percentage"},
		"other zones for services by label": {
			`
type: MeshLoadBalancingStrategy
name: web
spec:
  to:
    - targetRef: {kind: MeshService, labels: {a: b}}
      default:
        localityAwareness: {crossZone: {}}
`,
			"spec.to[0].default.localityAwareness.crossZone",
		},
		"gateway with hashes per route": {
			`
type: MeshLoadBalancingStrategy
name: web
spec:
  targetRef: {kind: MeshGateway, name: edge}
  to:
    - targetRef: {kind: MeshHTTPRoute, name: a}
    - targetRef: {kind: MeshService, name: a}
`,
			"spec.to[0].targetRef.kind",
		},

		"limit of a route":             {`{type: MeshRateLimit, name: web, spec: {targetRef: {kind: MeshHTTPRoute, name: a}, to: [{targetRef: {kind: Mesh}, ` + limit + `}]}}`, "spec.targetRef.kind?"},
		"limit of gateways only":       {`{type: MeshRateLimit, name: web, spec: {targetRef: {kind: MeshSubset, proxyTypes: [Gateway]}, rules: [{` + limit + `}]}}`, "spec.rules spec.targetRef.kind?"},
		"limit of connections by name": {`{type: MeshRateLimit, name: web, spec: {targetRef: {kind: Dataplane}, rules: [{matches: [{sni: {type: Exact, value: a}}], ` + limit + `}]}}`, ""},

		"retry after a status":       {retry + `{retryOn: ["503", "599", 5XX, Gatewayerror]}}}]}}`, "spec.to[0].default.http.retryOn[1] spec.to[0].default.http.retryOn[2] spec.to[0].default.http.retryOn[3]"},
		"retry on no other priority": {retry + `{hostSelection: [{predicate: OmitPreviousHosts, updateFrequency: 0}]}}}]}}`, ""},
		"retry more than 32 bits":    {retry + `{numRetries: 4294967296}}}]}}`, "spec.to[0].default.http.numRetries"},
		"retry at a gateway's service": {
			`
type: MeshRetry
name: web
spec:
  targetRef: {kind: MeshGateway, name: edge}
  to:
    - targetRef: {kind: MeshMultiZoneService, name: web}
      default: {tcp: {maxConnectAttempt: 1}}
`,
			"spec.to[0].targetRef.kind",
		},
		"retry without entries": {`{type: MeshRetry, name: web, spec: {}}`, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := testworld.Document(t, tt.yaml)
			var got []string
			for _, p := range kind(t, doc).Validate(doc) {
				at := p.Path.String()
				if p.Warning {
					at += "?"
				}
				got = append(got, at)
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("problems at %q, want %q", got, tt.want)
			}
		})
	}
}

// TestStageOfCount checks that a number that does not fit is found with what the
// schema requires.
func TestStageOfCount(t *testing.T) {
	t.Parallel()
	for count, want := range map[string]def.Stage{"-1": def.Decode, "0": def.Rule, "2147483648": def.Schema, "9223372036854775807": def.Schema} {
		r := testworld.Resources(t, `{type: MeshCircuitBreaker, mesh: m, name: a, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionLimits: {maxConnections: `+count+`}}}]}}`)[0]
		problems := kinds.MeshCircuitBreaker.Validate(r.Document())
		if len(problems) != 1 || problems[0].Stage != want {
			t.Errorf("%s: %+v, want stage %d", count, problems, want)
		}
	}
}
