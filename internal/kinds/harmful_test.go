package kinds_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// outcome is the effect of something that a control plane stores although it
// has no effect or a harmful one.
type outcome string

const (
	breaks    outcome = "error"                             // traffic or the configuration of a proxy
	useless   outcome = "warning"                           // it only has no effect
	enforced  outcome = "rejected by the control plane too" // so it does not belong to the design rules
	elsewhere outcome = "not visible in one document"       // other objects, or Envoy, decide
	meant     outcome = "intended"                          // it has an effect that users want
)

// harmful lists the cases in validation.md: the lists "Accepted, but without
// effect or harmful" of all described kinds (§8), empty matches (§6),
// references (§5.1) and §9 and §10. Each has a document that shows it; at lists
// the paths of the problems that it has, those of warnings with a question
// mark.
var harmful = []struct {
	kind, what string
	outcome    outcome
	document   string // the fields next to type and name
	at         string
}{
	{"MeshAccessLog", "no backends turn logging off", meant, to(`{backends: []}`), ""},
	{"MeshAccessLog", "endpoint whose port is not a number", useless, to(collector(`{endpoint: 'otel:grpc'}`)), "spec.to[0].default.backends[0].openTelemetry.endpoint?"},
	{"MeshAccessLog", "labels that fit no collector", elsewhere, to(collector(`{backendRef: {kind: MeshOpenTelemetryBackend, labels: {a: b}}}`)), ""},
	{"MeshAccessLog", "unknown placeholders", elsewhere, to(`{backends: [{type: File, file: {path: /a, format: {type: Plain, plain: '%NO_SUCH%'}}}]}`), ""},
	{"MeshAccessLog", "match without a condition (§6)", meant, `spec: {rules: [{matches: [{}], default: {backends: []}}]}`, ""},
	{"MeshAccessLog", "settings of another type of backend", useless, to(`{backends: [{type: File, file: {path: /a}, tcp: {address: 'a:1'}}]}`), "spec.to[0].default.backends[0].tcp?"},
	{"MeshAccessLog", "format of another type", useless, to(`{backends: [{type: File, file: {path: /a, format: {type: Plain, plain: x, json: [{key: a, value: b}]}}}]}`), "spec.to[0].default.backends[0].file.format.json?"},

	{"MeshCircuitBreaker", "detectors needed when disabled", enforced, to(`{outlierDetection: {disabled: true}}`), "spec.to[0].default.outlierDetection.detectors"},
	{"MeshCircuitBreaker", "localOriginFailures alone", useless, to(`{outlierDetection: {detectors: {localOriginFailures: {}}}}`), "spec.to[0].default.outlierDetection.detectors.localOriginFailures?"},

	{"MeshFaultInjection", "limit without digits", useless, fault(`responseBandwidth: {limit: kbps, percentage: 1}`), "spec.rules[0].default.http[0].responseBandwidth.limit?"},
	{"MeshFaultInjection", "limit with two units", useless, fault(`responseBandwidth: {limit: 1MMbps, percentage: 1}`), "spec.rules[0].default.http[0].responseBandwidth.limit?"},
	{"MeshFaultInjection", "delay of zero", breaks, fault(`delay: {value: 0s, percentage: 1}`), "spec.rules[0].default.http[0].delay.value"},
	{"MeshFaultInjection", "status below 200", breaks, fault(`abort: {httpStatus: 199, percentage: 1}`), "spec.rules[0].default.http[0].abort.httpStatus"},
	{"MeshFaultInjection", "rules for gateways", useless, `spec: {targetRef: {kind: Mesh, proxyTypes: [Gateway]}, rules: [{default: {http: []}}]}`, "spec.rules?"},
	{"MeshFaultInjection", "faults on ports that speak tcp", elsewhere, fault(`abort: {httpStatus: 503, percentage: 1}`), ""},
	{"MeshFaultInjection", "no faults replace those of policies with lower precedence", meant, `spec: {targetRef: {kind: Dataplane}, rules: [{default: {http: []}}]}`, ""},
	{"MeshFaultInjection", "element without a fault", useless, fault(``), "spec.rules[0].default.http[0]?"},
	{"MeshFaultInjection", "match without a condition (§6)", breaks, `spec: {targetRef: {kind: Dataplane}, rules: [{matches: [{}], default: {http: []}}]}`, "spec.rules[0].matches[0]"},
	{"MeshTimeout", "label kuma.io/effect with another value than shadow (§3)", breaks, `labels: {kuma.io/effect: Shadow}, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}`, `labels["kuma.io/effect"]`},
	{"MeshTimeout", "shadow policy", meant, `labels: {kuma.io/effect: shadow}, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}`, ""},
	{"MeshTimeout", "tag as label of a Dataplane (§10)", useless, `spec: {targetRef: {kind: Dataplane, labels: {kuma.io/service: web}}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}`, `spec.targetRef.labels["kuma.io/service"]?`},
	{"MeshTimeout", "label of a Dataplane", meant, `spec: {targetRef: {kind: Dataplane, labels: {kuma.io/workload: web}}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}`, ""},
	{"MeshFaultInjection", "entry without settings (§10)", useless, `spec: {targetRef: {kind: Dataplane}, rules: [{default: {}}]}`, "spec.rules[0].default?"},

	{"MeshHTTPRoute", "rewritten path without a value", breaks, filter(`{type: URLRewrite, urlRewrite: {path: {type: ReplaceFullPath}}}`), inFilter + "urlRewrite.path.replaceFullPath"},
	{"MeshHTTPRoute", "redirected path with the value of another type", breaks, filter(`{type: RequestRedirect, requestRedirect: {path: {type: ReplacePrefixMatch, replaceFullPath: /}}}`), inFilter + "requestRedirect.path.replaceFullPath? " + inFilter + "requestRedirect.path.replacePrefixMatch"},
	{"MeshHTTPRoute", "rewriting after redirecting", breaks, filter(`{type: RequestRedirect, requestRedirect: {scheme: https}}, {type: URLRewrite, urlRewrite: {hostname: a}}`), "spec.to[0].rules[0].default.filters[1].type"},
	{"MeshHTTPRoute", "copies after redirecting", breaks, filter(`{type: RequestRedirect, requestRedirect: {scheme: https}}, {type: RequestMirror, requestMirror: {backendRef: {kind: MeshService, name: a}}}`), "spec.to[0].rules[0].default.filters[1].type"},
	{"MeshHTTPRoute", "prefix joined with the rest of the path", useless, httpRoute(`{matches: [{path: {type: PathPrefix, value: /a}}], default: {filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /b}}}]}}`), inFilter + "urlRewrite.path.replacePrefixMatch?"},
	{"MeshHTTPRoute", "prefix replaced by one with a slash", meant, httpRoute(`{matches: [{path: {type: PathPrefix, value: /a}}], default: {filters: [{type: RequestRedirect, requestRedirect: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /b/}}}]}}`), ""},
	{"MeshHTTPRoute", "copies to a tag with a port", useless, filter(`{type: RequestMirror, requestMirror: {backendRef: {kind: MeshService, name: a, port: 80}}}`), inFilter + "requestMirror.backendRef.port?"},
	{"MeshHTTPRoute", "copies to a MeshService by labels", breaks, filter(`{type: RequestMirror, requestMirror: {backendRef: {kind: MeshService, labels: {kuma.io/display-name: a}}}}`), inFilter + "requestMirror.backendRef.labels"},
	{"MeshHTTPRoute", "copies to the value of a tag", meant, filter(`{type: RequestMirror, requestMirror: {backendRef: {kind: MeshService, name: a}}}`), ""},
	{"MeshHTTPRoute", "share of copies above all", useless, filter(`{type: RequestMirror, requestMirror: {percentage: 101, backendRef: {kind: MeshServiceSubset, name: a}}}`), inFilter + "requestMirror.percentage?"},
	{"MeshHTTPRoute", "share of copies below zero", useless, filter(`{type: RequestMirror, requestMirror: {percentage: '-0.5', backendRef: {kind: MeshServiceSubset, name: a}}}`), inFilter + "requestMirror.percentage?"},
	{"MeshHTTPRoute", "destination without a port", useless, backends(`{kind: MeshService, name: a}`), "spec.to[0].rules[0].default.backendRefs[0]?"},
	{"MeshHTTPRoute", "destination that does not exist", elsewhere, backends(`{kind: MeshService, name: no-such, port: 80}`), ""},
	{"MeshHTTPRoute", "port that no destination has", breaks, backends(`{kind: MeshService, name: a, port: 0}, {kind: MeshExternalService, name: b, port: 65536}`), "spec.to[0].rules[0].default.backendRefs[0].port spec.to[0].rules[0].default.backendRefs[1].port"},
	{"MeshHTTPRoute", "labels that fit nothing", elsewhere, backends(`{kind: MeshService, port: 80, labels: {kuma.io/display-name: no-such}}`), ""},
	{"MeshHTTPRoute", "labels that fit every service (design record 002)", breaks, backends(`{kind: MeshService, port: 80, labels: {kuma.io/zone: east, kuma.io/mesh: default}}`), "spec.to[0].rules[0].default.backendRefs[0].labels"},
	{"MeshHTTPRoute", "labels that may fit several services (design record 002)", useless, backends(`{kind: MeshService, port: 80, labels: {app: shop, kuma.io/zone: east}}`), "spec.to[0].rules[0].default.backendRefs[0].labels?"},
	{"MeshHTTPRoute", "weights of zero", breaks, backends(`{kind: MeshService, name: a, port: 80, weight: 0}, {kind: MeshService, name: b, port: 80, weight: 0}`), "spec.to[0].rules[0].default.backendRefs"},
	{"MeshHTTPRoute", "one weight of zero", meant, backends(`{kind: MeshService, name: a, port: 80, weight: 0}, {kind: MeshService, name: b, port: 80}`), ""},
	{"MeshHTTPRoute", "the same matches twice", useless, httpRoute(`{matches: [{method: GET}], default: {}}, {matches: [{method: PUT}], default: {}}, {matches: [{method: GET}], default: {}}`), "spec.to[0].rules[2].matches?"},
	{"MeshHTTPRoute", "a match without a condition selects all", meant, httpRoute(`{matches: [{}], default: {}}`), ""},
	{"MeshHTTPRoute", "path that does not compile", breaks, match(`path: {type: RegularExpression, value: '/(?=a)'}`), "spec.to[0].rules[0].matches[0].path.value"},
	{"MeshHTTPRoute", "prefix that would not compile", meant, match(`path: {type: PathPrefix, value: '/('}`), ""},
	{"MeshHTTPRoute", "query parameter that does not compile", breaks, match(`queryParams: [{type: RegularExpression, name: a, value: '*'}]`), "spec.to[0].rules[0].matches[0].queryParams[0].value"},
	{"MeshHTTPRoute", "header that does not compile", breaks, match(`headers: [{type: RegularExpression, name: a, value: '['}]`), "spec.to[0].rules[0].matches[0].headers[0].value"},
	{"MeshHTTPRoute", "header of type Exact without a value", useless, match(`headers: [{name: a}, {type: Exact, name: b}, {type: Present, name: c}]`), "spec.to[0].rules[0].matches[0].headers[0].value? spec.to[0].rules[0].matches[0].headers[1].value?"},
	{"MeshHTTPRoute", "settings of another filter", useless, filter(`{type: URLRewrite, urlRewrite: {hostname: a}, requestRedirect: {scheme: https}}`), inFilter + "requestRedirect?"},
	{"MeshHTTPRoute", "called service or port that does not exist", elsewhere, httpRoute(`{matches: [{}], default: {}}`), ""},
	{"MeshHTTPRoute", "destinations behind a redirect", useless, httpRoute(`{matches: [{}], default: {filters: [{type: RequestRedirect, requestRedirect: {scheme: https}}], backendRefs: [{kind: MeshService, name: a, port: 80}]}}`), "spec.to[0].rules[0].default.backendRefs?"},

	{"MeshHealthCheck", "check of another protocol than the port's", elsewhere, to(`{tcp: {}, http: {}}`), ""},
	{"MeshHealthCheck", "text in base64 that is not decoded", elsewhere, to(`{tcp: {send: cGluZw==, receive: [cG9uZw==]}}`), ""},
	{"MeshHealthCheck", "path without a leading slash", breaks, to(`{http: {path: healthz}}`), "spec.to[0].default.http.path"},

	{"Dataplane", "two outbounds on one port", breaks, `networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: w}}], outbound: [{port: 20000, tags: {kuma.io/service: a}}, {port: 20000, address: 127.0.0.1, tags: {kuma.io/service: b}}]}`, "networking.outbound[1]"},
	{"Dataplane", "the same outbound twice", useless, `networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: w}}], outbound: [{port: 20000, tags: {kuma.io/service: a}}, {port: 20000, tags: {kuma.io/service: a}}]}`, "networking.outbound[1]?"},
	{"Dataplane", "outbound on the port of an inbound", breaks, `networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: w}}], outbound: [{port: 80, address: 10.0.0.1, tags: {kuma.io/service: a}}]}`, "networking.outbound[0]"},
	{"Dataplane", "two inbounds on one port", useless, `networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: w}}, {port: 80, tags: {kuma.io/service: x}}, {port: 80, address: 127.0.0.1, tags: {kuma.io/service: y}}]}`, "networking.inbound[1]?"},
	{"Dataplane", "redirection of incoming traffic only", useless, `networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: w}}], transparentProxying: {redirectPortInbound: 15006}}`, "networking.transparentProxying?"},
	{"Dataplane", "redirection of outgoing traffic only", meant, `networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: w}}], transparentProxying: {redirectPortOutbound: 15001}}`, ""},
	{"Dataplane", "outbounds on two addresses", meant, `networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: w}}], outbound: [{port: 80, tags: {kuma.io/service: a}}, {port: 80, address: 127.0.0.2, tags: {kuma.io/service: a}}]}`, ""},
	{"MeshLoadBalancingStrategy", "SourceIP inside the algorithm", breaks, to(`{loadBalancer: {type: RingHash, ringHash: {hashPolicies: [{type: SourceIP, connection: {sourceIP: true}}]}}}`), "spec.to[0].default.loadBalancer.ringHash.hashPolicies[0].type"},
	{"MeshLoadBalancingStrategy", "SourceIP next to the algorithm", breaks, to(`{loadBalancer: {type: RingHash}, hashPolicies: [{type: SourceIP, connection: {}}]}`), "spec.to[0].default.hashPolicies[0].type"},
	{"MeshLoadBalancingStrategy", "failover threshold that no proxy can have", useless, to(`{localityAwareness: {crossZone: {failoverThreshold: {percentage: 70}}}}`), "spec.to[0].default.localityAwareness.crossZone.failoverThreshold.percentage?"},
	{"MeshLoadBalancingStrategy", "failover threshold that proxies have", meant, to(`{localityAwareness: {crossZone: {failoverThreshold: {percentage: '33.3'}}}}`), ""},
	{"MeshLoadBalancingStrategy", "smallest ring above the largest", breaks, to(`{loadBalancer: {type: RingHash, ringHash: {minRingSize: 2000, maxRingSize: 1999}}}`), "spec.to[0].default.loadBalancer.ringHash.minRingSize"},
	{"MeshLoadBalancingStrategy", "table that is not prime", breaks, to(`{loadBalancer: {type: Maglev, maglev: {tableSize: 65535}}}`), "spec.to[0].default.loadBalancer.maglev.tableSize"},
	{"MeshLoadBalancingStrategy", "settings of another algorithm", useless, to(`{loadBalancer: {type: Random, ringHash: {minRingSize: 1}, maglev: {}}}`), "spec.to[0].default.loadBalancer.maglev? spec.to[0].default.loadBalancer.ringHash?"},
	{"MeshLoadBalancingStrategy", "settings of another hash policy", useless, to(`{loadBalancer: {type: Maglev}, hashPolicies: [{type: Header, header: {name: a}, connection: {}}]}`), "spec.to[0].default.hashPolicies[0].connection?"},
	{"MeshLoadBalancingStrategy", "hashes without an algorithm that uses them", useless, to(`{loadBalancer: {type: Random}, hashPolicies: [{type: Connection, connection: {}}]}`), "spec.to[0].default.hashPolicies?"},
	{"MeshLoadBalancingStrategy", "hashes of a route without such an algorithm (§9)", useless, `spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: a}, default: {hashPolicies: [{type: Connection, connection: {}}]}}]}`, "spec.to[0].default.hashPolicies?"},
	{"MeshLoadBalancingStrategy", "hashes of a route of a service with one (§9)", meant, `spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: a}, default: {hashPolicies: [{type: Connection, connection: {}}]}}, {targetRef: {kind: MeshService, name: a}, default: {loadBalancer: {type: Maglev}}}]}`, ""},
	{"MeshLoadBalancingStrategy", "other settings of a route (§9)", enforced, `spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: a}, default: {loadBalancer: {type: Maglev}}}]}`, "spec.to[0].default.loadBalancer"},
	{"MeshLoadBalancingStrategy", "entry without settings (§10)", useless, to(`{}`), "spec.to[0].default?"},

	{"MeshMetric", "two backends on a port", breaks, `spec: {default: {backends: [{type: Prometheus, prometheus: {port: 5670}}, {type: Prometheus, prometheus: {}}]}}`, "spec.default.backends[1].prometheus.port"},
	{"MeshMetric", "settings of another type of backend", useless, `spec: {default: {backends: [{type: Prometheus, prometheus: {}, openTelemetry: {endpoint: 'a:1'}}]}}`, "spec.default.backends[0].openTelemetry?"},
	{"MeshMetric", "no settings (§10)", useless, `spec: {}`, "spec.default?"},

	{"MeshPassthrough", "destinations with another mode", useless, `spec: {default: {passthroughMode: All, appendMatch: [{type: IP, value: 192.0.2.1}]}}`, "spec.default.appendMatch?"},
	{"MeshPassthrough", "proxies without transparent proxying", elsewhere, `spec: {default: {passthroughMode: None}}`, ""},
	{"MeshPassthrough", "no settings (§10)", useless, `spec: {default: {}}`, "spec.default?"},

	{"MeshProxyPatch", "patch that Envoy rejects", elsewhere, patch(`operation: Add, value: '{name: a, no_such: 1}'`), ""},
	{"MeshProxyPatch", "match that fits nothing", elsewhere, patch(`operation: Remove, match: {name: no-such}`), ""},
	{"MeshProxyPatch", "path that does not exist", elsewhere, patch(`operation: Patch, jsonPatches: [{op: remove, path: /no-such}]`), ""},
	{"MeshProxyPatch", "replace of what may not exist (§10)", useless, patch(`operation: Patch, jsonPatches: [{op: replace, path: /upstreamConnectionOptions/tcpKeepalive/keepaliveTime, value: 30}]`), "spec.default.appendModifications[0].cluster.jsonPatches[0].path?"},
	{"MeshProxyPatch", "replace of what always exists", meant, patch(`operation: Patch, jsonPatches: [{op: replace, path: /connectTimeout, value: 3s}]`), ""},
	{"MeshProxyPatch", "replace in snake case", breaks, patch(`operation: Patch, jsonPatches: [{op: replace, path: /connect_timeout, value: 3s}]`), "spec.default.appendModifications[0].cluster.jsonPatches[0].path"},
	{"MeshProxyPatch", "move to what may not exist", useless, patch(`operation: Patch, jsonPatches: [{op: move, from: /connectTimeout, path: /upstreamConnectionOptions/x}]`), "spec.default.appendModifications[0].cluster.jsonPatches[0].path?"},
	{"MeshProxyPatch", "copy of what may not exist", useless, patch(`operation: Patch, jsonPatches: [{op: copy, from: /altStatName, path: /name}]`), "spec.default.appendModifications[0].cluster.jsonPatches[0].from?"},
	{"MeshProxyPatch", "add below what may not exist", meant, patch(`operation: Patch, jsonPatches: [{op: add, path: /upstreamConnectionOptions/tcpKeepalive/keepaliveTime, value: 30}]`), ""},
	{"MeshProxyPatch", "remove of what may not exist", meant, patch(`operation: Patch, jsonPatches: [{op: remove, path: /upstreamConnectionOptions/tcpKeepalive}]`), ""},

	{"MeshRateLimit", "answer without a limit", useless, `spec: {targetRef: {kind: Dataplane}, rules: [{default: {local: {http: {onRateLimit: {status: 429}}}}}]}`, "spec.rules[0].default.local.http.onRateLimit?"},

	{"MeshRetry", "negative time for an attempt", breaks, to(`{http: {perTryTimeout: -1s}}`), "spec.to[0].default.http.perTryTimeout"},
	{"MeshRetry", "wait of zero", breaks, to(`{grpc: {backOff: {baseInterval: 0s}}}`), "spec.to[0].default.grpc.backOff.baseInterval"},
	{"MeshRetry", "base of the wait above the longest", breaks, to(`{http: {backOff: {baseInterval: 2s, maxInterval: 1999ms}}}`), "spec.to[0].default.http.backOff.baseInterval"},
	{"MeshRetry", "wait without a base, which policies with lower precedence may set", useless, to(`{http: {backOff: {maxInterval: 1s}}}`), "spec.to[0].default.http.backOff.baseInterval?"},
	{"MeshRetry", "header that does not compile", breaks, to(`{http: {retriableResponseHeaders: [{type: RegularExpression, name: a, value: '('}], retriableRequestHeaders: [{type: RegularExpression, name: a, value: 'a{2,1}'}]}}`), "spec.to[0].default.http.retriableRequestHeaders[0].value spec.to[0].default.http.retriableResponseHeaders[0].value"},
	{"MeshRetry", "settings of another protocol than the port's", elsewhere, to(`{http: {numRetries: 1}, grpc: {numRetries: 1}}`), ""},
	{"MeshRetry", "connections of a route (§9)", breaks, `spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: a}, default: {tcp: {maxConnectAttempt: 1}}}]}`, "spec.to[0].default.tcp"},
	{"MeshRetry", "no retries on a route (§9)", useless, `spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: a}, default: {http: {numRetries: 0}}}]}`, "spec.to[0].default.http.numRetries?"},
	{"MeshRetry", "no retries of a service", meant, to(`{http: {numRetries: 0}}`), ""},

	{"MeshTCPRoute", "destination that does not exist", elsewhere, tcpRoute(`[{default: {backendRefs: [{kind: MeshService, name: no-such, port: 1}]}}]`), ""},
	{"MeshTCPRoute", "destination without a port", useless, tcpRoute(`[{default: {backendRefs: [{kind: MeshService, name: a}]}}]`), "spec.to[0].rules[0].default.backendRefs[0]?"},
	{"MeshTCPRoute", "weights of zero", breaks, tcpRoute(`[{default: {backendRefs: [{kind: MeshService, name: a, port: 1, weight: 0}]}}]`), "spec.to[0].rules[0].default.backendRefs"},
	{"MeshTCPRoute", "no rule", useless, tcpRoute(`[]`), "spec.to[0].rules?"},
	{"MeshTCPRoute", "route on a port that speaks http", elsewhere, tcpRoute(`[{default: {backendRefs: [{kind: MeshService, name: a, port: 1}]}}]`), ""},

	{"MeshTLS", "proxies without an identity", elsewhere, `spec: {rules: [{default: {mode: Strict}}]}`, ""},
	{"MeshTLS", "ciphers that TLS 1.3 does not use", useless, `spec: {rules: [{default: {tlsVersion: {min: TLS13}, tlsCiphers: [ECDHE-RSA-AES256-GCM-SHA384]}}]}`, "spec.rules[0].default.tlsCiphers?"},
	{"MeshTLS", "ciphers of TLS 1.2", meant, `spec: {rules: [{default: {tlsVersion: {min: TLS12, max: TLS13}, tlsCiphers: [ECDHE-RSA-AES256-GCM-SHA384]}}]}`, ""},
	{"MeshTLS", "entry without settings (§10)", useless, `spec: {rules: [{}], targetRef: {kind: Mesh}}`, "spec.rules[0].default?"},

	{"MeshTimeout", "what has no effect on a route (§9)", breaks, `spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: a}, default: {idleTimeout: 1m}}]}`, "spec.to[0].default.idleTimeout"},
	{"MeshTimeout", "what a route does not inherit (§9)", useless, `spec: {to: [{targetRef: {kind: MeshService, name: a}, default: {http: {requestTimeout: 1m}}}, {targetRef: {kind: MeshHTTPRoute, name: a}, default: {http: {streamIdleTimeout: 1m}}}]}`, "spec.to[1].default?"},
	{"MeshTimeout", "no rule for other traffic", useless, `spec: {rules: [{matches: [{sni: {type: Exact, value: a}}], default: {idleTimeout: 1m}}]}`, "spec.rules?"},
	{"MeshTimeout", "a rule for other traffic", meant, `spec: {rules: [{matches: [{sni: {type: Exact, value: a}}], default: {idleTimeout: 1m}}, {matches: [], default: {idleTimeout: 1m}}]}`, ""},
	{"MeshTimeout", "match without a condition (§6)", enforced, `spec: {rules: [{matches: [{}], default: {idleTimeout: 1m}}]}`, "spec.rules[0].matches[0]"},

	{"MeshTrace", "URL that is a host", breaks, zipkin(`zipkin.example`), "spec.default.backends[0].zipkin.url"},
	{"MeshTrace", "URL without a scheme", breaks, zipkin(`zipkin:9411/api`), "spec.default.backends[0].zipkin.url"},
	{"MeshTrace", "URL without a port", useless, zipkin(`https://zipkin/api`), "spec.default.backends[0].zipkin.url?"},
	{"MeshTrace", "settings of another type of backend", useless, `spec: {default: {backends: [{type: Datadog, datadog: {url: 'http://a:1'}, zipkin: {url: 'http://a:1'}}]}}`, "spec.default.backends[0].zipkin?"},

	{"MeshTrafficPermission", "client without a condition", breaks, `spec: {rules: [{default: {deny: [{}], allow: [{}], allowWithShadowDeny: [{}]}}]}`, "spec.rules[0].default.allow[0] spec.rules[0].default.allowWithShadowDeny[0] spec.rules[0].default.deny[0]"},
	{"MeshTrafficPermission", "from next to the rules of another policy", elsewhere, `spec: {from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}`, ""},
	{"MeshTrafficPermission", "proxies without an identity", elsewhere, permit(`{spiffeID: {type: Exact, value: 'spiffe://a/b'}}`), ""},
	{"MeshTrafficPermission", "prefix that ends within a segment", meant, permit(`{spiffeID: {type: Prefix, value: 'spiffe://a/b'}}`), ""},

	{"Mesh", "skipped policies that do not exist", useless, `skipCreatingInitialPolicies: [MeshTimeouts, MeshTimeout, MeshRetry, MeshCircuitBreaker, '*']`, "skipCreatingInitialPolicies[0]?"},
	{"Mesh", "skipped policies of a mesh that is there", elsewhere, `skipCreatingInitialPolicies: ['*']`, ""},
	{"Mesh", "two sources of a certificate", breaks, `mtls: {skipValidation: true, backends: [{name: ca, type: provided, conf: {cert: {secret: a, inlineString: b}, key: {secret: a, file: /b}}}]}`, "mtls.backends[0].conf.cert mtls.backends[0].conf.key"},
	{"Mesh", "one source, and one without content", meant, `mtls: {skipValidation: true, backends: [{name: ca, type: provided, conf: {cert: {secret: a, inlineString: ''}, key: {secret: a}}}]}`, ""},
	{"Mesh", "zone egress that is not there", elsewhere, `mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}, routing: {zoneEgress: true}`, ""},

	{"MeshService", "port out of range", breaks, service(`{port: 0, targetPort: 1}, {port: -1, targetPort: 1}, {port: 65536, targetPort: 1}, {port: 65535, targetPort: 1}`), "spec.ports[0].port spec.ports[1].port spec.ports[2].port"},
	{"MeshService", "name that is the number of another port", useless, service(`{port: 80, targetPort: 1, name: "80"}, {port: 81, targetPort: 1, name: "80"}`), "spec.ports[1].name?"},
	{"MeshService", "port twice", breaks, service(`{port: 80, targetPort: 1}, {port: 80, targetPort: 1, name: b}`), "spec.ports[1].port"},
	{"MeshService", "unknown protocol", breaks, service(`{port: 80, targetPort: 1, appProtocol: htpp}`), "spec.ports[0].appProtocol"},
	{"MeshService", "protocol in upper case", breaks, service(`{port: 80, targetPort: 1, appProtocol: HTTP}, {port: 81, targetPort: 1, appProtocol: TCP}`), "spec.ports[0].appProtocol spec.ports[1].appProtocol"},
	{"MeshService", "empty name of a port", useless, service(`{port: 80, targetPort: 1, name: ''}`), "spec.ports[0].name?"},
	{"MeshService", "no ports", useless, `spec: {selector: {dataplaneTags: {a: b}}}`, "spec.ports?"},
	{"MeshService", "empty selector", useless, `spec: {selector: {}, ports: [{port: 80, targetPort: 1}]}`, "spec.selector?"},
	{"MeshService", "port without a target", useless, service(`{port: 80}`), "spec.ports[0].targetPort?"},

	{"MeshMultiZoneService", "port out of range", breaks, `spec: {selector: {meshService: {matchLabels: {a: b}}}, ports: [{port: 0}, {port: 65536}]}`, "spec.ports[0].port spec.ports[1].port"},
	{"MeshMultiZoneService", "labels that fit no MeshService", elsewhere, `spec: {selector: {meshService: {matchLabels: {a: b}}}, ports: [{port: 80}]}`, ""},

	{"MeshExternalService", "no endpoint", useless, `spec: {match: {port: 443}}`, "spec.endpoints?"},
	{"MeshExternalService", "no endpoint, because an extension has them", meant, `spec: {match: {port: 443}, extension: {type: Lambda}}`, ""},
	{"MeshExternalService", "HTTP without TLS to a port for HTTPS", useless, `spec: {match: {port: 80, protocol: http}, endpoints: [{address: a, port: 80}, {address: a, port: 443}]}`, "spec.endpoints[1].port?"},
	{"MeshExternalService", "TLS of the client", meant, `spec: {match: {port: 443}, endpoints: [{address: a, port: 443}]}`, ""},
	{"MeshExternalService", "certificate from nowhere", useless, trusting(`{}`), "spec.tls.verification.caCert?"},
	{"MeshExternalService", "client certificate and key that do not belong together", breaks, trusting(`{secret: a}, clientCert: {inlineString: a}, clientKey: {inline: Yg==}`), "spec.tls.verification.clientCert"},
	{"MeshExternalService", "client certificate without verification", useless, trusting(`{secret: a}, mode: SkipAll, clientCert: {secret: a}, clientKey: {secret: b}`), "spec.tls.verification.clientCert?"},
	{"MeshExternalService", "two sources of a certificate", breaks, trusting(`{secret: a, inline: Yg==}`), "spec.tls.verification.caCert"},
	{"MeshExternalService", "verification without TLS", useless, `spec: {match: {port: 443}, endpoints: [{address: a, port: 1}], tls: {verification: {mode: SkipAll}}}`, "spec.tls.verification?"},

	{"HostnameGenerator", "host name that another generator gives", elsewhere, `spec: {selector: {meshService: {}}, template: a.b}`, ""},

	{"MeshGateway", "certificate in a missing Secret", elsewhere, listener(`{secret: no-such}`), ""},
	{"MeshGateway", "two sources of a certificate", breaks, listener(`{secret: a, inlineString: b}`), "conf.listeners[0].tls.certificates[0]"},
	{"MeshGateway", "selectors that fit no gateway", elsewhere, listener(`{secret: a}`), ""},

	{"Dataplane", "inbound without tags, unless the mesh is Exclusive", elsewhere, `networking: {address: 10.0.0.1, inbound: [{port: 80}]}`, ""},
	{"Dataplane", "protocol that the proxy cannot have", breaks, `networking: {address: 10.0.0.1, inbound: [{port: 80, protocol: tls}, {port: 81, tags: {kuma.io/service: a, kuma.io/protocol: MySQL}}, {port: 82, protocol: HTTP}]}`, "networking.inbound[0].protocol networking.inbound[1].tags[\"kuma.io/protocol\"]"},
	{"Dataplane", "outbound to what does not exist", elsewhere, `networking: {address: 10.0.0.1, outbound: [{port: 80, backendRef: {kind: MeshService, name: no-such, port: 80}}]}`, ""},
	{"Dataplane", "namespace outside Kubernetes (§10)", useless, `networking: {address: 10.0.0.1, transparentProxying: {reachableBackends: {refs: [{kind: MeshService, name: a, namespace: b}]}}}`, "networking.transparentProxying.reachableBackends.refs[0].namespace?"},

	{"MeshIdentity", "label in the trust domain", breaks, identify(`spiffeID: {trustDomain: '{{ label "app" }}.local', path: '/x'}`), "spec.spiffeID.trustDomain"},
	{"MeshIdentity", "unknown fields in the templates", breaks, identify(`spiffeID: {trustDomain: '{{ .Zone }}.{{ .Workload }}', path: '/{{ .Mesh }}'}`), "spec.spiffeID.path spec.spiffeID.trustDomain"},
	{"MeshIdentity", "known fields in the templates", meant, identify(`spiffeID: {trustDomain: '{{ .Mesh }}.{{ .Zone }}', path: '/{{ .Namespace }}/{{ .ServiceAccount }}/{{ .Workload }}/{{ label "a" }}'}`), ""},
	{"MeshIdentity", "empty spiffeID", meant, identify(`spiffeID: {}`), ""},
	{"MeshIdentity", "settings of both issuers", useless, identify(`provider: {type: Spire, spire: {}, bundled: {}}`), "spec.provider.bundled?"},
	{"MeshIdentity", "generated authority that is not accepted", useless, identify(`provider: {type: Bundled, bundled: {autogenerate: {enabled: true}}}`), "spec.provider.bundled.autogenerate.enabled?"},
	{"MeshIdentity", "generated authority that is accepted", meant, identify(`provider: {type: Bundled, bundled: {insecureAllowSelfSigned: true, autogenerate: {enabled: true}}}`), ""},
	{"MeshIdentity", "no selector", useless, `spec: {provider: {type: Spire, spire: {}}}`, "spec.selector?"},
	{"MeshIdentity", "no issuer", useless, `spec: {selector: {dataplane: {matchLabels: {}}}}`, "spec.provider?"},
	{"MeshIdentity", "characters that no trust domain has", useless, identify(`spiffeID: {trustDomain: 'My {{ .Mesh }}'}`), "spec.spiffeID.trustDomain?"},
	{"MeshIdentity", "mesh that is not Exclusive", elsewhere, identify(``), ""},

	{"MeshTrust", "characters that no trust domain has", useless, `spec: {trustDomain: Shop.local, caBundles: [{type: Pem, pem: {value: "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----"}}]}`, "spec.trustDomain?"},

	{"MeshZoneAddress", "address that is not a host name", breaks, `spec: {address: 'zone/east', port: 10001}`, "spec.address"},
	{"MeshZoneAddress", "address that stands for any", breaks, `spec: {address: 0.0.0.0, port: 10001}`, "spec.address"},

	{"MeshOpenTelemetryBackend", "no endpoint stands for the proxy's host", meant, `spec: {}`, ""},
	{"MeshOpenTelemetryBackend", "empty path", meant, `spec: {endpoint: {path: ''}}`, ""},

	{"MeshTimeout", "objects that do not exist (§10)", elsewhere, timeoutsOf(`kind: MeshService, name: no-such`), ""},
	{"MeshTimeout", "namespace outside Kubernetes (§10)", useless, timeoutsOf(`kind: MeshService, name: a, namespace: b`), "spec.to[0].targetRef.namespace?"},
	{"MeshTimeout", "namespace of a policy of Kubernetes (§10)", meant, `labels: {k8s.kuma.io/namespace: b}, ` + timeoutsOf(`kind: MeshService, name: a, namespace: b`), ""},
	{"MeshTimeout", "label that objects have only if it is set (§10)", elsewhere, timeoutsOf(`kind: MeshService, labels: {kuma.io/display-name: a}`), ""},
	{"MeshTimeout", "number of a port that has a name (§10)", elsewhere, timeoutsOf(`kind: MeshService, name: a, sectionName: '80'`), ""},
	{"MeshTimeout", "missing inbound, or labels that fit no proxy (§10)", elsewhere, `spec: {targetRef: {kind: Dataplane, labels: {a: no-such}, sectionName: no-such}, rules: [{default: {idleTimeout: 1m}}]}`, ""},
	{"MeshTimeout", "two policies for one target (§10)", elsewhere, timeoutsOf(`kind: Mesh`), ""},
	{"MeshTimeout", "MeshMultiZoneService without a name (§5.1)", useless, timeoutsOf(`kind: MeshMultiZoneService`), "spec.to[0].targetRef?"},
	{"MeshTimeout", "fields that a MeshMultiZoneService does not have (§5.1)", useless, timeoutsOf(`kind: MeshMultiZoneService, name: a, tags: {a: b}, proxyTypes: [Sidecar], mesh: b`), "spec.to[0].targetRef.mesh? spec.to[0].targetRef.proxyTypes? spec.to[0].targetRef.tags?"},
	{"MeshHTTPRoute", "destination without a name (§5.1)", useless, backends(`{kind: MeshMultiZoneService, port: 80}`), "spec.to[0].rules[0].default.backendRefs[0]?"},
}

