package request_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestEgress shows what a zone egress does with a request for an external service
// (matching.md §17.8). TestRequests of package proxies compares it with proxies.
func TestEgress(t *testing.T) {
	t.Parallel()
	const named = "matches: [{sni: {type: Exact, value: sni.extsvc.m.ext.443}}], "
	in := func(name, list string) string {
		return policy("MeshTimeout", name, "targetRef: {kind: Dataplane}, rules: ["+list+"]")
	}
	ofWeb := func(conf string) string {
		return "{matches: [{spiffeID: {type: Exact, value: 'spiffe://td/web'}}], default: " + conf + "}"
	}
	limit := func(list string) string {
		return policy("MeshRateLimit", "limit", "targetRef: {kind: Dataplane}, rules: ["+list+"]")
	}
	const rate = "local: {http: {requestRate: {num: 4, interval: 10s}}}"
	for name, tt := range map[string]struct{ policies, want string }{
		"no policy":         {"", "connect 5s request 0s stream idle 5m0s idle 1h0m0s maximum stream duration 0s maximum connection duration 0s"},
		"rules":             {in("t", "{default: {idleTimeout: 8m, connectionTimeout: 9s, http: {requestTimeout: 23s, maxStreamDuration: 7m}}}"), "connect 5s request 23s stream idle 30m0s idle 1h0m0s"},
		"outgoing":          {policy("MeshTimeout", "t", "to: [{targetRef: {kind: MeshExternalService, labels: {app: ext}}, default: {idleTimeout: 8m, connectionTimeout: 9s, http: {requestTimeout: 23s, maxStreamDuration: 7m}}}]"), "connect 9s request 0s stream idle 5m0s idle 8m0s maximum stream duration 7m0s"},
		"for the service":   {in("t", "{"+named+"default: {http: {streamIdleTimeout: 33m}}}, {default: {http: {requestTimeout: 34s}}}"), "connect 5s request 15s stream idle 33m0s"},
		"for another one":   {in("t", "{matches: [{sni: {type: Exact, value: a.b}}], default: {http: {streamIdleTimeout: 33m}}}"), "connect 5s request 0s stream idle 5m0s"},
		"for the client":    {in("t", ofWeb("{http: {requestTimeout: 31s}}")), "connect 5s request 31s stream idle 5m0s"},
		"for both":          {in("t", ofWeb("{http: {requestTimeout: 32s}}")+", {"+named+"default: {http: {streamIdleTimeout: 33m}}}"), "connect 5s request 32s stream idle 33m0s"},
		"limits by client":  {in("t", ofWeb("{http: {requestTimeout: 32s}}")) + limit(ofWeb("{local: {http: {disabled: true}}}")+", {default: {"+rate+"}}"), "connect 5s request 0s"},
		"limit":             {limit("{default: {" + rate + "}}, {" + named + "default: {local: {http: {onRateLimit: {status: 444}}}}}"), `limit 4 in 10s, then 444 (MeshRateLimit "limit")`},
		"limit of a client": {limit(ofWeb("{" + rate + "}")), `limit 4 in 10s, then 429 (MeshRateLimit "limit")`},
		"limit of another":  {limit("{matches: [{sni: {type: Exact, value: a.b}}], default: {" + rate + "}}"), "limit none"},
		"fault":             {policy("MeshFaultInjection", "f", "targetRef: {kind: Dataplane}, rules: [{"+named+"default: {http: [{abort: {httpStatus: 500, percentage: 10}}]}}]"), "1 faults"},
		"fault of another":  {policy("MeshFaultInjection", "f", "targetRef: {kind: Dataplane}, rules: [{matches: [{sni: {type: Exact, value: a.b}}], default: {http: [{abort: {httpStatus: 500, percentage: 10}}]}}]"), "0 faults"},
		"gRPC":              {in("grpc", "{default: {idleTimeout: 8m, http: {maxStreamDuration: 7m}}}"), "idle 8m0s maximum stream duration 7m0s"},
	} {
		external := external
		if name == "gRPC" {
			external = strings.Replace(external, "port: 443, protocol: http", "port: 443, protocol: grpc", 1)
		}
		a, err := send(t, rules.Newest(), world+external+egress+everyone+allowWeb+tt.policies, request.Request{})
		if err != nil || len(a.Backends) != 1 || len(a.Backends[0].Proxies) != 1 {
			t.Fatalf("%s: %+v, %v", name, a, err)
		}
		p := a.Backends[0].Proxies[0]
		got := fmt.Sprintf("%s, limit %s, %d faults", values(p.Timeouts), rateOf(p.Requests), len(p.Faults))
		if p.Verdict != request.Allowed || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s %s, want %s", name, p.Verdict, got, tt.want)
		}
	}
}

