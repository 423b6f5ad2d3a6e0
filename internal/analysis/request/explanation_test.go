package request_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestWalk checks the lines of the explanation that say who the client is, where it connects,
// why the connection is encrypted or not, which permission decides, and where values come from.
func TestWalk(t *testing.T) {
	t.Parallel()
	permissive := policy("MeshTLS", "tls", "rules: [{default: {mode: Permissive}}]")
	twice := "\n---\n{type: Dataplane, mesh: m, name: api-2, labels: {app: api}, networking: {address: 10.0.0.7, inbound: [{port: 9000, name: main, protocol: http}]}}"
	retry := policy("MeshRetry", "r", "to: [{targetRef: {kind: Mesh}, default: {http: {perTryTimeout: 3s}}}]")
	mesh := strings.NewReplacer("{type: Mesh, name: m, meshServices: {mode: Exclusive}}", "{type: Mesh, name: m, meshServices: {mode: Exclusive}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}",
		"{port: 9000, name: main,", "{port: 9000, name: main, tags: {kuma.io/service: api},", "inbound: [{port: 9000, protocol: http}], outbound", "inbound: [{port: 9000, protocol: http, tags: {kuma.io/service: web, a: b}}], outbound").Replace(world)
	from := policy("MeshTrafficPermission", "from", "from: [{targetRef: {kind: MeshSubset, tags: {a: b}}, default: {action: Allow}}]")
	for name, tt := range map[string]struct {
		documents string
		release   kuma.Release
		want      []string
	}{
		"mutual TLS": {world + everyone + allowWeb, rules.Newest(), []string{
			`Client: spiffe://td/web, issued by MeshIdentity "identity"`, `Listener: 127.0.0.1:1, an outbound of the client`,
			`  Dataplane "api-1", port 9000 (main): mutual TLS, allowed by MeshTrafficPermission "web"`,
			`    TLS because both proxies have a certificate of MeshIdentity "identity"`, `    permission: rules[0].default.allow: spiffe://td/web`,
		}},
		"plaintext": {world, rules.Newest(), []string{
			`Client: without a certificate, because no MeshIdentity selects its Dataplane`, `  Dataplane "api-1", port 9000 (main): plaintext, allowed`, `    plaintext because neither proxy has a certificate`,
		}},
		"identity that is not ready": {world + strings.Replace(fmt.Sprintf(identity, "{}"), "type: Bundled", "type: Bundled, bundled: {autogenerate: {enabled: true}}", 1), rules.Newest(), []string{
			`Client: without a certificate. MeshIdentity "identity" issues no certificates, because its authority is self-signed, and insecureAllowSelfSigned is not true`,
			`    plaintext because neither proxy has a certificate. MeshIdentity "identity" issues no certificates, because its authority is self-signed, and insecureAllowSelfSigned is not true`,
		}},
		"permissive": {world + fmt.Sprintf(identity, "{app: api}") + permissive, kuma.Newest2(), []string{
			`  Dataplane "api-1", port 9000 (main): plaintext, allowed`, `    plaintext because the client has no certificate, and the Dataplane also accepts plaintext`,
		}},
		"service without an identity": {world + fmt.Sprintf(identity, "{app: web}"), rules.Newest(), []string{
			`    plaintext because the Dataplane has no certificate, and the client uses TLS only for services all of whose proxies have one`,
		}},
		"no permission":      {world + everyone, rules.Newest(), []string{`    permission: no MeshTrafficPermission selects the Dataplane, so it denies all clients`}},
		"another permission": {world + everyone + strings.Replace(allowWeb, "td/web", "td/x", 1), rules.Newest(), []string{`    permission: MeshTrafficPermission "web" selects the Dataplane, but does not allow the client`}},
		"from": {mesh + from, kuma.Newest2(), []string{
			`Client: spiffe://m/web and 2 other names, issued by the mutual TLS of the mesh`, `    TLS because both proxies have a certificate of the mutual TLS of the mesh`, `    permission: from[0]`,
		}},
		"equal proxies": {world + twice + everyone + allowWeb, rules.Newest(), []string{`  Dataplanes "api-1" and "api-2", port 9000 (main): mutual TLS, allowed by MeshTrafficPermission "web"`}},
		"filter of a backend": {world + "\n---\n{type: MeshHTTPRoute, mesh: m, name: r, spec: {to: [{targetRef: {kind: MeshService, labels: {app: api}}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [" +
			"{kind: MeshService, labels: {app: api}, port: 80, filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: x, value: y}]}}]}]}}]}]}}", rules.Newest(), []string{
			`Filter: request headers for MeshService with labels app=api: set x=y`,
		}},
		"retries": {world + retry, rules.Newest(), []string{`Retries: 1 (default of Envoy) on connect-failure, gateway-error, refused-stream (default of the control plane); each at most 3s (MeshRetry "r"); backoff 25ms to 250ms (default of Envoy)`}},
		"one source": {world + policy("MeshRetry", "r", "to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 3, retryOn: ['5xx'], perTryTimeout: 500ms}}}]") + policy("MeshTimeout", "t", "to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 2s, idleTimeout: 1m, http: {requestTimeout: 4s}}}]"), rules.Newest(), []string{
			`Retries: 3 on 5xx, each at most 500ms (MeshRetry "r"); backoff 25ms to 250ms (default of Envoy)`, `Timeouts of the request: request 4s (MeshTimeout "t"); stream idle 30m0s (default of the control plane)`,
			`  timeouts of connections: connect 2s, idle 1m0s (MeshTimeout "t")`,
		}},
		"not considered": {world + policy("MeshCircuitBreaker", "b", "to: [{targetRef: {kind: Mesh}, default: {connectionLimits: {maxConnections: 1}}}]"), rules.Newest(), []string{
			`Not considered: MeshCircuitBreaker "b", which can reject requests, and exclude proxies that fail`,
		}},
		"one of two destinations exists": {world + route("{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: ["+
			"{kind: MeshService, labels: {app: api}, port: 80, weight: 9}, {kind: MeshService, labels: {app: apj}, port: 80}]}}"), rules.Newest(), []string{
			`10% to app=apj: error`, `  The reference does not select exactly one HTTP port: the proxy of the client answers with 500.`,
			`Verdict: mixed. Backends differ: app=apj (error) and api (allowed).`,
		}},
		"no endpoint": {strings.Replace(world, "labels: {app: api}, networking", "labels: {app: other}, networking", 1), rules.Newest(), []string{`Verdict: no healthy destination. No proxy provides the service.`}},
		"egress":      {world + external + egress + everyone + allowWeb, rules.Newest(), []string{`    timeouts of incoming requests: connect 5s, request none, idle 1h0m0s (default of the control plane); stream idle 5m0s (default of Envoy)`}},
	} {
		a, err := send(t, tt.release, tt.documents, request.Request{})
		testworld.NoError(t, err)
		for _, line := range tt.want {
			if !slices.Contains(a.Explanation, line) {
				t.Errorf("%s: %q is missing:\n%s", name, line, strings.Join(a.Explanation, "\n"))
			}
		}
	}
}

