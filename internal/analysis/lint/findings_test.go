package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// Documents of the worlds below.
const (
	anExclusiveMesh = "{type: Mesh, name: default, meshServices: {mode: Exclusive}}"
	mutualTLSMesh   = "{type: Mesh, name: default, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}"
	web             = `
type: Dataplane
name: web-1
labels: {app: web}
networking:
  address: 10.0.0.1
  inbound:
    - port: 8080
      name: http
      tags: {kuma.io/service: web, version: v1}
`
	batch = `
type: Dataplane
name: batch-1
labels: {app: batch}
networking:
  address: 10.0.0.2
  inbound:
    - port: 8080
      tags: {kuma.io/service: batch}
`
	kong          = "{type: Dataplane, name: kong-1, labels: {app: kong}, networking: {address: 10.0.0.9, gateway: {tags: {kuma.io/service: kong}}}}"
	ofKong        = "{type: MeshTrafficPermission, name: p, spec: {targetRef: {kind: Dataplane, labels: {app: kong}}, rules: [{default: {allow: [{spiffeID: {type: Prefix, value: 'spiffe://td'}}]}}]}}"
	httpPayments  = "{type: MeshService, name: payments, labels: {app: payments}, spec: {ports: [{port: 80, name: http, appProtocol: http}]}}"
	callsPayments = "{type: Dataplane, name: shop-1, networking: {address: 10.0.0.3, inbound: [{port: 8080}], outbound: [{port: 80, backendRef: {kind: MeshService, name: payments, port: 80}}]}}"
	aTCPRoute     = "{type: MeshTCPRoute, name: t, spec: {to: [{targetRef: {kind: MeshService, name: payments}, rules: [{default: {backendRefs: [{kind: MeshService, name: payments, port: 80}]}}]}]}}"
	grpcService   = "{type: MeshService, name: s, spec: {ports: [{port: 80, appProtocol: grpc}]}}"
	payments      = `
type: MeshService
name: payments
labels: {app: payments}
spec:
  ports: [{port: 80, name: http}]
`
	aRoute = `
type: MeshHTTPRoute
name: r
labels: {app: payments}
spec:
  to:
    - targetRef: {kind: MeshService, name: payments}
      rules:
        - matches:
            - {path: {type: PathPrefix, value: /}}
          default:
            backendRefs:
              - {kind: MeshService, name: payments, port: 80}
`
)

// A transparent proxy, and routes to a service by its tag, and of a gateway.
const (
	front = `
type: Dataplane
name: front-1
labels: {app: front}
networking:
  address: 10.0.0.3
  inbound: [{port: 8080, tags: {kuma.io/service: front}}]
  transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}
`
	external     = "{type: ExternalService, name: bank-1, tags: {kuma.io/service: bank, v: b}, networking: {address: 'bank.test:443'}}"
	byTag        = "{type: Dataplane, name: back-1, networking: {address: 10.0.0.4, inbound: [{port: 8080, tags: {kuma.io/service: back}}], outbound: [{port: 9000, tags: {kuma.io/service: web}}]}}"
	tagRoute     = "{type: MeshHTTPRoute, name: r, spec: {to: [{targetRef: {kind: MeshService, name: front}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, name: front}]}}]}]}}"
	gatewayRoute = "{type: MeshHTTPRoute, name: r, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, name: web}]}}]}]}}"
)

// serving returns a MeshService with a selector and one port.
func serving(selector string, port int) string {
	return fmt.Sprintf("{type: MeshService, name: s, spec: {selector: {%s}, ports: [{port: %d}]}}", selector, port)
}

// named returns a MeshService of the proxies with the label app: web.
func named(name string) string {
	return fmt.Sprintf("{type: MeshService, name: %s, labels: {app: payments}, spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 80, targetPort: 8080}]}}", name)
}

// sharedName returns a HostnameGenerator for MeshServices.
func sharedName(labels, template string) string {
	return fmt.Sprintf("{type: HostnameGenerator, name: h, spec: {selector: {meshService: {matchLabels: %s}}, template: '%s'}}", labels, template)
}

// inZone returns a document of a zone, as the global control plane has it.
func inZone(document, zone string) string {
	return strings.Replace(document, "labels: {", "labels: {kuma.io/origin: zone, kuma.io/zone: "+zone+", ", 1)
}

// timeout returns a MeshTimeout with the given fields of its spec.
func timeout(name, fields string) string {
	return fmt.Sprintf("{type: MeshTimeout, name: %s, spec: {%s}}", name, fields)
}

// retry returns a MeshRetry with one entry in `to`.
func retry(name, ref, conf string) string {
	return fmt.Sprintf("{type: MeshRetry, name: %s, spec: {to: [{targetRef: %s, default: %s}]}}", name, ref, conf)
}

// to returns an entry of `to` with a request timeout.
func to(ref, requestTimeout string) string {
	return fmt.Sprintf("{targetRef: %s, default: {http: {requestTimeout: %s}}}", ref, requestTimeout)
}

// routeTo returns a MeshHTTPRoute that sends all requests to one backend.
func routeTo(backend string) string {
	return fmt.Sprintf("{type: MeshHTTPRoute, name: r, spec: {to: [{targetRef: {kind: Mesh}, rules: [{matches: [], default: {backendRefs: [%s]}}]}]}}", backend)
}

// Matches of routes.
const (
	prefixV2 = "path: {type: PathPrefix, value: /v2}"
	regexV2  = "path: {type: RegularExpression, value: '/v2/[a-z]+'}"
)

// rule returns a rule of a route with one match.
func rule(match string) string { return "{matches: [{" + match + "}], default: {}}" }

// unreachable returns a route with rules for a service, and a proxy that has it.
func unreachable(list ...string) []string {
	return []string{web, payments, "{type: MeshHTTPRoute, name: r, spec: {to: [{targetRef: {kind: MeshService, name: payments}, rules: [" + strings.Join(list, ", ") + "]}]}}"}
}

// reachable returns a Dataplane of a transparent proxy with a reference to a kind of service.
func reachable(ref string) string {
	return fmt.Sprintf("{type: Dataplane, name: shop-1, networking: {address: 10.0.0.3, inbound: [{port: 8080}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001, reachableBackends: {refs: [{kind: %s}]}}}}", ref)
}

// passthrough returns a MeshPassthrough for one domain.
func passthrough(name, fields string) string {
	return fmt.Sprintf("{type: MeshPassthrough, name: %s, spec: {default: {passthroughMode: Matched, appendMatch: [{type: Domain, value: %s.test, %s}]}}}", name, name, fields)
}

// mirrorTo returns a route that copies requests to a service.
func mirrorTo(backend, service string) string {
	return fmt.Sprintf("{type: MeshHTTPRoute, name: m, spec: {to: [{targetRef: {kind: MeshService, name: %s}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {filters: [{type: RequestMirror, requestMirror: {backendRef: %s}}]}}]}]}}", service, backend)
}

// patch returns a MeshProxyPatch with one modification.
func patch(modification string) string {
	return fmt.Sprintf("{type: MeshProxyPatch, name: p, spec: {default: {appendModifications: [{%s}]}}}", modification)
}

// identity returns a MeshIdentity for all proxies with fields of its spiffeID.
func identity(format string) string {
	return fmt.Sprintf("{type: MeshIdentity, name: i, spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {%s}, provider: {type: Spire, spire: {}}}}", format)
}

func metrics(port int) string {
	return fmt.Sprintf("{type: MeshMetric, name: m, spec: {default: {backends: [{type: Prometheus, prometheus: {port: %d}}]}}}", port)
}

func limitTo(top string) string {
	return "{type: MeshRateLimit, name: l, spec: {targetRef: " + top + ", to: [{targetRef: {kind: Mesh}, default: {local: {http: {requestRate: {num: 1, interval: 1s}}}}}]}}"
}

// Parts of a MeshRetry and a MeshRateLimit.
const (
	anySPIFFEID = "spiffe://td"
	limitOfFive = "requestRate: {num: 5, interval: 1s}"
)

// limitOf returns a MeshRateLimit with limits for the clients with a prefix and for one client.
func limitOf(name, prefix, forMany, id, forOne string) string {
	const entry = "{matches: [{spiffeID: {type: %s, value: '%s'}}], default: {local: {http: {%s}}}}"
	return fmt.Sprintf("{type: MeshRateLimit, name: %s, spec: {targetRef: {kind: Dataplane}, rules: ["+entry+", "+entry+"]}}",
		name, "Prefix", prefix, forMany, "Exact", id, forOne)
}

// callsUntagged is a service whose inbound has no tags, and a client.
const callsUntagged = `{type: Dataplane, name: untagged, labels: {app: untagged}, networking: {address: 10.0.0.9, inbound: [{port: 80}]}}
---
{type: MeshService, name: untagged, labels: {app: untagged}, spec: {selector: {dataplaneLabels: {matchLabels: {app: untagged}}}, ports: [{port: 80, targetPort: 80}]}}
---
{type: Dataplane, name: caller, networking: {address: 10.0.0.8, inbound: [{port: 80, tags: {kuma.io/service: caller}}], outbound: [{port: 1, backendRef: {kind: MeshService, name: untagged, port: 80}}]}}`

var callsUntaggedZones = strings.Replace(callsUntagged, "MeshService, name: untagged, port", "MeshMultiZoneService, labels: {app: zones}, port", 1) +
	"\n---\n{type: MeshMultiZoneService, name: zones, labels: {app: zones}, spec: {selector: {meshService: {matchLabels: {app: untagged}}}, ports: [{port: 80}]}}"

const crossZone = "{type: MeshLoadBalancingStrategy, name: l, spec: {to: [{targetRef: {kind: Mesh}, default: {localityAwareness: {crossZone: {failover: [{to: {type: Only, zones: [other]}}]}}}}]}}"

func localZone(more string) string {
	return "{type: MeshLoadBalancingStrategy, name: l, spec: {to: [{targetRef: {kind: Mesh}, default: {localityAwareness: {localZone: {}" + more + "}}}]}}"
}

func affinity(key string) string {
	return "{type: MeshLoadBalancingStrategy, name: l, spec: {to: [{targetRef: {kind: MeshService, name: payments}, default: {localityAwareness: {localZone: {affinityTags: [{key: " + key + "}]}}}}]}}"
}

func serverName(value string) string {
	return "{type: MeshTrafficPermission, name: p, spec: {rules: [{default: {allow: [{sni: {type: Exact, value: " + value + "}}]}}]}}"
}

// tcpListener are listeners for HTTP and TCP.
var tcpListener = strings.Replace(twoListeners[1], "port: 81, protocol: HTTP", "port: 81, protocol: TCP", 1)

// throughGateway are a builtin gateway and its listener.
func throughGateway() []string {
	return []string{
		"{type: Dataplane, name: edge-1, networking: {address: 10.0.0.9, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}}",
		"{type: MeshGateway, name: edge, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [{port: 80, protocol: HTTP}]}}",
	}
}

// toZone are a client and the service of another zone that it refers to, with what the ZoneIngress there advertises, as a control
// plane has them that gives services this origin.
func toZone(origin, advertised string) []string {
	return []string{
		"{type: Mesh, name: default, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}",
		strings.Replace(callsPayments, "name: shop-1", "name: shop-1, labels: {kuma.io/zone: east}", 1),
		strings.Replace(httpPayments, "app: payments}", "kuma.io/zone: west, kuma.io/origin: "+origin+"}", 1),
		"{type: ZoneIngress, name: west, zone: west, networking: {address: 10.0.0.9, port: 10001" + advertised + "}}",
	}
}

