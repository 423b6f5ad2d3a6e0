package request_test

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// world is a mesh in which the proxy of web calls api and db. TestRequests of package
// proxies compares answers with what proxies do; these tests check them without a control
// plane.
const world = `
{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: m, name: api, labels: {app: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}},
  ports: [{port: 80, targetPort: 9000, appProtocol: http}, {port: 81, targetPort: 9001, appProtocol: tcp}]}}
---
{type: MeshService, mesh: m, name: db, labels: {app: db}, spec: {selector: {dataplaneLabels: {matchLabels: {app: db}}}, ports: [{port: 80, name: main, targetPort: 9000, appProtocol: http}]}}
---
{type: MeshService, mesh: m, name: ghost, labels: {app: ghost}, spec: {selector: {dataplaneLabels: {matchLabels: {app: ghost}}}, ports: [{port: 80, appProtocol: http}]}}
---
{type: Dataplane, mesh: m, name: api-1, labels: {app: api}, networking: {address: 10.0.0.1, inbound: [{port: 9000, name: main, protocol: http}, {port: 9001, protocol: tcp}]}}
---
{type: Dataplane, mesh: m, name: db-1, labels: {app: db}, networking: {address: 10.0.0.2, inbound: [{port: 9000, protocol: http}]}}
---
{type: Dataplane, mesh: m, name: web-1, labels: {app: web}, networking: {address: 10.0.0.3, inbound: [{port: 9000, protocol: http}], outbound: [
  {port: 1, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}, {port: 2, backendRef: {kind: MeshService, labels: {app: api}, port: 81}},
  {port: 3, backendRef: {kind: MeshService, labels: {app: ghost}, port: 80}}]}}
`

// Parts of worlds.
const (
	identity = "\n---\n{type: MeshIdentity, mesh: m, name: identity, spec: {selector: {dataplane: {matchLabels: %s}}, spiffeID: {trustDomain: td, path: '/{{ label \"app\" }}'}, provider: {type: Bundled}}}"
	allowWeb = "\n---\n{type: MeshTrafficPermission, mesh: m, name: web, spec: {rules: [{default: {allow: [{spiffeID: {type: Exact, value: 'spiffe://td/web'}}]}}]}}"
)

// route returns a route for api.
func route(list string) string {
	return "\n---\n{type: MeshHTTPRoute, mesh: m, name: r, labels: {route: r}, spec: {to: [{targetRef: {kind: MeshService, labels: {app: api}}, rules: [" + list + "]}]}}"
}

func policy(kind, name, spec string) string {
	return fmt.Sprintf("\n---\n{type: %s, mesh: m, name: %s, spec: {%s}}", kind, name, spec)
}

// everyone is a MeshIdentity for all proxies.
var everyone = fmt.Sprintf(identity, "{}")

// show describes an answer in a line.
func show(a request.Answer) string {
	parts := []string{string(a.Verdict)}
	if a.Route != nil {
		parts = append(parts, a.Route.String())
	}
	if a.Redirect != nil {
		parts = append(parts, fmt.Sprint(a.Redirect.Status), a.Redirect.Location)
	}
	for _, b := range a.Backends {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %s%s %s", b.Share.RatString(), b.Name, a.Forwarded.Path, b.Verdict)))
	}
	return strings.Join(parts, ", ")
}

// sendTest is a request in a world with further documents, and what happens to it.
type sendTest struct {
	documents string
	request   request.Request
	want      string
	want2     string // on Kuma 2.14, if that is different
}

