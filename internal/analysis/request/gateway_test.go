package request_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// edge is a builtin gateway with listeners for several host names.
const edge = `
---
{type: Dataplane, mesh: m, name: edge-1, networking: {address: 10.0.0.9, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}}
---
{type: MeshGateway, mesh: m, name: edge, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [
  {port: 80, protocol: HTTP, hostname: '*.shop', tags: {l: shop}}, {port: 80, protocol: HTTP, tags: {l: rest}},
  {port: 90, protocol: TCP, tags: {l: tcp}}, {port: 443, protocol: HTTPS, hostname: a.shop, tags: {l: tls}, tls: {mode: TERMINATE, certificates: [{secret: s}]}}]}}`

// toEdge returns a route for listeners with a tag.
func toEdge(name, tag, hostnames, list string) string {
	return fmt.Sprintf("\n---\n{type: MeshHTTPRoute, mesh: m, name: %s, spec: {targetRef: {kind: MeshGateway, name: edge, tags: {l: %s}}, to: [{targetRef: {kind: Mesh}, hostnames: [%s], rules: [%s]}]}}", name, tag, hostnames, list)
}

// to returns a rule for a path.
func to(kind, path, service string) string {
	return fmt.Sprintf("{matches: [{path: {type: %s, value: %s}}], default: {backendRefs: [{kind: MeshService, labels: {app: %s}, port: 80}]}}", kind, path, service)
}

// tcpRoute returns a route for a service, which is by name because rules by tags tell these apart.
func tcpRoute(service, backend string) string {
	return policy("MeshTCPRoute", service, "to: [{targetRef: {kind: MeshService, name: "+service+"}, rules: [{default: {backendRefs: [{kind: MeshService, "+backend+"}]}}]}]")
}