// TestReasons shows what an answer says about requests that cannot be decided or sent.
func TestReasons(t *testing.T) {
	t.Parallel()
	expression := func(text string) string {
		return route("{matches: [{path: {type: RegularExpression, value: '" + text + "'}}], default: {}}")
	}
	app := "\n---\n{type: Dataplane, mesh: m, name: app-1, labels: {app: app}, networking: {address: 10.0.0.4, inbound: [{port: 9000}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}"
	for name, tt := range map[string]struct{ documents, client, want string }{
		"large regular expression":     {expression("/(a{1000}){1000}"), "web-1", "unknown A regular expression of rule 1 of MeshHTTPRoute \"r\" cannot be evaluated: error parsing regexp: invalid repeat count: `{1000}`."},
		"invalid regular expression":   {expression("/("), "web-1", "unknown A regular expression of rule 1 of MeshHTTPRoute \"r\" cannot be evaluated: error parsing regexp: missing closing ): `/(`."},
		"redirect to no path":          {route("{matches: [{path: {type: PathPrefix, value: /v}}], default: {filters: [{type: RequestRedirect, requestRedirect: {path: {type: ReplacePrefixMatch}}}]}}"), "web-1", `unknown The control plane cannot generate the configuration of the proxy, because MeshHTTPRoute "r" has a filter that replaces a path and does not say with what: the proxy keeps the configuration that it has.`},
		"rewrite with another type":    {route("{matches: [{path: {type: PathPrefix, value: /v}}], default: {filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replaceFullPath: /}}}]}}"), "web-1", `unknown The control plane cannot generate the configuration of the proxy, because MeshHTTPRoute "r" has a filter that replaces a path and does not say with what: the proxy keeps the configuration that it has.`},
		"label of a path":              {strings.Replace(everyone, `label "app"`, `label "team"`, 1), "web-1", `unknown The proxy of the client gets no configuration: the path of its MeshIdentity requires the label "team", which the Dataplane does not have.`},
		"no outbounds in reachability": {app, "app-1", `unreachable The proxy of the client has no outbound to service "api", port 80: its Dataplane lists no services in reachableBackends, and the control plane restricts outbounds.`},
	} {
		a, err := newest(t, world+tt.documents).Send(request.Request{Mesh: "m", Dataplane: tt.client, Service: request.Service{Name: "api", Port: 80}})
		if got := fmt.Sprintf("%s %s", a.Verdict, a.Reason); err != nil || got != tt.want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, tt.want)
		}
	}
	if a, err := newest(t, world).Send(request.Request{Mesh: "m", SPIFFEID: "spiffe://td/web", Service: request.Service{Host: "10.0.0.77"}}); err != nil || a.Verdict != request.Unknown {
		t.Errorf("%s, %v", a.Verdict, err)
	}
}