// routeTests are about routes.
var routeTests = map[string]sendTest{
	"the service itself": {want: "allowed, 1 api/ allowed"},
	"split": {
		documents: route("{matches: [{path: {type: PathPrefix, value: /v2}}], default: {backendRefs: [{kind: MeshService, labels: {app: api}, port: 80, weight: 90}, {kind: MeshService, labels: {app: db}, port: 80, weight: 10}]}}"),
		request:   request.Request{Path: "/v2/x"},
		want:      `allowed, rule 1 of MeshHTTPRoute "r", 9/10 api/v2/x allowed, 1/10 db/v2/x allowed`,
	},
	"no rule matches": {
		documents: route("{matches: [{path: {type: PathPrefix, value: /v2}}], default: {}}"), request: request.Request{Path: "/v20"},
		want: "no_route", want2: "allowed, 1 api/v20 allowed",
	},
	"route without rules": {documents: route(""), want: "allowed, 1 api/ allowed"},
	"matches without a path come last": {
		documents: route("{matches: [{}], default: {}}, {matches: [{path: {type: RegularExpression, value: '/.*'}}], default: {backendRefs: [{kind: MeshService, labels: {app: db}, port: 80}]}}"),
		want:      `allowed, rule 2 of MeshHTTPRoute "r", 1 db/ allowed`,
	},
	"conditions": {
		documents: route("{matches: [{method: POST, headers: [{type: Prefix, name: A, value: '1'}], queryParams: [{type: Exact, name: q, value: '2'}]}], default: {backendRefs: [{kind: MeshService, labels: {app: db}, port: 80}]}}"),
		request:   request.Request{Method: "POST", Headers: map[string]string{"a": "12"}, Query: map[string]string{"q": "2"}},
		want:      `allowed, rule 1 of MeshHTTPRoute "r", 1 db/ allowed`,
	},
	"redirect": {
		documents: route("{matches: [{path: {type: Exact, value: /p}}], default: {filters: [{type: RequestRedirect, requestRedirect: {hostname: other.example, port: 8443, scheme: https}}]}}"),
		request:   request.Request{Path: "/q/../%70"},
		want:      `redirected, rule 1 of MeshHTTPRoute "r", 302, https://other.example:8443/p`,
	},
	"rewrite joins": {
		documents: route("{matches: [{path: {type: PathPrefix, value: /v2}}], default: {filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /new}}}]}}"),
		request:   request.Request{Path: "/v2/x"},
		want:      `allowed, rule 1 of MeshHTTPRoute "r", 1 api/newx allowed`,
	},
	"rewrite to nothing": {
		documents: route("{matches: [{path: {type: PathPrefix, value: /v2}}], default: {filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: ''}}}]}}"),
		request:   request.Request{Path: "/v2/x"},
		want:      `allowed, rule 1 of MeshHTTPRoute "r", 1 api/v2/x allowed`,
	},
	"missing backend": {
		documents: route("{matches: [{}], default: {backendRefs: [{kind: MeshService, labels: {app: nope}, port: 80}]}}"),
		want:      `error, rule 1 of MeshHTTPRoute "r", 1 app=nope/ error`,
		want2:     `allowed, rule 1 of MeshHTTPRoute "r", 1 api/ allowed`,
	},
	"missing backend, reference without a port": {
		documents: route("{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, labels: {app: nope}, weight: 0}]}}"),
		want:      `error, rule 1 of MeshHTTPRoute "r", 1 app=nope/ error`,
		want2:     "unreachable",
	},
	"backend without the port": {
		documents: route("{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, labels: {app: db}, port: 99}]}}"),
		want:      `error, rule 1 of MeshHTTPRoute "r", 1 app=db/ error`,
		want2:     "unreachable",
	},
	"backend without the port beside other rules": {
		documents: route("{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, labels: {app: db}, port: 99}]}}, {matches: [{path: {type: Exact, value: /x}}], default: {}}"),
		want:      `error, rule 1 of MeshHTTPRoute "r", 1 app=db/ error`,
		want2:     "no_route",
	},
	"backend without the port, match without a path": {
		documents: route("{matches: [{}], default: {backendRefs: [{kind: MeshService, labels: {app: db}, port: 99}]}}"),
		want:      `error, rule 1 of MeshHTTPRoute "r", 1 app=db/ error`,
		want2:     "allowed, 1 api/ allowed",
	},
	"missing backend beside others": {
		documents: route("{matches: [{}], default: {backendRefs: [{kind: MeshService, labels: {app: nope}, port: 80, weight: 100}, {kind: MeshService, labels: {app: db}, port: 80, weight: 50}, {kind: MeshService, labels: {app: api}, port: 80, weight: 50}]}}"),
		want:      `mixed, rule 1 of MeshHTTPRoute "r", 1/2 app=nope/ error, 1/2 api/ allowed`,
		want2:     `allowed, rule 1 of MeshHTTPRoute "r", 1/2 db/ allowed, 1/2 api/ allowed`,
	},
	"missing backend whose share is exact in ten-thousandths": {
		documents: route("{matches: [{}], default: {backendRefs: [{kind: MeshService, labels: {app: nope}, port: 80, weight: 90}, {kind: MeshService, labels: {app: db}, port: 80, weight: 3}, {kind: MeshService, labels: {app: api}, port: 80, weight: 3}]}}"),
		want:      `mixed, rule 1 of MeshHTTPRoute "r", 15/16 app=nope/ error, 937/30000 db/ allowed, 469/15000 api/ allowed`,
		want2:     `allowed, rule 1 of MeshHTTPRoute "r", 1/2 db/ allowed, 1/2 api/ allowed`,
	},
	"empty list of backends": {
		documents: route("{matches: [{}], default: {backendRefs: []}}"),
		want:      `error, rule 1 of MeshHTTPRoute "r", 1 / error`, want2: `allowed, rule 1 of MeshHTTPRoute "r", 1 api/ allowed`,
	},
}

// external is a service outside the mesh to which the requests go, and egress is where they leave.
var external = "\n---\n{type: MeshExternalService, mesh: m, name: ext, labels: {app: ext}, spec: {match: {type: HostnameGenerator, port: 443, protocol: http}, endpoints: [{address: ext.example, port: 443}]}}" +
	route("{matches: [{}], default: {backendRefs: [{kind: MeshExternalService, labels: {app: ext}, port: 443}]}}")

const egress = "\n---\n{type: Dataplane, mesh: m, name: egress, labels: {app: egress}, networking: {address: 10.0.0.8, listeners: [{type: ZoneEgress, address: 10.0.0.8, port: 10002, name: egress}]}}"

