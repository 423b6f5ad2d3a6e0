package access_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
)

// TestReachOfTags checks which services clients reach by tags (matching.md §17.10): those of
// their outbounds, or all with a virtual address for a transparent proxy, whose outbounds do
// not count.
func TestReachOfTags(t *testing.T) {
	t.Parallel()
	client := func(name, networking string) string {
		return fmt.Sprintf("{type: Dataplane, mesh: shop, name: %[1]s, networking: {address: 10.0.0.9, inbound: [{port: 8080, tags: {kuma.io/service: %[1]s}}], %[2]s}}", name, networking)
	}
	const (
		transparent = "transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001%s}"
		toDB        = "outbound: [{port: 1, tags: {kuma.io/service: db}}]"
	)
	documents := []string{
		client("a", toDB), client("b", fmt.Sprintf(transparent, "")), client("c", fmt.Sprintf(transparent, ", reachableServices: [api]")+", "+toDB),
		client("d", "outbound: [{port: 1, backendRef: {kind: MeshService, name: api}}]"), client("e", fmt.Sprintf(transparent, ", reachableBackends: {refs: [{kind: MeshService, name: api}]}")),
		client("api", toDB), client("db", toDB),
	}
	const service = "{type: MeshService, mesh: shop, name: %[1]s, labels: {kuma.io/display-name: %[1]s}, spec: {selector: {dataplaneTags: {kuma.io/service: %[1]s}}, ports: [{port: 8080, targetPort: 8080}]}}"
	for mode, want := range map[string][]string{
		"Disabled":   {"api:8080 from b c e", "db:8080 from a b e"},
		"Everywhere": {"api:8080 from b c d e", "db:8080 from a b e"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			all := append([]string{"{type: Mesh, name: shop, meshServices: {mode: " + mode + "}}"}, documents...)
			if mode == "Everywhere" { // what the control plane generates
				all = append(all, fmt.Sprintf(service, "api"), fmt.Sprintf(service, "db"))
			}
			m := matrixOf(t, access.Filter{From: []string{"a", "b", "c", "d", "e"}, To: []string{"api", "db"}}, all...)
			var got []string
			for _, r := range m.Rows {
				for _, p := range r.Ports {
					var clients []string
					for _, a := range r.Access {
						for _, i := range a.Clients {
							if a.Reachable {
								clients = append(clients, m.Clients[i].Name)
							}
						}
					}
					got = append(got, fmt.Sprintf("%s:%d from %s", p.Resource.Name, p.Number, strings.Join(clients, " ")))
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRouteInsteadOfTags checks that a client with a MeshIdentity, whose connections by tags fail, can call a service
// if a route sends all requests to MeshServices.
func TestRouteInsteadOfTags(t *testing.T) {
	t.Parallel()
	const route = `{type: MeshHTTPRoute, mesh: shop, name: canary, spec: {to: [{targetRef: {kind: MeshService, name: api}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [%s]}}]}]}}`
	const byLabels = "{kind: MeshService, labels: {kuma.io/display-name: api-v2}, port: 80}"
	for backends, want := range map[string]string{
		byLabels: "allowed", byLabels + ", {kind: MeshServiceSubset, name: api, tags: {version: v1}}": "TLS mismatch",
	} {
		m := matrixOf(t, access.Filter{From: []string{"client"}, To: []string{"api"}}, secureMesh, identity, allowTD, fmt.Sprintf(route, backends),
			"{type: Dataplane, mesh: shop, name: client, labels: {app: client}, networking: {address: 10.0.0.9, inbound: [{port: 81, tags: {kuma.io/service: client}}], outbound: [{port: 1, tags: {kuma.io/service: api}}]}}",
			"{type: Dataplane, mesh: shop, name: api, labels: {app: api}, networking: {address: 10.0.0.8, inbound: [{port: 80, tags: {kuma.io/service: api, kuma.io/protocol: http}}]}}",
			"{type: MeshService, mesh: shop, name: api, labels: {kuma.io/display-name: api}, spec: {selector: {dataplaneTags: {kuma.io/service: api}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}",
			"{type: MeshService, mesh: shop, name: api-v2, labels: {kuma.io/display-name: api-v2}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}")
		if got := string(m.Rows[0].Access[0].Verdict); len(m.Rows) != 1 || got != want {
			t.Errorf("%s: %s, want %s", backends, got, want)
		}
	}
}

// TestReachOfTagsIsWhereRequestsArrive checks that a client with an outbound by a tag does not reach
// the ports of a service with this tag that none of the proxies with the tag provides, such as those
// of a service of another zone; and that it does if there are no such proxies, and gets no answer.
func TestReachOfTagsIsWhereRequestsArrive(t *testing.T) {
	t.Parallel()
	const (
		mesh    = "{type: Mesh, name: shop, meshServices: {mode: Everywhere}}"
		service = "{type: MeshService, mesh: shop, name: db, spec: {selector: {dataplaneTags: {kuma.io/service: db}}, ports: [{port: 80, targetPort: 8080}, {port: 81}]}}"
		client  = "{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.9, inbound: [{port: 1, tags: {kuma.io/service: web}}], outbound: [{port: 2, tags: {kuma.io/service: db}}]}}"
		server  = "{type: Dataplane, mesh: shop, name: db, networking: {address: 10.0.0.8, inbound: [{port: 8080, tags: {kuma.io/service: db}}]}}"
	)
	const route = "{type: MeshHTTPRoute, mesh: shop, name: r, spec: {to: [{targetRef: {kind: MeshService, name: db}, rules: [{default: {backendRefs: [{kind: MeshService, name: db, port: 999}]}}]}]}}"
	notReady := strings.Replace(server, "port: 8080,", "port: 8080, state: NotReady,", 1)
	byName := strings.Replace(client, "tags: {kuma.io/service: db}", "backendRef: {kind: MeshService, name: db, port: 80}}, {port: 3, backendRef: {kind: MeshService, name: db, port: 81}", 1)
	for name, tt := range map[string]struct {
		documents []string
		want      string
	}{
		"one port":           {[]string{mesh, service, client, server}, "80: unchecked, true; 81: no endpoint, false"},
		"another port":       {[]string{mesh, service, client, server, route}, "80: unchecked, true; 81: no endpoint, false"},
		"no proxy":           {[]string{mesh, service, client}, "80: no endpoint, true; 81: no endpoint, true"},
		"not ready":          {[]string{mesh, service, client, notReady}, "80: no endpoint, true; 81: no endpoint, true"},
		"not ready, by name": {[]string{mesh, service, byName, notReady}, "80: no endpoint, true; 81: no endpoint, true"},
	} {
		var got []string
		for _, r := range matrixOf(t, access.Filter{From: []string{"web"}, To: []string{"db"}}, tt.documents...).Rows {
			for _, p := range r.Ports {
				got = append(got, fmt.Sprintf("%d: %s, %t", p.Number, r.Access[0].Verdict, r.Access[0].Reachable))
			}
		}
		if text := strings.Join(got, "; "); text != tt.want {
			t.Errorf("%s: %s, want %s", name, text, tt.want)
		}
	}
}

// TestReachOfSeveralTags checks that a client with an outbound by a tag beside that of the service
// is answered by the proxies that have both.
func TestReachOfSeveralTags(t *testing.T) {
	t.Parallel()
	const (
		mesh = "{type: Mesh, name: shop, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}"
		deny = "{type: MeshTrafficPermission, mesh: shop, name: deny-v2, spec: {targetRef: {kind: MeshSubset, tags: {version: v2}}, from: [{targetRef: {kind: Mesh}, default: {action: Deny}}]}}"
		all  = "{type: MeshTrafficPermission, mesh: shop, name: all, spec: {targetRef: {kind: Mesh}, from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}"
	)
	server := func(version string) string {
		return fmt.Sprintf("{type: Dataplane, mesh: shop, name: db-%[1]s, networking: {address: 10.0.0.8, inbound: [{port: 8080, tags: {kuma.io/service: db, version: %[1]s}}]}}", version)
	}
	for version, want := range map[string]string{"": "partly, true", ", version: v1": "allowed, true", ", version: v2": "denied, true", ", version: v3": "no endpoint, true"} {
		client := "{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.9, inbound: [{port: 1, tags: {kuma.io/service: web}}], outbound: [{port: 2, tags: {kuma.io/service: db" + version + "}}]}}"
		a := matrixOf(t, access.Filter{From: []string{"web"}, To: []string{"db"}}, mesh, deny, all, client, server("v1"), server("v2")).Rows[0].Access[0]
		if got := fmt.Sprintf("%s, %t", a.Verdict, a.Reachable); got != want {
			t.Errorf("kuma.io/service: db%s: %s, want %s", version, got, want)
		}
	}
}

// TestReachOfExternalServices checks that the zone egress of the zone of a client decides whether it
// can call a MeshExternalService, as request answers.
func TestReachOfExternalServices(t *testing.T) {
	t.Parallel()
	const (
		mesh     = "{type: Mesh, name: shop, meshServices: {mode: Exclusive}}"
		identity = "{type: MeshIdentity, mesh: shop, name: identity, spec: {selector: {dataplane: {matchLabels: {%s}}}, spiffeID: {trustDomain: td, path: '/{{ label \"app\" }}'}, provider: {type: Bundled, bundled: {meshTrustCreation: Enabled}}}}"
		bank     = "{type: MeshExternalService, mesh: shop, name: bank, labels: {app: bank}, spec: {match: {type: HostnameGenerator, port: 443, protocol: http}, endpoints: [{address: bank.example, port: 443}]}}"
		client   = "{type: Dataplane, mesh: shop, name: web, labels: {app: web, kuma.io/zone: east}, networking: {address: 10.0.0.9, inbound: [{port: 1}], outbound: [{port: 2, backendRef: {kind: MeshExternalService, labels: {app: bank}, port: %d}}]}}"
		egress   = "{type: Dataplane, mesh: shop, name: egress-%[1]s, labels: {app: egress, kuma.io/zone: %[1]s}, networking: {address: 10.0.0.8, listeners: [{type: ZoneEgress, address: 10.0.0.8, port: 10002}]}}"
		allow    = "{type: MeshTrafficPermission, mesh: shop, name: allow, spec: {targetRef: {kind: Dataplane, labels: {kuma.io/zone: %s}}, rules: [{default: {allow: [{spiffeID: {type: Exact, value: 'spiffe://td/web'}}]}}]}}"
	)
	all, web, east := fmt.Sprintf(identity, ""), fmt.Sprintf(client, 443), fmt.Sprintf(egress, "east")
	for name, tt := range map[string]struct {
		want      string
		documents []string
	}{
		"allowed":                    {"allowed, true", []string{all, web, east, fmt.Sprintf(allow, "east")}},
		"not allowed":                {"denied, true", []string{all, web, east}},
		"allowed in another zone":    {"denied, true", []string{all, web, east, fmt.Sprintf(egress, "west"), fmt.Sprintf(allow, "west")}},
		"without an egress":          {"no endpoint, true", []string{all, web}},
		"egress of another zone":     {"no endpoint, true", []string{all, web, fmt.Sprintf(egress, "west")}},
		"ZoneEgress":                 {"undecided, true", []string{all, web, "{type: ZoneEgress, name: egress, networking: {address: 10.0.0.7, port: 10002}}"}},
		"egress without certificate": {"no configuration, true", []string{fmt.Sprintf(identity, "app: web"), web, east}},
		"no certificate at all":      {"TLS mismatch, true", []string{web, east}},
		"wrong port":                 {"TLS mismatch, true", []string{all, fmt.Sprintf(client, 444), east, fmt.Sprintf(allow, "east")}},
	} {
		a := matrixOf(t, access.Filter{From: []string{"web"}, To: []string{"bank"}}, append(tt.documents, mesh, bank)...).Rows[0].Access[0]
		if got := fmt.Sprintf("%s, %t", a.Verdict, a.Reachable); got != tt.want {
			t.Errorf("%s: %s (%s), want %s", name, got, a.Reason, tt.want)
		}
	}
}

// TestReachOfTwoInboundsOnOnePort has inbounds of which the proxy has only one, with its protocol (measured on 2.14.3).
func TestReachOfTwoInboundsOnOnePort(t *testing.T) {
	t.Parallel()
	for second, want := range map[string]string{
		"port: 80, protocol: http":                    "unchecked",
		"port: 80, protocol: tcp":                     "undecided several inbounds of the Dataplane have this address and port, with different protocols",
		"port: 80, address: 10.0.0.2, protocol: tcp":  "unchecked",
		"port: 81, protocol: tcp":                     "unchecked",
		"port: 80, tags: {kuma.io/protocol: grpc}":    "undecided several inbounds of the Dataplane have this address and port, with different protocols",
		"port: 80, address: 10.0.0.1, protocol: HTTP": "unchecked",
	} {
		m := matrixOf(t, access.Filter{From: []string{"web"}, To: []string{"db"}}, "{type: Mesh, name: shop, meshServices: {mode: Exclusive}}",
			"{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.9, inbound: [{port: 8080}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {svc: db}, port: 80}}]}}",
			"{type: Dataplane, mesh: shop, name: db, labels: {app: db}, networking: {address: 10.0.0.1, inbound: [{port: 80, protocol: http}, {"+second+"}]}}",
			"{type: MeshService, mesh: shop, name: db, labels: {svc: db}, spec: {selector: {dataplaneLabels: {matchLabels: {app: db}}}, ports: [{port: 80, targetPort: 80}]}}")
		a := m.Rows[0].Access[0]
		if got := strings.TrimSpace(string(a.Verdict) + " " + a.Reason); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", second, got, want)
		}
	}
}

// TestReachOfServicesInTheirZone has references by kuma.io/display-name on a global control plane of Kuma 2.14, which does not know
// whether a MeshService has the label in its own zone.
func TestReachOfServicesInTheirZone(t *testing.T) {
	t.Parallel()
	const client = "{type: Dataplane, mesh: shop, name: %s, labels: {kuma.io/zone: %s}, networking: {address: 10.0.0.9, inbound: [{port: 8080}], outbound: [{port: 1, backendRef: {kind: %s, labels: {%s}, port: 80}}]}}"
	for _, tt := range []struct {
		zone, kind, labels string
		want               proxy.Verdict
	}{
		{"east", "MeshService", "kuma.io/display-name: db", proxy.Undecided},
		{"east", "MeshService", "svc: db", proxy.Unchecked},
		{"east", "MeshMultiZoneService", "svc: all", proxy.Undecided},
		{"west", "MeshService", "kuma.io/display-name: db", access.NoEndpoint}, // without certificates
	} {
		m := matrixOf(t, access.Filter{From: []string{"web"}, To: []string{"db"}}, "{type: Mesh, name: shop, meshServices: {mode: Exclusive}}",
			fmt.Sprintf(client, "web", tt.zone, tt.kind, tt.labels),
			"{type: Dataplane, mesh: shop, name: db, labels: {app: db, kuma.io/zone: east}, networking: {address: 10.0.0.1, inbound: [{port: 80}]}}",
			"{type: MeshService, mesh: shop, name: db-8z4cbd5f6g7h2j9k, labels: {kuma.io/display-name: db, svc: db, kuma.io/zone: east, kuma.io/origin: zone}, spec: {selector: {dataplaneLabels: {matchLabels: {app: db}}}, ports: [{port: 80, targetPort: 80}]}}",
			"{type: MeshMultiZoneService, mesh: shop, name: all, labels: {svc: all}, spec: {selector: {meshService: {matchLabels: {kuma.io/display-name: db}}}, ports: [{port: 80}]}}")
		if a := m.Rows[0].Access[0]; a.Verdict != tt.want || !a.Reachable {
			t.Errorf("%+v: %s %s, reachable: %t", tt, a.Verdict, a.Reason, a.Reachable)
		}
	}
}