// TestServiceStaysReady checks that clients send TLS to a service that the control plane has once found ready, also if its
// Dataplane has no certificate.
func TestServiceStaysReady(t *testing.T) {
	t.Parallel()
	const ready = "\n---\n{type: MeshService, mesh: m, name: api, labels: {app: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 9000, appProtocol: http}]}, status: {tls: {status: Ready}}}"
	ofWeb := fmt.Sprintf(identity, "{app: web}")
	for name, tt := range map[string]struct{ documents, want string }{
		"ready":                       {ofWeb + ready, `tls_failed Dataplane "api-1": only one of client and service speaks TLS, because a MeshIdentity selects only some of the proxies.`},
		"not ready":                   {ofWeb + strings.Replace(ready, "Ready", "NotReady", 1), "allowed Permissions are not checked, because the connection is plaintext."},
		"unknown":                     {ofWeb, "allowed Permissions are not checked, because the connection is plaintext."},
		"ready, without certificates": {ready, "allowed Permissions are not checked, because the connection is plaintext."},
	} {
		a, err := newest(t, world+tt.documents).Send(request.Request{Mesh: "m", Dataplane: "web-1", Service: request.Service{Name: "api", Port: 80}})
		if got := fmt.Sprintf("%s %s", a.Verdict, a.Reason); err != nil || got != tt.want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, tt.want)
		}
	}
}

func newest(t *testing.T, documents string) request.Simulation {
	t.Helper()
	return request.New(rules.NewSnapshotFor(rules.Newest(), testworld.Resources(t, documents)))
}

// TestWhyRequestsAreNotRepeated names the policy, or says that none applies.
func TestWhyRequestsAreNotRepeated(t *testing.T) {
	t.Parallel()
	retry := func(conf string) string {
		return policy("MeshRetry", "r", "to: [{targetRef: {kind: Mesh}, default: "+conf+"}]")
	}
	for documents, want := range map[string]string{
		"":                                     "no MeshRetry applies",
		retry("{tcp: {maxConnectAttempt: 3}}"): "no MeshRetry applies",
		retry("{http: {numRetries: 0}}"):       `MeshRetry "r" sets http.numRetries to 0`,
		retry("{http: {numRetries: 2, retryOn: [HttpMethodPost]}}"):   `MeshRetry "r" repeats other methods only`,
		retry("{http: {numRetries: 1, retryOn: [HttpMethodDelete]}}"): `MeshRetry "r" repeats other methods only`,
	} {
		a, err := send(t, rules.Newest(), world+documents, request.Request{})
		if text := strings.Join(a.Explanation, "\n"); err != nil || !strings.Contains(text, "Retries: none, because "+want) {
			t.Errorf("%s: %v\n%s", documents, err, text)
		}
	}
}