const inFilter = "spec.to[0].rules[0].default.filters[0]."

// The functions below return the fields next to type and name.

func to(conf string) string {
	return `spec: {to: [{targetRef: {kind: MeshService, name: a}, default: ` + conf + `}]}`
}

func timeoutsOf(ref string) string {
	return `spec: {to: [{targetRef: {` + ref + `}, default: {idleTimeout: 1m}}]}`
}

func collector(settings string) string {
	return `{backends: [{type: OpenTelemetry, openTelemetry: ` + settings + `}]}`
}

func fault(of string) string {
	return `spec: {targetRef: {kind: Dataplane}, rules: [{default: {http: [{` + of + `}]}}]}`
}

func httpRoute(rules string) string {
	return `spec: {to: [{targetRef: {kind: MeshService, name: a}, rules: [` + rules + `]}]}`
}

func filter(filters string) string {
	return httpRoute(`{matches: [{path: {type: PathPrefix, value: /}}], default: {filters: [` + filters + `]}}`)
}

func backends(refs string) string {
	return httpRoute(`{matches: [{}], default: {backendRefs: [` + refs + `]}}`)
}

func match(condition string) string {
	return httpRoute(`{matches: [{` + condition + `}], default: {}}`)
}

func tcpRoute(rules string) string {
	return `spec: {to: [{targetRef: {kind: MeshService, name: a}, rules: ` + rules + `}]}`
}

