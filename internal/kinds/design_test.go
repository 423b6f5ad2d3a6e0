package kinds_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestDesign lists the paths of the problems that the control plane does not
// report; a question mark marks a warning.
func TestDesign(t *testing.T) {
	t.Parallel()
	const route = `to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: `
	timeout := func(spec string) string { return `{type: MeshTimeout, name: web, spec: {` + spec + `}}` }
	retry := func(spec string) string { return `{type: MeshRetry, name: web, spec: {` + spec + `}}` }
	const httpTo = `{targetRef: {kind: MeshService, name: a}, rules: [{matches: [{}], default: {backendRefs: [{kind: MeshService, name: a, port: 80}]}}]}`
	tests := map[string]struct{ document, want string }{
		"timeouts that work on a route": {timeout(route + `{http: {requestTimeout: 1s, streamIdleTimeout: 1s}}}]`), ""},
		"connectionTimeout":             {timeout(route + `{connectionTimeout: 1s}}]`), "spec.to[0].default.connectionTimeout"},
		"idleTimeout":                   {timeout(route + `{idleTimeout: 1s}}]`), "spec.to[0].default.idleTimeout"},
		"maxStreamDuration":             {timeout(route + `{http: {maxStreamDuration: 1s}}}]`), "spec.to[0].default.http.maxStreamDuration"},
		"maxConnectionDuration":         {timeout(route + `{http: {maxConnectionDuration: 1s}}}]`), "spec.to[0].default.http.maxConnectionDuration"},
		"requestHeadersTimeout":         {timeout(route + `{http: {requestTimeout: 1s, requestHeadersTimeout: 1s}}}]`), "spec.to[0].default.http.requestHeadersTimeout"},
		"timeouts of a service":         {timeout(`to: [{targetRef: {kind: MeshService, name: a}, default: {idleTimeout: 1s}}]`), ""},
		"lost on the route": {
			timeout(`to: [{targetRef: {kind: MeshService, name: a}, default: {http: {requestTimeout: 1s}}}, {targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {streamIdleTimeout: 1s}}}]`),
			"spec.to[1].default?",
		},
		"kept by the mesh": {
			timeout(`to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 1s}}}, {targetRef: {kind: MeshService, name: a}, default: {http: {requestTimeout: 1s}}}, {targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {streamIdleTimeout: 1s}}}]`),
			"",
		},
		"retries of requests":    {retry(route + `{http: {numRetries: 1}, grpc: {numRetries: 1}}}]`), ""},
		"retries of connections": {retry(route + `{tcp: {maxConnectAttempt: 1}}}]`), "spec.to[0].default.tcp"},

		"receiver of logs":                 {`{type: MeshAccessLog, name: l, spec: {to: [{targetRef: {kind: Mesh}, default: {backends: [{type: Tcp, tcp: {address: "logs:9000"}}]}}]}}`, ""},
		"URL of a receiver of logs":        {`{type: MeshAccessLog, name: l, spec: {to: [{targetRef: {kind: Mesh}, default: {backends: [{type: Tcp, tcp: {address: "http://logs:9000/x"}}]}}]}}`, "spec.to[0].default.backends[0].tcp.address"},
		"receiver of logs without a port":  {`{type: MeshAccessLog, name: l, spec: {to: [{targetRef: {kind: Mesh}, default: {backends: [{type: Tcp, tcp: {address: logs.example}}]}}]}}`, "spec.to[0].default.backends[0].tcp.address"},
		"receiver of logs by IPv6":         {`{type: MeshAccessLog, name: l, spec: {to: [{targetRef: {kind: Mesh}, default: {backends: [{type: Tcp, tcp: {address: "[2001:db8::1]:5000"}}]}}]}}`, ""},
		"path of metrics":                  {`{type: MeshMetric, name: m, spec: {default: {backends: [{type: Prometheus, prometheus: {path: /m}}]}}}`, ""},
		"path of metrics without a slash":  {`{type: MeshMetric, name: m, spec: {default: {backends: [{type: Prometheus, prometheus: {path: m}}]}}}`, "spec.default.backends[0].prometheus.path"},
		"path of identities":               {`{type: MeshIdentity, name: i, spec: {selector: {dataplane: {matchLabels: {}}}, provider: {type: Spire, spire: {}}, spiffeID: {path: '/{{ .Workload }}'}}}`, ""},
		"path of identities by label":      {`{type: MeshIdentity, name: i, spec: {selector: {dataplane: {matchLabels: {}}}, provider: {type: Spire, spire: {}}, spiffeID: {path: '{{ label "path" }}'}}}`, ""},
		"path of identities without slash": {`{type: MeshIdentity, name: i, spec: {selector: {dataplane: {matchLabels: {}}}, provider: {type: Spire, spire: {}}, spiffeID: {path: 'workload/{{ .Workload }}'}}}`, "spec.spiffeID.path"},

		"one destination":                {`{type: MeshHTTPRoute, name: r, spec: {to: [` + httpTo + `]}}`, ""},
		"two destinations":               {`{type: MeshHTTPRoute, name: r, spec: {to: [` + httpTo + `, ` + httpTo + `]}}`, "spec.to?"},
		"two destinations of a consumer": {`{type: MeshHTTPRoute, name: r, labels: {kuma.io/policy-role: consumer}, spec: {to: [` + httpTo + `, ` + httpTo + `]}}`, "spec.to"},
		"backend without port":           {`{type: MeshHTTPRoute, name: r, spec: {to: [` + strings.Replace(httpTo, ", port: 80", "", 1) + `]}}`, "spec.to[0].rules[0].default.backendRefs[0]?"},
		"backend by section":             {`{type: MeshHTTPRoute, name: r, spec: {to: [` + strings.Replace(httpTo, "port: 80", "sectionName: http", 1) + `]}}`, ""},
		"backend of a legacy subset":     {`{type: MeshHTTPRoute, name: r, spec: {to: [` + strings.Replace(httpTo, "{kind: MeshService, name: a, port: 80}", "{kind: MeshServiceSubset, name: a}", 1) + `]}}`, ""},
		"backend of TCP without port": {`
type: MeshTCPRoute
name: r
spec:
  to:
    - targetRef: {kind: MeshService, name: a}
      rules:
        - default:
            backendRefs: [{kind: MeshService, name: a}]
`, "spec.to[0].rules[0].default.backendRefs[0]?"},
		"one destination twice": {
			timeout(`to: [{targetRef: {kind: MeshService, name: a}, default: {idleTimeout: 1s}}, {targetRef: {kind: MeshService, name: b}, default: {idleTimeout: 1s}}, {targetRef: {name: a, kind: MeshService}, default: {connectionTimeout: 2s}}]`),
			"spec.to[2].targetRef?",
		},
		"two sections of a service": {
			timeout(`to: [{targetRef: {kind: MeshService, name: a, sectionName: x}, default: {idleTimeout: 1s}}, {targetRef: {kind: MeshService, name: a}, default: {idleTimeout: 1s}}]`), "",
		},
		"the whole mesh twice": {retry(`to: [{targetRef: {kind: Mesh}, default: {tcp: {maxConnectAttempt: 1}}}, {targetRef: {kind: Mesh}, default: {tcp: {maxConnectAttempt: 2}}}]`), "spec.to[1].targetRef?"},
		"two rules for all traffic": {
			timeout(`rules: [{default: {idleTimeout: 1s}}, {matches: [{spiffeID: {type: Exact, value: "spiffe://a/b"}}], default: {http: {requestTimeout: 1s}}}, {matches: [], default: {idleTimeout: 2s}}]`),
			"spec.rules[2]?",
		},
		"two rules of a kind without matches": {`
type: MeshTLS
name: a
spec:
  rules:
    - {default: {mode: Strict}}
    - {default: {mode: Permissive}}
`, "spec.rules[1]?"},
		"two permissions": {
			`
type: MeshTrafficPermission
name: a
spec:
  rules:
    - default:
        allow:
          - spiffeID: {type: Exact, value: "spiffe://a/b"}
    - default:
        allow:
          - spiffeID: {type: Exact, value: "spiffe://a/c"}
`, "",
		},
		"kinds without rules of this sort": {`{type: Zone, name: a}`, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := testworld.Document(t, tt.document)
			k, _ := kinds.Find(doc["type"].(string))
			if got := strings.Join(paths(k.ValidateDesign(doc, kuma.Newest2())), " "); got != tt.want {
				t.Errorf("problems at %q, want %q", got, tt.want)
			}
			if _, err := kuma.FromDocument(doc, kinds.Form); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMirrorToMeshService checks that copies to a MeshService are only errors where a proxy
// gets no configuration with them (proxies.md, §3).
func TestMirrorToMeshService(t *testing.T) {
	t.Parallel()
	doc := testworld.Document(t, `
type: MeshHTTPRoute
name: copies
mesh: shop
spec:
  to:
    - targetRef: {kind: MeshService, labels: {kuma.io/display-name: api}}
      rules:
        - default:
            filters:
              - type: RequestMirror
                requestMirror: {backendRef: {kind: MeshService, labels: {kuma.io/display-name: audit}, port: 80}}
`)
	for release, want := range map[kuma.Release]int{kuma.Newest2(): 1, {Major: 3}: 0} {
		if problems := kinds.MeshHTTPRoute.ValidateDesign(doc, release); len(problems) != want {
			t.Errorf("Kuma %s: problems %+v, want %d", release, problems, want)
		}
	}
}

// TestUnknownProtocol checks that only Kuma 2 is said to store an unknown protocol: Kuma 3.0 rejects it.
func TestUnknownProtocol(t *testing.T) {
	t.Parallel()
	doc := testworld.Resources(t, "{type: MeshService, mesh: shop, name: a, spec: {selector: {dataplaneLabels: {matchLabels: {app: a}}}, ports: [{port: 80, targetPort: 80, appProtocol: mysql}]}}")[0].Document()
	for release, want := range map[kuma.Release]string{kuma.Newest2(): "spec.ports[0].appProtocol", kuma.ParseRelease("3.0"): ""} {
		testworld.Equal(t, release.String(), want, strings.Join(paths(kinds.MeshService.ValidateDesign(doc, release)), " "))
	}
}

// TestAdviceForKuma3 checks that the advice about incoming traffic is valid on Kuma 3.0, too.
func TestAdviceForKuma3(t *testing.T) {
	t.Parallel()
	problems := kinds.MeshRateLimit.Validate(testworld.Resource(t, "{type: MeshRateLimit, name: a, spec: {targetRef: {kind: Mesh}, rules: [{default: {local: {http: {requestRate: {num: 1, interval: 1s}}}}}]}}").Document())
	if len(problems) != 1 || strings.Contains(problems[0].Detail, "proxyTypes") || !strings.Contains(problems[0].Detail, "the kind Dataplane") {
		t.Errorf("got %v", problems)
	}
	skip, _ := kinds.Mesh.Fields.Field("skipCreatingInitialPolicies")
	if advice := skip.Removed.Instead; !strings.Contains(advice, "set it to null in a configuration for both releases") {
		t.Errorf("skipCreatingInitialPolicies: %q", advice) // as null, both accept it
	}
	for kind, clients := range map[string]bool{"MeshTimeout": false, "MeshTLS": false, "MeshTrafficPermission": true, "MeshFaultInjection": true} {
		k, _ := kinds.Find(kind)
		from, _ := k.Fields.Field("from")
		if got := strings.Contains(from.Removed.Instead, "SPIFFE IDs"); got != clients {
			t.Errorf("%s: %q", kind, from.Removed.Instead)
		}
	}
}