// TestNotConsideredAtEgress names the policies for a zone egress that are not evaluated.
func TestNotConsideredAtEgress(t *testing.T) {
	t.Parallel()
	breaker := policy("MeshCircuitBreaker", "b", "targetRef: {kind: Dataplane, labels: {app: egress}}, to: [{targetRef: {kind: MeshExternalService, labels: {app: ext}}, default: {connectionLimits: {maxConnections: 1}}}]")
	a, err := send(t, rules.Newest(), world+external+egress+everyone+allowWeb+breaker, request.Request{})
	if got := strings.Join(a.NotConsidered, ", "); err != nil || got != `MeshCircuitBreaker "b"` {
		t.Errorf("%q, %v", got, err)
	}
}

// values describes timeouts without their policies.
func values(t request.Timeouts) string {
	var parts []string
	for _, e := range []struct {
		name    string
		timeout *request.Timeout
	}{{"connect", t.Connect}, {"request", t.Request}, {"stream idle", t.StreamIdle}, {"idle", t.Idle}, {"maximum stream duration", t.MaxStream}, {"maximum connection duration", t.MaxConnection}} {
		if e.timeout != nil {
			parts = append(parts, e.name+" "+e.timeout.Duration.String())
		}
	}
	return strings.Join(parts, " ")
}

func rateOf(r *request.Rate) string {
	if r == nil {
		return "none"
	}
	return r.String()
}