func patch(cluster string) string {
	return `spec: {default: {appendModifications: [{cluster: {` + cluster + `}}]}}`
}

func zipkin(url string) string {
	return `spec: {default: {backends: [{type: Zipkin, zipkin: {url: '` + url + `'}}]}}`
}

func permit(client string) string {
	return `spec: {rules: [{default: {allow: [` + client + `]}}]}`
}

func service(ports string) string {
	return `spec: {selector: {dataplaneTags: {a: b}}, ports: [` + ports + `]}`
}

func trusting(source string) string {
	return `spec: {match: {port: 443}, endpoints: [{address: a, port: 1}], tls: {enabled: true, verification: {caCert: ` + source + `}}}`
}

func listener(certificate string) string {
	return `selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [{port: 443, protocol: HTTPS, tls: {mode: TERMINATE, certificates: [` + certificate + `]}}]}`
}

func identify(fields string) string {
	if !strings.Contains(fields, "provider") {
		fields += `, provider: {type: Spire, spire: {}}`
	}
	return `spec: {selector: {dataplane: {matchLabels: {}}}, ` + strings.TrimPrefix(fields, ", ") + `}`
}

// TestHarmful checks that harmful settings are errors, that ineffective ones
// are warnings, and that the rest has no design problems.
func TestHarmful(t *testing.T) {
	t.Parallel()
	count := map[outcome]int{}
	for _, tt := range harmful {
		count[tt.outcome]++
		t.Run(tt.kind+"/"+tt.what, func(t *testing.T) {
			t.Parallel()
			doc := testworld.Document(t, `{type: `+tt.kind+`, name: web, `+tt.document+`}`)
			k := kind(t, doc)
			rejected := def.Errors(k.Validate(doc))
			found := k.ValidateDesign(doc, kuma.Newest2())
			if tt.outcome == enforced {
				rejected, found = nil, rejected
			}
			if len(rejected) > 0 {
				t.Errorf("the control plane would not store it: %+v", rejected)
			}
			for _, p := range found {
				if len(p.Summary) > 60 || strings.HasSuffix(p.Summary, ".") || !strings.HasSuffix(p.Detail, ".") && !strings.HasSuffix(p.Detail, "?") {
					t.Errorf("%s: summary %q, detail %q", p.Path, p.Summary, p.Detail)
				}
			}
			if got := strings.Join(paths(found), " "); got != tt.at {
				t.Errorf("problems at %q, want %q", got, tt.at)
			}
			if isError := tt.outcome == breaks || tt.outcome == enforced; isError != (len(def.Errors(found)) > 0) {
				t.Errorf("problems %+v, want %q", found, tt.outcome)
			}
		})
	}
	t.Logf("%d in all: %v", len(harmful), count)
}

