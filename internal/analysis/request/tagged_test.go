package request_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// taggedWorld is a mesh without services. TestRequests of package proxies compares such meshes
// with what proxies do.
const taggedWorld = `
{type: Mesh, name: m, meshServices: {mode: %s}}
---
{type: Dataplane, mesh: m, name: api-1, networking: {address: 10.0.0.1, inbound: [{port: 9000, tags: {kuma.io/service: api, kuma.io/protocol: http, version: v1}}]}}
---
{type: Dataplane, mesh: m, name: api-2, networking: {address: 10.0.0.2, inbound: [{port: 9000, tags: {kuma.io/service: api, kuma.io/protocol: http, version: v2}}]}}
---
{type: Dataplane, mesh: m, name: api-3, networking: {address: 10.0.0.3, inbound: [{port: 9000, state: NotReady, tags: {kuma.io/service: api, kuma.io/protocol: tcp, version: v1}}]}}
---
{type: Dataplane, mesh: m, name: db-1, networking: {address: 10.0.0.4, inbound: [{port: 9001, tags: {kuma.io/service: db, kuma.io/protocol: tcp}}, {port: 9002, protocol: http, tags: {kuma.io/service: db-admin}}]}}
---
{type: Dataplane, mesh: m, name: rpc-1, networking: {address: 10.0.0.5, inbound: [{port: 9001, tags: {kuma.io/service: rpc, kuma.io/protocol: grpc}}, {port: 9002, tags: {kuma.io/service: rpc, kuma.io/protocol: http2}}, {port: 9003, tags: {kuma.io/service: both, kuma.io/protocol: grpc}}, {port: 9004, tags: {kuma.io/service: both, kuma.io/protocol: http}}]}}
---
{type: Dataplane, mesh: m, name: web-1, networking: {address: 10.0.0.6, inbound: [{port: 9000, tags: {kuma.io/service: web, kuma.io/protocol: http}}], outbound: [
  {port: 1, tags: {kuma.io/service: api}}, {port: 2, tags: {kuma.io/service: api, version: v2}}, {port: 3, tags: {kuma.io/service: db}}, {port: 4, tags: {kuma.io/service: ghost}}, {port: 5, tags: {kuma.io/service: api, version: v3}},
  {port: 6, tags: {kuma.io/service: rpc}}, {port: 7, tags: {kuma.io/service: both}}, {port: 8, address: 127.0.0.2, tags: {kuma.io/service: db-admin}}]}}
---
{type: Dataplane, mesh: m, name: app-1, networking: {address: 10.0.0.7, inbound: [{port: 9000, tags: {kuma.io/service: app_m_svc_80, kuma.io/protocol: http}}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001, reachableServices: [api]},
  outbound: [{port: 1, tags: {kuma.io/service: api}}]}}
---
{type: Dataplane, mesh: m, name: all-1, networking: {address: 10.0.0.8, inbound: [{port: 9000, tags: {kuma.io/service: all, kuma.io/protocol: http}}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}
`

// byTag returns a MeshHTTPRoute for the service api by tags.
func byTag(list string) string {
	return policy("MeshHTTPRoute", "r", "to: [{targetRef: {kind: MeshService, name: api}, rules: ["+list+"]}]")
}

func backends(refs string) string {
	return byTag("{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [" + refs + "]}}")
}