// twoListeners are a builtin gateway and its listeners, which have tags.
var twoListeners = []string{
	"{type: Dataplane, name: edge-1, networking: {address: 10.0.0.9, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}}",
	"{type: MeshGateway, name: edge, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [{port: 80, protocol: HTTP, tags: {port: a}}, {port: 81, protocol: HTTP, tags: {port: b}}]}}",
}

// routeToWeb is the conf of an entry of a route.
const routeToWeb = "rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, name: web}]}}]"

func timeoutOf(requests string) string { return "default: {http: {requestTimeout: " + requests + "}}" }

// onListener returns a policy for all destinations of one of these listeners.
func onListener(kind, name, port, conf string) string {
	return fmt.Sprintf("{type: %s, name: %s, spec: {targetRef: {kind: MeshGateway, name: edge, tags: {port: %s}}, to: [{targetRef: {kind: Mesh}, %s}]}}", kind, name, port, conf)
}

// throughEgress are a client of an external service, a zone egress, and a MeshIdentity.
func throughEgress(selector string) []string {
	return []string{
		anExclusiveMesh, strings.Replace(identity("trustDomain: td, path: /x"), "matchLabels: {}", "matchLabels: "+selector, 1),
		"{type: MeshExternalService, name: ext, labels: {app: ext}, spec: {match: {type: HostnameGenerator, port: 443, protocol: http}, endpoints: [{address: 10.9.9.9, port: 8443}]}}",
		"{type: Dataplane, name: egress, networking: {address: 10.0.0.8, listeners: [{type: ZoneEgress, address: 10.0.0.8, port: 10002, name: egress}]}}",
		"{type: Dataplane, name: web-1, labels: {app: web}, networking: {address: 10.0.0.9, inbound: [{port: 80, tags: {kuma.io/service: web}}], outbound: [{port: 1, backendRef: {kind: MeshExternalService, labels: {app: ext}, port: 443}}]}}",
	}
}