// TestGateways checks requests to builtin gateways. TestRequests of package proxies compares
// them with what gateways do.
func TestGateways(t *testing.T) {
	t.Parallel()
	every := toEdge("shop", "shop", "", to("PathPrefix", "/", "api")) + toEdge("rest", "rest", "", to("PathPrefix", "/", "db")) + toEdge("tls", "tls", "", to("PathPrefix", "/", "api"))
	rewrite := "{matches: [{path: {type: PathPrefix, value: /v2}}], default: {filters: [{type: URLRewrite, urlRewrite: {hostname: h, path: {type: ReplacePrefixMatch, replacePrefixMatch: /new/}}}], backendRefs: [{kind: MeshService, labels: {app: db}, port: 80}]}}"
	redirect := "{matches: [{path: {type: Exact, value: /r}}], default: {filters: [{type: RequestRedirect, requestRedirect: {scheme: https}}]%s}}"
	split := "{matches: [{path: {type: Exact, value: /s}}], default: {backendRefs: [{kind: MeshService, labels: {app: db}, port: 80, weight: 1}, {kind: MeshService, labels: {app: db}, port: 80, weight: 3}, {kind: MeshService, labels: {app: nope}, port: 80, weight: 1}]}}"
	header := "{matches: [{path: {type: Exact, value: /a}, headers: [{name: x, type: Exact, value: '1'}]}], default: {backendRefs: [{kind: MeshService, labels: {app: db}, port: 80}]}}"
	for name, tt := range map[string]struct {
		documents, host, path string
		port                  int
		want                  string
	}{
		"a host name of a listener":                     {"", "a.shop", "/", 80, `allowed, rule 1 of MeshHTTPRoute "shop", 1 api/ allowed`},
		"another host name":                             {"", "example.com", "/", 80, `allowed, rule 1 of MeshHTTPRoute "rest", 1 db/ allowed`},
		"HTTPS":                                         {"", "a.shop", "/", 443, `allowed, rule 1 of MeshHTTPRoute "tls", 1 api/ allowed`},
		"HTTPS for another name":                        {"", "b.shop", "/", 443, "unreachable"},
		"a port without a listener":                     {"", "a.shop", "/", 81, "unreachable"},
		"TCP without a route":                           {"", "a.shop", "/", 90, "unreachable"},
		"TCP with a route for a service":                {tcpRoute("api", "labels: {app: db}, port: 80"), "a.shop", "/", 90, `allowed, rule 1 of MeshTCPRoute "api", 1 db/ allowed`},
		"TCP with routes for several services":          {tcpRoute("api", "labels: {app: db}, port: 80") + tcpRoute("db", "labels: {app: api}, port: 80, weight: 3"), "a.shop", "/", 90, `allowed, rule 1 of MeshTCPRoute "api", 1/4 db/ allowed, 3/4 api/ allowed`},
		"TCP with a route without rules":                {policy("MeshTCPRoute", "r", "to: [{targetRef: {kind: Mesh}, rules: []}]"), "a.shop", "/", 90, `no_healthy_destination, rule 1 of MeshTCPRoute "r", 1 */ no_healthy_destination`},
		"TCP with one backend, of weight 0":             {tcpRoute("api", "labels: {app: db}, port: 80, weight: 0"), "a.shop", "/", 90, `allowed, rule 1 of MeshTCPRoute "api", 1 db/ allowed`},
		"TCP with backends of weight 0":                 {tcpRoute("api", "labels: {app: db}, port: 80, weight: 0}, {kind: MeshService, labels: {app: api}, port: 80, weight: 0"), "a.shop", "/", 90, `unknown, rule 1 of MeshTCPRoute "api"`},
		"TCP with a missing backend of weight 0":        {tcpRoute("api", "labels: {app: db}, port: 80}, {kind: MeshService, labels: {app: nope}, port: 80, weight: 0"), "a.shop", "/", 90, `allowed, rule 1 of MeshTCPRoute "api", 1 db/ allowed`},
		"a host name of a route":                        {toEdge("host", "rest", "x.example", to("Exact", "/x", "api")), "x.example", "/x", 80, `allowed, rule 1 of MeshHTTPRoute "host", 1 api/x allowed`},
		"a host name that another listener has":         {toEdge("host", "rest", "x.shop", to("Exact", "/x", "db")), "x.shop", "/x", 80, `allowed, rule 1 of MeshHTTPRoute "shop", 1 api/x allowed`},
		"a route for a service takes requests":          {"\n---\n{type: MeshHTTPRoute, mesh: m, name: east-west, spec: {to: [{targetRef: {kind: MeshService, labels: {app: ghost}}, rules: [" + to("Exact", "/x", "db") + "]}]}}", "a.shop", "/x", 80, `allowed, rule 1 of MeshHTTPRoute "east-west", 1 db/x allowed`},
		"a prefix that is rewritten":                    {toEdge("v2", "shop", "", rewrite), "a.shop", "/v2/x", 80, `allowed, rule 1 of MeshHTTPRoute "v2", 1 db/new/x allowed`},
		"the path of the prefix":                        {toEdge("v2", "shop", "", rewrite), "a.shop", "/v2", 80, `allowed, rule 1 of MeshHTTPRoute "v2", 1 db/new allowed`},
		"a path that only begins like it":               {toEdge("v2", "shop", "", rewrite), "a.shop", "/v2x", 80, `allowed, rule 1 of MeshHTTPRoute "shop", 1 api/v2x allowed`},
		"an exact match takes the path from the prefix": {toEdge("a", "shop", "", to("PathPrefix", "/a", "db")+", "+header), "a.shop", "/a", 80, `allowed, rule 1 of MeshHTTPRoute "shop", 1 api/a allowed`},
		"slashes":                                    {toEdge("x", "shop", "", to("Exact", "/x/y", "db")), "a.shop", "//x//y", 80, `allowed, rule 1 of MeshHTTPRoute "x", 1 db/x/y allowed`},
		"an escaped slash":                           {"", "a.shop", "/x%2Fy", 80, "redirected, 307, /x/y"},
		"a redirect":                                 {toEdge("r", "shop", "", fmt.Sprintf(redirect, "")), "a.shop", "/r", 80, `redirected, rule 1 of MeshHTTPRoute "r", 302, https://a.shop:80/r`},
		"a backend without a port":                   {toEdge("p", "rest", "", "{matches: [{path: {type: Exact, value: /p}}], default: {backendRefs: [{kind: MeshService, labels: {app: nope}, weight: 0}, {kind: MeshService, labels: {app: db}, port: 80}]}}"), "a.shop", "/", 80, "unknown"},
		"a missing one, weight 0":                    {toEdge("p", "rest", "", "{matches: [{path: {type: Exact, value: /p}}], default: {backendRefs: [{kind: MeshService, labels: {app: nope}, port: 80, weight: 0}]}}"), "a.shop", "/", 80, "unknown"},
		"a redirect beside a backend":                {toEdge("r", "shop", "", fmt.Sprintf(redirect, ", backendRefs: [{kind: MeshService, labels: {app: db}, port: 80}]")), "a.shop", "/r", 80, `allowed, rule 1 of MeshHTTPRoute "r", 1 db/r allowed`},
		"weights of one port, and a missing service": {toEdge("s", "shop", "", split), "a.shop", "/s", 80, `mixed, rule 1 of MeshHTTPRoute "s", 3/4 db/s allowed, 1/4 app=nope/s error`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, err := older(t, world+edge+every+tt.documents).Send(request.Request{Mesh: "m", Dataplane: "edge-1", Service: request.Service{Host: tt.host, Port: tt.port}, Path: tt.path})
			testworld.NoError(t, err)
			if got := show(answer); got != tt.want {
				t.Errorf("got %s, want %s\n%s", got, tt.want, strings.Join(answer.Explanation, "\n"))
			}
		})
	}
}