// TestTags checks requests by tags, which are the same in all modes of the mesh.
func TestTags(t *testing.T) {
	t.Parallel()
	const byMesh = "\n---\n{type: Mesh, name: m, meshServices: {mode: %s}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}"
	const withIdentity = "\n---\n{type: MeshIdentity, mesh: m, name: i, spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {trustDomain: td, path: /x}, provider: {type: Bundled}}}"
	const bank = "\n---\n{type: ExternalService, mesh: m, name: bank, tags: {kuma.io/service: ghost, kuma.io/protocol: http}, networking: {address: 'bank.test:80'}}"
	mixed := bank + strings.NewReplacer("name: bank", "name: bank-ip", "bank.test", "192.0.2.1").Replace(bank)
	at := func(port int) request.Service { return request.Service{Host: "127.0.0.1", Port: port} }
	for name, tt := range map[string]struct {
		documents string
		mode      string // any when empty
		from      string // web-1 when empty
		to        request.Service
		want, in  string // in the explanation
	}{
		"all proxies with the tag":    {to: at(1), want: "allowed, 1 api/ allowed", in: `to 127.0.0.1:1: kuma.io/service=api (http)`},
		"one that is not ready":       {to: at(1), want: "allowed, 1 api/ allowed", in: `Timeouts of the request: request none, stream idle 5m0s (default of the control plane)`},
		"by name and port":            {to: request.Service{Name: "api", Port: 2}, want: "allowed, 1 api (version=v2)/ allowed", in: `kuma.io/service=api, version=v2 (http)`},
		"by name":                     {to: request.Service{Name: "db"}, want: "allowed, 1 db/ allowed", in: "(tcp)"},
		"retries of TCP":              {documents: policy("MeshRetry", "t", "to: [{targetRef: {kind: Mesh}, default: {tcp: {maxConnectAttempt: 3}}}]"), to: at(3), want: "allowed, 1 db/ allowed", in: `Retries: 2 on failures to connect (MeshRetry "t")`},
		"without proxies":             {to: at(4), want: "no_healthy_destination, 1 ghost/ no_healthy_destination"},
		"without proxies of a subset": {to: at(5), want: "no_healthy_destination, 1 api (version=v3)/ no_healthy_destination", in: "(http)"},
		"grpc and http2":              {to: at(6), want: "allowed, 1 rpc/ allowed", in: "(http2)"},
		"grpc and http":               {to: at(7), want: "allowed, 1 both/ allowed", in: "(tcp)"},
		"a field is not the tag":      {to: request.Service{Host: "127.0.0.2", Port: 8}, want: "allowed, 1 db-admin/ allowed", in: "(tcp)"},
		"split": {
			documents: backends("{kind: MeshServiceSubset, name: api, tags: {version: v1}, weight: 90}, {kind: MeshService, name: rpc, weight: 10}, {kind: MeshService, name: ghost, weight: 10}, {kind: MeshService, name: db}"),
			to:        at(1), want: `allowed, rule 1 of MeshHTTPRoute "r", 9/10 api (version=v1)/ allowed, 1/10 rpc/ allowed`,
		},
		"backend that is not HTTP":                                                           {documents: backends("{kind: MeshService, name: db}"), to: at(1), want: "unreachable"},
		"backend by the name of a MeshService that does not exist":                           {documents: backends("{kind: MeshService, name: nope, port: 80}"), to: at(1), want: "unreachable"},
		"backend by labels that no MeshService has":                                          {documents: backends("{kind: MeshService, labels: {app: nope}, port: 80}"), to: at(2), want: `allowed, rule 1 of MeshHTTPRoute "r", 1 api (version=v2)/ allowed`},
		"by the tag of an ExternalService":                                                   {documents: bank, to: at(4), want: "unknown, 1 ghost/ unknown", in: "(http)"},
		"transparent to an ExternalService":                                                  {documents: bank, from: "all-1", to: request.Service{Name: "ghost"}, want: "unknown", in: "ExternalService bank provides the service"},
		"beside a tag with an IP address and a host name":                                    {documents: mixed, to: at(1), want: "unknown", in: `ExternalService "bank-ip" has an IP address`},
		"transparent beside a tag with an IP address and a host name":                        {documents: mixed, mode: "Everywhere", from: "all-1", to: request.Service{Name: "api"}, want: "unknown", in: `ExternalService "bank-ip" has an IP address`},
		"transparent beside a tag with an IP address and a host name, which has no listener": {documents: mixed, mode: "Exclusive", from: "all-1", to: request.Service{Name: "api"}, want: "unreachable"},
		"backend by the tag of an ExternalService": {
			documents: bank + backends("{kind: MeshService, name: ghost, weight: 9}, {kind: MeshService, name: api}"),
			to:        at(1), want: `mixed, rule 1 of MeshHTTPRoute "r", 9/10 ghost/ unknown, 1/10 api/ allowed`,
		},
		"mirror to an ExternalService": {
			documents: bank + byTag("{matches: [{}], default: {filters: [{type: RequestMirror, requestMirror: {percentage: 30, backendRef: {kind: MeshService, name: ghost}}}]}}"),
			to:        at(1), want: `allowed, rule 1 of MeshHTTPRoute "r", 1 api/ allowed`, in: "mirror 30% to ghost",
		},
		"mirror": {
			documents: byTag("{matches: [{}], default: {filters: [{type: RequestMirror, requestMirror: {percentage: 30, backendRef: {kind: MeshService, name: rpc}}}]}}"),
			to:        at(1), want: `allowed, rule 1 of MeshHTTPRoute "r", 1 api/ allowed`, in: "mirror 30% to rpc",
		},
		"mirror to a service that is not HTTP": {
			documents: byTag("{matches: [{}], default: {filters: [{type: RequestMirror, requestMirror: {percentage: 30, backendRef: {kind: MeshService, name: db}}}]}}"),
			to:        at(1), want: "unknown", in: "not the tag of an HTTP service",
		},
		"mirror to a service that is not HTTP, on a port for TCP": {
			documents: strings.Replace(byTag("{matches: [{}], default: {filters: [{type: RequestMirror, requestMirror: {percentage: 30, backendRef: {kind: MeshService, name: db}}}], backendRefs: [{kind: MeshService, name: rpc}]}}"), "name: api}", "name: ghost}", 1),
			to:        at(4), want: "unknown", in: "not the tag of an HTTP service",
		},
		"route of TCP": {documents: policy("MeshTCPRoute", "r", "to: [{targetRef: {kind: MeshService, name: api}, rules: [{default: {backendRefs: [{kind: MeshService, name: db, weight: 3}, {kind: MeshService, name: ghost}]}}]}]"), to: at(1), want: `mixed, rule 1 of MeshTCPRoute "r", 3/4 db/ allowed, 1/4 ghost/ no_healthy_destination`},
		"timeouts of a service": {
			documents: policy("MeshTimeout", "t", "to: [{targetRef: {kind: MeshService, name: api}, default: {connectionTimeout: 7s, http: {requestTimeout: 8s}}}]"),
			to:        at(2), want: "allowed, 1 api (version=v2)/ allowed", in: `Timeouts of the request: request 8s (MeshTimeout "t"); stream idle 30m0s (default of the control plane)`,
		},
		"timeouts of a route, by the deprecated top-level target": {
			documents: byTag("{matches: [{path: {type: Exact, value: /}}], default: {}}") + policy("MeshTimeout", "t", "targetRef: {kind: MeshHTTPRoute, name: r}, to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 9s}}}]"),
			to:        at(1), want: `allowed, rule 1 of MeshHTTPRoute "r", 1 api/ allowed`, in: `request 9s (MeshTimeout "t")`,
		},
		"timeouts of a route in to, without effect": {
			documents: byTag("{matches: [{path: {type: Exact, value: /}}], default: {}}") + policy("MeshTimeout", "t", "to: [{targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {requestTimeout: 9s}}}]"),
			to:        at(1), want: `allowed, rule 1 of MeshHTTPRoute "r", 1 api/ allowed`, in: "Timeouts of the request: request none, stream idle 5m0s",
		},
		"permission": {documents: byMesh, to: at(1), want: "denied, 1 api/ denied", in: "mutual TLS, denied"},
		"permissive mesh": {
			documents: strings.Replace(byMesh, "builtin", "builtin, mode: PERMISSIVE", 1), mode: "Exclusive", to: at(1), want: "allowed, 1 api/ allowed", in: "plaintext, allowed",
		},
		"permissive mesh, proxies with a MeshIdentity": {
			documents: strings.Replace(byMesh, "builtin", "builtin, mode: PERMISSIVE", 1) + withIdentity, mode: "Exclusive", to: at(1), want: "tls_failed, 1 api/ tls_failed", in: "only one of client and service speaks TLS",
		},
		"client with a MeshIdentity": {
			documents: byMesh + withIdentity,
			mode:      "Exclusive", to: at(1), want: "tls_failed, 1 api/ tls_failed", in: "a client with a MeshIdentity rejects all certificates",
		},
	} {
		for _, mode := range []string{"Disabled", "Everywhere", "Exclusive"} {
			if tt.mode != "" && tt.mode != mode {
				continue
			}
			t.Run(name+", "+mode, func(t *testing.T) {
				t.Parallel()
				documents := tt.documents
				if strings.Contains(documents, "mode: %s") {
					documents = fmt.Sprintf(documents, mode)
				}
				answer, err := sendTagged(t, mode, documents, request.Request{Dataplane: cmp.Or(tt.from, "web-1"), Service: tt.to})
				text := strings.Join(answer.Explanation, "\n")
				if got := show(answer); err != nil || got != tt.want || !strings.Contains(text, tt.in) {
					t.Errorf("%s, %v, want %s\n%s\nwant %s", got, err, tt.want, text, tt.in)
				}
			})
		}
	}
}