// TestRulesByServerName shows that a proxy of a service has no timeouts and limits by server
// name only, but faults, and those with a SPIFFE ID beside it (proxies.md §4).
func TestRulesByServerName(t *testing.T) {
	t.Parallel()
	const match, other = "sni: {type: Exact, value: sni.msvc.m.api.80}", "sni: {type: Exact, value: a.b}"
	const web = "spiffeID: {type: Exact, value: 'spiffe://td/web'}, "
	settings := func(match string) string {
		spec := "targetRef: {kind: Dataplane}, rules: [{matches: [{" + match + "}], default: {%s}}]"
		return policy("MeshTimeout", "t", fmt.Sprintf(spec, "http: {requestTimeout: 3s}")) + policy("MeshFaultInjection", "f", fmt.Sprintf(spec, "http: [{abort: {httpStatus: 500, percentage: 10}}]"))
	}
	limits := func(match string) string {
		return policy("MeshRateLimit", "l", "targetRef: {kind: Dataplane}, rules: [{matches: [{"+match+"}], default: {local: {http: {requestRate: {num: 4, interval: 10s}}}}}]")
	}
	for name, tt := range map[string]struct{ policies, want string }{
		"the name":          {settings(match), "request 0s, limit none, 1 faults"},
		"another name":      {settings(other), "request 0s, limit none, 0 faults"},
		"with a client":     {settings(web + match), "request 3s, limit none, 1 faults"},
		"with another name": {settings(web + other), "request 0s, limit none, 0 faults"},
		"limit":             {limits(match), "request 15s, limit none, 0 faults"},
		"limit and client":  {limits(web + match), `request 15s, limit 4 in 10s, then 429 (MeshRateLimit "l"), 0 faults`},
		"limit, not met":    {limits(web + other), "request 15s, limit none, 0 faults"},
		"limit of a name, and timeouts": {
			limits(match) + policy("MeshRateLimit", "off", "targetRef: {kind: Dataplane}, rules: [{matches: [{"+web+match+"}], default: {local: {http: {disabled: true}}}}]") + settings(web+match),
			"request 3s, limit none, 1 faults",
		},
		"limit and timeouts": {limits(web+match) + settings(web+match), `request 0s, limit 4 in 10s, then 429 (MeshRateLimit "l"), 1 faults`},
	} {
		a, err := older(t, world+everyone+allowWeb+tt.policies).Send(request.Request{Mesh: "m", Dataplane: "web-1", Service: request.Service{Name: "api", Port: 80}})
		testworld.NoError(t, err)
		p := a.Backends[0].Proxies[0]
		if got := fmt.Sprintf("request %s, limit %s, %d faults", p.Timeouts.Request.Duration, rateOf(p.Requests), len(p.Faults)); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// TestOtherPortOfExternalService shows that before Kuma 3.0, one of the references of a client to an
// external service decides about the server name (proxies.md §3).
func TestOtherPortOfExternalService(t *testing.T) {
	t.Parallel()
	wrong := strings.Replace(external, "labels: {app: ext}, port: 443", "labels: {app: ext}, port: 4999", 1)
	transparent := strings.Replace(world, "outbound: [", "transparentProxying: {redirectPortOutbound: 15001, redirectPortInbound: 15006}, unused: [", 1)
	own := strings.Replace(world, "outbound: [", "outbound: [{port: 9, backendRef: {kind: MeshExternalService, labels: {app: ext}, port: 443}}, ", 1)
	for name, tt := range map[string]struct{ documents, want, want3 string }{
		"only reference":                           {world + wrong, "tls_failed", "allowed"},
		"right port":                               {world + external, "allowed", "allowed"},
		"beside another one":                       {own + wrong, "unknown", "allowed"},
		"of a transparent proxy":                   {transparent + wrong, "unknown", "unreachable"},
		"without identity":                         {world + wrong, "no_healthy_destination", "no_healthy_destination"},
		"egress without the label of its identity": {world + external, "unknown", "unknown"},
	} {
		documents := tt.documents + egress + everyone + allowWeb
		switch name {
		case "without identity":
			documents = tt.documents
		case "egress without the label of its identity":
			documents = strings.Replace(documents, "labels: {app: egress}, ", "", 1)
		}
		for release, want := range map[kuma.Release]string{kuma.Newest2(): tt.want, rules.Newest(): tt.want3} {
			a, err := send(t, release, documents, request.Request{})
			if err != nil || string(a.Verdict) != want {
				t.Errorf("%s on %v: %s %s, %v, want %s", name, release, a.Verdict, a.Reason, err, want)
			}
		}
	}
}

// TestDefaultsOfEgress shows the settings of a zone egress that no policy sets.
func TestDefaultsOfEgress(t *testing.T) {
	t.Parallel()
	rule := policy("MeshTimeout", "t", "targetRef: {kind: Dataplane}, rules: [{matches: [{sni: {type: Exact, value: sni.extsvc.m.ext.443}}], default: {http: {requestTimeout: 3s}}}]")
	for documents, want := range map[string][]string{
		"": {
			"connectionTimeout=5s default of the control plane", "http.maxConnectionDuration=0s default of the control plane", "http.maxStreamDuration=0s default of the control plane",
			"http.requestTimeout=0s default of the control plane", "http.streamIdleTimeout=5m0s default of Envoy", "idleTimeout=1h0m0s default of the control plane",
		},
		rule: {
			"connectionTimeout=5s default of the control plane", "http.maxConnectionDuration=0s default of the control plane", "http.maxStreamDuration=0s default of the control plane",
			"http.streamIdleTimeout=30m0s default of the control plane", "idleTimeout=1h0m0s default of the control plane",
		},
	} {
		defaults, err := newest(t, world+external+egress+documents).Defaults("m", "egress")
		testworld.NoError(t, err)
		var got []string
		for _, d := range defaults {
			if d.To.Resource.Name != "ext" || d.Inbound.Port != 10002 || d.Kind != "MeshTimeout" {
				t.Errorf("%+v", d)
			}
			got = append(got, fmt.Sprintf("%s=%v %s", d.Path, d.Value, d.Origin))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if text := request.DefaultsText([]request.Default{{Kind: "MeshTimeout", To: rules.Port{Resource: kuma.ID{Type: "MeshExternalService", Name: "ext"}, Number: 443}, Inbound: rules.Inbound{Port: 10002}, Path: "idleTimeout", Value: "1h0m0s", Origin: request.OfProxy}}); !strings.Contains(text, "inbound port 10002 to MeshExternalService \"ext\", port 443\n    MeshTimeout: idleTimeout = 1h0m0s (default of Envoy)") {
		t.Error(text)
	}
}

// TestPortWithTwoReferences shows that the first reference of a proxy to a port with a name decides
// by which section settings for its connections are looked up, as measured on 2.14.3 and 3.0.
func TestPortWithTwoReferences(t *testing.T) {
	t.Parallel()
	transparent := strings.Replace(world, "outbound: [", "transparentProxying: {redirectPortOutbound: 15001, redirectPortInbound: 15006, reachableBackends: {refs: [{kind: MeshService, labels: {app: ghost}}, {kind: MeshService, labels: {app: db}}, {kind: MeshService, labels: {app: api}}]}}, unused: [", 1)
	const timeouts = "\n---\n{type: MeshTimeout, mesh: m, name: t, spec: {to: [" +
		"{targetRef: {kind: MeshService, labels: {app: db}}, default: {connectionTimeout: 3s}}, {targetRef: {kind: MeshService, labels: {app: db}, sectionName: main}, default: {connectionTimeout: 7s}}]}}"
	byNumber := func(service string) string {
		return "\n---\n{type: MeshHTTPRoute, mesh: m, name: r, spec: {to: [{targetRef: {kind: MeshService, labels: {app: " + service +
			"}}, rules: [{matches: [{path: {type: PathPrefix, value: /v2}}], default: {backendRefs: [{kind: MeshService, labels: {app: db}, port: 80}]}}]}]}}"
	}
	for _, tt := range []struct {
		documents, service, path string
		want                     time.Duration
	}{
		{timeouts, "db", "/", 7 * time.Second},
		{timeouts + byNumber("api"), "db", "/", 3 * time.Second}, // api comes before db
		{timeouts + byNumber("api"), "api", "/v2", 3 * time.Second},
		{timeouts + byNumber("ghost"), "db", "/", 7 * time.Second},
		{timeouts + byNumber("ghost"), "ghost", "/v2", 7 * time.Second},
	} {
		for _, release := range []kuma.Release{kuma.Newest2(), rules.Newest()} {
			a, err := send(t, release, transparent+tt.documents, request.Request{Service: request.Service{Name: tt.service, Port: 80}, Path: tt.path})
			if err != nil || len(a.Backends) != 1 || a.Backends[0].Timeouts.Connect.Duration != tt.want {
				t.Errorf("%s of %s on %s: %+v, %v, want %s", tt.path, tt.service, release, a.Backends, err, tt.want)
			}
		}
	}
}

// TestPermissiveMeshAtEgress shows that clients speak TLS to a zone egress that has no certificate:
// the mode PERMISSIVE of a mesh is about its own services.
func TestPermissiveMeshAtEgress(t *testing.T) {
	t.Parallel()
	permissive := strings.NewReplacer(
		"meshServices: {mode: Exclusive}", "meshServices: {mode: Exclusive}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin, mode: PERMISSIVE}]}",
		"name: web-1, labels: {app: web}", "name: web-1, labels: {app: web, kuma.io/workload: web}",
	).Replace(world)
	a, err := older(t, permissive+external+egress).Send(request.Request{Mesh: "m", Dataplane: "web-1", Service: request.Service{Name: "api", Port: 80}})
	if err != nil || len(a.Backends) != 1 || len(a.Backends[0].Proxies) != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	if p := a.Backends[0].Proxies[0]; !p.TLS || p.Verdict != request.TLSFailed {
		t.Errorf("TLS %t, %s, want TLS and tls_failed", p.TLS, p.Verdict)
	}
}

// TestEgressOfAnotherZone has a Dataplane with a certificate that is the zone egress of another zone: it does not help clients whose own
// zone only has a ZoneEgress.
func TestEgressOfAnotherZone(t *testing.T) {
	t.Parallel()
	const world = `{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: MeshIdentity, mesh: m, name: id, spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {trustDomain: td, path: /a}, provider: {type: Bundled, bundled: {insecureAllowSelfSigned: true, autogenerate: {enabled: true}}}}}
---
{type: ZoneEgress, name: out, zone: east, labels: {kuma.io/zone: east}, networking: {address: 10.0.0.8, port: 10002}}
---
{type: Dataplane, mesh: m, name: egress, labels: {kuma.io/zone: west}, networking: {address: 10.0.0.9, listeners: [{type: ZoneEgress, port: 10002}]}}
---
{type: Dataplane, mesh: m, name: web, labels: {kuma.io/zone: %s}, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [{port: 1001, backendRef: {kind: MeshExternalService, name: ext, labels: {svc: ext}, port: 80}}]}}
---
{type: MeshExternalService, mesh: m, name: ext, labels: {svc: ext}, spec: {match: {type: HostnameGenerator, port: 80, protocol: http}, endpoints: [{address: 10.9.9.9, port: 443}]}}`
	for zone, broken := range map[string]bool{"east": true, "west": false} {
		m, err := proxy.New(rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, fmt.Sprintf(world, zone))), "m")
		testworld.NoError(t, err)
		if err := m.Client("web").Broken; (err != nil) != broken {
			t.Errorf("%s: %v", zone, err)
		}
	}
}

// TestEgressWithoutIdentity has a zone egress whose certificate is that of the mesh, with which it does not listen.
func TestEgressWithoutIdentity(t *testing.T) {
	t.Parallel()
	mutual := strings.Replace(world, "name: m, mesh", "name: m, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}, mesh", 1)
	for documents, want := range map[string]string{
		mutual + external + egress:            `tls_failed: The zone egress "egress" does not listen, because it has no certificate of a MeshIdentity.`,
		world + external + egress:             `tls_failed: The zone egress "egress" does not listen, because it has no certificate of a MeshIdentity.`,
		mutual + external + egress + everyone: "denied: No MeshTrafficPermission allows",
	} {
		a, err := send(t, kuma.Newest2(), strings.ReplaceAll(documents, "labels: {app", "labels: {kuma.io/workload: w, app"), request.Request{})
		if got := fmt.Sprintf("%s: %s", a.Verdict, a.Reason); err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}