// TestGatewayToTags has a backend by tags without proxies, in a mesh with mutual TLS.
func TestGatewayToTags(t *testing.T) {
	t.Parallel()
	mtls := strings.Replace(world, "name: m, mesh", "name: m, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}, mesh", 1)
	routes := toEdge("shop", "shop", "", "{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, name: old}]}}") +
		toEdge("rest", "rest", "", to("PathPrefix", "/", "db")) + toEdge("tls", "tls", "", to("PathPrefix", "/", "db"))
	old := "\n---\n{type: Dataplane, mesh: m, name: old-1, networking: {address: 10.0.0.8, inbound: [{port: 9000, state: NotReady, tags: {kuma.io/service: old, kuma.io/protocol: http}}]}}"
	answer, err := older(t, mtls+edge+routes+old).Send(request.Request{Mesh: "m", Dataplane: "edge-1", Service: request.Service{Host: "a.shop"}})
	if err != nil || answer.Verdict != request.Unknown || !strings.Contains(answer.Reason, "by labels and port") {
		t.Errorf("%s %s, %v", answer.Verdict, answer.Reason, err)
	}
}

// TestGatewayReadsOlderSettings has no TrafficRoute, without which only gateways read a Timeout.
func TestGatewayReadsOlderSettings(t *testing.T) {
	t.Parallel()
	timeout := "\n---\n{type: Timeout, mesh: m, name: all, sources: [{match: {kuma.io/service: '*'}}], destinations: [{match: {kuma.io/service: '*'}}], conf: {http: {requestTimeout: 4s}}}"
	every := toEdge("shop", "shop", "", to("PathPrefix", "/", "api")) + toEdge("rest", "rest", "", to("PathPrefix", "/", "db")) + toEdge("tls", "tls", "", to("PathPrefix", "/", "db"))
	answer, err := older(t, world+edge+every+timeout).Send(request.Request{Mesh: "m", Dataplane: "edge-1", Service: request.Service{Host: "a.shop"}})
	if err != nil || !slices.Contains(answer.NotConsidered, "Timeout all") {
		t.Errorf("%s %v, %v", answer.Verdict, answer.NotConsidered, err)
	}
}

// TestGatewayNeedsListener shows what is missing to decide.
func TestGatewayNeedsListener(t *testing.T) {
	t.Parallel()
	gateway, _, _ := strings.Cut(strings.TrimPrefix(edge, "\n---\n"), "\n---\n")
	for name, tt := range map[string]struct {
		documents string
		service   request.Service
		verdict   request.Verdict
		reason    string
	}{
		"no MeshGateway":   {"\n---\n" + gateway, request.Service{Host: "a.shop"}, request.Unreachable, "no MeshGateway selects"},
		"no host":          {edge, request.Service{Name: "api", Port: 80}, request.Unknown, "Ask with a host and a port"},
		"no route":         {edge, request.Service{Host: "a.shop"}, request.NoRoute, "it answers with 404"},
		"another route":    {edge + toEdge("rest", "rest", "", to("PathPrefix", "/", "db")), request.Service{Host: "a.shop"}, request.Unknown, "MeshHTTPRoutes are for other listeners, but none is for the one on"},
		"for other meshes": {strings.Replace(edge, "hostname: '*.shop'", "crossMesh: true", 1) + toEdge("rest", "rest", "", to("PathPrefix", "/", "db")) + toEdge("tls", "tls", "", to("PathPrefix", "/", "db")), request.Service{Host: "a.shop"}, request.Unknown, "serves other meshes"},
	} {
		answer, err := older(t, world+tt.documents).Send(request.Request{Mesh: "m", Dataplane: "edge-1", Service: tt.service})
		if err != nil || answer.Verdict != tt.verdict || !strings.Contains(answer.Reason, tt.reason) {
			t.Errorf("%s: %s %s, %v", name, answer.Verdict, answer.Reason, err)
		}
	}
}