func sendTagged(t *testing.T, mode, documents string, r request.Request) (request.Answer, error) {
	t.Helper()
	r.Mesh = "m"
	snapshot := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, fmt.Sprintf(taggedWorld, mode)+documents))
	return request.New(snapshot).Send(r)
}

// TestTagsOfClients checks which clients reach a service by tags.
func TestTagsOfClients(t *testing.T) {
	t.Parallel()
	const generated = "\n---\n{type: MeshService, mesh: m, name: db, spec: {selector: {dataplaneTags: {kuma.io/service: db}}, ports: [{port: 9001}]}}"
	for name, tt := range map[string]struct {
		request   request.Request
		mode      string
		documents string
		want, why string
		err       error
		by        map[string]string // any when nil
	}{
		"no outbound":                          {request: request.Request{Dataplane: "api-1", Service: request.Service{Name: "db"}}, want: "unreachable", why: `no outbound to service "db"`},
		"several outbounds":                    {request: request.Request{Dataplane: "web-1", Service: request.Service{Name: "api"}}, err: request.ErrAmbiguousService, why: "127.0.0.1:2 (kuma.io/service=api, version=v2)"},
		"unknown service":                      {request: request.Request{Dataplane: "web-1", Service: request.Service{Name: "apo"}}, err: request.ErrUnknownService, why: `Did you mean "api"?`},
		"host name":                            {request: request.Request{Dataplane: "app-1", Service: request.Service{Host: "api.mesh"}}, want: "allowed"},
		"name of a transparent client":         {request: request.Request{Dataplane: "app-1", Service: request.Service{Name: "api"}}, want: "allowed"},
		"host name that is not reachable":      {request: request.Request{Dataplane: "app-1", Service: request.Service{Host: "db.mesh"}}, want: "unreachable", why: "no outbound to kuma.io/service=db"},
		"host name with another port":          {request: request.Request{Dataplane: "app-1", Service: request.Service{Host: "api.mesh", Port: 81}}, want: "unreachable", why: "has no port 81"},
		"host name with dots":                  {request: request.Request{Dataplane: "all-1", Service: request.Service{Host: "app.m.svc.80.mesh"}}, want: "allowed"},
		"host name that is unknown":            {request: request.Request{Dataplane: "all-1", Service: request.Service{Host: "legacy.mesh"}}, want: "unknown"},
		"host name in mode Exclusive":          {mode: "Exclusive", request: request.Request{Dataplane: "all-1", Service: request.Service{Host: "api.mesh"}}, want: "passthrough"},
		"outbound of a transparent proxy":      {request: request.Request{Dataplane: "app-1", Service: request.Service{Host: "127.0.0.1", Port: 1}}, want: "unreachable"},
		"MeshService with the name of the tag": {mode: "Everywhere", documents: generated, request: request.Request{Dataplane: "web-1", Service: request.Service{Name: "db"}}, want: "allowed", by: map[string]string{kuma.TagService: "db"}},
		"MeshService without an outbound":      {mode: "Everywhere", documents: generated, request: request.Request{Dataplane: "web-1", Service: request.Service{Kind: kuma.KindMeshService, Name: "db"}}, want: "unreachable"},
		"SPIFFE ID":                            {request: request.Request{SPIFFEID: "spiffe://m/web", Service: request.Service{Name: "db"}}, want: "allowed"},
		"service as client":                    {request: request.Request{ClientService: "web", Service: request.Service{Name: "db"}}, want: "allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mode := "Disabled"
			if tt.mode != "" {
				mode = tt.mode
			}
			answer, err := sendTagged(t, mode, tt.documents, tt.request)
			why := answer.Reason
			if err != nil {
				why = err.Error()
			}
			if !errors.Is(err, tt.err) || string(answer.Verdict) != tt.want || !strings.Contains(why, tt.why) || tt.by != nil && !maps.Equal(answer.Tags, tt.by) {
				t.Errorf("%s, %s, want %s, %s", answer.Verdict, why, tt.want, tt.why)
			}
		})
	}
}

