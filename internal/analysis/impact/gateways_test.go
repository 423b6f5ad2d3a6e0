package impact_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const gateway = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: shop, name: edge-1, networking: {address: 10.0.0.1, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}}
---
{type: Dataplane, mesh: shop, name: edge-2, networking: {address: 10.0.0.2, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}}
---
{type: Dataplane, mesh: shop, name: api-1, labels: {app: api}, networking: {address: 10.0.0.3, inbound: [{port: 9000, tags: {kuma.io/service: api, kuma.io/protocol: http}}]}}
---
{type: Dataplane, mesh: shop, name: web-1, labels: {app: web}, networking: {address: 10.0.0.4, inbound: [{port: 9000, tags: {kuma.io/service: web, kuma.io/protocol: http}}]}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 9000, appProtocol: http}]}}
---
{type: MeshService, mesh: shop, name: web, labels: {app: web}, spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 80, targetPort: 9000, appProtocol: http}]}}
`

// TestRequestChangesOfGateways has what changes for requests from outside the mesh.
func TestRequestChangesOfGateways(t *testing.T) {
	t.Parallel()
	const (
		edge  = "{type: MeshGateway, mesh: shop, name: edge, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [{port: 8080, protocol: HTTP, hostname: '*.shop.example'}, {port: 8081, protocol: HTTP}, {port: 9000, protocol: TCP}]}}"
		route = "{type: MeshHTTPRoute, mesh: shop, name: api, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, rules: [{matches: [{path: {type: PathPrefix, value: /v2}}], default: {backendRefs: [{kind: MeshService, labels: {app: api}, port: 80, weight: 9}, {kind: MeshService, labels: {app: web}, port: 80, weight: 1}]}}, {matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, labels: {app: web}, port: 80}]}}]}]}}"
		host  = "{type: MeshHTTPRoute, mesh: shop, name: pay, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, hostnames: [pay.shop.example], rules: [{matches: [{path: {type: PathPrefix, value: /v2}}], default: {backendRefs: [{kind: MeshService, labels: {app: web}, port: 80}]}}]}]}}"
		tcp   = "{type: MeshTCPRoute, mesh: shop, name: tcp, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, rules: [{default: {backendRefs: [{kind: MeshService, labels: {app: api}, port: 80}]}}]}]}}"
	)
	edited := func(document string, pairs ...string) string { return testworld.Edited(t, document, pairs...) }
	tagged := edited(edge, "{port: 8081, protocol: HTTP}", "{port: 8081, protocol: HTTP, tags: {l: a}}")
	for name, tt := range map[string]struct {
		before, after []string
		want          []string
	}{
		"unchanged": {[]string{edge, route, tcp}, []string{edge, route, tcp}, nil},
		"other weights": {[]string{edge, route}, []string{edge, edited(route, "weight: 9", "weight: 1")}, []string{
			"GET *.shop.example/v2 on edge port 8080: api 90 % → 50 %, web 10 % → 50 %, for edge-1 and edge-2",
			"GET /v2 on edge port 8081: api 90 % → 50 %, web 10 % → 50 %, for edge-1 and edge-2",
		}},
		"another host name": {[]string{edge, route}, []string{edge, route, host}, []string{
			"GET pay.shop.example/v2 on edge port 8080: api 90 % → 0 %, web 10 % → 100 %, for edge-1 and edge-2",
			"GET pay.shop.example/v2 on edge port 8081: api 90 % → 0 %, web 10 % → 100 %, for edge-1 and edge-2",
		}},
		"removed listener": {[]string{edge, route, tcp}, []string{edited(edge, ", {port: 9000, protocol: TCP}", ""), route, tcp}, []string{
			"connections on edge port 9000: api → no listener, for edge-1 and edge-2",
		}},
		"another match": {[]string{edge, route}, []string{edge, edited(route, "value: /}", "value: /web}")}, []string{
			"GET *.shop.example/ on edge port 8080 answers 404, before: web, for edge-1 and edge-2",
			"GET / on edge port 8081 answers 404, before: web, for edge-1 and edge-2",
		}},
		"removed gateway": {[]string{edge, route}, []string{route}, []string{
			"GET *.shop.example/ on edge port 8080: web → no listener, for edge-1 and edge-2",
			"GET *.shop.example/v2 on edge port 8080: api 90 % → 0 %, web 10 % → 0 %, no listener 0 % → 100 %, for edge-1 and edge-2",
			"GET / on edge port 8081: web → no listener, for edge-1 and edge-2",
			"GET /v2 on edge port 8081: api 90 % → 0 %, web 10 % → 0 %, no listener 0 % → 100 %, for edge-1 and edge-2",
		}},
		"route of TCP": {[]string{edge, route, tcp}, []string{edge, route, edited(tcp, "app: api", "app: web")}, []string{
			"connections on edge port 9000: api → web, for edge-1 and edge-2",
		}},
		"frozen after": {[]string{tagged, route, tcp}, []string{tagged, edited(route, "name: edge}", "name: edge, tags: {l: a}}"), tcp}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, requestChanges(t, append(tt.before, gateway), append(tt.after, gateway))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