// TestGatewayBesideZoneEgress has a route to an external service in a zone with a ZoneEgress (proxies.md §3).
func TestGatewayBesideZoneEgress(t *testing.T) {
	t.Parallel()
	routes := toEdge("shop", "shop", "", "{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshExternalService, labels: {app: ext}, port: 80}]}}") +
		toEdge("rest", "rest", "", to("PathPrefix", "/", "db")) + toEdge("tls", "tls", "", to("PathPrefix", "/", "db")) + `
---
{type: MeshExternalService, mesh: m, name: ext, labels: {app: ext}, spec: {match: {port: 80, protocol: http}, endpoints: [{address: a.example, port: 80}]}}
---
{type: ZoneEgress, name: out, zone: ZONE, networking: {address: 10.0.0.9, port: 10002}}`
	for mesh, want := range map[string]string{
		"": "ZoneEgress that the Mesh does not use", ", routing: {zoneEgress: true}": `leaves through ZoneEgress "out"`,
		", meshServices: {mode: Exclusive}": `leaves through ZoneEgress "out"`,
	} {
		documents := strings.Replace(world+edge+routes, ", meshServices: {mode: Exclusive}", mesh, 1)
		answer, err := older(t, strings.Replace(documents, "zone: ZONE, ", "", 1)).Send(request.Request{Mesh: "m", Dataplane: "edge-1", Service: request.Service{Host: "a.shop"}})
		if err != nil || answer.Verdict != request.Unknown || !strings.Contains(answer.Reason, want) {
			t.Errorf("%q: %s %s, %v", mesh, answer.Verdict, answer.Reason, err)
		}
		other, err := older(t, strings.Replace(documents, "ZONE", "west", 1)).Send(request.Request{Mesh: "m", Dataplane: "edge-1", Service: request.Service{Host: "a.shop"}})
		if err != nil || strings.Contains(other.Reason, "does not use") {
			t.Errorf("%q, other zone: %s, %v", mesh, other.Reason, err)
		}
	}
}

// TestMirrorsOfGateways shows that a gateway mirrors to tags whatever their protocol.
func TestMirrorsOfGateways(t *testing.T) {
	t.Parallel()
	legacy := "\n---\n{type: Dataplane, mesh: m, name: old-1, networking: {address: 10.0.0.7, inbound: [{port: 9000, tags: {kuma.io/service: old, kuma.io/protocol: tcp}}]}}"
	for ref, want := range map[string]string{"name: old": "old", "name: old, port: 80": "old", "name: old, weight: 0": "old", "labels: {app: db}, port: 80": ""} {
		route := toEdge("copies", "rest", "", "{matches: [{path: {type: PathPrefix, value: /}}], default: {filters: [{type: RequestMirror, requestMirror: {backendRef: {kind: MeshService, "+ref+"}}}], backendRefs: [{kind: MeshService, labels: {app: db}, port: 80}]}}")
		a, err := older(t, world+edge+legacy+route+toEdge("tls", "tls", "", to("PathPrefix", "/", "api"))).Send(request.Request{Mesh: "m", Dataplane: "edge-1", Service: request.Service{Host: "example.com", Port: 80}})
		got := ""
		for _, m := range a.Mirrors {
			got += m.Name
		}
		if err != nil || got != want || (want == "") != (a.Verdict == request.Unknown) {
			t.Errorf("%s: mirrors %q, %s %s, %v", ref, got, a.Verdict, a.Reason, err)
		}
	}
}

// TestDefaultsOfGateways checks the settings of each listener that no policy sets. TestRequests of
// package proxies compares them with gateways, as part of answers.
func TestDefaultsOfGateways(t *testing.T) {
	t.Parallel()
	policies := policy("MeshTimeout", "shop", "targetRef: {kind: MeshGateway, name: edge, tags: {l: shop}}, to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 7s}}}]") +
		policy("MeshRetry", "rest", "targetRef: {kind: MeshGateway, name: edge, tags: {l: rest}}, to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 2}}}]")
	defaults, err := older(t, world+edge+policies).Defaults("m", "edge-1")
	testworld.NoError(t, err)
	var got []string
	for _, d := range defaults {
		got = append(got, fmt.Sprintf("%s %s=%v", d.Inbound, d.Path, d.Value))
	}
	var want []string
	for _, on := range []string{"port 80 (*.shop)", "port 80"} { // policies are for all listeners of a port
		for _, setting := range []string{"http.streamIdleTimeout=5s", "http.perTryTimeout=0s", "http.backOff.baseInterval=25ms", "http.backOff.maxInterval=250ms", "http.retryOn=[connect-failure gateway-error refused-stream]"} {
			want = append(want, on+" "+setting)
		}
	}
	want = append(want, "port 90 idleTimeout=5m0s", "port 90 tcp.maxConnectAttempt=1",
		"port 443 (a.shop) http.requestTimeout=15s", "port 443 (a.shop) http.streamIdleTimeout=5s", "port 443 (a.shop) http.numRetries=0")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