// TestTagsBehindZoneIngress shows that the zone ingress of another zone says which tags its services have: such a service has
// a listener of their protocol, and requests to it leave the zone with mutual TLS only.
func TestTagsBehindZoneIngress(t *testing.T) {
	t.Parallel()
	const dataplane = `
---
{type: Dataplane, mesh: m, name: web-1, labels: {kuma.io/zone: east}, networking: {address: 10.0.0.1, inbound: [{port: 1, tags: {kuma.io/service: web, kuma.io/protocol: http}}], transparentProxying: {redirectPortInbound: 1, redirectPortOutbound: 2}}}`
	const ingress = `
---
{type: ZoneIngress, name: i, zone: west, networking: {address: 10.1.0.1, port: 10001, advertisedAddress: 203.0.113.1, advertisedPort: 10001}, availableServices: [{mesh: m, tags: {kuma.io/service: stock, kuma.io/protocol: http}}, {mesh: m, tags: {kuma.io/service: web, kuma.io/protocol: tcp}}, {mesh: n, tags: {kuma.io/service: other}}]}`
	const remote = `
---
{type: MeshService, mesh: m, name: stock-7w, labels: {kuma.io/display-name: stock, kuma.io/zone: west, kuma.io/origin: global}, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: HostnameGenerator, name: g, spec: {selector: {meshService: {matchLabels: {kuma.io/origin: global}}}, template: "{{ .DisplayName }}.{{ .Zone }}"}}`
	const mesh, mutual = "{type: Mesh, name: m, labels: {kuma.io/origin: global}", ", mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}"
	for name, test := range map[string]struct{ world, host, protocol, want string }{
		"of another zone":               {mesh + mutual + "}" + dataplane + ingress, "stock.mesh", "http", "Only Dataplanes of other zones with the tags of stock can take the request"},
		"without an advertised address": {mesh + mutual + "}" + dataplane + testworld.Edited(t, ingress, ", advertisedAddress: 203.0.113.1, advertisedPort: 10001", ""), "stock.mesh", "", "No proxy provides the service"},
		"without a ZoneEgress":          {mesh + mutual + ", routing: {zoneEgress: true}}" + dataplane + ingress, "stock.mesh", "", "No proxy provides the service"},
		"of both zones":                 {mesh + mutual + "}" + dataplane + ingress, "web.mesh", "tcp", "denied"},
		"without mutual TLS":            {mesh + "}" + dataplane + ingress, "stock.mesh", "", "No proxy provides the service"},
		"of no zone":                    {mesh + mutual + "}" + dataplane + ingress, "other.mesh", "", "only the control plane knows"},
		"service without mutual TLS":    {mesh + "}" + dataplane + remote, "stock.west", "http", "requests leave a zone only if the mesh has mutual TLS"},
		"service of another zone":       {mesh + mutual + "}" + dataplane + remote, "stock.west", "http", "Only Dataplanes of zone \"west\" can take the request"},
		"without a known ZoneIngress":   {mesh + mutual + "}" + dataplane, "web.mesh", "http", "denied"},
	} {
		snapshot := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, test.world))
		answer, err := request.New(snapshot).Send(request.Request{Mesh: "m", Dataplane: "web-1", Service: request.Service{Host: test.host}})
		testworld.NoError(t, err)
		if answer.Destination.Protocol != test.protocol || !strings.Contains(answer.Reason+string(answer.Verdict), test.want) {
			t.Errorf("%s: protocol %q, %s: %s, want protocol %q, %s", name, answer.Destination.Protocol, answer.Verdict, answer.Reason, test.protocol, test.want)
		}
	}
}