// doubtful lists the problems of the recorded documents that a control plane
// accepted, and why they are right.
var doubtful = map[string]string{
	"MeshExternalService/min-tcp spec.endpoints?":                                                                      "it is as small as possible",
	"MeshFaultInjection/mfi-inbound spec.rules[1].default.http[0].delay.value":                                         "it shows that 0s is stored, which Envoy rejects",
	"MeshHTTPRoute/route-a spec.to[0].rules[0].default.filters[2].urlRewrite.path.replacePrefixMatch?":                 "it is stored as it is written",
	"MeshHTTPRoute/route-gateway spec.to[0].rules[0].default.backendRefs[0].labels?":                                   "the label app may be on several services",
	"MeshIdentity/identity-empty spec.provider?":                                                                       "it is as small as possible",
	"MeshIdentity/identity-empty spec.selector?":                                                                       "it is as small as possible",
	"MeshIdentity/identity-env spec.selector?":                                                                         "it shows that no selector is stored",
	"MeshIdentity/identity-ext spec.selector?":                                                                         "it shows that no selector is stored",
	"MeshLoadBalancingStrategy/mlbs-mesh spec.to[0].default.localityAwareness.crossZone.failoverThreshold.percentage?": "it is stored as it is written, and proxies round it",
	"MeshLoadBalancingStrategy/mlbs-mesh spec.to[1].default.hashPolicies[0].type":                                      "it shows that SourceIP is stored without a warning, which Envoy rejects",
	"MeshLoadBalancingStrategy/mlbs-mesh spec.to[2].default.loadBalancer.maglev.hashPolicies[0].type":                  "it shows that SourceIP is stored there, too",
	"MeshMetric/mm-minimal spec.default?":                                                                              "it is as small as possible",
	"MeshProxyPatch/mpp-all spec.default.appendModifications[1].cluster.jsonPatches[3].from?":                          "it shows each operation",
	"MeshProxyPatch/mpp-all spec.default.appendModifications[1].cluster.jsonPatches[4].from?":                          "it shows each operation",
	"MeshRetry/mr-all spec.to[1].default?":                                                                             "its entry for a route sets less than that for the service",
	"MeshService/backend spec.ports[2].targetPort?":                                                                    "a port without a target has no endpoints",
	"MeshService/by-ref spec.ports[0].targetPort?":                                                                     "a port without a target has no endpoints",
	"MeshService/empty spec.ports?":                                                                                    "it is as small as possible",
	"MeshService/empty spec.selector?":                                                                                 "it is as small as possible",
	"MeshTCPRoute/tcp-a spec.to?":                                                                                      "it has two destinations",
	"MeshTCPRoute/tcp-a spec.to[1].rules?":                                                                             "it shows that no rule is stored",
}