// endTests are about both ends of a connection.
var endTests = map[string]sendTest{
	"service without proxies": {request: request.Request{Service: request.Service{Name: "ghost"}}, want: "no_healthy_destination, 1 ghost/ no_healthy_destination"},
	"no outbound":             {request: request.Request{Service: request.Service{Name: "db"}}, want: "unreachable"},
	"allowed by a permission": {documents: everyone + allowWeb, want: "allowed, 1 api/ allowed"},
	"denied by default":       {documents: everyone, want: "denied, 1 api/ denied"},
	"deny wins": {
		documents: everyone + allowWeb + policy("MeshTrafficPermission", "no", "rules: [{default: {deny: [{spiffeID: {type: Prefix, value: 'spiffe://td'}}]}}]"),
		want:      "denied, 1 api/ denied",
	},
	"identity of the service only": {documents: fmt.Sprintf(identity, "{app: api}") + allowWeb, want: "tls_failed, 1 api/ tls_failed"},
	"identity of the client only":  {documents: fmt.Sprintf(identity, "{app: web}"), want: "allowed, 1 api/ allowed", want2: "tls_failed, 1 api/ tls_failed"},
	"permissive": {
		documents: fmt.Sprintf(identity, "{app: api}") + policy("MeshTLS", "tls", "rules: [{default: {mode: Permissive}}]"),
		want:      "allowed, 1 api/ allowed",
	},
	"permissive, without a MeshTrust for the domain": {
		documents: strings.Replace(everyone, "type: Bundled", "type: Bundled, bundled: {insecureAllowSelfSigned: true, autogenerate: {enabled: true}, meshTrustCreation: Disabled}", 1) +
			policy("MeshTLS", "tls", "rules: [{default: {mode: Permissive}}]"),
		want: "allowed, 1 api/ allowed", want2: "tls_failed, 1 api/ tls_failed",
	},
	"identity that cannot be rendered": {
		documents: strings.Replace(everyone, `label "app"`, `label "team"`, 1), want: "unknown",
	},
	"filters that do not work together": {
		documents: route("{matches: [{path: {type: Exact, value: /other}}], default: {filters: [{type: RequestRedirect, requestRedirect: {}}, {type: URLRewrite, urlRewrite: {hostname: x.example}}]}}"),
		want:      "unknown",
	},
	"external service": {documents: external, want: `no_healthy_destination, rule 1 of MeshHTTPRoute "r", 1 ext/ no_healthy_destination`},
	"external service, egress": {
		documents: external + egress + everyone + allowWeb,
		want:      `allowed, rule 1 of MeshHTTPRoute "r", 1 ext/ allowed`,
	},
	"external service, no permission at the egress": {
		documents: external + egress + everyone,
		want:      `denied, rule 1 of MeshHTTPRoute "r", 1 ext/ denied`,
	},
	"external service, egress without a certificate": {
		documents: external + egress,
		want:      `tls_failed, rule 1 of MeshHTTPRoute "r", 1 ext/ tls_failed`,
	},
	"external service, older egress": {
		documents: external + "\n---\n{type: ZoneEgress, name: old, networking: {address: 10.0.0.9, port: 10002}}",
		want:      `unknown, rule 1 of MeshHTTPRoute "r", 1 ext/ unknown`,
	},
	"mirror": {
		documents: route("{matches: [{path: {type: Exact, value: /other}}], default: {filters: [{type: RequestMirror, requestMirror: {backendRef: {kind: MeshService, labels: {app: db}, port: 80}}}]}}"),
		want:      "no_route", want2: "unknown",
	},
	"HTTP route to a TCP port itself": {
		documents: route("{matches: [{path: {type: Exact, value: /itself}}], default: {}}, {matches: [{path: {type: Exact, value: /db}}], default: {backendRefs: [{kind: MeshService, labels: {app: db}, port: 80}]}}") +
			policy("MeshTCPRoute", "t", "to: [{targetRef: {kind: MeshService, labels: {app: api}}, rules: [{default: {backendRefs: [{kind: MeshService, labels: {app: nope}, port: 80}]}}]}]"),
		request: request.Request{Service: request.Service{Name: "api", Port: 81}, Path: "/itself"},
		want:    "no_route",
	},
	"TCP": {
		documents: policy("MeshTCPRoute", "t", "to: [{targetRef: {kind: MeshService, labels: {app: api}}, rules: [{default: {backendRefs: [{kind: MeshService, labels: {app: api}, port: 81, weight: 1}]}}]}]"),
		request:   request.Request{Service: request.Service{Name: "api", Port: 81}},
		want:      `allowed, rule 1 of MeshTCPRoute "t", 1 api/ allowed`,
	},
}

func TestSend(t *testing.T) {
	t.Parallel()
	for name, test := range routeTests {
		test.run(t, name)
	}
	for name, test := range endTests {
		test.run(t, name)
	}
}

func (test sendTest) run(t *testing.T, name string) {
	t.Helper()
	for _, release := range []kuma.Release{{Major: 3}, {Major: 2, Minor: 14}} {
		t.Run(name+"/"+release.String(), func(t *testing.T) {
			t.Parallel()
			answer, err := send(t, release, world+test.documents, test.request)
			testworld.NoError(t, err)
			want := test.want
			if !release.Kuma3() && test.want2 != "" {
				want = test.want2
			}
			if got := show(answer); got != want {
				t.Errorf("%s, want %s\n%s", got, want, strings.Join(answer.Explanation, "\n"))
			}
		})
	}
}

// send sends a request of web-1 to api, port 80, unless the request says differently.
func send(t *testing.T, release kuma.Release, documents string, r request.Request) (request.Answer, error) {
	t.Helper()
	r.Mesh = "m"
	if r.ClientService+r.SPIFFEID == "" {
		r.Dataplane = "web-1"
	}
	if r.Service.Name == "" {
		r.Service = request.Service{Name: "api", Port: 80}
	}
	return request.New(rules.NewSnapshotFor(release, testworld.Resources(t, documents))).Send(r)
}

// second is another Dataplane of the service web, without an outbound to api.
const second = `
---
{type: MeshService, mesh: m, name: web, labels: {app: web}, spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 80, targetPort: 9000}]}}
---
{type: Dataplane, mesh: m, name: web-2, labels: {app: web}, networking: {address: 10.0.0.4, inbound: [{port: 9000}], outbound: [
  {port: 1, backendRef: {kind: MeshService, labels: {app: %s}, port: 80}}]}}`