// TestRequestsToOtherZones has what control planes do if the Dataplanes of all zones are known, as on a global control plane: they
// generate endpoints in another zone only with certificates and an address of that zone (measured on 2.14.3 and a development
// build of 3.0, proxies.md §3).
func TestRequestsToOtherZones(t *testing.T) {
	t.Parallel()
	const (
		mesh, mutual = "{type: Mesh, name: m, labels: {kuma.io/origin: global}", ", mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}"
		exclusive    = ", meshServices: {mode: Exclusive}"
		zones        = `
---
{type: Dataplane, mesh: m, name: web-1, labels: {kuma.io/zone: east}, networking: {address: 10.0.0.1, inbound: [{port: 1, protocol: http, tags: {kuma.io/service: web, kuma.io/protocol: http}}], outbound: [{port: 2, tags: {kuma.io/service: cart}}, {port: 3, backendRef: {kind: MeshMultiZoneService, labels: {kuma.io/display-name: cart}, port: 80}}]}}
---
{type: Dataplane, mesh: m, name: cart-w, labels: {app: cart, kuma.io/zone: west}, networking: {address: 10.1.0.1, inbound: [{port: 80, protocol: http, tags: {kuma.io/service: cart, kuma.io/protocol: http}}]}}
---
{type: MeshService, mesh: m, name: cart-7w, labels: {app: cart, kuma.io/display-name: cart, kuma.io/zone: west, kuma.io/origin: zone}, spec: {selector: {dataplaneLabels: {matchLabels: {app: cart}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: MeshMultiZoneService, mesh: m, name: cart, labels: {kuma.io/display-name: cart}, spec: {selector: {meshService: {matchLabels: {app: cart}}}, ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshTrafficPermission, mesh: m, name: all, spec: {rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://"}}]}}]}}`
		ingress = `
---
{type: ZoneIngress, name: i, zone: west, networking: {address: 10.1.0.9, port: 10001, advertisedAddress: 203.0.113.1, advertisedPort: 10001}}`
		address = `
---
{type: MeshZoneAddress, mesh: m, name: west, labels: {kuma.io/zone: west}, spec: {address: 203.0.113.1, port: 10001}}`
		identity = `
---
{type: MeshIdentity, mesh: m, name: id, spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {trustDomain: td, path: /x}, provider: {type: Spire, spire: {}}}}`
		routing = ", routing: {zoneEgress: true}"
		egress  = `
---
{type: ZoneEgress, name: e, zone: east, networking: {address: 10.0.0.8, port: 10002}}`
		local = `
---
{type: Dataplane, mesh: m, name: cart-e, labels: {app: cart, kuma.io/zone: east}, networking: {address: 10.0.0.7, inbound: [{port: 80, protocol: http, tags: {kuma.io/service: cart, kuma.io/protocol: http}}]}}
---
{type: MeshService, mesh: m, name: cart-7e, labels: {app: cart, kuma.io/display-name: cart, kuma.io/zone: east, kuma.io/origin: zone}, spec: {selector: {dataplaneLabels: {matchLabels: {app: cart}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}`
		crossZone = `
---
{type: MeshLoadBalancingStrategy, mesh: m, name: lb, spec: {to: [{targetRef: {kind: Mesh}, default: {localityAwareness: {crossZone: {failover: [{from: {zones: [east]}, to: {type: None}}, {from: {zones: [north]}, to: {type: Any}}%s]}}}}]}}`
		bundled = `
---
{type: MeshIdentity, mesh: m, name: id, spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {trustDomain: td, path: /x}, provider: {type: Bundled, bundled: {meshTrustCreation: Enabled, insecureAllowSelfSigned: true, autogenerate: {enabled: true}}}}}`
		created = `
---
{type: MeshTrust, mesh: m, name: id-7w, labels: {kuma.io/display-name: id-2c, kuma.io/zone: %s, kuma.io/origin: zone}, spec: {trustDomain: td, caBundles: [{type: Pem, pem: {value: x}}]}, status: {origin: {kri: kri_mid_m___id_}}}`
		trust = `
---
{type: MeshTrust, mesh: m, name: west, labels: {kuma.io/origin: global}, spec: {trustDomain: td, caBundles: [{type: Pem, pem: {value: x}}]}}`
		external = `
---
{type: MeshExternalService, mesh: m, name: bank, labels: {app: bank, kuma.io/zone: %s, kuma.io/origin: zone}, spec: {match: {type: HostnameGenerator, port: 443, protocol: tcp}, endpoints: [{address: 10.9.9.9, port: 443}]}}
---
{type: Dataplane, mesh: m, name: web-1, labels: {kuma.io/zone: east}, networking: {address: 10.0.0.1, inbound: [{port: 1, tags: {kuma.io/service: web}}], outbound: [{port: 3, backendRef: {kind: MeshExternalService, labels: {app: bank}, port: 443}}]}}`
		localZone = `
---
{type: MeshLoadBalancingStrategy, mesh: m, name: lb, spec: {to: [{targetRef: {kind: Mesh}, default: {localityAwareness: {localZone: {affinityTags: [{key: a}]}}}}]}}`
		disabled = `
---
{type: MeshLoadBalancingStrategy, mesh: m, name: lb, spec: {to: [{targetRef: {kind: Mesh}, default: {localityAwareness: {disabled: true}}}]}}`
	)
	secure := mesh + mutual + exclusive + "}" + zones
	global := strings.Replace(external, "kuma.io/zone: %s, kuma.io/origin: zone", "kuma.io/origin: global", 1) + `
---
{type: Dataplane, mesh: m, name: egress, labels: {kuma.io/zone: east}, networking: {address: 10.0.0.8, listeners: [{type: ZoneEgress, address: 10.0.0.8, port: 10002}]}}`
	byTag, service := request.Service{Host: "127.0.0.1", Port: 2}, request.Service{Kind: kuma.KindMeshMultiZoneService, Name: "cart", Port: 80}
	kuma3 := kuma.Release{Major: 3}
	for name, test := range map[string]struct {
		release kuma.Release
		world   string
		to      request.Service
		want    string // verdict, proxies, and a part of the reason or of what is not considered
	}{
		"no way":                               {kuma.Newest2(), secure, service, "no_healthy_destination [] MeshZoneAddress or, before Kuma 3.0, a ZoneIngress"},
		"no advertised address":                {kuma.Newest2(), secure + testworld.Edited(t, ingress, ", advertisedAddress: 203.0.113.1, advertisedPort: 10001", ""), service, "no_healthy_destination [] advertised address"},
		"ZoneIngress":                          {kuma.Newest2(), secure + ingress, service, "allowed [cart-w]"},
		"MeshZoneAddress":                      {kuma.Newest2(), secure + address, service, "allowed [cart-w]"},
		"no certificates":                      {kuma.Newest2(), mesh + exclusive + "}" + zones + ingress, service, "no_healthy_destination [] only if the mesh has mutual TLS"},
		"MeshIdentity":                         {kuma.Newest2(), mesh + exclusive + "}" + zones + ingress + identity, service, "allowed [cart-w]"},
		"MeshIdentity of another":              {kuma.Newest2(), mesh + exclusive + "}" + zones + ingress + testworld.Edited(t, identity, "dataplane: {matchLabels: {}}", "dataplane: {matchLabels: {app: cart}}"), service, "tls_failed [cart-w]"},
		"plaintext":                            {kuma.Newest2(), mesh + ", meshServices: {mode: Everywhere}}" + zones + ingress + identity, service, "tls_failed [cart-w] the client has no certificate"},
		"an authority of each zone":            {kuma.Newest2(), mesh + exclusive + "}" + zones + ingress + bundled, service, "tls_failed [cart-w] no MeshTrust in the other zone"},
		"a MeshTrust of each zone":             {kuma.Newest2(), mesh + exclusive + "}" + zones + ingress + bundled + fmt.Sprintf(created, "east") + strings.Replace(fmt.Sprintf(created, "west"), "id-7w", "id-7e", 1), service, "tls_failed [cart-w] no MeshTrust in the other zone"},
		"a MeshTrust of all zones":             {kuma.Newest2(), mesh + exclusive + "}" + zones + ingress + bundled + trust, service, "allowed [cart-w]"},
		"no failover":                          {kuma.Newest2(), secure + address + fmt.Sprintf(crossZone, ""), service, "no_healthy_destination [] zones without a failover"},
		"failover to another zone":             {kuma.Newest2(), secure + address + fmt.Sprintf(crossZone, ", {to: {type: Only, zones: [north]}}"), service, "no_healthy_destination [] zones without a failover"},
		"failover to all but another":          {kuma.Newest2(), secure + address + fmt.Sprintf(crossZone, ", {to: {type: AnyExcept, zones: [north]}}"), service, "allowed [cart-w]"},
		"external service":                     {kuma.Newest2(), secure + fmt.Sprintf(external, "east"), request.Service{Host: "127.0.0.1", Port: 3}, "no_healthy_destination [] There is no zone egress"},
		"external service through an egress":   {kuma3, mesh + "}" + zones + global + localZone, request.Service{Host: "127.0.0.1", Port: 3}, "no_healthy_destination [] leaves out a MeshExternalService of the"},
		"external service of another zone":     {kuma.Newest2(), secure + fmt.Sprintf(external, "west"), request.Service{Host: "127.0.0.1", Port: 3}, "unreachable []"},
		"Kuma 3.0, no way":                     {kuma3, mesh + "}" + zones + ingress + identity, service, "no_healthy_destination [] MeshZoneAddress"},
		"Kuma 3.0":                             {kuma3, mesh + "}" + zones + address + identity, service, "allowed [cart-w]"},
		"Kuma 3.0, no certificates":            {kuma3, mesh + "}" + zones + address, service, "no_healthy_destination [] only if the mesh has mutual TLS"},
		"the own zone first":                   {kuma.Newest2(), secure + address + local, service, `allowed [cart-e] Dataplanes of zone "west"`},
		"all zones":                            {kuma.Newest2(), secure + address + local + disabled, service, "allowed [cart-e cart-w]"},
		"groups apply also if disabled":        {kuma.Newest2(), secure + address + local + testworld.Edited(t, disabled, "true", "true, crossZone: {failover: [{to: {type: Any}}]}"), service, "allowed [cart-e]"},
		"by tag":                               {kuma.Newest2(), mesh + mutual + "}" + zones + ingress, byTag, "allowed [cart-w]"},
		"by tag, without an egress":            {kuma.Newest2(), mesh + mutual + routing + "}" + zones + ingress, byTag, "no_healthy_destination [] a ZoneEgress of the own zone"},
		"by tag, through an egress":            {kuma.Newest2(), mesh + mutual + routing + "}" + zones + ingress + egress, byTag, "allowed [cart-w]"},
		"by tag, localZone and an egress":      {kuma.Newest2(), mesh + mutual + routing + "}" + zones + ingress + egress + localZone, byTag, "unknown [] the ZoneEgress of the zone also applies"},
		"by tag, localZone":                    {kuma.Newest2(), mesh + mutual + "}" + zones + ingress + localZone, byTag, "no_healthy_destination [] leaves out other zones"},
		"by tag, to all zones":                 {kuma.Newest2(), mesh + mutual + "}" + zones + ingress + local, byTag, "allowed [cart-e cart-w]"},
		"by tag, a balancer":                   {kuma.Newest2(), mesh + mutual + "}" + zones + ingress + local + testworld.Edited(t, disabled, "localityAwareness: {disabled: true}", "loadBalancer: {type: Random}"), byTag, "allowed [cart-e]"},
		"by tag, to all zones by policy":       {kuma.Newest2(), mesh + mutual + ", routing: {localityAwareLoadBalancing: true}}" + zones + ingress + local + disabled, byTag, "allowed [cart-e cart-w]"},
		"by tag, to the own zone first":        {kuma.Newest2(), mesh + mutual + ", routing: {localityAwareLoadBalancing: true}}" + zones + ingress + local, byTag, "allowed [cart-e]"},
		"by tag, in mode Exclusive":            {kuma.Newest2(), secure + ingress, byTag, "no_healthy_destination [] mode of the Mesh is Exclusive"},
		"by tag, to a MeshZoneAddress":         {kuma.Newest2(), mesh + mutual + "}" + zones + address, byTag, "no_healthy_destination [] only through a ZoneIngress"},
		"by tag, without certificates":         {kuma.Newest2(), mesh + "}" + zones + ingress, byTag, "no_healthy_destination [] only if the mesh has mutual TLS"},
		"by tag, with certificates of another": {kuma.Newest2(), mesh + "}" + zones + ingress + testworld.Edited(t, identity, "dataplane: {matchLabels: {}}", "dataplane: {matchLabels: {app: cart}}"), byTag, "no_healthy_destination [] only if the mesh has mutual TLS"},
	} {
		snapshot := rules.NewSnapshotFor(test.release, testworld.Resources(t, test.world))
		answer, err := request.New(snapshot).Send(request.Request{Mesh: "m", Dataplane: "web-1", Service: test.to})
		testworld.NoError(t, err)
		var proxies, notes []string
		for _, b := range answer.Backends {
			notes = append(notes, b.Reason)
			for _, p := range b.Proxies {
				proxies = append(proxies, p.Dataplane)
			}
		}
		got := fmt.Sprint(answer.Verdict, " ", proxies, " ", notes, answer.NotConsidered)
		head, tail, _ := strings.Cut(test.want, "] ")
		if !strings.HasPrefix(got, strings.TrimSuffix(head, "]")) || !strings.Contains(got, tail) {
			t.Errorf("%s: %s %s, want %s", name, got, answer.Reason, test.want)
		}
	}
}

