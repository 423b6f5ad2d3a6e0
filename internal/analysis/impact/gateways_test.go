package impact_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestConnectionsFail checks that connections, unlike requests, have no answer.
func TestConnectionsFail(t *testing.T) {
	t.Parallel()
	c := impact.RequestChange{
		Requests: []string{"connections"}, Port: rules.Port{Resource: kuma.ID{Name: "db"}, Number: 90},
		Before: []impact.Outcome{{Target: "db"}}, After: []impact.Outcome{{Target: "503", Answered: true}},
	}
	testworld.Equal(t, "change", "connections on db port 90 fail, before: db", c.String())
}

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
	for name, tt := range map[string]struct {
		before, after []string
		want          []string
	}{
		"unchanged": {[]string{edge, route, tcp}, []string{edge, route, tcp}, nil},
		"other weights": {[]string{edge, route}, []string{edge, edited(route, "weight: 9", "weight: 1")}, []string{
			"GET *.shop.example/v2 on edge port 8080: api 90% → 50%, web 10% → 50%, for edge-1 and edge-2",
			"GET /v2 on edge port 8081: api 90% → 50%, web 10% → 50%, for edge-1 and edge-2",
		}},
		"another host name": {[]string{edge, route}, []string{edge, route, host}, []string{
			"GET pay.shop.example/v2 on edge port 8080: api 90% → 0%, web 10% → 100%, for edge-1 and edge-2",
			"GET pay.shop.example/v2 on edge port 8081: api 90% → 0%, web 10% → 100%, for edge-1 and edge-2",
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
			"GET *.shop.example/v2 on edge port 8080: api 90% → 0%, web 10% → 0%, no listener 0% → 100%, for edge-1 and edge-2",
			"GET / on edge port 8081: web → no listener, for edge-1 and edge-2",
			"GET /v2 on edge port 8081: api 90% → 0%, web 10% → 0%, no listener 0% → 100%, for edge-1 and edge-2",
		}},
		"route of TCP": {[]string{edge, route, tcp}, []string{edge, route, edited(tcp, "app: api", "app: web")}, []string{
			"connections on edge port 9000: api → web, for edge-1 and edge-2",
		}},
		"no route": {[]string{edge, route, tcp}, []string{edge, tcp}, []string{
			"GET *.shop.example/ on edge port 8080 answers 404, before: web, for edge-1 and edge-2",
			"GET *.shop.example/v2 on edge port 8080 answers 404, before: api 90%, web 10%, for edge-1 and edge-2",
			"GET / on edge port 8081 answers 404, before: web, for edge-1 and edge-2",
			"GET /v2 on edge port 8081 answers 404, before: api 90%, web 10%, for edge-1 and edge-2",
		}},
		"frozen after": {[]string{edge, route, tcp}, []string{edge, edited(route, "weight: 9", "weight: 0", "weight: 1", "weight: 0"), tcp}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := gocmp.Diff(tt.want, requestChanges(t, append(tt.before, gateway), append(tt.after, gateway))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSettingsOfListeners has what changes if a policy is removed that selects builtin gateways:
// for traffic through the listeners that it selects, and for connections to backends.
func TestSettingsOfListeners(t *testing.T) {
	t.Parallel()
	const (
		edge  = "{type: MeshGateway, mesh: shop, name: edge, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [{port: 8080, protocol: HTTP, tags: {l: a}}, {port: 8081, protocol: HTTP, hostname: a.example, tags: {l: b}}]}}"
		route = "{type: MeshHTTPRoute, mesh: shop, name: r, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, labels: {app: api}, port: 80}]}}]}]}}"
		byTag = "{type: MeshHTTPRoute, mesh: shop, name: s, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, rules: [{matches: [{path: {type: PathPrefix, value: /web}}], default: {backendRefs: [{kind: MeshService, name: web}]}}]}]}}"
		conf  = "default: {connectionTimeout: 3s, http: {requestTimeout: 5s}}"
	)
	policy := func(top, to string) string {
		return "{type: MeshTimeout, mesh: shop, name: t, spec: {targetRef: {" + top + "}, to: [" + to + "]}}"
	}
	const b = "kind: MeshGateway, name: edge, tags: {l: b}"
	for name, tt := range map[string]struct {
		removed, other string
		want           []string // destination and path of each change of a gateway
		reason         string
	}{
		"one listener":                       {policy(b, "{targetRef: {kind: Mesh}, "+conf+"}"), "", []string{"kri_m____shop_ connectionTimeout", "port 8081, any http.requestTimeout"}, ""},
		"one listener, and a backend by tag": {policy(b, "{targetRef: {kind: Mesh}, "+conf+"}"), byTag, []string{"kri_m____shop_ connectionTimeout", "port 8081, any connectionTimeout", "port 8081, any http.requestTimeout"}, ""},
		"a service":                          {policy("kind: Mesh, proxyTypes: [Gateway]", "{targetRef: {kind: MeshService, labels: {app: api}}, "+conf+"}"), "", []string{"kri_msvc_shop___api_ connectionTimeout"}, ""},
		"a route": {
			policy("kind: Mesh, proxyTypes: [Gateway]", "{targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {requestTimeout: 5s}}}"), "", nil,
			"set only values that the dataplanes it selected keep or did not use",
		},
		"a route of a listener": {strings.NewReplacer("name: edge}", "name: edge, tags: {l: b}}", "name: r,", "name: u,", "value: /", "value: /u").Replace(route), "", []string{"port 8081, hostname a.example, any " + `rules[{"path":{"type":"PathPrefix","value":"/u"}}].default.backendRefs`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := rules.NewSnapshot(testworld.Resources(t, gateway, edge, route, cmp.Or(tt.other, route), tt.removed))
			after := rules.NewSnapshot(testworld.Resources(t, gateway, edge, route, cmp.Or(tt.other, route)))
			i := compare(t, before, after, "shop")
			var got []string
			for _, g := range i.Groups {
				if !slices.Equal(g.Dataplanes, []string{"edge-1", "edge-2"}) {
					t.Errorf("%v change", g.Dataplanes)
				}
				for _, c := range g.Changes {
					got = append(got, c.Destination+" "+c.Path)
				}
			}
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if tt.reason != "" && (len(i.WithoutEffect) != 1 || i.WithoutEffect[0].Reason != tt.reason) {
				t.Errorf("without effect: %+v", i.WithoutEffect)
			}
		})
	}
}

// TestBalancersOfListeners changes the policies of two listeners: on 2.14, that of one of them decides for the connections of both.
func TestBalancersOfListeners(t *testing.T) {
	t.Parallel()
	const edge = "{type: MeshGateway, mesh: shop, name: edge, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [{port: 8080, protocol: HTTP, tags: {l: a}}, {port: 8081, protocol: HTTP, tags: {l: b}}]}}" +
		"\n---\n{type: MeshHTTPRoute, mesh: shop, name: r, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, labels: {app: api}, port: 80}]}}]}]}}"
	policy := func(name, tags, balancer string) string {
		return "{type: MeshLoadBalancingStrategy, mesh: shop, name: " + name + ", spec: {targetRef: {kind: MeshGateway, name: edge" + tags + "}, to: [{targetRef: {kind: Mesh}, default: {loadBalancer: {type: " + balancer + "}}}]}}"
	}
	one, other := policy("one", ", tags: {l: a}", "Random"), policy("other", ", tags: {l: b}", "LeastRequest")
	for name, tt := range map[string]struct {
		before, after string
		want          string
	}{
		"the first is removed": {one + "\n---\n" + other, other, ": it is not known whether dataplanes change"},
		"the last is removed":  {one + "\n---\n" + other, one, ": it is not known whether dataplanes change"},
		"they become equal":    {one + "\n---\n" + other, one + "\n---\n" + policy("other", ", tags: {l: b}", "Random"), ": it is not known whether dataplanes change"},
		"they are exchanged":   {one + "\n---\n" + other, policy("one", ", tags: {l: b}", "Random") + "\n---\n" + policy("other", ", tags: {l: a}", "LeastRequest"), ": it is not known whether dataplanes change"},
		"another listener":     {one, policy("one", ", tags: {l: b}", "Random"), ": no dataplane changes"},
		"of one listener":      {one, policy("one", ", tags: {l: a}", "LeastRequest"), ": 2 of 4 dataplanes change"},
		"of all listeners":     {policy("one", "", "Random"), policy("one", "", "LeastRequest"), ": 2 of 4 dataplanes change"},
		"unchanged":            {one + "\n---\n" + other, one + "\n---\n" + other, ": no dataplane changes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := compare(t, rules.NewSnapshot(testworld.Resources(t, gateway, edge, tt.before)), rules.NewSnapshot(testworld.Resources(t, gateway, edge, tt.after)), "shop")
			if text := i.Summary(); !strings.HasPrefix(text, "Mesh shop"+tt.want) || i.IsUncertain() && len(i.WithoutEffect) > 0 {
				t.Error(text)
			}
		})
	}
}