// TestClients checks clients that are not a single Dataplane.
func TestClients(t *testing.T) {
	t.Parallel()
	const (
		ofService = "the proxy of the client: its outbounds, routes, timeouts and retries"
		tags      = "{type: Mesh, name: m, meshServices: {mode: Exclusive}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}"
	)
	allow := func(id string) string {
		return policy("MeshTrafficPermission", "p", "rules: [{default: {allow: [{spiffeID: {type: "+id+"}}]}}]")
	}
	byMesh := strings.NewReplacer("{type: Mesh, name: m, meshServices: {mode: Exclusive}}", tags, "{port: 9000, name: main,", "{port: 9000, name: main, tags: {kuma.io/service: api},").Replace(world)
	for name, tt := range map[string]struct {
		documents     string
		request       request.Request
		release       kuma.Release
		want          string
		clients       string // groups of Dataplanes with their verdicts
		notConsidered string
	}{
		"equal proxies of a service":     {world + fmt.Sprintf(second, "api"), request.Request{ClientService: "web"}, rules.Newest(), "allowed, 1 api/ allowed", "[web-1 web-2] allowed", ""},
		"different proxies of a service": {world + fmt.Sprintf(second, "db"), request.Request{ClientService: "web"}, rules.Newest(), "mixed", "[web-1] allowed; [web-2] unreachable", ""},
		"SPIFFE ID that is allowed": {
			world + everyone + allowWeb, request.Request{SPIFFEID: "spiffe://td/web"}, rules.Newest(), "allowed, 1 api allowed", "", ofService,
		},
		"SPIFFE ID that is denied": {
			world + everyone + allowWeb, request.Request{SPIFFEID: "spiffe://td/other"}, rules.Newest(), "denied, 1 api denied", "", ofService,
		},
		"SPIFFE ID, service without an outbound": {
			world + everyone + allowWeb, request.Request{SPIFFEID: "spiffe://td/web", Service: request.Service{Name: "db"}}, rules.Newest(), "allowed, 1 db allowed", "", ofService,
		},
		"SPIFFE ID of the mesh never matches exactly": {
			byMesh + allow("Exact, value: 'spiffe://m/web'"), request.Request{SPIFFEID: "spiffe://m/web"}, kuma.Release{Major: 2, Minor: 14}, "denied, 1 api denied", "", ofService + ", tags of the client other than kuma.io/service",
		},
		"SPIFFE ID of the mesh, prefix": {
			byMesh + allow("Prefix, value: 'spiffe://m/web'"), request.Request{SPIFFEID: "spiffe://m/web"}, kuma.Release{Major: 2, Minor: 14}, "allowed, 1 api allowed", "", ofService + ", tags of the client other than kuma.io/service",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, err := send(t, tt.release, tt.documents, tt.request)
			testworld.NoError(t, err)
			var clients []string
			for _, c := range answer.Clients {
				clients = append(clients, fmt.Sprint(c.Dataplanes, " ", c.Verdict))
			}
			if got := show(answer); got != tt.want || strings.Join(clients, "; ") != tt.clients || strings.Join(answer.NotConsidered, ", ") != tt.notConsidered {
				t.Errorf("%s; clients %q; not considered %q\n%s", got, clients, answer.NotConsidered, strings.Join(answer.Explanation, "\n"))
			}
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		request request.Request
		want    error
	}{
		{request.Request{Service: request.Service{Name: "nope"}}, request.ErrUnknownService},
		{request.Request{Service: request.Service{Name: "api", Port: 99}}, request.ErrUnknownPort},
		{request.Request{Service: request.Service{Name: "api"}}, request.ErrAmbiguousService},
		{request.Request{Method: "get"}, request.ErrInvalidMethod},
		{request.Request{Path: "orders"}, request.ErrInvalidPath},
		{request.Request{ClientService: "ghost"}, request.ErrUnknownClient},
		{request.Request{SPIFFEID: "td/web"}, request.ErrInvalidSPIFFEID},
		{request.Request{Path: "/orders?id=1"}, request.ErrInvalidPath},
	} {
		if _, err := send(t, rules.Newest(), world, test.request); !errors.Is(err, test.want) {
			t.Errorf("%+v: %v, want %v", test.request, err, test.want)
		}
	}
}

// TestSuggestedPorts checks that the identifiers in an error about an ambiguous service are accepted.
func TestSuggestedPorts(t *testing.T) {
	t.Parallel()
	_, ambiguous := send(t, rules.Newest(), world, request.Request{Service: request.Service{Name: "api"}})
	for identifier, want := range map[string]int{"kri_msvc_m___api_80": 80, "kri_msvc_m___api_81": 81} {
		a, err := send(t, rules.Newest(), world, request.Request{Service: request.Service{Name: identifier}})
		if err != nil || a.Destination.Number != want || !strings.Contains(fmt.Sprint(ambiguous), identifier) {
			t.Errorf("%s: port %d, error %v, want %d, suggested by: %v", identifier, a.Destination.Number, err, want, ambiguous)
		}
	}
	a, err := send(t, rules.Newest(), world, request.Request{Service: request.Service{Name: "kri_msvc_m___db_main"}})
	if err != nil || a.Verdict != request.Unreachable {
		t.Errorf("port of a service without an outbound: %s, %v", a.Verdict, err)
	}
}

// TestProtection checks rate limits and faults for a client.
func TestProtection(t *testing.T) {
	t.Parallel()
	match := "matches: [{spiffeID: {type: Exact, value: 'spiffe://td/%s'}}], "
	limits := policy("MeshRateLimit", "limit", "rules: [{default: {local: {http: {requestRate: {num: 5, interval: 10s}, onRateLimit: {status: 423}}, tcp: {connectionRate: {num: 6, interval: 1s}}}}}, {"+
		fmt.Sprintf(match, "web")+"default: {local: {http: {requestRate: {num: 7, interval: 10s}}}}}]")
	faults := policy("MeshFaultInjection", "fault", "rules: [{default: {http: [{abort: {httpStatus: 500, percentage: 10}}]}}, {"+
		fmt.Sprintf(match, "web")+"default: {http: [{delay: {value: 5s, percentage: '7.5'}}]}}, {"+fmt.Sprintf(match, "db")+"default: {http: [{responseBandwidth: {limit: 50 kbps, percentage: 1}}]}}]")
	disabled := policy("MeshRateLimit", "a", "rules: [{default: {local: {http: {disabled: true}}}}]")
	for name, tt := range map[string]struct {
		documents string
		port      int
		want      string
	}{
		"limits":          {limits, 80, `requests: at most 7 in 10s, then 423 (MeshRateLimit "limit"), connections: at most 6 in 1s (MeshRateLimit "limit")`},
		"limits of TCP":   {limits, 81, `connections: at most 6 in 1s (MeshRateLimit "limit")`},
		"disabled limits": {limits + disabled, 80, `connections: at most 6 in 1s (MeshRateLimit "limit")`},
		"faults":          {faults, 80, `fault: 7.5% delayed by 5s (MeshFaultInjection "fault"), fault: 10% answered with 500 (MeshFaultInjection "fault")`},
		"faults of TCP":   {faults, 81, ""},
		"nothing":         {"", 80, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, err := send(t, rules.Newest(), world+everyone+allowWeb+tt.documents, request.Request{Service: request.Service{Name: "api", Port: tt.port}})
			testworld.NoError(t, err)
			var got []string
			for _, line := range answer.Explanation {
				if line = strings.TrimSpace(line); strings.HasPrefix(line, "requests:") || strings.HasPrefix(line, "connections:") || strings.HasPrefix(line, "fault:") {
					got = append(got, line)
				}
			}
			if strings.Join(got, ", ") != tt.want || len(answer.NotConsidered) > 0 {
				t.Errorf("%s\nnot considered: %q", strings.Join(answer.Explanation, "\n"), answer.NotConsidered)
			}
		})
	}
}