// TestNamesInZones has the names by which transparent proxies reach services, as a global control plane knows two zones: HostnameGenerators
// see a MeshService of another zone as one of the global control plane, and tags of other zones have an address if a ZoneIngress lists
// them, which it does while an inbound is ready.
func TestNamesInZones(t *testing.T) {
	t.Parallel()
	const world = `{type: Mesh, name: m, labels: {kuma.io/origin: global}, meshServices: {mode: Everywhere}}
---
{type: HostnameGenerator, name: own, spec: {selector: {meshService: {matchLabels: {kuma.io/origin: zone}}}, template: "{{ .DisplayName }}.own"}}
---
{type: HostnameGenerator, name: others, spec: {selector: {meshService: {matchLabels: {kuma.io/origin: global}}}, template: "{{ .DisplayName }}.{{ .Zone }}"}}
---
{type: HostnameGenerator, name: in-east, labels: {kuma.io/zone: east}, spec: {selector: {meshService: {matchLabels: {kuma.io/origin: zone}}}, template: "{{ .DisplayName }}.in-east"}}
---
{type: HostnameGenerator, name: in-west, labels: {kuma.io/zone: west}, spec: {selector: {meshService: {matchLabels: {kuma.io/origin: zone}}}, template: "{{ .DisplayName }}.in-west"}}
---
{type: Dataplane, mesh: m, name: web-7e, labels: {kuma.io/zone: east}, networking: {address: 10.0.0.1, inbound: [{port: 1, tags: {kuma.io/service: web}}], transparentProxying: {redirectPortInbound: 1, redirectPortOutbound: 2}}}
---
{type: Dataplane, mesh: m, name: cart-7e, labels: {kuma.io/display-name: cart, kuma.io/zone: east}, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: cart}}]}}
---
{type: Dataplane, mesh: m, name: pay-7w, labels: {kuma.io/zone: west}, networking: {address: 10.1.0.2, inbound: [{port: 80, tags: {kuma.io/service: pay}}, {port: 81, state: NotReady, tags: {kuma.io/service: admin}}]}}
---
{type: MeshService, mesh: m, name: cart-8e, labels: {kuma.io/display-name: cart, kuma.io/zone: east, kuma.io/origin: zone}, spec: {selector: {dataplaneRef: {name: cart}}, ports: [{port: 80, targetPort: 80}]}, status: {addresses: [{hostname: cart.removed, hostnameGeneratorRef: {coreName: removed-2c}}]}}
---
{type: MeshService, mesh: m, name: cart-8w, labels: {kuma.io/display-name: cart, kuma.io/zone: west, kuma.io/origin: zone}, spec: {selector: {dataplaneRef: {name: cart}}, ports: [{port: 80, targetPort: 80}]}, status: {addresses: [{hostname: cart.own, hostnameGeneratorRef: {coreName: own-2c}}]}}`
	const ingress = "\n---\n{type: ZoneIngress, name: i, zone: west, networking: {address: 10.1.0.9, port: 10001}}"
	for _, tt := range []struct{ documents, host, want string }{
		{"", "cart.own", "allowed"},
		{"", "cart.west", "no_healthy_destination"},
		{"", "cart.east", "passthrough"},
		{"", "cart.removed", "passthrough"}, // as the plan leaves the generators
		{"", "cart.in-east", "allowed"},
		{"", "cart.in-west", "passthrough"}, // by a generator that only the other zone has
		{"", "pay.mesh", "unknown"},         // passes, or is resolved by a control plane that knows more
		{ingress, "pay.mesh", "no_healthy_destination"},
		{ingress, "admin.mesh", "unknown"},
		{ingress, "cart.mesh", "allowed"},
	} {
		snapshot := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, world+tt.documents))
		a, err := request.New(snapshot).Send(request.Request{Mesh: "m", Dataplane: "web-7e", Service: request.Service{Host: tt.host, Port: 80}})
		if err != nil || string(a.Verdict) != tt.want {
			t.Errorf("%s %s: %s %s, %v, want %s", tt.host, tt.documents, a.Verdict, a.Reason, err, tt.want)
		}
	}
}