func TestDesignOfRecordings(t *testing.T) {
	t.Parallel()
	got, want := map[string]bool{}, map[string]bool{}
	for problem := range doubtful {
		want[problem] = true
	}
	for _, file := range testworld.Files(t, "testdata/catalog/examples/*.yaml") {
		for _, doc := range testworld.Documents(t, testworld.Text(t, file)) {
			k := kind(t, doc)
			for _, at := range paths(k.ValidateDesign(doc, kuma.Newest2())) {
				got[k.Name+"/"+doc["name"].(string)+" "+at] = true
			}
		}
	}
	testworld.Equal(t, "problems of accepted documents", want, got)
}

// TestUnknownHarm checks that an unknown value does not cause a problem that
// does not exist with the value.
func TestUnknownHarm(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, doc map[string]any) {
		t.Helper()
		k := kind(t, doc)
		before := paths(k.ValidateDesign(doc, kuma.Newest2()))
		blank(doc, nil, func(at tree.Path) {
			for _, problem := range paths(k.ValidateDesign(doc, kuma.Newest2())) {
				if !slices.Contains(before, problem) {
					t.Errorf("%s has a problem at %s if %s is unknown", k.Name, problem, at)
				}
			}
		})
	}
	for _, tt := range harmful {
		check(t, testworld.Document(t, `{type: `+tt.kind+`, name: web, `+tt.document+`}`))
	}
	for _, file := range testworld.Files(t, "testdata/catalog/examples/*.yaml") {
		for _, doc := range testworld.Documents(t, testworld.Text(t, file)) {
			check(t, doc)
		}
	}
}