// TestSettings checks timeouts and retries, and which policies set them.
func TestSettings(t *testing.T) {
	t.Parallel()
	documents := world + everyone + allowWeb + route("{matches: [{}], default: {backendRefs: [{kind: MeshService, labels: {app: db}, port: 80}]}}") +
		policy("MeshTimeout", "api", "to: [{targetRef: {kind: MeshService, labels: {app: api}}, default: {connectionTimeout: 1s, http: {requestTimeout: 3s, streamIdleTimeout: 4s}}}]") +
		policy("MeshTimeout", "db", "to: [{targetRef: {kind: MeshService, labels: {app: db}}, default: {connectionTimeout: 2s}}]") +
		policy("MeshTimeout", "section", "to: [{targetRef: {kind: MeshService, labels: {app: db}, sectionName: main}, default: {connectionTimeout: 77s}}]") +
		policy("MeshTimeout", "route", "to: [{targetRef: {kind: MeshHTTPRoute, labels: {route: r}}, default: {http: {requestTimeout: 5s}}}]") +
		policy("MeshTimeout", "in", "rules: [{default: {http: {requestTimeout: 6s}}}]") +
		policy("MeshRetry", "retry", "to: [{targetRef: {kind: MeshService, labels: {app: api}}, default: {http: {numRetries: 2, retryOn: ['5xx', HttpMethodGet]}}}]") +
		policy("MeshProxyPatch", "patch", "default: {appendModifications: [{cluster: {operation: Remove, match: {name: x}}}]}")
	answer, err := send(t, rules.Newest(), documents, request.Request{})
	testworld.NoError(t, err)
	text := strings.Join(answer.Explanation, "\n")
	for _, want := range []string{
		`Dataplane "db-1", port 9000: mutual TLS, allowed by MeshTrafficPermission "web"`,
		`connect 2s (MeshTimeout "db")`, `idle 1h0m0s (default of the control plane)`, `request 5s (MeshTimeout "route")`, `stream idle 4s (MeshTimeout "api")`,
		`request 6s (MeshTimeout "in")`, `Retries: 2 on 5xx (MeshRetry "retry")`, `Not considered: MeshProxyPatch "patch"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the explanation does not contain %s:\n%s", want, text)
		}
	}
	if answer, err = send(t, rules.Newest(), documents, request.Request{Method: "POST"}); err != nil || answer.Retry != nil {
		t.Errorf("POST is repeated: %+v, %v", answer.Retry, err)
	}
	everywhere := policy("MeshRetry", "all", "to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 4}}}]")
	ofRoute := policy("MeshRetry", "of-route", "to: [{targetRef: {kind: MeshHTTPRoute, labels: {route: r}}, default: {http: {numRetries: 2, retryOn: [HttpMethodGet]}}}]")
	documents = world + everywhere + ofRoute + route("{matches: [{}], default: {}}")
	if answer, err = send(t, rules.Newest(), documents, request.Request{Method: "POST"}); err != nil || answer.Retry != nil {
		t.Errorf("POST is repeated, although retries of the route replace those of the service: %+v, %v", answer.Retry, err)
	}
}

// older returns the simulation of a release before 3.0.
func older(t *testing.T, documents string) request.Simulation {
	t.Helper()
	return request.New(rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, documents)))
}

// TestGetsNoConfiguration shows that requests of a client that is not configured, or in a way
// that is not evaluated, are not decided.
func TestGetsNoConfiguration(t *testing.T) {
	t.Parallel()
	const egress = `
---
{type: MeshExternalService, mesh: m, name: ext, labels: {app: ext}, spec: {match: {type: HostnameGenerator, port: 443, protocol: http}, endpoints: [{address: 10.9.9.9, port: 8443}]}}
---
{type: Dataplane, mesh: m, name: egress, labels: {app: egress}, networking: {address: 10.0.0.8, listeners: [{type: ZoneEgress, address: 10.0.0.8, port: 10002, name: egress}]}}`
	toExternal := route("{matches: [{path: {type: Exact, value: /x}}], default: {backendRefs: [{kind: MeshExternalService, labels: {app: ext}, port: 443}]}}")
	portless := policy("MeshTCPRoute", "t", "to: [{targetRef: {kind: MeshService, labels: {app: api}, sectionName: '80'}, rules: [{default: {backendRefs: [{kind: MeshService, labels: {app: nope}}]}}]}]")
	drawn := portless + `
---
{type: MeshService, mesh: m, name: x, labels: {team: a}, spec: {selector: {dataplaneLabels: {matchLabels: {app: db}}}, ports: [{port: 80, targetPort: 9000, appProtocol: http}]}}
---
{type: MeshService, mesh: m, name: y, labels: {team: a, app: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 9000, appProtocol: http}]}}
---
{type: Dataplane, mesh: m, name: web-3, labels: {app: web}, networking: {address: 10.0.0.4, inbound: [{port: 9000, protocol: http}], outbound: [
  {port: 1, backendRef: {kind: MeshService, labels: {team: a}, port: 80}}, {port: 2, backendRef: {kind: MeshService, labels: {app: db}, port: 80}}]}}`
	own := "\n---\n{type: MeshService, mesh: m, name: own, labels: {app: own}, spec: {selector: {dataplaneLabels: {matchLabels: {app: db}}}, ports: [{port: 80, targetPort: 9000, appProtocol: http}]}}"
	ofWeb := fmt.Sprintf(identity, "{app: web}")
	byName := func(sni string) string {
		return policy("MeshTrafficPermission", "p", "rules: [{default: {allow: [{sni: {type: Exact, value: "+sni+"}}]}}]") +
			"\n---\n{type: Dataplane, mesh: m, name: web-2, labels: {app: web}, networking: {address: 10.0.0.4, inbound: [{port: 9000, protocol: http}], outbound: [{port: 1, backendRef: {kind: MeshExternalService, labels: {app: ext}, port: 443}}]}}"
	}
	for name, tt := range map[string]struct{ documents, client, want string }{
		"egress without an identity":                    {egress + ofWeb + toExternal, "web-1", `unknown The proxy of the client gets no configuration: requests to external services go through "egress"`},
		"egress without the label of the path":          {strings.Replace(egress, "labels: {app: egress}, ", "", 1) + everyone + toExternal, "web-1", `unknown The proxy of the client gets no configuration: requests to external services go through "egress"`},
		"egress with an identity":                       {egress + everyone + toExternal, "web-1", "denied"},
		"egress of a client without one":                {egress + fmt.Sprintf(identity, "{app: db}") + toExternal, "web-1", "allowed"},
		"egress that allows the service":                {egress + everyone + byName("sni.extsvc.m.ext.443"), "web-2", "allowed"},
		"egress that allows another one":                {egress + everyone + byName("sni.msvc.m.ext.443"), "web-2", "denied"},
		"egress that the client never uses":             {egress + ofWeb, "web-1", "tls_failed"},
		"egress of a route with weight 0":               {egress + ofWeb + strings.Replace(toExternal, "port: 443}]", "port: 443, weight: 0}]", 1), "web-1", "tls_failed"},
		"egress of a route that the client never takes": {egress + ofWeb + strings.Replace(toExternal, "app: api}", "app: own}", 1) + own, "web-1", "tls_failed"},
		"TCP backend without a port":                    {everyone + portless, "web-1", `unknown The control plane cannot generate the configuration of the proxy, because MeshTCPRoute "t" has a backend by labels without a port`},
		"the same if the service is drawn":              {everyone + drawn, "web-3", "unknown A reference of the Dataplane of the client selects several services, of which the control plane uses one"},
		"two outbounds with one address": {everyone + `