// TestUnknownRuleInItsZone has a rule that a proxy of Kuma 2.14 does not have if its backend exists, which has no weight: the zone of the service
// may not find it by kuma.io/display-name.
func TestUnknownRuleInItsZone(t *testing.T) {
	t.Parallel()
	const world = `{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: m, name: web-7e, labels: {kuma.io/zone: east, app: web}, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [
  {port: 1001, backendRef: {kind: MeshService, labels: {svc: web, kuma.io/zone: east}, port: 80}}]}}
---
{type: MeshService, mesh: m, name: web-8z4cbd5f6g7h2j9k, labels: {svc: web, kuma.io/display-name: web, kuma.io/zone: east, kuma.io/origin: zone, kuma.io/env: universal}, spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: MeshService, mesh: m, name: api-8z4cbd5f6g7h2j9k, labels: {svc: api, kuma.io/display-name: api, kuma.io/zone: east, kuma.io/origin: zone, kuma.io/env: universal}, spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: MeshHTTPRoute, mesh: m, name: r, spec: {to: [{targetRef: {kind: MeshService, labels: {svc: web}}, rules: [
  {matches: [{path: {type: Exact, value: /r}}], default: {backendRefs: [{kind: MeshService, labels: {%s: api}, port: 80, weight: 0}]}}]}]}}`
	for _, tt := range []struct {
		label, path string
		want        request.Verdict
	}{{"svc", "/r", request.Allowed}, {kuma.LabelDisplayName, "/r", request.Unknown}, {kuma.LabelDisplayName, "/other", request.Allowed}} {
		snapshot := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, fmt.Sprintf(world, tt.label)))
		a, err := request.New(snapshot).Send(request.Request{Mesh: "m", Dataplane: "web-7e", Service: request.Service{Name: "web", Port: 80}, Path: tt.path})
		if err != nil || a.Verdict != tt.want {
			t.Errorf("%+v: %s %s, %v", tt, a.Verdict, a.Reason, err)
		}
	}
}

// TestNamesOfServicesInTheirZone has references by kuma.io/display-name on a global control plane of Kuma 2.14, which adds the label to the
// MeshServices that it gets from zones: whether the zone has it there is not known.
func TestNamesOfServicesInTheirZone(t *testing.T) {
	t.Parallel()
	const world = `{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: m, name: web-7e, labels: {kuma.io/zone: east, app: web}, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [
  {port: 1001, backendRef: {kind: MeshService, labels: {svc: web, kuma.io/zone: east}, port: 80}},
  {port: 1002, backendRef: {kind: MeshService, labels: {kuma.io/display-name: %s, kuma.io/zone: east}, port: 80}},
  {port: 1003, backendRef: {kind: MeshMultiZoneService, labels: {svc: all}, port: 80}}]}}
---
{type: MeshService, mesh: m, name: %s, labels: {%s svc: web, kuma.io/display-name: web, kuma.io/zone: east, kuma.io/origin: zone, kuma.io/env: universal}, spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 80, targetPort: 80}]}}
---
{type: MeshMultiZoneService, mesh: m, name: all, labels: {svc: all}, spec: {selector: {meshService: {matchLabels: {%s: web}}}, ports: [{port: 80}]}}
---
{type: MeshHTTPRoute, mesh: m, name: to-web, spec: {to: [{targetRef: {kind: MeshService, labels: {%s: web, kuma.io/zone: %s}}, rules: [{matches: [{path: {type: Exact, value: /r}}], default: {}}]}]}}`
	const copied, generated = "web-8z4cbd5f6g7h2j9k", "kuma.io/managed-by: meshservice-generator,"
	for _, tt := range []struct {
		outbound, name, labels, member, to, zone string
		release                                  kuma.Release
		service, want                            string
	}{
		{"none", copied, "", "svc", "svc", "east", kuma.Newest2(), "web", "allowed"},
		{"none", copied, "", "svc", "svc", "east", kuma.Newest2(), "all", "allowed"},
		{"none", copied, "", "svc", "kuma.io/display-name", "east", kuma.Newest2(), "web", "unknown"},
		{"none", copied, "", "svc", "kuma.io/display-name", "east", kuma.Newest2(), "all", "allowed"},
		{"none", copied, "", "svc", "kuma.io/display-name", "west", kuma.Newest2(), "web", "allowed"},
		{"none", copied, "", "kuma.io/display-name", "svc", "east", kuma.Newest2(), "web", "allowed"},
		{"none", copied, "", "kuma.io/display-name", "svc", "east", kuma.Newest2(), "all", "unknown"},
		{"web", copied, "", "svc", "svc", "east", kuma.Newest2(), "web", "unknown"},
		{"web", copied, "", "svc", "kuma.io/display-name", "east", kuma.ParseRelease("2.14.4"), "web", "allowed"},
		{"web", copied, generated, "svc", "kuma.io/display-name", "east", kuma.Newest2(), "web", "allowed"},
		{"web", "web", "", "svc", "kuma.io/display-name", "east", kuma.Newest2(), "web", "allowed"}, // in the zone itself
	} {
		documents := fmt.Sprintf(world, tt.outbound, tt.name, tt.labels, tt.member, tt.to, tt.zone)
		snapshot := rules.NewSnapshotFor(tt.release, testworld.Resources(t, documents))
		a, err := request.New(snapshot).Send(request.Request{Mesh: "m", Dataplane: "web-7e", Service: request.Service{Name: tt.service, Port: 80}})
		if err != nil || string(a.Verdict) != tt.want || (a.Backends == nil) != (a.Verdict == request.Unknown) {
			t.Errorf("%+v: %s %s, %v", tt, a.Verdict, a.Reason, err)
		}
	}
}