// TestFindings compares the resources and paths of the findings in small worlds.
func TestFindings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		code string // other codes are ignored
		docs []string
		want string
	}{
		"name of a tag":                      {"dangling-target", []string{web, payments, timeout("t", "to: ["+to("{kind: MeshService, name: web}", "1s")+"]")}, ""},
		"name of a tag in an exclusive mesh": {"dangling-target", []string{anExclusiveMesh, web, payments, timeout("t", "to: ["+to("{kind: MeshService, name: web}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"name in a mesh without tags":        {"dangling-target", []string{timeout("t", "to: ["+to("{kind: MeshService, name: web}", "1s")+"]")}, ""},
		"tag of an outbound, also Exclusive": {"dangling-target", []string{anExclusiveMesh, web, byTag, timeout("t", "to: ["+to("{kind: MeshService, name: web}", "1s")+"]")}, ""},
		"label of a control plane":           {"dangling-target", []string{payments, timeout("t", "to: ["+to("{kind: MeshService, labels: {app: payments, kuma.io/zone: east}}", "1s")+"]")}, ""},
		"labels without a match":             {"dangling-target", []string{payments, timeout("t", "to: ["+to("{kind: MeshService, labels: {app: x}}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"missing external service":           {"dangling-target", []string{timeout("t", "to: ["+to("{kind: MeshExternalService, name: x}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"missing route":                      {"dangling-target", []string{timeout("t", "to: ["+to("{kind: MeshHTTPRoute, name: x}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"missing route in the top reference": {"dangling-target", []string{web, timeout("t", "targetRef: {kind: MeshHTTPRoute, name: x}")}, "t spec.targetRef"},
		"missing proxy":                      {"dangling-target", []string{web, timeout("t", "targetRef: {kind: Dataplane, name: x}")}, "t spec.targetRef"},
		"tag of an ExternalService":          {"dangling-target", []string{web, external, timeout("t", "to: ["+to("{kind: MeshService, name: bank}", "1s")+"]")}, ""},
		"existing proxy":                     {"dangling-target", []string{web, timeout("t", "targetRef: {kind: Dataplane, name: web-1}")}, ""},
		"shadow": {"dangling-target", []string{`
type: MeshTimeout
name: t
labels: {kuma.io/effect: shadow}
spec:
  targetRef: {kind: MeshGateway, name: x}
`}, ""},
		"entries without a destination": {"dangling-target", []string{timeout("t", "to: [{targetRef: {kind: MeshSubset, tags: {a: b}}}, {targetRef: web}, {}]")}, ""},

		"backend by tags of an ExternalService":   {"dangling-backend", []string{payments, external, routeTo("{kind: MeshServiceSubset, name: bank, tags: {v: b}}")}, ""},
		"backend without such an ExternalService": {"dangling-backend", []string{payments, external, routeTo("{kind: MeshServiceSubset, name: bank, tags: {v: c}}")}, "r spec.to[0].rules[0].default.backendRefs[0]"},

		"missing section of a backend":    {"dangling-section", []string{payments, routeTo("{kind: MeshService, name: payments, sectionName: grpc}")}, "r spec.to[0].rules[0].default.backendRefs[0]"},
		"missing section beside a port":   {"dangling-section", []string{payments, routeTo("{kind: MeshService, name: payments, sectionName: grpc, port: 80}")}, "r spec.to[0].rules[0].default.backendRefs[0]"},
		"section by the number of a port": {"dangling-section", []string{payments, routeTo("{kind: MeshService, name: payments, sectionName: '80', port: 81}")}, ""},
		"port of a mirror to a tag":       {"dangling-section", []string{web, payments, "{type: MeshService, name: web, spec: {ports: [{port: 80}]}}", mirrorTo("{kind: MeshService, name: web, port: 81}", "payments")}, ""},
		"number of a named port":          {"dangling-section", []string{payments, timeout("t", "to: ["+to("{kind: MeshService, name: payments, sectionName: '80'}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"section of a missing service":    {"dangling-section", []string{payments, timeout("t", "to: ["+to("{kind: MeshService, name: x, sectionName: http}", "1s")+"]")}, ""},
		"port of a service without ports": {"dangling-section", []string{"{type: MeshService, name: x, spec: {}}", routeTo("{kind: MeshService, name: x, port: 80}")}, "r spec.to[0].rules[0].default.backendRefs[0]"},

		"no workload for the default path":  {"no-spiffe-id", []string{anExclusiveMesh, web, identity("")}, "i spec.spiffeID.path"},
		"neither tag nor workload":          {"no-spiffe-id", []string{mutualTLSMesh, "{type: Dataplane, name: d, networking: {address: 10.0.0.9, inbound: [{port: 80}]}}"}, "default mtls"},
		"workload instead of a tag":         {"no-spiffe-id", []string{mutualTLSMesh, "{type: Dataplane, name: d, labels: {kuma.io/workload: d}, networking: {address: 10.0.0.9, inbound: [{port: 80}]}}"}, ""},
		"no label in a mesh with tags":      {"no-spiffe-id", []string{web, identity("")}, ""},
		"client beside one without a label": {"matches-no-client", []string{anExclusiveMesh, web, batch, identity(`path: '/{{ label "only" }}', trustDomain: td`), "{type: Dataplane, name: only-1, labels: {only: a}, networking: {address: 10.0.0.9, inbound: [{port: 80, tags: {kuma.io/service: a}}]}}", "{type: MeshTrafficPermission, name: p, spec: {rules: [{default: {allow: [{spiffeID: {type: Exact, value: 'spiffe://td/b'}}]}}]}}"}, "p spec.rules[0].default.allow[0].spiffeID"},
		"trust domain that is not rendered": {"matches-no-client", []string{anExclusiveMesh, web, identity(`trustDomain: '{{ label "app" }}', path: /x`), "{type: MeshTrafficPermission, name: p, spec: {rules: [{default: {allow: [{spiffeID: {type: Exact, value: 'spiffe://td/b'}}]}}]}}"}, ""},

		"mirror to an unknown tag":                  {"proxies-frozen", []string{web, testworld.Edited(t, front, "kuma.io/service: front", "kuma.io/service: front, kuma.io/protocol: http"), mirrorTo("{kind: MeshService, name: nope, port: 80}", "front")}, "m spec.to[0].rules[0].default.filters[0].requestMirror.backendRef"},
		"mirror to the tag of an HTTP service":      {"proxies-frozen", []string{web, testworld.Edited(t, front, "kuma.io/service: front", "kuma.io/service: front, kuma.io/protocol: http"), mirrorTo("{kind: MeshService, name: front, port: 80}", "front")}, ""},
		"mirror to the tag of TCP":                  {"proxies-frozen", []string{testworld.Edited(t, front, "kuma.io/service: front", "kuma.io/service: front, kuma.io/protocol: http"), web, mirrorTo("{kind: MeshService, name: web}", "front")}, "m spec.to[0].rules[0].default.filters[0].requestMirror.backendRef"},
		"mirror of requests to TCP":                 {"proxies-frozen", []string{front, web, mirrorTo("{kind: MeshService, name: nope}", "web")}, ""},
		"passthrough of two protocols":              {"proxies-frozen", []string{front, passthrough("a", "port: 80, protocol: http"), passthrough("b", "port: 80, protocol: grpc")}, "a spec.default.appendMatch[0]"},
		"passthrough of two without a port":         {"proxies-frozen", []string{front, passthrough("a", "protocol: http"), passthrough("b", "protocol: http2")}, "a spec.default.appendMatch[0]"},
		"passthrough of one without a port":         {"proxies-frozen", []string{front, passthrough("a", "port: 80, protocol: http"), passthrough("b", "protocol: grpc")}, ""},
		"passthrough of HTTP and TLS":               {"proxies-frozen", []string{front, passthrough("a", "port: 80, protocol: http"), passthrough("b", "port: 80, protocol: tls")}, ""},
		"passthrough of other proxies":              {"proxies-frozen", []string{web, passthrough("a", "port: 80, protocol: http"), passthrough("b", "port: 80, protocol: grpc")}, ""},
		"passthrough of nothing":                    {"proxies-frozen", []string{front, strings.Replace(passthrough("a", "port: 80, protocol: http"), "Matched", "None", 1), passthrough("b", "port: 80, protocol: grpc")}, ""},
		"gateway without a route":                   {"proxies-frozen", throughGateway(), ""},
		"gateway listener without a route":          {"proxies-frozen", []string{web, twoListeners[0], twoListeners[1], onListener("MeshHTTPRoute", "r", "a", routeToWeb)}, "edge conf.listeners[1]"},
		"gateway with a route":                      {"proxies-frozen", append(throughGateway(), "{type: MeshHTTPRoute, name: r, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, name: payments, port: 80}]}}]}]}}"), ""},
		"route for sidecars on a gateway":           {"proxies-frozen", append(throughGateway(), payments, "{type: MeshHTTPRoute, name: r, spec: {to: [{targetRef: {kind: MeshService, name: payments}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {}}]}]}}"), "r spec.to[0].rules[0].default"},
		"zone egress without an identity":           {"proxies-frozen", throughEgress("{app: web}"), "egress networking.listeners"},
		"zone egress with an identity":              {"proxies-frozen", throughEgress("{}"), ""},
		"redirect after a rewrite":                  {"proxies-frozen", []string{payments, "{type: MeshHTTPRoute, name: r, spec: {to: [{rules: [{default: {filters: [{type: URLRewrite, urlRewrite: {hostname: x}}, {type: RequestRedirect, requestRedirect: {}}]}}]}]}}"}, ""},
		"regular expression behind its prefix":      {"route-unreachable", unreachable(rule(regexV2), rule(prefixV2)), "r spec.to[0].rules[0].matches[0]"},
		"regular expression behind another prefix":  {"route-unreachable", unreachable(rule(regexV2), rule("path: {type: PathPrefix, value: /v}")), ""},
		"regular expression behind a method":        {"route-unreachable", unreachable(rule(regexV2), rule(prefixV2+", method: GET")), ""},
		"same method behind its prefix":             {"route-unreachable", unreachable(rule(regexV2+", method: GET"), rule(prefixV2+", method: GET")), "r spec.to[0].rules[0].matches[0]"},
		"header without a path behind the prefix /": {"route-unreachable", unreachable(rule("headers: [{name: a, value: '1'}]"), rule("path: {type: PathPrefix, value: /}")), "r spec.to[0].rules[0].matches[0]"},
		"longer prefix behind a shorter one":        {"route-unreachable", unreachable(rule("path: {type: PathPrefix, value: /}"), rule(prefixV2)), ""},
		"equal match in a longer list":              {"route-unreachable", unreachable(rule(prefixV2), "{matches: [{path: {type: Exact, value: /x}}, {"+prefixV2+"}], default: {}}"), "r spec.to[0].rules[1].matches[1]"},
		"behind a prefix that proxies omit":         {"route-unreachable", unreachable(rule(regexV2), "{matches: [{"+prefixV2+"}], default: {backendRefs: [{kind: MeshService, name: payments, port: 80, weight: 0}]}}"), ""},

		"mirror to a tag with a port": {"dangling-backend", []string{web, payments, mirrorTo("{kind: MeshService, name: web, port: 81}", "payments")}, ""},
		"existing subset":             {"dangling-backend", []string{web, routeTo("{kind: MeshServiceSubset, name: web, tags: {version: v1}}")}, ""},
		"tag without a port":          {"backend-without-port", []string{web, routeTo("{kind: MeshService, name: web}")}, ""},
		"tag and service":             {"backend-without-port", []string{web, "{type: MeshService, name: web, spec: {ports: [{port: 80}]}}", routeTo("{kind: MeshService, name: web}")}, "r spec.to[0].rules[0].default.backendRefs[0]"},
		"mirror to a tag and service": {"backend-without-port", []string{
			web, "{type: MeshService, name: web, spec: {ports: [{port: 80}]}}",
			"{type: MeshHTTPRoute, name: r, spec: {to: [{targetRef: {kind: Mesh}, rules: [{matches: [], default: {filters: [{type: RequestMirror, requestMirror: {backendRef: {kind: MeshService, name: web}}}]}}]}]}}",
		}, ""},
		"labels without a port in a TCP route, which freeze proxies": {"backend-without-port", []string{payments, strings.Replace(aTCPRoute, "backendRefs: [{kind: MeshService, name: payments, port: 80}]", "backendRefs: [{kind: MeshService, labels: {app: payments}}]", 1)}, ""},
		"labels without a port":       {"backend-without-port", []string{web, payments, routeTo("{kind: MeshService, labels: {app: payments}}")}, "r spec.to[0].rules[0].default.backendRefs[0]"},
		"missing subset":              {"dangling-backend", []string{web, routeTo("{kind: MeshServiceSubset, name: web, tags: {version: v2}}")}, "r spec.to[0].rules[0].default.backendRefs[0]"},
		"subset in an exclusive mesh": {"dangling-backend", []string{anExclusiveMesh, web, routeTo("{kind: MeshServiceSubset, name: web, tags: {version: v1}}")}, ""},
		"tag as backend":              {"dangling-backend", []string{web, routeTo("{kind: MeshService, name: web}")}, ""},
		"tag in an exclusive mesh":    {"dangling-backend", []string{anExclusiveMesh, web, routeTo("{kind: MeshService, name: web}")}, ""},
		"no tag in an exclusive mesh": {"dangling-backend", []string{anExclusiveMesh, web, routeTo("{kind: MeshService, name: api}")}, "r spec.to[0].rules[0].default.backendRefs[0]"},
		"unknown tags":                {"dangling-backend", []string{routeTo("{kind: MeshService, name: web}")}, ""},
		"mirror to a missing service": {"dangling-backend", []string{payments, `
type: MeshHTTPRoute
name: r
spec:
  to:
    - rules:
        - default:
            filters:
              - type: RequestMirror
                requestMirror:
                  backendRef: {kind: MeshService, name: x, port: 80}
`}, "r spec.to[0].rules[0].default.filters[0].requestMirror.backendRef"},
		"backend of a TCP route": {"dangling-backend", []string{`
type: MeshTCPRoute
name: r
spec:
  to:
    - rules:
        - default:
            backendRefs:
              - {kind: MeshExternalService, name: x}
`}, "r spec.to[0].rules[0].default.backendRefs[0]"},
		"reference without a kind":                 {"dangling-backend", []string{routeTo("{name: x}")}, ""},
		"several external services":                {"ambiguous-backend", []string{"{type: MeshExternalService, name: a, labels: {app: x}, spec: {}}", "{type: MeshExternalService, name: b, labels: {app: x}, spec: {}}", routeTo("{kind: MeshExternalService, labels: {app: x}}")}, "r spec.to[0].rules[0].default.backendRefs[0]"},
		"outbound to several services":             {"ambiguous-backend", []string{payments, "{type: MeshService, name: p2, labels: {app: payments}, spec: {ports: [{port: 80}]}}", testworld.Edited(t, callsPayments, "name: payments", "labels: {app: payments}")}, "shop-1 networking.outbound[0].backendRef"},
		"several services that are reachable":      {"ambiguous-backend", []string{payments, "{type: MeshService, name: p2, labels: {app: payments}, spec: {ports: [{port: 80}]}}", reachable("MeshService, labels: {app: payments}, port: 80")}, "shop-1 networking.transparentProxying.reachableBackends.refs[0]"},
		"all ports of services that are reachable": {"ambiguous-backend", []string{payments, testworld.Edited(t, payments, "name: payments", "name: p2"), reachable("MeshService, labels: {app: payments}")}, ""},
		"several targets are allowed":              {"ambiguous-backend", []string{payments, "{type: MeshService, name: p2, labels: {app: payments}, spec: {}}", timeout("t", "to: ["+to("{kind: MeshService, labels: {app: payments}}", "1s")+"]")}, ""},

		"mesh without proxies": {"selects-no-proxy", []string{timeout("t", "targetRef: {kind: Dataplane, labels: {app: x}}")}, ""},
		"no matching proxy":    {"selects-no-proxy", []string{web, timeout("t", "targetRef: {kind: Dataplane, labels: {app: x}}"), timeout("u", "targetRef: {kind: MeshSubset, tags: {version: v1}}")}, "t spec.targetRef"},
		"proxies of another zone": {"selects-no-proxy", []string{`
type: Dataplane
name: dp
labels: {kuma.io/origin: zone, kuma.io/zone: east}
networking:
  address: 10.0.0.1
  inbound: [{port: 80}]
`, "{type: MeshTimeout, name: t, labels: {kuma.io/origin: zone, kuma.io/zone: west}, spec: {}}"}, "t "},
		"proxies of the route": {"selects-no-proxy", []string{web, `
type: MeshHTTPRoute
name: r
spec:
  targetRef: {kind: Dataplane, labels: {app: x}}
`, timeout("t", "targetRef: {kind: MeshHTTPRoute, name: r}")}, "r spec.targetRef, t spec.targetRef"},
		"initial policy of the mesh": {"selects-no-proxy", []string{web, `
type: MeshTimeout
name: mesh-gateways-timeout-all-default
spec:
  targetRef: {kind: Mesh, proxyTypes: [Gateway]}
`}, ""},
		"reported as dangling": {"selects-no-proxy", []string{web, timeout("t", "targetRef: {kind: MeshGateway, name: x}")}, ""},

		"MeshPassthrough without a transparent proxy":          {"selects-no-proxy", []string{anExclusiveMesh, payments, callsPayments, "{type: MeshPassthrough, name: p, spec: {default: {passthroughMode: None}}}"}, "p "},
		"MeshPassthrough of a transparent proxy":               {"selects-no-proxy", []string{anExclusiveMesh, payments, callsPayments, testworld.Edited(t, web, "address: 10.0.0.1\n", "address: 10.0.0.1\n  transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}\n"), "{type: MeshPassthrough, name: p, spec: {default: {passthroughMode: None}}}"}, ""},
		"MeshPassthrough of a proxy of which nothing is known": {"selects-no-proxy", []string{web, "{type: MeshPassthrough, name: p, spec: {default: {passthroughMode: None}}}"}, ""},

		"outgoing limit of sidecars":          {"selects-no-proxy", []string{web, limitTo("{kind: Mesh}")}, "l spec.to"},
		"limit of listeners for TCP and HTTP": {"wrong-protocol", []string{twoListeners[0], tcpListener, limitTo("{kind: MeshGateway, name: edge}")}, ""},
		"outgoing limit of gateways":          {"selects-no-proxy", append(throughGateway(), web, limitTo("{kind: Mesh}")), ""},
		"outgoing limit of Kong":              {"selects-no-proxy", []string{web, kong, limitTo("{kind: Mesh, proxyTypes: [Gateway]}")}, "l spec.to"},

		"MeshTCPRoute beside a MeshHTTPRoute":                                {"overridden-everywhere", []string{anExclusiveMesh, httpPayments, callsPayments, aRoute, aTCPRoute}, "t spec.to[0]"},
		"MeshTCPRoute beside a MeshHTTPRoute for other proxies":              {"overridden-everywhere", []string{anExclusiveMesh, httpPayments, callsPayments, testworld.Edited(t, aRoute, "spec:\n", "spec:\n  targetRef: {kind: Dataplane, name: other}\n"), aTCPRoute}, ""},
		"MeshTCPRoute beside a MeshHTTPRoute, with servers":                  {"overridden-everywhere", []string{anExclusiveMesh, httpPayments, callsPayments, web, aRoute, aTCPRoute}, "t spec.to[0]"},
		"MeshTCPRoute of a TCP port beside a MeshHTTPRoute":                  {"overridden-everywhere", []string{anExclusiveMesh, payments, callsPayments, aRoute, aTCPRoute}, ""},
		"MeshTCPRoute to nothing beside a MeshHTTPRoute for another service": {"overridden-everywhere", []string{anExclusiveMesh, httpPayments, grpcService, callsPayments, testworld.Edited(t, aRoute, "name: payments}", "name: s}"), strings.ReplaceAll(aTCPRoute, "port: 80", "port: 81")}, ""},
		"MeshTCPRoute beside a MeshHTTPRoute by the name of the port":        {"overridden-everywhere", []string{anExclusiveMesh, httpPayments, callsPayments, testworld.Edited(t, aRoute, "name: payments}", "name: payments, sectionName: http}"), aTCPRoute}, ""},

		"section of a port by number": {"unreachable-destination", []string{anExclusiveMesh, httpPayments, callsPayments, testworld.Edited(t, aRoute, "name: payments}", "name: payments, sectionName: http}")}, "r spec.to[0].targetRef.sectionName"},
		"section of a port by name":   {"unreachable-destination", []string{anExclusiveMesh, httpPayments, testworld.Edited(t, callsPayments, "port: 80}}]", "port: 80}}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}"), testworld.Edited(t, aRoute, "name: payments}", "name: payments, sectionName: http}")}, ""},
		"section of a backend":        {"unreachable-destination", []string{anExclusiveMesh, httpPayments, callsPayments, timeout("t", "to: ["+to("{kind: MeshService, name: payments, sectionName: http}", "1s")+"]"), routeTo("{kind: MeshService, name: payments, sectionName: http}")}, ""},

		"metrics on the port of an inbound":            {"harmful", []string{web, batch, metrics(8080)}, "m spec.default.backends[0].prometheus.port"},
		"metrics on another port":                      {"harmful", []string{web, batch, metrics(8081)}, ""},
		"metrics beside an inbound on another address": {"harmful", []string{testworld.Edited(t, web, "- port: 8080", "- port: 8080\n      address: 127.0.0.1"), metrics(8080)}, ""},
		"metrics on the port of a gateway":             {"harmful", append(throughGateway(), metrics(80)), "m spec.default.backends[0].prometheus.port"},
		"metrics that others override":                 {"harmful", []string{web, metrics(8080), testworld.Edited(t, metrics(8081), "name: m", "name: a")}, ""},

		"localZone for inbounds without tags":  {"harmful", []string{callsUntagged, localZone("")}, "l spec.to[0].default.localityAwareness.localZone"},
		"localZone beside a failover to any":   {"harmful", []string{callsUntagged, localZone(", crossZone: {failover: [{to: {type: Any}}]}")}, ""},
		"localZone beside another failover":    {"harmful", []string{callsUntagged, localZone(", crossZone: {failover: [{to: {type: None}}]}")}, "l spec.to[0].default.localityAwareness.crossZone"},
		"crossZone for a multi-zone service":   {"harmful", []string{callsUntaggedZones, crossZone}, "l spec.to[0].default.localityAwareness.crossZone"},
		"localZone for inbounds with tags":     {"harmful", []string{strings.Replace(callsUntagged, "app: untagged}, networking: {address: 10.0.0.9, inbound: [{port: 80", "app: untagged}, networking: {address: 10.0.0.9, inbound: [{port: 80, tags: {kuma.io/service: untagged}", 1), localZone("")}, ""},
		"affinity to a tag of the client":      {"questionable", []string{web, affinity("version")}, ""},
		"affinity to a label of the client":    {"questionable", []string{web, affinity("app")}, ""},
		"affinity to a tag that no client has": {"questionable", []string{web, affinity("k8s.io/node")}, "l spec.to[0].default.localityAwareness.localZone.affinityTags[0].key"},
		"affinity to a zone":                   {"questionable", []string{web, affinity("kuma.io/zone")}, ""},

		"server name of a port":               {"matches-no-client", []string{payments, serverName("sni.msvc.default.east.payments.80")}, ""},
		"server name with the name of a port": {"matches-no-client", []string{payments, serverName("sni.msvc.default.east.payments.http")}, "p spec.rules[0].default.allow[0].sni.value"},
		"server name of no service":           {"matches-no-client", []string{payments, serverName("sni.msvc.default.payment.80")}, "p spec.rules[0].default.allow[0].sni.value"},
		"server name of unknown form":         {"matches-no-client", []string{payments, serverName("payments.example")}, ""},

		"idle timeout of gRPC":           {"wrong-protocol", []string{grpcService, timeout("t", "to: [{targetRef: {kind: MeshService, name: s}, default: {idleTimeout: 1s, http: {maxStreamDuration: 1s}}}]")}, "t spec.to[0].default.http.maxStreamDuration, t spec.to[0].default.idleTimeout"},
		"idle timeout of TCP":            {"wrong-protocol", []string{payments, timeout("t", "to: [{targetRef: {kind: MeshService, name: payments}, default: {idleTimeout: 1s, http: {maxStreamDuration: 1s}}}]")}, ""},
		"idle timeout beside others":     {"wrong-protocol", []string{grpcService, timeout("t", "to: [{targetRef: {kind: MeshService, name: s}, default: {idleTimeout: 1s, http: {requestTimeout: 1s}}}]")}, ""},
		"idle timeout through a gateway": {"wrong-protocol", append(throughGateway(), grpcService, routeTo("{kind: MeshService, name: s, port: 80}"), timeout("t", "to: [{targetRef: {kind: MeshService, name: s}, default: {idleTimeout: 1s}}]")), ""},
		"gateway without a route to it":  {"wrong-protocol", append(throughGateway(), grpcService, routeTo("{kind: MeshService, name: other, port: 80}"), timeout("t", "to: [{targetRef: {kind: MeshService, name: s}, default: {idleTimeout: 1s}}]")), "t spec.to[0].default.idleTimeout"},
		"timeout of TCP by a gateway":    {"wrong-protocol", []string{twoListeners[0], tcpListener, payments, "{type: MeshTCPRoute, name: r, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, rules: [{default: {backendRefs: [{kind: MeshService, name: payments, port: 80}]}}]}]}}", timeout("t", "to: ["+to("{kind: MeshService, name: payments}", "1s")+"]")}, "t spec.to[0].default.http"},
		"proxies of an unknown zone":     {"selects-no-proxy", []string{web, timeout("t", "targetRef: {kind: Dataplane, labels: {app: web, kuma.io/zone: east}}, to: ["+to("{kind: Mesh}", "1s")+"]")}, ""},
		"gateway that selects nothing":   {"selects-nothing", []string{throughGateway()[0], strings.Replace(throughGateway()[1], "match: {kuma.io/service: edge}", "match: {kuma.io/service: edges}", 1)}, "edge selectors"},
		"gateway that selects a proxy":   {"selects-nothing", throughGateway(), ""},
		"check of TCP by a gateway":      {"wrong-protocol", append(throughGateway(), payments, routeTo("{kind: MeshService, name: payments, port: 80}"), "{type: MeshHealthCheck, name: h, spec: {to: [{targetRef: {kind: MeshService, name: payments}, default: {http: {path: /}}}]}}"), ""},
		"timeout of one HTTP port":       {"wrong-protocol", []string{"{type: MeshService, name: s, spec: {ports: [{port: 80, appProtocol: http}, {port: 81}]}}", timeout("t", "to: ["+to("{kind: MeshService, name: s}", "1s")+"]")}, ""},
		"timeout of the other port":      {"wrong-protocol", []string{"{type: MeshService, name: s, spec: {ports: [{port: 80, appProtocol: http}, {port: 81}]}}", timeout("t", "to: ["+to("{kind: MeshService, name: s, sectionName: '81'}", "1s")+"]")}, "t spec.to[0].default.http"},
		"timeout of the mesh":            {"wrong-protocol", []string{web, timeout("t", "to: ["+to("{kind: Mesh}", "1s")+"], rules: [{default: {http: {requestTimeout: 1s}}}]")}, ""},
		"timeout of a tag":               {"wrong-protocol", []string{web, timeout("t", "to: ["+to("{kind: MeshService, name: web}", "1s")+"]")}, "t spec.to[0].default.http"},
		"timeout of an HTTP tag":         {"wrong-protocol", []string{testworld.Edited(t, web, "kuma.io/service: web", "kuma.io/service: web, kuma.io/protocol: grpc"), timeout("t", "to: ["+to("{kind: MeshService, name: web}", "1s")+"]")}, ""},
		"timeout of an unknown service":  {"wrong-protocol", []string{timeout("t", "to: ["+to("{kind: MeshService, name: web}", "1s")+"]")}, ""},
		"timeout of a route":             {"wrong-protocol", []string{payments, aRoute, timeout("t", "to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")}, "r spec.to[0].rules, t spec.to[0].default.http"},
		"timeout of inbounds":            {"wrong-protocol", []string{web, batch, timeout("t", "targetRef: {kind: Dataplane}, rules: [{default: {http: {requestTimeout: 1s}}}]")}, "t spec.rules[0].default.http"},
		"timeout of some HTTP inbounds":  {"wrong-protocol", []string{web, testworld.Edited(t, batch, "kuma.io/service: batch", "kuma.io/service: batch, kuma.io/protocol: http"), timeout("t", "targetRef: {kind: Dataplane}, rules: [{default: {http: {requestTimeout: 1s}}}]")}, ""},
		"timeout of a gateway":           {"wrong-protocol", append(throughGateway(), timeout("t", "targetRef: {kind: Dataplane}, rules: [{default: {http: {requestTimeout: 1s}}}]")), ""},
		"check of health by HTTP":        {"wrong-protocol", []string{grpcService, "{type: MeshHealthCheck, name: h, spec: {to: [{targetRef: {kind: MeshService, name: s}, default: {interval: 1s, http: {path: /}}}]}}"}, "h spec.to[0].default.http"},
		"checks of health by all":        {"wrong-protocol", []string{grpcService, "{type: MeshHealthCheck, name: h, spec: {to: [{targetRef: {kind: MeshService, name: s}, default: {http: {path: /}, grpc: {serviceName: x}, tcp: {}}}]}}"}, ""},
		"hash policies of TCP":           {"wrong-protocol", []string{payments, "{type: MeshLoadBalancingStrategy, name: l, spec: {to: [{targetRef: {kind: MeshService, name: payments}, default: {loadBalancer: {type: RingHash, ringHash: {}}, hashPolicies: [{type: Connection, connection: {sourceIP: true}}]}}]}}"}, "l spec.to[0].default.hashPolicies"},

		"service in a mesh without proxies":      {"selects-nothing", []string{serving("dataplaneTags: {kuma.io/service: x}", 80)}, ""},
		"service by name":                        {"selects-nothing", []string{web, serving("dataplaneRef: {name: web-1}", 80)}, ""},
		"service by another name":                {"selects-nothing", []string{web, serving("dataplaneRef: {name: web-2}", 80)}, "s spec.selector"},
		"service by labels":                      {"selects-nothing", []string{web, serving("dataplaneLabels: {matchLabels: {app: web}}", 80)}, ""},
		"service by other labels":                {"selects-nothing", []string{web, serving("dataplaneLabels: {matchLabels: {app: x}}", 80)}, "s spec.selector"},
		"service by labels of a control plane":   {"selects-nothing", []string{web, serving("dataplaneLabels: {matchLabels: {app: web, kuma.io/zone: east}}", 80)}, ""},
		"service of a gateway":                   {"selects-nothing", append(throughGateway(), serving("dataplaneTags: {kuma.io/service: edge}", 80)), ""},
		"service of another zone":                {"selects-nothing", []string{testworld.Edited(t, web, "app: web", "app: web, kuma.io/zone: east"), testworld.Edited(t, serving("dataplaneTags: {kuma.io/service: x}", 80), "name: s", "name: s, labels: {kuma.io/zone: west}")}, ""},
		"service from the global control plane":  {"selects-nothing", []string{web, testworld.Edited(t, serving("dataplaneTags: {kuma.io/service: x}", 80), "name: s", "name: s, labels: {kuma.io/origin: global}")}, ""},
		"generated service":                      {"selects-nothing", []string{web, testworld.Edited(t, serving("dataplaneTags: {kuma.io/service: x}", 80), "name: s", "name: s, labels: {kuma.io/managed-by: meshservice-generator}")}, ""},
		"empty selector, which is questionable":  {"selects-nothing", []string{web, payments}, ""},
		"identity for all":                       {"selects-nothing", []string{web, identity("path: /x")}, ""},
		"identity for all without labels":        {"selects-nothing", []string{web, testworld.Edited(t, identity("path: /x"), "dataplane: {matchLabels: {}}", "dataplane: {}")}, ""},
		"identity without selector":              {"selects-nothing", []string{web, testworld.Edited(t, identity("path: /x"), "selector: {dataplane: {matchLabels: {}}}, ", "")}, ""},
		"identity in a mesh without proxies":     {"selects-nothing", []string{testworld.Edited(t, identity("path: /x"), "matchLabels: {}", "matchLabels: {app: x}")}, ""},
		"multi-zone service without any service": {"selects-nothing", []string{web, "{type: MeshMultiZoneService, name: z, spec: {selector: {meshService: {matchLabels: {a: b}}}, ports: [{port: 80}]}}"}, ""},

		"outbound to a zone that requests do not enter":      {"dangling-outbound", toZone("zone", ""), "shop-1 networking.outbound[0].backendRef"},
		"outbound to a zone, as a zone control plane has it": {"dangling-outbound", toZone("global", ""), ""},
		"outbound to a zone with a ZoneIngress":              {"dangling-outbound", toZone("zone", ", advertisedAddress: 192.0.2.1, advertisedPort: 10001"), ""},

		"port of an inbound":               {"port-without-inbound", []string{web, serving("dataplaneTags: {kuma.io/service: web}", 8080)}, ""},
		"port by name":                     {"port-without-inbound", []string{web, testworld.Edited(t, serving("dataplaneTags: {kuma.io/service: web}", 80), "port: 80", "port: 80, targetPort: http")}, ""},
		"port by another name":             {"port-without-inbound", []string{web, testworld.Edited(t, serving("dataplaneTags: {kuma.io/service: web}", 80), "port: 80", "port: 80, targetPort: grpc")}, "s spec.ports[0].targetPort"},
		"one host name of two services":    {"questionable", []string{web, named("bills"), named("payments"), sharedName("{app: payments}", "pay.example")}, "payments "},
		"a host name for each service":     {"questionable", []string{web, named("bills"), named("payments"), sharedName("{app: payments}", "{{ .DisplayName }}.example")}, ""},
		"one host name in two zones":       {"questionable", []string{inZone(web, "east"), inZone(batch, "west"), inZone(named("bills"), "east"), inZone(named("payments"), "west"), sharedName("{app: payments, kuma.io/origin: zone}", "pay.example")}, ""},
		"port without target":              {"questionable", []string{web, serving("dataplaneTags: {kuma.io/service: web}", 80)}, "s spec.ports[0].targetPort"},
		"port of the inbound with the tag": {"port-without-inbound", []string{web, batch, serving("dataplaneLabels: {matchLabels: {app: x}}", 80)}, ""},
		"port of a gateway":                {"port-without-inbound", append(throughGateway(), serving("dataplaneTags: {kuma.io/service: edge}", 80)), ""},

		"one of two routes matches": {"disjoint-proxies", []string{web, batch, payments, aRoute, testworld.Edited(t, aRoute, "name: r\n", "name: s\n", "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: batch}}\n"), timeout("t", "targetRef: {kind: Dataplane, labels: {app: web}}, to: ["+to("{kind: MeshHTTPRoute, labels: {app: payments}}", "1s")+"]")}, ""},
		"route for other proxies":   {"disjoint-proxies", []string{web, batch, payments, testworld.Edited(t, aRoute, "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: batch}}\n"), timeout("t", "targetRef: {kind: Dataplane, labels: {app: web}}, to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"route for no proxy":        {"disjoint-proxies", []string{web, payments, testworld.Edited(t, aRoute, "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: x}}\n"), timeout("t", "to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"policy selects by a route": {"disjoint-proxies", []string{web, payments, aRoute, timeout("t", "targetRef: {kind: MeshHTTPRoute, name: r}, to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")}, ""},

		"patch of a port":                                 {"patch-matches-nothing", []string{web, payments, patch("cluster: {operation: Remove, match: {name: kri_msvc_default___payments_80}}")}, ""},
		"patch of a port by name":                         {"patch-matches-nothing", []string{web, payments, patch("listener: {operation: Remove, match: {name: kri_msvc_default___payments_http}}")}, "p spec.default.appendModifications[0].listener.match.name"},
		"patch of a port by name, of a transparent proxy": {"patch-matches-nothing", []string{testworld.Edited(t, web, "address: 10.0.0.1\n", "address: 10.0.0.1\n  transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}\n"), payments, patch("listener: {operation: Remove, match: {name: kri_msvc_default___payments_http}}")}, ""},
		"patch of a port that is missing":                 {"patch-matches-nothing", []string{web, payments, patch("httpFilter: {operation: Remove, match: {listenerName: kri_msvc_default___payments_81}}")}, "p spec.default.appendModifications[0].httpFilter.match.listenerName"},
		"patch of a missing service":                      {"patch-matches-nothing", []string{web, payments, patch("networkFilter: {operation: Remove, match: {listenerName: kri_extsvc_default___payments_80}}")}, "p spec.default.appendModifications[0].networkFilter.match.listenerName"},
		"patch of a service by tag":                       {"patch-matches-nothing", []string{web, patch("virtualHost: {operation: Remove, match: {name: kri_msvc_default___web_8080}}")}, ""},
		"patch of another mesh":                           {"patch-matches-nothing", []string{web, patch("cluster: {operation: Remove, match: {name: kri_msvc_other___x_80}}")}, ""},
		"patch of a route":                                {"patch-matches-nothing", []string{web, patch("cluster: {operation: Remove, match: {name: kri_mhttpr_default___x_80}}")}, ""},
		"patch of a name with an underscore":              {"patch-matches-nothing", []string{web, patch("cluster: {operation: Remove, match: {name: kri_msvc_default___x_y_80}}")}, ""},
		"patch of a name without a KRI":                   {"patch-matches-nothing", []string{web, patch("cluster: {operation: Remove, match: {name: 'localhost:8080'}}")}, ""},

		"weaker default": {"overridden-everywhere", []string{web, `
type: MeshTrace
name: b
spec:
  default: {tags: []}
`, `
type: MeshTrace
name: a
spec:
  default:
    tags: [{name: x, literal: y}]
`}, "b spec.default"},
		"earlier entry":              {"overridden-everywhere", []string{web, timeout("t", "to: ["+to("{kind: Mesh}", "1s")+", "+to("{kind: Mesh}", "2s")+"]")}, "t spec.to[0]"},
		"weaker on another listener": {"overridden-everywhere", []string{web, twoListeners[0], twoListeners[1], onListener("MeshTimeout", "t", "a", timeoutOf("1s")), onListener("MeshTimeout", "u", "b", timeoutOf("2s"))}, ""},
		"weaker on its listener":     {"overridden-everywhere", []string{web, twoListeners[0], twoListeners[1], onListener("MeshTimeout", "t", "a", timeoutOf("1s")), onListener("MeshTimeout", "u", "a", timeoutOf("2s"))}, "u spec.to[0]"},
		"route of another listener":  {"overridden-everywhere", []string{web, twoListeners[0], twoListeners[1], onListener("MeshHTTPRoute", "r", "a", routeToWeb), onListener("MeshHTTPRoute", "s", "b", strings.Replace(routeToWeb, "web", "x", 1))}, ""},
		"weaker from":                {"overridden-everywhere", []string{web, timeout("b", "from: ["+to("{kind: Mesh}", "1s")+"]"), timeout("a", "from: ["+to("{kind: Mesh}", "2s")+"]")}, "b spec.from[0]"},
		"rules are not merged":       {"overridden-everywhere", []string{web, timeout("b", "rules: [{default: {idleTimeout: 1s}}]"), timeout("a", "rules: [{default: {idleTimeout: 2s}}]")}, ""},
		"effective on another proxy": {"overridden-everywhere", []string{web, batch, timeout("b", "to: ["+to("{kind: Mesh}", "1s")+"]"), timeout("a", "targetRef: {kind: Dataplane, labels: {app: web}}, to: ["+to("{kind: Mesh}", "2s")+"]")}, ""},
		"overridden initial policy":  {"overridden-everywhere", []string{web, timeout("mesh-timeout-all-default", "to: ["+to("{kind: Mesh}", "1s")+"]"), timeout("a", "to: ["+to("{kind: Mesh}", "2s")+"]")}, ""},

		"tie of from": {"decided-by-name", []string{web, timeout("b", "from: ["+to("{kind: Mesh}", "1s")+"]"), timeout("a", "from: ["+to("{kind: Mesh}", "2s")+"]")}, "b spec.from[0]"},
		"tie of proxies": {"decided-by-name", []string{web, `
type: MeshTrace
name: b
spec:
  default: {tags: []}
`, `
type: MeshTrace
name: a
spec:
  default:
    tags: [{name: x, literal: y}]
`}, "b spec.default"},
		"tie of routes":                  {"decided-by-name", []string{web, payments, aRoute, strings.NewReplacer("name: r", "name: s", "port: 80}", "port: 80, weight: 2}").Replace(aRoute)}, "s spec.to[0]"},
		"policies of two listeners":      {"decided-by-name", []string{web, twoListeners[0], twoListeners[1], onListener("MeshTimeout", "t", "a", timeoutOf("1s")), onListener("MeshTimeout", "u", "b", timeoutOf("2s"))}, ""},
		"algorithms of two listeners":    {"decided-by-name", []string{web, twoListeners[0], twoListeners[1], onListener("MeshLoadBalancingStrategy", "t", "a", "default: {loadBalancer: {type: Random}}"), onListener("MeshLoadBalancingStrategy", "u", "b", "default: {loadBalancer: {type: LeastRequest}}")}, ""},
		"algorithms of one listener":     {"decided-by-name", []string{web, twoListeners[0], twoListeners[1], onListener("MeshLoadBalancingStrategy", "t", "a", "default: {loadBalancer: {type: Random}}"), onListener("MeshLoadBalancingStrategy", "u", "a", "default: {loadBalancer: {type: LeastRequest}}")}, "u spec.to[0]"},
		"checks of two listeners":        {"decided-by-name", []string{web, twoListeners[0], twoListeners[1], onListener("MeshHealthCheck", "t", "a", "default: {interval: 1s, tcp: {}}"), onListener("MeshHealthCheck", "u", "b", "default: {interval: 2s, tcp: {}}")}, ""},
		"policies of one listener":       {"decided-by-name", []string{web, twoListeners[0], twoListeners[1], onListener("MeshTimeout", "t", "a", timeoutOf("1s")), onListener("MeshTimeout", "u", "a", timeoutOf("2s"))}, "u spec.to[0]"},
		"routes of two listeners":        {"decided-by-name", []string{web, twoListeners[0], twoListeners[1], onListener("MeshHTTPRoute", "r", "a", routeToWeb), onListener("MeshHTTPRoute", "s", "b", strings.Replace(routeToWeb, "web", "x", 1))}, ""},
		"same value":                     {"decided-by-name", []string{web, timeout("b", "to: ["+to("{kind: Mesh}", "1s")+"]"), timeout("a", "to: ["+to("{kind: Mesh}", "1s")+"]")}, ""},
		"within a policy":                {"decided-by-name", []string{web, timeout("t", "to: ["+to("{kind: Mesh}", "1s")+", "+to("{kind: Mesh}", "2s")+"]")}, ""},
		"kind of entry decides":          {"decided-by-name", []string{web, payments, timeout("a", "to: ["+to("{kind: Mesh}", "1s")+"]"), timeout("b", "to: ["+to("{kind: MeshService, name: payments}", "2s")+"]")}, ""},
		"rules by tag are unused":        {"decided-by-name", []string{web, timeout("a", "to: ["+to("{kind: Mesh}", "1s")+"]"), timeout("b", "to: ["+to("{kind: MeshService, name: web}", "2s")+"]")}, "b spec.to[0]"},
		"unused tag":                     {"decided-by-name", []string{web, timeout("a", "to: ["+to("{kind: Mesh}", "1s")+"]"), timeout("b", "to: ["+to("{kind: MeshService, name: x}", "2s")+"]")}, ""},
		"origin decides":                 {"decided-by-name", []string{web, timeout("a", "to: ["+to("{kind: Mesh}", "1s")+"]"), "{type: MeshTimeout, name: b, labels: {kuma.io/origin: zone}, spec: {to: [" + to("{kind: Mesh}", "2s") + "]}}"}, ""},
		"tie that another policy breaks": {"decided-by-name", []string{web, timeout("b", "to: ["+to("{kind: Mesh}", "1s")+"]"), timeout("a", "to: ["+to("{kind: Mesh}", "2s")+"]"), timeout("c", "targetRef: {kind: Dataplane}, to: ["+to("{kind: Mesh}", "3s")+"]")}, ""},

		"lost in another policy":        {"lost-on-route", []string{web, payments, aRoute, timeout("a", "to: ["+to("{kind: MeshService, name: payments, sectionName: http}", "1s")+"]"), timeout("b", "to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {streamIdleTimeout: 1s}}}]")}, "b spec.to[0]"},
		"kept by an entry for the mesh": {"lost-on-route", []string{web, payments, aRoute, timeout("a", "to: ["+to("{kind: Mesh}", "5s")+", "+to("{kind: MeshService, name: payments}", "1s")+"]"), timeout("b", "to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {streamIdleTimeout: 1s}}}]")}, ""},
		"another service":               {"lost-on-route", []string{web, payments, "{type: MeshService, name: x, spec: {}}", aRoute, timeout("a", "to: ["+to("{kind: MeshService, name: x}", "1s")+"]"), timeout("b", "to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {streamIdleTimeout: 1s}}}]")}, ""},
		"proxies without the route":     {"lost-on-route", []string{web, batch, payments, testworld.Edited(t, aRoute, "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: batch}}\n"), timeout("a", "targetRef: {kind: Dataplane, labels: {app: web}}, to: ["+to("{kind: MeshService, name: payments}", "1s")+", {targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {streamIdleTimeout: 1s}}}]")}, ""},
		"only supported for services":   {"lost-on-route", []string{web, payments, aRoute, timeout("a", "to: [{targetRef: {kind: MeshService, name: payments}, default: {idleTimeout: 1s}}, "+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")}, ""},
		"timeout of streams kept":       {"lost-on-route", []string{web, payments, aRoute, timeout("a", "to: [{targetRef: {kind: MeshService, name: payments}, default: {http: {streamIdleTimeout: 1s}}}]"), timeout("b", "to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")}, ""},
		"lost to any entry":             {"lost-on-route", []string{web, payments, aRoute, timeout("a", "to: ["+to("{kind: MeshService, name: payments}", "1s")+"]"), timeout("b", "to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {connectionTimeout: 1s}}]")}, "b spec.to[0]"},
		"block of retries lost":         {"lost-on-route", []string{web, payments, aRoute, retry("a", "{kind: MeshService, name: payments}", "{http: {numRetries: 3}}"), retry("b", "{kind: MeshHTTPRoute, name: r}", "{http: {retryOn: ['503']}}")}, "b spec.to[0]"},
		"block of retries repeated":     {"lost-on-route", []string{web, payments, aRoute, retry("a", "{kind: MeshService, name: payments}", "{http: {numRetries: 3}}"), retry("b", "{kind: MeshHTTPRoute, name: r}", "{http: {numRetries: 2}}")}, ""},
		"other block of retries":        {"lost-on-route", []string{web, payments, aRoute, retry("a", "{kind: MeshService, name: payments}", "{http: {numRetries: 3}}"), retry("b", "{kind: MeshHTTPRoute, name: r}", "{grpc: {numRetries: 1}}")}, ""},

		"route entry of a transparent proxy": {"route-entry-by-tags", []string{front, tagRoute, timeout("t", "to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"route entry in mode Exclusive":      {"route-entry-by-tags", []string{anExclusiveMesh, front, tagRoute, timeout("t", "to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+", "+to("{kind: Mesh}", "1s")+"]")}, ""},
		"route entry of another service":     {"route-entry-by-tags", []string{front, payments, aRoute, timeout("t", "to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")}, ""},
		"route entry beside the mesh":        {"route-entry-by-tags", []string{front, payments, aRoute, timeout("t", "to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+", "+to("{kind: Mesh}", "1s")+"]")}, "t spec.to[0].targetRef"},
		"route entry of a gateway":           {"route-entry-by-tags", append(throughGateway(), web, gatewayRoute, timeout("t", "to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")), "t spec.to[0].targetRef"},
		"route entry for other proxies":      {"route-entry-by-tags", append(throughGateway(), web, gatewayRoute, timeout("t", "targetRef: {kind: Dataplane}, to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")), ""},

		"top-level route of a transparent proxy": {"top-level-route", []string{front, tagRoute, timeout("t", "targetRef: {kind: MeshHTTPRoute, name: r}, to: ["+to("{kind: Mesh}", "1s")+"]")}, ""},
		"top-level route in mode Exclusive":      {"top-level-route", []string{anExclusiveMesh, front, tagRoute, timeout("t", "targetRef: {kind: MeshHTTPRoute, name: r}, to: ["+to("{kind: Mesh}", "1s")+"]")}, "t spec.targetRef"},
		"top-level route of a gateway":           {"top-level-route", append(throughGateway(), web, gatewayRoute, timeout("t", "targetRef: {kind: MeshHTTPRoute, name: r}, to: ["+to("{kind: Mesh}", "1s")+"]")), ""},
		"top-level route that does not exist":    {"top-level-route", []string{web, timeout("t", "targetRef: {kind: MeshHTTPRoute, name: r}, to: ["+to("{kind: Mesh}", "1s")+"]")}, ""},

		"selected by name": {"shadowed-service-tag", []string{web, `
type: MeshService
name: web
spec:
  selector: {dataplaneRef: {name: web-1}}
`}, ""},
		"selected by labels": {"shadowed-service-tag", []string{web, `
type: MeshService
name: web
spec:
  selector:
    dataplaneLabels: {matchLabels: {app: web}}
`}, ""},
		"not selected": {"shadowed-service-tag", []string{web, `
type: MeshService
name: web
spec:
  selector:
    dataplaneLabels: {matchLabels: {app: x}}
`}, "web spec.selector"},
		"selected by another": {"shadowed-service-tag", []string{web, "{type: MeshService, name: web, spec: {}}", `
type: MeshService
name: web-a
labels: {kuma.io/display-name: web}
spec:
  selector:
    dataplaneTags: {kuma.io/service: web}
`}, ""},
		"another display name": {"shadowed-service-tag", []string{web, "{type: MeshService, name: web, labels: {kuma.io/display-name: x}, spec: {}}"}, ""},
		"tag of a gateway": {"shadowed-service-tag", []string{`
type: Dataplane
name: edge-1
networking:
  gateway: {tags: {kuma.io/service: edge}}
`, "{type: MeshService, name: edge, spec: {}}"}, "edge spec.selector"},

		"field without a warning":     {"deprecated", []string{"{type: Dataplane, name: dp, networking: {address: 10.0.0.1}, probes: {port: 9000}}"}, "dp probes"},
		"deprecated initial policy":   {"deprecated", []string{timeout("mesh-timeout-all-default", "from: ["+to("{kind: Mesh}", "1s")+"]")}, ""},
		"name that is not a hostname": {"questionable", []string{"{type: MeshService, name: 1web, spec: {}}"}, "1web name, 1web spec.ports, 1web spec.selector"},
		"invalid document":            {"harmful", []string{timeout("t", "to: {}")}, ""},
		"hash policies of an algorithm that another policy sets": {"questionable", []string{
			web, "{type: MeshLoadBalancingStrategy, name: ring, spec: {to: [{targetRef: {kind: Mesh}, default: {loadBalancer: {type: RingHash}}}]}}",
			"{type: MeshLoadBalancingStrategy, name: hash, spec: {to: [{targetRef: {kind: MeshService, name: a}, default: {hashPolicies: [{type: Connection, connection: {sourceIP: true}}]}}]}}",
			"{type: MeshLoadBalancingStrategy, name: random, spec: {to: [{targetRef: {kind: MeshService, name: b}, default: {loadBalancer: {type: Random}, hashPolicies: [{type: Connection, connection: {sourceIP: true}}]}}]}}",
		}, "random spec.to[0].default.hashPolicies"},
		"answer to a limit of another entry": {"questionable", []string{web, `
type: MeshRateLimit
name: limit
spec:
  targetRef: {kind: Dataplane, labels: {app: web}}
  rules:
    - matches: [{spiffeID: {type: Exact, value: "spiffe://td/a"}}]
      default: {local: {http: {onRateLimit: {status: 503}}}}
    - default: {local: {http: {requestRate: {num: 5, interval: 1s}}}}
`}, ""},
		"answer to a limit of other proxies": {"questionable", []string{
			web, batch, "{type: MeshRateLimit, name: limit, spec: {targetRef: {kind: Dataplane, labels: {app: batch}}, rules: [{default: {local: {http: {requestRate: {num: 5, interval: 1s}}}}}]}}",
			"{type: MeshRateLimit, name: answer, spec: {targetRef: {kind: Dataplane, labels: {app: web}}, rules: [{default: {local: {http: {onRateLimit: {status: 503}}}}}]}}",
		}, "answer spec.rules[0].default.local.http.onRateLimit"},
		"limit below a disabled one for more clients": {"questionable", []string{web, limitOf("l", anySPIFFEID, "disabled: true", "spiffe://td/a", limitOfFive)}, "l spec.rules[1].default.local.http.requestRate"},
		"limit that is not disabled again":            {"questionable", []string{web, limitOf("l", anySPIFFEID, "disabled: true", "spiffe://td/a", "disabled: false, "+limitOfFive)}, ""},
		"disabled limit for fewer clients":            {"questionable", []string{web, limitOf("l", anySPIFFEID, limitOfFive, "spiffe://td/a", "disabled: true")}, ""},
		"limit below a disabled one of another policy": {"questionable", []string{
			web, limitOf("b", "spiffe://td/b", limitOfFive, "spiffe://td/c", limitOfFive),
			"{type: MeshRateLimit, name: a, spec: {targetRef: {kind: Dataplane}, rules: [{default: {local: {http: {disabled: true}}}}]}}",
		}, "b spec.rules[0].default.local.http.requestRate, b spec.rules[1].default.local.http.requestRate"},
		"destinations with a mode that another policy overrides": {"questionable", []string{
			web, "{type: MeshPassthrough, name: all, spec: {default: {passthroughMode: All, appendMatch: [{type: IP, value: 192.0.2.1}]}}}",
			"{type: MeshPassthrough, name: web, spec: {targetRef: {kind: Dataplane, labels: {app: web}}, default: {passthroughMode: Matched}}}",
		}, ""},
		"backoff above the longest of the initial policy": {"harmful", []string{
			web, payments, "{type: MeshRetry, name: mesh-retry-all-default, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {backOff: {baseInterval: 25ms, maxInterval: 250ms}}}}]}}",
			"{type: MeshRetry, name: slow, spec: {to: [{targetRef: {kind: MeshService, name: payments}, default: {http: {backOff: {baseInterval: 1s}}}}]}}",
			"{type: MeshRetry, name: short, spec: {to: [{targetRef: {kind: MeshService, name: payments}, default: {grpc: {backOff: {baseInterval: 1s}}}}]}}",
		}, "slow spec.to[0].default.http.backOff"},
		"smallest ring above the largest of another policy": {"harmful", []string{
			web, "{type: MeshLoadBalancingStrategy, name: a, spec: {to: [{targetRef: {kind: Mesh}, default: {loadBalancer: {type: RingHash, ringHash: {minRingSize: 9}}}}]}}",
			"{type: MeshLoadBalancingStrategy, name: b, spec: {to: [{targetRef: {kind: Mesh}, default: {loadBalancer: {type: RingHash, ringHash: {maxRingSize: 8}}}}]}}",
		}, "b spec.to[0].default.loadBalancer.ringHash"},
		"backoff whose longest another policy overrides": {"harmful", []string{
			web, "{type: MeshRetry, name: b, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {backOff: {maxInterval: 250ms}}}}]}}",
			"{type: MeshRetry, name: a, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {backOff: {baseInterval: 1s, maxInterval: 2s}}}}]}}",
		}, ""},
		"incoming traffic of a delegated gateway": {"selects-no-proxy", []string{kong, ofKong}, "p spec.targetRef"},
		"identity of a delegated gateway":         {"no-identity", []string{kong, ofKong}, ""},
		"questionable initial policy": {"questionable", []string{`
type: MeshRetry
name: mesh-retry-all-default
spec:
  to:
    - targetRef: {kind: Mesh}
      default:
        http:
          numRetries: 5
          backOff: {maxInterval: 250ms}
`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range findingsOf(tt.code, lint.Mesh(snapshotOf(t, tt.docs...), kuma.DefaultMesh)) {
				got = append(got, f.Resource.Name+" "+f.Path.String())
			}
			testworld.Equal(t, tt.code, tt.want, strings.Join(got, ", "))
		})
	}
}

// TestPortsWithoutProtocol shows that only an early release stores ports without a protocol.
func TestPortsWithoutProtocol(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]string{"2.9": "s spec.ports[0].appProtocol", "2.11": ""} {
		world := testworld.Resources(t, aMesh, web, serving("dataplaneTags: {kuma.io/service: web}", 8080))
		var got []string
		for _, f := range findingsOf("harmful", lint.Mesh(rules.NewSnapshotFor(kuma.ParseRelease(release), world), kuma.DefaultMesh)) {
			got = append(got, f.Resource.Name+" "+f.Path.String())
		}
		testworld.Equal(t, release, want, strings.Join(got, ", "))
	}
}

// TestUnreachableExternal: a client of Kuma 3.0 reaches an external service through a zone
// egress of its zone, and both need a certificate.
func TestUnreachableExternal(t *testing.T) {
	t.Parallel()
	const (
		external    = "type: MeshExternalService\nname: api\nlabels: {kuma.io/display-name: api}\nspec: {match: {type: HostnameGenerator, port: 443}, endpoints: [{address: api.test, port: 443}]}"
		client      = "type: Dataplane\nname: web-1\nlabels: {app: web, kuma.io/zone: east}\nnetworking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshExternalService, labels: {kuma.io/display-name: api}, port: 443}}]}"
		egress      = "type: Dataplane\nname: egress-1\nlabels: {app: egress, kuma.io/zone: %s}\nnetworking: {address: 10.0.0.2, listeners: [{type: ZoneEgress, address: 10.0.0.2, port: 10002}]}"
		transparent = "type: Dataplane\nname: web-1\nlabels: {kuma.io/zone: east}\nnetworking: {address: 10.0.0.1, inbound: [{port: 80}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}"
		identity    = "type: MeshIdentity\nname: i\nspec: {selector: {dataplane: {matchLabels: %s}}, provider: {type: Bundled}}"
	)
	for name, tt := range map[string]struct {
		docs []string
		want string
	}{
		"no egress":               {[]string{fmt.Sprintf(identity, "{}")}, "without a zone egress in the same zone."},
		"2.14, no egress":         {nil, "without a zone egress in the same zone."},
		"2.14, older egress":      {[]string{"type: ZoneEgress\nname: e\nmesh: ''\nnetworking: {address: 10.0.0.3, port: 10002}"}, ""},
		"2.14, transparent":       {[]string{transparent}, "without a zone egress in the same zone."},
		"transparent":             {[]string{transparent, fmt.Sprintf(egress, "west")}, ""},
		"egress of another zone":  {[]string{fmt.Sprintf(egress, "west"), fmt.Sprintf(identity, "{}")}, "without a zone egress in the same zone."},
		"egress without identity": {[]string{fmt.Sprintf(egress, "east"), fmt.Sprintf(identity, "{app: web}")}, "without a MeshIdentity for the zone egress."},
		"client without identity": {[]string{fmt.Sprintf(egress, "east"), fmt.Sprintf(identity, "{app: egress}")}, "without a MeshIdentity for the client."},
		"identities for both":     {[]string{fmt.Sprintf(egress, "east"), fmt.Sprintf(identity, "{}")}, ""},
		"another egress without":  {[]string{fmt.Sprintf(egress, "east"), strings.ReplaceAll(fmt.Sprintf(egress, "east"), "egress", "exit"), fmt.Sprintf(identity, "{app: web}"), strings.Replace(fmt.Sprintf(identity, "{app: egress}"), "name: i", "name: j", 1)}, ""},
	} {
		t.Run(name, // resourcesOf reads documents without checks: some are not valid.
			func(t *testing.T) {
				t.Parallel()
				docs := append([]string{aMesh, external}, tt.docs...)
				if !slices.Contains(docs, transparent) {
					docs = append(docs, client)
				}
				release := kuma.Release{Major: 3}
				if strings.HasPrefix(name, "2.14") {
					release = kuma.Newest2()
				}
				var got []string
				for _, f := range lint.Mesh(rules.NewSnapshotFor(release, testworld.Resources(t, docs...)).RestrictOutbound(false), kuma.DefaultMesh) {
					if f.Code == "unreachable-external-service" {
						got = append(got, f.Message)
					}
				}
				want := []string{"Requests from web-1 fail " + tt.want}
				if tt.want == "" {
					want = nil
				}
				if !cmp.Equal(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			})
	}
}

func resourcesOf(t *testing.T, docs ...string) []kuma.Resource {
	t.Helper()
	return testworld.Resources(t, append([]string{aMesh}, docs...)...)
}

func snapshotOf(t *testing.T, docs ...string) *rules.Snapshot {
	t.Helper()
	return rules.NewSnapshot(resourcesOf(t, docs...))
}

const aMesh = "{type: Mesh, name: default}" // used unless the documents contain one

// TestExactIDsBesideIdentities checks exact SPIFFE IDs of the mesh although it has a
// MeshIdentity, which has another trust domain.
func TestExactIDsBesideIdentities(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"Everywhere", "Exclusive"} {
		docs := []string{
			"{type: Mesh, name: default, meshServices: {mode: " + mode + "}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}", web,
			"{type: MeshIdentity, name: i, spec: {selector: {dataplane: {matchLabels: {app: other}}}, spiffeID: {trustDomain: td}, provider: {type: Spire, spire: {}}}}",
			"{type: MeshTrafficPermission, name: p, spec: {rules: [{default: {allow: [{spiffeID: {type: Exact, value: 'spiffe://default/web'}}]}}]}}",
		}
		all := lint.Mesh(snapshotOf(t, docs...), kuma.DefaultMesh)
		if len(findingsOf("exact-never-matches", all)) != 1 {
			t.Errorf("%s: findings:\n%s", mode, describe(all))
		}
	}
}

// TestMessages checks hints that depend on other resources.
func TestMessages(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		docs []string
		want string // part of the first message and its suggestion
	}{
		"tag in an exclusive mesh": {[]string{anExclusiveMesh, web, timeout("t", "to: ["+to("{kind: MeshService, name: web}", "1s")+"]")}, `There is no MeshService "web", so this entry has no effect. "web" is a value of the tag kuma.io/service, but in a mesh with meshServices.mode Exclusive, an entry applies to a tag only on proxies with an outbound by that tag.`},
		"subset without proxies":   {[]string{web, routeTo("{kind: MeshServiceSubset, name: web, tags: {version: v2}}")}, `so its share of the requests fails. "web" is a value of the tag kuma.io/service, but none of its proxies has these tags.`},
		"service without an identity": {[]string{
			anExclusiveMesh, "{type: MeshService, name: pay, labels: {app: pay}, spec: {selector: {dataplaneLabels: {matchLabels: {app: pay}}}, ports: [{port: 80, targetPort: 80}]}}",
			"{type: Dataplane, name: pay-1, labels: {app: pay}, networking: {address: 10.0.0.3, inbound: [{port: 80}]}}",
			"{type: Dataplane, name: web-1, labels: {app: web}, networking: {address: 10.0.0.4, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: pay}, port: 80}}]}}",
			testworld.Edited(t, identity("trustDomain: td, path: /w"), "matchLabels: {}", "matchLabels: {app: web}"),
		}, "Give client and service certificates that both accept, or remove the service from the Dataplanes of the client."},
		"denied client": {[]string{
			anExclusiveMesh, "{type: MeshService, name: pay, labels: {app: pay}, spec: {selector: {dataplaneLabels: {matchLabels: {app: pay}}}, ports: [{port: 80, targetPort: 80}]}}",
			"{type: Dataplane, name: pay-1, labels: {app: pay}, networking: {address: 10.0.0.3, inbound: [{port: 80}]}}",
			"{type: Dataplane, name: web-1, labels: {app: web}, networking: {address: 10.0.0.4, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: pay}, port: 80}}]}}",
			identity("trustDomain: td, path: /w"), "{type: MeshTrafficPermission, name: p, spec: {rules: [{default: {allow: [{spiffeID: {type: Prefix, value: 'spiffe://td'}}], deny: [{spiffeID: {type: Exact, value: 'spiffe://td/w'}}]}}]}}",
		}, "denies spiffe://td/w. Narrow or remove the denial, or remove the service from the Dataplanes of the client."},
		"client that some proxies deny": {[]string{
			anExclusiveMesh, "{type: MeshService, name: pay, labels: {app: pay}, spec: {selector: {dataplaneLabels: {matchLabels: {app: pay}}}, ports: [{port: 80, targetPort: 80}]}}",
			"{type: Dataplane, name: pay-1, labels: {app: pay, n: a}, networking: {address: 10.0.0.3, inbound: [{port: 80}]}}", "{type: Dataplane, name: pay-2, labels: {app: pay}, networking: {address: 10.0.0.5, inbound: [{port: 80}]}}",
			"{type: Dataplane, name: web-1, labels: {app: web}, networking: {address: 10.0.0.4, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: pay}, port: 80}}]}}",
			identity("trustDomain: td, path: /w"), "{type: MeshTrafficPermission, name: p, spec: {rules: [{default: {allow: [{spiffeID: {type: Prefix, value: 'spiffe://td'}}]}}]}}",
			"{type: MeshTrafficPermission, name: q, spec: {targetRef: {kind: Dataplane, labels: {n: a}}, rules: [{default: {deny: [{spiffeID: {type: Exact, value: 'spiffe://td/w'}}]}}]}}",
		}, "refuse it: MeshTrafficPermission q denies spiffe://td/w. Narrow or remove the denial, or remove the service from the Dataplanes of the client."},
		"mirror to no subset":        {[]string{web, payments, mirrorTo("{kind: MeshServiceSubset, name: web, tags: {version: v2}}", "payments")}, `so this destination receives nothing.`},
		"labels without a port":      {[]string{payments, routeTo("{kind: MeshService, labels: {app: payments}}")}, `has no port, so it does not refer to MeshService "payments", and gets no requests. Set port.`},
		"earlier entry of a policy":  {[]string{web, payments, timeout("t", "to: ["+to("{kind: MeshService, name: payments}", "1s")+", "+to("{kind: MeshService, name: payments}", "2s")+"]")}, "later entries of the policy override all of its settings. Remove the entry, or move it behind them."},
		"tie on one Dataplane":       {[]string{web, payments, timeout("a", "targetRef: {kind: Dataplane, name: web-1}, to: ["+to("{kind: MeshService, name: payments}", "1s")+"]"), timeout("b", "targetRef: {kind: Dataplane, name: web-1}, to: ["+to("{kind: MeshService, name: payments}", "2s")+"]")}, "decide this. Set the field in only one of the policies."},
		"tie on a gateway":           {append(throughGateway(), web, "{type: MeshRetry, name: a, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 1}}}]}}", "{type: MeshRetry, name: b, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 2}}}]}}"), "more specific: select fewer gateways, or fewer of their listeners by tags."},
		"similar gateway":            {append(throughGateway(), timeout("t", "targetRef: {kind: MeshGateway, name: edg}, to: ["+to("{kind: Mesh}", "1s")+"]")), `There is no MeshGateway "edg", so the policy selects no proxy. Did you mean "edge"?`},
		"section and tag":            {[]string{web, byTag, "{type: MeshService, name: web, spec: {selector: {dataplaneTags: {kuma.io/service: web}}, ports: [{port: 80, name: http}]}}", timeout("t", "to: ["+to("{kind: MeshService, name: web, sectionName: '80'}", "1s")+"]")}, `It only has http. The entry only applies to requests by the tag kuma.io/service, which has no ports.`},
		"role without namespace":     {[]string{web, "{type: MeshTimeout, name: t, labels: {kuma.io/policy-role: consumer}, spec: {to: [" + to("{kind: Mesh}", "1s") + "]}}"}, "it selects no proxy of the mesh: a policy with the role consumer only selects proxies of its own namespace, and it has none. Remove the label kuma.io/policy-role, or the policy."},
		"tied destinations":          {[]string{web, httpPayments, grpcService, aRoute, testworld.Edited(t, aRoute, "name: r\n", "name: a\n", "- {kind: MeshService, name: payments", "- {kind: MeshService, name: s")}, "destinations are "},
		"tied entries for a service": {[]string{web, payments, timeout("a", "to: ["+to("{kind: MeshService, name: payments}", "1s")+"]"), timeout("b", "to: ["+to("{kind: MeshService, name: payments}", "2s")+"]")}, "Only the names of the policies decide this."},
		"other namespace":            {[]string{payments, timeout("t", "to: ["+to("{kind: MeshService, name: payments, namespace: shop}", "1s")+"]")}, `A MeshService with that name exists in another zone or namespace`},
		"not the display name":       {[]string{"{type: MeshService, name: pay-4x7, labels: {kuma.io/display-name: pay}, spec: {}}", timeout("t", "to: ["+to("{kind: MeshService, name: pay-4x7}", "1s")+"]")}, `A MeshService named "pay-4x7" exists, but references must use its display name, which is "pay".`},
		"value of a label":           {[]string{payments, timeout("t", "to: ["+to("{kind: MeshService, labels: {kuma.io/display-name: paymnts}}", "1s")+"]")}, `There is no MeshService with labels kuma.io/display-name=paymnts, so this entry has no effect. Did you mean "payments"?`},
		"label that nothing sets":    {[]string{web, "{type: MeshExternalService, name: bank, spec: {match: {type: HostnameGenerator, port: 443}}}", timeout("t", "to: ["+to("{kind: MeshExternalService, labels: {kuma.io/display-name: bank}}", "1s")+"]")}, `so this entry has no effect. MeshExternalService "bank" lacks the label, which control planes only set since Kuma 3.0: set it there.`},
		"check for other protocols":  {[]string{web, "{type: MeshHealthCheck, name: h, spec: {to: [{targetRef: {kind: MeshService, name: web}, default: {http: {path: /}}}]}}"}, "Set the protocol of the port to http or http2 if clients use it, or replace http with tcp."},
		"services left out":          {[]string{callsUntagged, localZone("")}, "localZone leaves out inbounds without tags. Add the tag kuma.io/service to the inbounds, or remove localZone and crossZone."},
		"number of a named port":     {[]string{payments, routeTo("{kind: MeshService, name: payments, port: 8080}")}, `has no port 8080. It only has 80. This destination`},
		"key of a label":             {[]string{payments, timeout("t", "to: ["+to("{kind: MeshService, labels: {kuma.io/dislay-name: payments}}", "1s")+"]")}, `so this entry has no effect. Did you mean "kuma.io/display-name"?`},
		"similar client":             {[]string{anExclusiveMesh, web, identity("trustDomain: td, path: /workload/payments"), "{type: MeshTrafficPermission, name: p, spec: {rules: [{default: {allow: [{spiffeID: {type: Exact, value: 'spiffe://td/workload/paymnts'}}]}}]}}"}, `has the SPIFFE ID "spiffe://td/workload/paymnts". Did you mean "spiffe://td/workload/payments"?`},
		"reasons for the exclusion":  {[]string{web, batch, timeout("t", "targetRef: {kind: Dataplane, labels: {app: web}, sectionName: grpc}")}, `it selects no proxy of the mesh: its targetRef requires a Dataplane with the labels app=web (excludes 1 of 2 proxies); its targetRef requires an inbound named "grpc" (excludes 1 of 2 proxies).`},
		"route on no proxy":          {[]string{web, payments, testworld.Edited(t, aRoute, "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: x}}\n"), timeout("t", "to: ["+to("{kind: MeshHTTPRoute, name: r}", "1s")+"]")}, `The policy selects web-1, and the route no proxy.`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			findings := lint.Mesh(snapshotOf(t, tt.docs...), kuma.DefaultMesh)
			if len(findings) == 0 || !strings.Contains(findings[0].Message+" "+findings[0].Suggestion, tt.want) {
				t.Errorf("findings:\n%s\nwant first\n%s", describe(findings), tt.want)
			}
		})
	}
}

// TestRefusedClients checks the message about several clients; that about one is in testdata.
func TestRefusedClients(t *testing.T) {
	t.Parallel()
	refused := testworld.Text(t, "testdata/client-refused/finding.yaml")
	audit := "{type: Dataplane, name: audit-1, labels: {app: audit}, networking: {address: 10.0.0.3, inbound: [{port: 80}], outbound: [{port: 9001, backendRef: {kind: MeshService, labels: {app: checkout}, port: 80}}]}}"
	got := describe(findingsOf("client-refused", lint.Mesh(snapshotOf(t, refused, audit), kuma.DefaultMesh)))
	if want := "The service refuses audit-1 and storefront-1 on port 80, although these Dataplanes list it: no permission allows it."; !strings.Contains(got, want) {
		t.Errorf("findings:\n%s\nwant %q", got, want)
	}
}

// TestOtherMeshes analyzes one of two meshes, and the later of two resources with one
// name.
func TestOtherMeshes(t *testing.T) {
	t.Parallel()
	s := snapshotOf(t, web, `
type: MeshTimeout
mesh: other
name: t
spec:
  targetRef: {kind: MeshGateway, name: x}
`,
		timeout("t", "targetRef: {kind: Dataplane, labels: {app: x}}"), timeout("t", ""))
	if got := describe(lint.Mesh(s, kuma.DefaultMesh)); got != "" {
		t.Errorf("findings in the first mesh:\n%s", got)
	}
	if got := lint.Mesh(s, "other"); len(got) != 1 || got[0].Code != "dangling-target" {
		t.Errorf("findings in the other mesh:\n%s", describe(got))
	}
	if got := lint.Mesh(s, "none"); len(got) != 0 {
		t.Errorf("findings in no mesh: %v", got)
	}
}

// TestSuggestedIDsAreOfTheSameClient checks that IDs with another last part are not suggested,
// although they have most letters in common.
func TestSuggestedIDsAreOfTheSameClient(t *testing.T) {
	t.Parallel()
	permission := "{type: MeshTrafficPermission, name: p, spec: {rules: [{default: {allow: [{spiffeID: {type: Exact, value: 'spiffe://td/workload/dup'}}]}}]}}"
	found := findingsOf("matches-no-client", lint.Mesh(snapshotOf(t, anExclusiveMesh, web, identity("trustDomain: td, path: /workload/web"), permission), kuma.DefaultMesh))
	if len(found) != 1 || strings.Contains(found[0].Message, "Did you mean") {
		t.Errorf("got %s, want one finding without a suggestion", describe(found))
	}
}

// TestOutboundToExternalService checks that an outbound may refer to the tag of an
// ExternalService, a kind without a declaration.
func TestOutboundToExternalService(t *testing.T) {
	t.Parallel()
	resources := testworld.Resources(t, `
type: Mesh
name: default
---
type: Dataplane
name: web-1
networking:
  address: 10.0.0.1
  inbound: [{port: 8080, tags: {kuma.io/service: web}}]
  outbound: [{port: 10001, tags: {kuma.io/service: mail}}]
`)
	count := func(resources []kuma.Resource) int {
		return lint.CountCodes(lint.Mesh(rules.NewSnapshot(resources), "default"))["dangling-outbound"]
	}
	if got := count(resources); got != 1 {
		t.Errorf("%d findings without the service, want 1", got)
	}
	resources = append(resources, kuma.Resource{Type: "ExternalService", Mesh: "default", Name: "m", Body: map[string]any{"tags": map[string]any{"kuma.io/service": "mail"}}})
	if got := count(resources); got != 0 {
		t.Errorf("%d findings with the service, want none", got)
	}
}