---
{type: Dataplane, mesh: m, name: web-3, labels: {app: web}, networking: {address: 10.0.0.4, inbound: [{port: 9000, protocol: http}], outbound: [
  {port: 1, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}, {port: 1, backendRef: {kind: MeshService, labels: {app: db}, port: 80}}]}}`, "web-3", "unknown Another outbound of the Dataplane of the client has the same address and port"},
		"beside a MeshHTTPRoute": {everyone + portless + route("{matches: [{}], default: {}}"), "web-1", "denied"},
	} {
		called := request.Service{Name: "api", Port: 80}
		switch tt.client {
		case "web-2":
			called = request.Service{Name: "ext"}
		case "web-3":
			called = request.Service{Name: "db"}
		}
		a, err := older(t, world+tt.documents).Send(request.Request{Mesh: "m", Dataplane: tt.client, Service: called})
		if got := strings.TrimSpace(string(a.Verdict) + " " + a.Reason); err != nil || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s, %v, want %s", name, got, err, tt.want)
		}
	}
}

// TestInboundsOnOnePort shows that inbounds with the same port and different addresses have
// settings of their own.
func TestInboundsOnOnePort(t *testing.T) {
	t.Parallel()
	second := strings.Replace(world, "{port: 9001, protocol: tcp}]", "{port: 9001, protocol: tcp}, {port: 9000, address: 10.0.0.7, name: second, protocol: http}]", 1)
	only := policy("MeshTrafficPermission", "p", "targetRef: {kind: Dataplane, sectionName: second}, rules: [{default: {allow: [{spiffeID: {type: Prefix, value: 'spiffe://td'}}]}}]") +
		policy("MeshFaultInjection", "f", "targetRef: {kind: Dataplane, sectionName: second}, rules: [{default: {http: [{abort: {httpStatus: 500, percentage: 10}}]}}]")
	a, err := request.New(rules.NewSnapshot(testworld.Resources(t, second+everyone+only))).Send(request.Request{Mesh: "m", Dataplane: "web-1", Service: request.Service{Name: "api", Port: 80}})
	if err != nil || len(a.Backends) != 1 || len(a.Backends[0].Proxies) != 2 {
		t.Fatalf("%+v, %v", a, err)
	}
	var got []string
	for _, p := range a.Backends[0].Proxies {
		got = append(got, fmt.Sprintf("%s %d", p.Verdict, len(p.Faults)))
	}
	if want := "denied 0, allowed 1"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestTimeoutsBesideLimits shows that only limits that exist turn off the timeouts of clients.
func TestTimeoutsBesideLimits(t *testing.T) {
	t.Parallel()
	timeouts := policy("MeshTimeout", "t", "rules: [{default: {http: {requestTimeout: 5s}}}, {matches: [{spiffeID: {type: Exact, value: 'spiffe://td/web'}}], default: {http: {requestTimeout: 11s}}}]")
	for limit, want := range map[string]string{
		"requestRate: {num: 5, interval: 10s}":                 "5s",
		"onRateLimit: {status: 423}":                           "11s",
		"disabled: true, requestRate: {num: 5, interval: 10s}": "11s",
	} {
		limits := policy("MeshRateLimit", "l", "targetRef: {kind: Dataplane}, rules: [{matches: [{spiffeID: {type: Exact, value: 'spiffe://td/db'}}], default: {local: {http: {"+limit+"}}}}]")
		a, err := request.New(rules.NewSnapshot(testworld.Resources(t, world+everyone+allowWeb+timeouts+limits))).Send(request.Request{Mesh: "m", Dataplane: "web-1", Service: request.Service{Name: "api", Port: 80}})
		testworld.NoError(t, err)
		if got := a.Backends[0].Proxies[0].Timeouts.Request.Duration.String(); got != want {
			t.Errorf("%s: %s, want %s", limit, got, want)
		}
	}
}

// TestFaultsByTags injects a fault for clients with tags, which their proxies add to HTTP requests.
func TestFaultsByTags(t *testing.T) {
	t.Parallel()
	tagged := testworld.Edited(t, world, "address: 10.0.0.3, inbound: [{port: 9000,", "address: 10.0.0.3, inbound: [{port: 9000, tags: {kuma.io/service: web},")
	for tags, want := range map[string]int{
		"kuma.io/service: web": 1, "kuma.io/service: eb": 1, "kuma.io/service: we": 0, "kuma.io/service: '*'": 1, "missing: '*'": 0, "kuma.io/service: api": 0,
	} {
		fault := policy("MeshFaultInjection", "p", "targetRef: {kind: Dataplane, labels: {app: api}}, from: [{targetRef: {kind: MeshSubset, tags: {"+tags+"}}, default: {http: [{abort: {httpStatus: 500, percentage: 10}}]}}]")
		for port, want := range map[int]int{80: want, 81: 0} { // HTTP and TCP
			a, err := older(t, tagged+fault).Send(request.Request{Mesh: "m", Dataplane: "web-1", Service: request.Service{Name: "api", Port: port}})
			if err != nil || len(a.NotConsidered) > 0 {
				t.Fatal(err, a.NotConsidered)
			}
			if got := len(a.Backends[0].Proxies[0].Faults); got != want {
				t.Errorf("%s, port %d: %d faults, want %d", tags, port, got, want)
			}
		}
	}
}

// TestNotConsidered names each policy that can affect a request and is not computed.
func TestNotConsidered(t *testing.T) {
	t.Parallel()
	toAPI := "to: [{targetRef: {kind: MeshService, labels: {app: api}}, default: {"
	ofAPI := "targetRef: {kind: Dataplane, labels: {app: api}}, "
	patch := "default: {appendModifications: [{cluster: {operation: Remove}}]}"
	for policies, want := range map[string]string{
		policy("MeshLoadBalancingStrategy", "p", toAPI+"localityAwareness: {disabled: true}}}]"):                                                                        `MeshLoadBalancingStrategy "p"`,
		policy("MeshHealthCheck", "p", toAPI+"interval: 10s}}]"):                                                                                                        `MeshHealthCheck "p"`,
		policy("MeshCircuitBreaker", "p", toAPI+"connectionLimits: {maxConnections: 1}}}]"):                                                                             `MeshCircuitBreaker "p"`,
		policy("MeshCircuitBreaker", "p", "to: [{targetRef: {kind: MeshService, labels: {app: db}}, default: {outlierDetection: {disabled: true}}}]"):                   "",
		policy("MeshProxyPatch", "p", "targetRef: {kind: Dataplane, labels: {app: web}}, "+patch):                                                                       `MeshProxyPatch "p"`,
		policy("MeshProxyPatch", "p", ofAPI+patch):                                                                                                                      `MeshProxyPatch "p"`,
		policy("MeshProxyPatch", "p", "targetRef: {kind: Dataplane, labels: {app: db}}, "+patch):                                                                        "",
		policy("MeshCircuitBreaker", "p", ofAPI+"rules: [{default: {connectionLimits: {maxConnections: 1}}}]"):                                                          `MeshCircuitBreaker "p"`,
		policy("MeshFaultInjection", "p", ofAPI+"from: [{targetRef: {kind: MeshSubset, tags: {a: b}}, default: {http: [{abort: {httpStatus: 500, percentage: 10}}]}}]"): "",
	} {
		a, err := older(t, world+policies).Send(request.Request{Mesh: "m", Dataplane: "web-1", Service: request.Service{Name: "api", Port: 80}})
		if got := strings.Join(a.NotConsidered, ", "); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", policies, got, err, want)
		}
	}
}

// TestRequestsThatStayInTheZone shows which proxies a MeshLoadBalancingStrategy with localZone or crossZone leaves out: those of other
// zones without a failover to them, and on Kuma 2 those whose inbounds have no tags, without a failover to any zone from that of the client.
func TestRequestsThatStayInTheZone(t *testing.T) {
	t.Parallel()
	const elsewhere = "\n---\n{type: MeshService, mesh: m, name: api-hash, labels: {app: api-west, kuma.io/origin: global, kuma.io/zone: west}, spec: {selector: {dataplaneLabels: {matchLabels: {app: other}}}, ports: [{port: 80, targetPort: 9000, appProtocol: http}]}}" +
		"\n---\n{type: Dataplane, mesh: m, name: web-1, labels: {app: web, kuma.io/zone: zone-1}, networking: {address: 10.0.0.3, inbound: [{port: 9000, protocol: http}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}, {port: 2, backendRef: {kind: MeshService, labels: {app: api-west}, port: 80}}]}}"
	const tagged = "\n---\n{type: Dataplane, mesh: m, name: api-2, labels: {app: api}, networking: {address: 10.0.0.9, inbound: [{port: 9000, protocol: http, tags: {kuma.io/service: api}}]}}"
	for conf, wants := range map[string][3]string{ // with one tagged proxy on Kuma 2, without any, and to the other zone
		"loadBalancer: {type: Random}":                                                   {"api-1 api-2", "api-1", "unknown"},
		"localityAwareness: {localZone: {affinityTags: [{key: a}]}}":                     {"api-2", "no_healthy_destination", "no_healthy_destination"},
		"localityAwareness: {disabled: true, localZone: {}}":                             {"api-2", "no_healthy_destination", "no_healthy_destination"},
		"localityAwareness: {localZone: {}, crossZone: {failover: [{to: {type: Any}}]}}": {"api-1 api-2", "api-1", "unknown"},
		"localityAwareness: {crossZone: {}}":                                             {"api-2", "no_healthy_destination", "no_healthy_destination"},
		"localityAwareness: {crossZone: {failover: [{from: {zones: [zone-1]}, to: {type: None}}, {to: {type: AnyExcept, zones: [b]}}]}}": {"api-1 api-2", "api-1", "unknown"},
		"localityAwareness: {crossZone: {failover: [{from: {zones: [zone-1]}, to: {type: Only, zones: [b]}}]}}":                          {"api-2", "no_healthy_destination", "no_healthy_destination"},
		"localityAwareness: {crossZone: {failover: [{from: {zones: [zone-2]}, to: {type: Any}}]}}":                                       {"api-2", "no_healthy_destination", "no_healthy_destination"},
		"localityAwareness: {crossZone: {failover: [{from: {zones: [zone-1]}, to: {type: Any}}]}}":                                       {"api-1 api-2", "api-1", "unknown"},
	} {
		documents := world + elsewhere + everyone + allowWeb + policy("MeshLoadBalancingStrategy", "p", "to: [{targetRef: {kind: Mesh}, default: {"+conf+"}}]")
		for _, release := range []kuma.Release{kuma.Newest2(), rules.Newest()} {
			for i, of := range []struct {
				documents string
				port      int
			}{{documents + tagged, 1}, {documents, 1}, {documents, 2}} {
				want := wants[i]
				if release.Kuma3() && i < 2 {
					want = []string{"api-1 api-2", "api-1"}[i]
				}
				s := rules.NewSnapshotFor(release, testworld.Resources(t, of.documents)).RestrictOutbound(false)
				a, err := request.New(s).Send(request.Request{Mesh: "m", Dataplane: "web-1", Service: request.Service{Host: "127.0.0.1", Port: of.port}})
				if err != nil || len(a.Backends) != 1 {
					t.Fatalf("%s on %s: %+v, %v", conf, release, a, err)
				}
				var names []string
				for _, p := range a.Backends[0].Proxies {
					names = append(names, p.Dataplane)
				}
				if got := cmp.Or(strings.Join(names, " "), string(a.Backends[0].Verdict)); got != want {
					t.Errorf("%s on %s: %s, want %s", conf, release, got, want)
				}
			}
		}
	}
}

// TestIdleTimeoutOfMultiZoneService shows that the tag kuma.io/protocol of the proxies of a MeshMultiZoneService decides whether connections
// have the idle timeout of a policy on Kuma 2, and its own protocol since then.
func TestIdleTimeoutOfMultiZoneService(t *testing.T) {
	t.Parallel()
	documents := func(protocol, inbound string) string {
		return "{type: Mesh, name: m, meshServices: {mode: Exclusive}}" +
			"\n---\n{type: MeshService, mesh: m, name: api, labels: {app: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 9000, appProtocol: http}]}}" +
			"\n---\n{type: MeshMultiZoneService, mesh: m, name: multi, labels: {app: multi}, spec: {selector: {meshService: {matchLabels: {app: api}}}, ports: [{port: 80, appProtocol: " + protocol + "}]}}" +
			"\n---\n{type: Dataplane, mesh: m, name: api-1, labels: {app: api}, networking: {address: 10.0.0.1, inbound: [{port: 9000, " + inbound + "}]}}" +
			"\n---\n{type: Dataplane, mesh: m, name: web-1, networking: {address: 10.0.0.2, inbound: [{port: 9000}], outbound: [{port: 1, backendRef: {kind: MeshMultiZoneService, labels: {app: multi}, port: 80}}]}}" +
			policy("MeshTimeout", "t", "to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 4s}}]")
	}
	tag := func(protocol string) string {
		return "tags: {kuma.io/service: api, kuma.io/protocol: " + protocol + "}"
	}
	for _, tt := range []struct{ protocol, inbound, on2, on3 string }{
		{"http", "protocol: http", "1h0m0s", "4s"},
		{"http", tag("tcp"), "1h0m0s", "4s"},
		{"http", tag("http2"), "4s", "4s"},
		{"grpc", tag("http"), "4s", "1h0m0s"},
	} {
		for release, want := range map[kuma.Release]string{kuma.Newest2(): tt.on2, rules.Newest(): tt.on3} {
			s := rules.NewSnapshotFor(release, testworld.Resources(t, documents(tt.protocol, tt.inbound))).RestrictOutbound(false)
			a, err := request.New(s).Send(request.Request{Mesh: "m", Dataplane: "web-1", Service: request.Service{Host: "127.0.0.1", Port: 1}})
			if err != nil || len(a.Backends) != 1 || a.Backends[0].Timeouts.Idle.Duration.String() != want {
				t.Errorf("%+v on %s: %+v, %v", tt, release, a, err)
			}
		}
	}
}