// TestUnavailableServicesOfOtherZones has a MeshMultiZoneService with a MeshService of another zone, which is Available only if a Dataplane
// has a ready inbound for each of its ports. Requests for the MeshService itself get there anyway.
func TestUnavailableServicesOfOtherZones(t *testing.T) {
	t.Parallel()
	const world = `{type: Mesh, name: m, meshServices: {mode: Exclusive}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}
---
{type: MeshZoneAddress, mesh: m, name: in, labels: {kuma.io/zone: west}, spec: {address: 203.0.113.1, port: 10001}}
---
{type: MeshTrafficPermission, mesh: m, name: all, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}
---
{type: Dataplane, mesh: m, name: web, labels: {kuma.io/zone: %s, kuma.io/workload: web}, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [
  {port: 1001, backendRef: {kind: MeshService, labels: {svc: pay}, port: 80}}, {port: 1002, backendRef: {kind: MeshMultiZoneService, labels: {svc: all}, port: 80}}]}}
---
{type: Dataplane, mesh: m, name: pay, labels: {kuma.io/zone: west, kuma.io/workload: pay, app: pay}, networking: {address: 10.0.0.2, inbound: [{port: 80}, {port: 81, state: %s}]}}
---
{type: MeshService, mesh: m, name: pay, labels: {svc: pay, kuma.io/zone: west}, spec: {selector: {dataplaneLabels: {matchLabels: {app: pay}}}, ports: [{port: 80, targetPort: 80}, {port: 81, targetPort: 81}]}}
---
{type: MeshMultiZoneService, mesh: m, name: all, labels: {svc: all}, spec: {selector: {meshService: {matchLabels: {svc: pay}}}, ports: [{port: 80}]}}`
	for _, tt := range []struct{ zone, state, service, want string }{
		{"east", "Ready", "all", "allowed"},
		{"east", "NotReady", "all", "no_healthy_destination"},
		{"east", "NotReady", "pay", "allowed"},
		{"west", "NotReady", "all", "allowed"},
	} {
		snapshot := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, fmt.Sprintf(world, tt.zone, tt.state)))
		a, err := request.New(snapshot).Send(request.Request{Mesh: "m", Dataplane: "web", Service: request.Service{Name: tt.service, Port: 80}})
		if err != nil || string(a.Verdict) != tt.want {
			t.Errorf("%+v: %s %s, %v", tt, a.Verdict, a.Reason, err)
		}
	}
}

// TestOldestServiceOfZones has a backendRef that selects services of two zones, as the global control plane knows them.
func TestOldestServiceOfZones(t *testing.T) {
	t.Parallel()
	resources := testworld.Resources(t, `
{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: m, name: web, labels: {kuma.io/zone: east, kuma.io/origin: zone}, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {svc: web}, port: 80}}]}}
---
{type: MeshService, mesh: m, name: web, labels: {svc: web, kuma.io/zone: east, kuma.io/origin: zone}, spec: {selector: {dataplaneRef: {name: web}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: MeshService, mesh: m, name: api-east, labels: {svc: api, kuma.io/zone: east, kuma.io/origin: zone}, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshService, mesh: m, name: api-west, labels: {svc: api, kuma.io/zone: west, kuma.io/origin: zone}, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshHTTPRoute, mesh: m, name: r, spec: {to: [{targetRef: {kind: MeshService, labels: {svc: web}}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, labels: {svc: api}, port: 80}]}}]}]}}`)
	for later, want := range map[time.Duration]string{
		time.Second:  "unknown A backendRef selects several services, among them MeshService \"api-east\"",
		time.Minute:  "no_healthy_destination",
		-time.Minute: "no_healthy_destination",
	} {
		world := slices.Clone(resources)
		world[len(world)-3].CreationTime = time.Unix(1e9, 0)
		world[len(world)-2].CreationTime = time.Unix(1e9, 0).Add(later)
		a, err := request.New(rules.NewSnapshotOfProxies(kuma.Newest2(), world)).Send(request.Request{Mesh: "m", Dataplane: "web", Service: request.Service{Name: "web"}})
		testworld.NoError(t, err)
		if got := string(a.Verdict) + " " + a.Reason; !strings.HasPrefix(got, want) {
			t.Errorf("%s later: %s, want %s", later, got, want)
		}
	}
}