// paths returns the paths of problems; a question mark marks a warning.
func paths(problems []def.Problem) []string {
	out := make([]string, len(problems))
	for i, p := range problems {
		out[i] = p.Path.String()
		if p.Warning {
			out[i] += "?"
		}
	}
	return out
}

// TestDesignOfInitialPolicies checks that the initial policies of a mesh have
// no problems, and that exactly their kinds can be skipped.
func TestDesignOfInitialPolicies(t *testing.T) {
	t.Parallel()
	for _, r := range kinds.Initial(kuma.Resource{Type: "Mesh", Name: "shop"}, kuma.Newest2()) {
		doc := r.Document()
		if problems := kind(t, doc).ValidateDesign(doc, kuma.Newest2()); len(problems) > 0 {
			t.Errorf("%s: problems %+v, want none", r.Name, problems)
		}
	}
	for _, k := range kinds.All() {
		problems := kinds.Mesh.ValidateDesign(map[string]any{"type": "Mesh", "name": "shop", "skipCreatingInitialPolicies": []any{k.Name}}, kuma.Newest2())
		if skippable := len(problems) == 0; skippable != (k.Policy != nil && len(k.Initial) > 0) {
			t.Errorf("problems of skipping %s: %+v, and it has %d initial policies", k.Name, problems, len(k.Initial))
		}
	}
}
