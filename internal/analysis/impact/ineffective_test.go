package impact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// routeOfAll has a route for requests to a service, whose path is missing.
const routeOfAll = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {ports: [{port: 80, appProtocol: http}, {port: 81}]}}
---
{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.1, inbound: [{port: 8080}], outbound: [{port: 80, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}
---
{type: MeshHTTPRoute, mesh: shop, name: a, labels: {route: a}, spec: {to: [{targetRef: {kind: MeshService, labels: {app: api}}, rules: [
  {matches: [{path: {type: PathPrefix, value: %s}}], default: {backendRefs: [{kind: MeshService, labels: {app: api}, port: 80}]}}]}]}}`

// TestValueOfServiceWithRoute changes a value for a service whose requests all take a route with a rule of its own.
func TestValueOfServiceWithRoute(t *testing.T) {
	t.Parallel()
	const policy = "\n---\n{type: MeshTimeout, mesh: shop, name: %s, spec: {to: [{targetRef: {kind: %s}, default: {http: {%s}}}]}}"
	for own, changes := range map[string]map[string]bool{ // matching.md §17.4
		"streamIdleTimeout: 5s": {"streamIdleTimeout": false, "requestTimeout": false},
		"requestTimeout: 5s":    {"streamIdleTimeout": true, "requestTimeout": false},
	} {
		for field, want := range changes {
			world := fmt.Sprintf(routeOfAll, "/") + fmt.Sprintf(policy, "own", "MeshHTTPRoute, labels: {route: a}", own)
			with := func(value string) *rules.Snapshot {
				return snapshotOf(t, world+fmt.Sprintf(policy, "c", "MeshService, labels: {app: api}", field+": "+value))
			}
			testworld.Equal(t, own+", "+field, want, len(compare(t, with("2m"), with("3m"), "shop").Changed()) > 0)
		}
	}
}

// TestMovedToRoute moves a value from a service, or the mesh, to the route that takes all requests to the service, or some.
func TestMovedToRoute(t *testing.T) {
	t.Parallel()
	const timeout = "\n---\n{type: MeshTimeout, mesh: shop, name: c, spec: {to: [{targetRef: {kind: %s}, default: {http: {%s: 5s}}}]}}"
	for _, test := range []struct {
		path, from, field string
		want              []string
	}{
		{"/", "MeshService, labels: {app: api}", "requestTimeout", nil},
		{"/", "Mesh", "streamIdleTimeout", nil},
		{"/", "Mesh", "maxStreamDuration", []string{"web"}}, // of connections
		{"/a", "MeshService, labels: {app: api}", "requestTimeout", []string{"web"}},
		{"/a", "Mesh", "requestTimeout", []string{"web"}},
	} {
		before := snapshotOf(t, fmt.Sprintf(routeOfAll+timeout, test.path, test.from, test.field))
		after := snapshotOf(t, fmt.Sprintf(routeOfAll+timeout, test.path, "MeshHTTPRoute, labels: {route: a}", test.field))
		for _, change := range [][2]*rules.Snapshot{{before, after}, {after, before}} {
			i := compare(t, change[0], change[1], "shop")
			testworld.Equal(t, fmt.Sprint(test), test.want, i.Changed())
		}
	}
}

func TestWithoutEffect(t *testing.T) {
	const strong = `
type: MeshTimeout
mesh: shop
name: strong
spec:
  targetRef: {kind: Dataplane}
  to:
    - targetRef: {kind: MeshService, name: payments}
      default: {http: {requestTimeout: 1s}}
`
	const byTags = `
{type: Mesh, name: shop, meshServices: {mode: Disabled}}
---
{type: Dataplane, mesh: shop, name: api-1, networking: {address: 10.0.0.2, inbound: [{port: 8080, tags: {kuma.io/service: api, kuma.io/protocol: http}}]}}
---
{type: Dataplane, mesh: shop, name: cli-1, networking: {address: 10.0.0.4, inbound: [{port: 8080, tags: {kuma.io/service: cli}}], outbound: [{port: 9000, tags: {kuma.io/service: api}}]}}
---
{type: MeshHTTPRoute, mesh: shop, name: r, spec: {to: [{targetRef: {kind: MeshService, name: api}, rules: [{matches: [{path: {type: PathPrefix, value: /a}}], default: {backendRefs: [{kind: MeshService, name: api}]}}]}]}}
`
	const twoRoutes = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 8080, appProtocol: http}]}}
---
{type: Dataplane, mesh: shop, name: api-1, labels: {app: api}, networking: {address: 10.0.0.2, inbound: [{port: 8080, protocol: http}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 8080, protocol: http}], outbound: [{port: 80, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}
---
{type: MeshHTTPRoute, mesh: shop, name: a, labels: {route: a}, spec: {targetRef: {kind: Mesh}, to: [{targetRef: {kind: MeshService, labels: {app: api}}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, labels: {app: api}, port: 80}]}}]}]}}
---
{type: MeshHTTPRoute, mesh: shop, name: b, labels: {route: b}, spec: {targetRef: {kind: Mesh}, to: [{targetRef: {kind: MeshService, labels: {app: api}}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, labels: {app: api}, port: 80}]}}]}]}}
---
{type: MeshTimeout, mesh: shop, name: a, spec: {to: [{targetRef: {kind: MeshHTTPRoute, labels: {route: a}}, default: {http: {requestTimeout: 1s}}}]}}
---
{type: MeshTimeout, mesh: shop, name: b, spec: {to: [{targetRef: {kind: MeshHTTPRoute, labels: {route: b}}, default: {http: {requestTimeout: 2s}}}]}}
`
	for name, tt := range map[string]struct {
		before, after []string
		want          []string
	}{
		"has an effect":                {[]string{exclusive}, []string{exclusive, forPayments}, nil},
		"unchanged":                    {[]string{exclusive, forPayments}, []string{exclusive, forPayments}, nil},
		"only labels differ":           {[]string{exclusive, forPayments}, []string{exclusive, testworld.Edited(t, forPayments, "spec:", "labels: {a: b}\nspec:")}, nil},
		"outgoing limit of sidecars":   {[]string{exclusive}, []string{exclusive, "{type: MeshRateLimit, mesh: shop, name: l, spec: {to: [{targetRef: {kind: Mesh}, default: {local: {http: {requestRate: {num: 1, interval: 1s}}}}}]}}"}, []string{"l added: sets only values that the dataplanes it selects already have or do not use"}},
		"limit that another disables":  {[]string{exclusive, "{type: MeshRateLimit, mesh: shop, name: off, spec: {targetRef: {kind: Dataplane}, rules: [{default: {local: {http: {disabled: true}}}}]}}"}, []string{exclusive, "{type: MeshRateLimit, mesh: shop, name: off, spec: {targetRef: {kind: Dataplane}, rules: [{default: {local: {http: {disabled: true}}}}]}}", "{type: MeshRateLimit, mesh: shop, name: on, spec: {targetRef: {kind: Dataplane}, rules: [{default: {local: {http: {requestRate: {num: 1, interval: 1s}}}}}]}}"}, []string{"on added: sets only values that the dataplanes it selects already have or do not use"}},
		"selects nothing":              {[]string{exclusive}, []string{exclusive, testworld.Edited(t, strong, "Dataplane}", "Dataplane, labels: {app: cart}}")}, []string{"strong added: selects no dataplane"}},
		"shadow policy":                {[]string{exclusive}, []string{exclusive, testworld.Edited(t, strong, "spec:", "labels: {kuma.io/effect: shadow}\nspec:")}, []string{"strong added: is a shadow policy (label kuma.io/effect: shadow)"}},
		"missing destination":          {[]string{exclusive}, []string{exclusive, testworld.Edited(t, strong, "name: payments", "name: parcels")}, []string{"strong added: targets resources that do not exist: MeshService \"parcels\""}},
		"by labels, in a mesh by tags": {[]string{byTags}, []string{byTags, "{type: MeshTimeout, mesh: shop, name: a, spec: {to: [{targetRef: {kind: MeshService, labels: {app: api}}, default: {http: {requestTimeout: 5s}}}]}}"}, []string{"a added: sets only values that the dataplanes it selects already have or do not use"}},
		"connections on a route":       {[]string{twoRoutes}, []string{twoRoutes, "{type: MeshTimeout, mesh: shop, name: c, spec: {to: [{targetRef: {kind: MeshHTTPRoute, labels: {route: a}}, default: {connectionTimeout: 3s, http: {maxStreamDuration: 4s}}}]}}"}, []string{"c added: sets only values that the dataplanes it selects already have or do not use"}},
		"overridden":                   {[]string{exclusive, strong}, []string{exclusive, strong, forPayments}, []string{"payments added: is fully overridden by strong"}},
		"overridden, removed":          {[]string{exclusive, strong, forPayments}, []string{exclusive, strong}, []string{"payments removed: is fully overridden by strong"}},
		"overridden by a policy of the same change": {
			[]string{exclusive, strong, forPayments},
			[]string{exclusive, testworld.Edited(t, strong, "1s", "2s"), testworld.Edited(t, forPayments, "5s", "6s")},
			[]string{"payments changed: is fully overridden by strong"},
		},
		"same values": {
			[]string{exclusive},
			[]string{exclusive, testworld.Edited(t, forPayments, "5s", "15s")},
			[]string{"payments added: sets only values that the dataplanes it selects already have or do not use"},
		},
		"same values, removed": {
			[]string{exclusive, testworld.Edited(t, forPayments, "5s", "15s")},
			[]string{exclusive},
			[]string{"payments removed: set only values that the dataplanes it selected keep or did not use"},
		},
		"route that does not apply": {
			[]string{exclusive, route},
			[]string{exclusive, route, testworld.Edited(t, forRoute, "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: batch}}\n")},
			[]string{"slow added: sets only values that the dataplanes it selects already have or do not use"},
		},
		"route that takes the requests of another one": {
			[]string{twoRoutes}, []string{testworld.Edited(t, twoRoutes, "name: b, labels: {route: b}, spec: {targetRef: {kind: Mesh}", "name: b, labels: {route: b}, spec: {targetRef: {kind: Dataplane}")}, nil,
		},
		"affects an added dataplane": {
			[]string{exclusive},
			[]string{exclusive, testworld.Edited(t, strong, "Dataplane}", "Dataplane, name: cart-1}"), testworld.Edited(t, batchOn(80), "batch-1", "cart-1")},
			nil,
		},
		"affected a removed dataplane": {
			[]string{exclusive, testworld.Edited(t, strong, "Dataplane}", "Dataplane, name: cart-1}"), testworld.Edited(t, batchOn(80), "batch-1", "cart-1")},
			[]string{exclusive},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			i := compare(t, shopWith(t, tt.before...), shopWith(t, tt.after...), "shop")
			var got []string
			for _, p := range i.WithoutEffect {
				got = append(got, fmt.Sprintf("%s %s: %s", p.Name, p.Operation, p.Reason))
			}
			testworld.Equal(t, "policies without effect", tt.want, got)
		})
	}
}

// TestEgressIsNotNamedForServices checks that settings and routes for services of the mesh do not change a
// zone egress, through which no application sends requests, and those for external services do.
func TestEgressIsNotNamedForServices(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshExternalService, mesh: shop, name: pay, spec: {match: {type: HostnameGenerator, port: 80, protocol: http}, endpoints: [{address: pay.example, port: 80}]}}
---
{type: Dataplane, mesh: shop, name: api-1, networking: {address: 10.0.0.2, inbound: [{port: 80, protocol: http}]}}
---
{type: Dataplane, mesh: shop, name: egress-1, networking: {address: 10.0.0.1, listeners: [{type: ZoneEgress, name: egress, address: 10.0.0.1, port: 10002}]}}
---
`
	for to, want := range map[string][]string{
		"{kind: MeshService, name: api}, default: {connectionTimeout: 1s}":              {"api-1"}, // it does not say for what it listens
		"{kind: MeshExternalService, name: pay}, default: {connectionTimeout: 1s}":      {"api-1", "egress-1"},
		"{kind: MeshExternalService, name: pay}, default: {http: {requestTimeout: 1s}}": {"api-1"},
		"{kind: Mesh}, default: {connectionTimeout: 1s}":                                {"api-1", "egress-1"},
	} {
		found := compare(t, snapshotOf(t, world), snapshotOf(t, world+"{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: "+to+"}]}}"), "shop")
		testworld.Equal(t, to, want, found.Changed())
	}
}

// TestGatewayHasNoPermissions shows that a builtin gateway does not apply permissions.
func TestGatewayHasNoPermissions(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}
---
{type: MeshGateway, mesh: shop, name: edge, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [{port: 8080, protocol: HTTP}]}}
---
{type: Dataplane, mesh: shop, name: edge-1, networking: {address: 10.0.0.1, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.2, inbound: [{port: 8080, tags: {kuma.io/service: web}}]}}
---
`
	found := compare(t, snapshotOf(t, world), snapshotOf(t, world+"{type: MeshTrafficPermission, mesh: shop, name: all, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}"), "shop")
	testworld.Equal(t, "changed", []string{"web-1"}, found.Changed())
}

// TestSettingsForRequestsAndConnections shows that settings for requests do not change a proxy that sends to the service
// only as a backend of a route, and those for connections do; and that the passthrough of a proxy matters
// only if traffic is redirected to it.
func TestSettingsForRequestsAndConnections(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: MeshService, mesh: shop, name: db, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80, appProtocol: tcp}]}}
---
{type: MeshService, mesh: shop, name: v2, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: Dataplane, mesh: shop, name: all-1, networking: {address: 10.0.0.1, inbound: [{port: 80}], transparentProxying: {redirectPortInbound: 1, redirectPortOutbound: 2, reachableBackends: {refs: []}}}}
---
{type: Dataplane, mesh: shop, name: db-1, networking: {address: 10.0.0.2, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, name: db, port: 80}}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.3, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, name: api, port: 80}}]}}
---
`
	routed := func(route string) string { return world + route + "---\n" }
	const all = `{type: MeshHTTPRoute, mesh: shop, name: r, spec: {to: [{targetRef: {kind: MeshService, name: api}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, name: v2, port: 80}]}}]}]}}
`
	const connections = "{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: MeshService, name: v2}, default: {connectionTimeout: 1s}}]}}"
	const breaker = "{type: MeshCircuitBreaker, mesh: shop, name: t, spec: {to: [{targetRef: {kind: MeshService, name: api}, default: {connectionLimits: {maxConnections: 1}}}]}}"
	const balancer = "{type: MeshLoadBalancingStrategy, mesh: shop, name: t, spec: {to: [{targetRef: {kind: MeshService, name: api}, default: {loadBalancer: {type: Random}}}]}}"
	const logs = "{type: MeshAccessLog, mesh: shop, name: t, spec: {to: [{targetRef: {kind: MeshService, name: api}, default: {backends: [{type: File, file: {path: /tmp/log}}]}}]}}"
	for route, wants := range map[string][]string{
		all: nil,
		testworld.Edited(t, all, "value: /}", "value: /part}"):                                                             {"web-1"},
		testworld.Edited(t, all, "{kind: MeshService, name: v2", "{kind: MeshService, name: api"):                          {"web-1"},
		testworld.Edited(t, all, "name: v2, port: 80}]", "name: v2, port: 80}, {kind: MeshService, name: api, port: 80}]"): {"web-1"},
		testworld.Edited(t, all, "}]}]}}", "}, {matches: [{path: {type: Exact, value: /x}}], default: {}}]}]}}"):           {"web-1"},
	} {
		for _, policy := range []string{strings.ReplaceAll(connections, "v2", "api"), breaker, balancer} {
			found := compare(t, snapshotOf(t, routed(route)), snapshotOf(t, routed(route)+policy), "shop")
			testworld.Equal(t, "connections of a listener, "+policy+route, wants, found.Changed())
		}
		found := compare(t, snapshotOf(t, routed(route)), snapshotOf(t, routed(route)+logs), "shop")
		testworld.Equal(t, "logs of a listener, "+route, []string{"web-1"}, found.Changed())
	}
	for name, tt := range map[string]struct {
		policy string
		want   []string
	}{
		"requests to a backend":          {"{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: MeshService, name: v2}, default: {http: {requestTimeout: 1s}}}]}}", nil},
		"connections to a backend":       {connections, []string{"web-1"}},
		"requests of a listener":         {"{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: MeshService, name: api}, default: {http: {requestTimeout: 1s}}}]}}", []string{"web-1"}},
		"requests to any service":        {"{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 1s}}}]}}", []string{"web-1"}},
		"connections to any service":     {"{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 1s}}]}}", []string{"db-1", "web-1"}},
		"passthrough of redirected ones": {"{type: MeshPassthrough, mesh: shop, name: t, spec: {default: {passthroughMode: None}}}", []string{"all-1"}},
	} {
		found := compare(t, snapshotOf(t, routed(all)), snapshotOf(t, routed(all)+tt.policy), "shop")
		testworld.Equal(t, name, tt.want, found.Changed())
	}
}

// TestDefaultsOfProxies shows that setting or removing what proxies have without a policy changes none of them.
func TestDefaultsOfProxies(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin, mode: PERMISSIVE}]}}
---
{type: Dataplane, mesh: shop, name: api-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: api, kuma.io/protocol: http}}], transparentProxying: {redirectPortInbound: 1, redirectPortOutbound: 2}}}
---
{type: MeshService, mesh: shop, name: api, spec: {selector: {dataplaneTags: {kuma.io/service: api}}, ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshTrafficPermission, mesh: shop, name: allow, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}
---
`
	const (
		isDefault    = "set only values that the dataplanes it selected keep or did not use"
		mostTimeouts = "connectionTimeout: 5s, http: {requestTimeout: 15s, streamIdleTimeout: 30m}"
	)
	for name, tt := range map[string]struct{ policy, want string }{
		"outgoing timeouts":           {"MeshTimeout, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1h, " + mostTimeouts + "}}]}", isDefault},
		"incoming timeouts":           {"MeshTimeout, spec: {rules: [{default: {idleTimeout: 60m, " + mostTimeouts + "}}]}", isDefault},
		"incoming timeouts by from":   {"MeshTimeout, spec: {from: [{targetRef: {kind: Mesh}, default: {idleTimeout: 60m, " + mostTimeouts + "}}]}", isDefault},
		"no retries":                  {"MeshRetry, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 0}}}]}", isDefault},
		"retries":                     {"MeshRetry, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 1}}}]}", ""},
		"conditions of no retries":    {"MeshRetry, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 0, retryOn: ['5xx']}}}]}", isDefault},
		"limits of connections":       {"MeshCircuitBreaker, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionLimits: {maxConnections: 1024, maxRetries: 3}}}]}", isDefault},
		"another limit":               {"MeshCircuitBreaker, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionLimits: {maxConnections: 1024, maxRetries: 4}}}]}", ""},
		"one other timeout":           {"MeshTimeout, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 2h, " + mostTimeouts + "}}]}", ""},
		"no timeout":                  {"MeshTimeout, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 0s}}}]}", ""},
		"timeout of some clients":     {"MeshTimeout, spec: {rules: [{matches: [{spiffeID: {type: Exact, value: 'spiffe://shop/web'}}], default: {http: {requestTimeout: 15s}}}]}", ""},
		"mode of the mesh":            {"MeshTLS, spec: {from: [{targetRef: {kind: Mesh}, default: {mode: Permissive}}]}", isDefault},
		"other mode":                  {"MeshTLS, spec: {from: [{targetRef: {kind: Mesh}, default: {mode: Strict}}]}", ""},
		"no traces":                   {"MeshTrace, spec: {default: {backends: [], sampling: {overall: 50}}}", isDefault},
		"traces":                      {"MeshTrace, spec: {default: {backends: [{type: Zipkin, zipkin: {url: 'http://zipkin'}}]}}", ""},
		"no metrics":                  {"MeshMetric, spec: {default: {backends: []}}", isDefault},
		"no logs":                     {"MeshAccessLog, spec: {to: [{targetRef: {kind: Mesh}, default: {backends: []}}]}", isDefault},
		"no limit":                    {"MeshRateLimit, spec: {targetRef: {kind: Dataplane}, rules: [{default: {local: {http: {disabled: true}}}}]}", isDefault},
		"route without rules":         {"MeshHTTPRoute, spec: {to: [{targetRef: {kind: MeshService, name: api}, rules: []}]}", isDefault},
		"passthrough":                 {"MeshPassthrough, spec: {default: {passthroughMode: All}}", isDefault},
		"matches of no mode Matched":  {"MeshPassthrough, spec: {default: {passthroughMode: All, appendMatch: [{type: Domain, value: a.example, protocol: tls, port: 443}]}}", isDefault},
		"matches":                     {"MeshPassthrough, spec: {default: {passthroughMode: Matched, appendMatch: [{type: Domain, value: a.example, protocol: tls, port: 443}]}}", ""},
		"no maximum duration":         {"MeshTimeout, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {maxStreamDuration: 0s}}}]}", isDefault},
		"no limits":                   {"MeshCircuitBreaker, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionLimits: {}}}]}", isDefault},
		"passthrough that is refused": {"MeshPassthrough, spec: {default: {passthroughMode: None}}", ""},
	} {
		found := compare(t, snapshotOf(t, world+"{name: t, mesh: shop, type: "+tt.policy+"}"), snapshotOf(t, world), "shop")
		got := ""
		for _, p := range found.WithoutEffect {
			got = p.Reason
		}
		testworld.Equal(t, name, tt.want, got)
		testworld.Equal(t, name+" changes proxies", tt.want == "", len(found.Changed()) > 0)
	}
}

// TestNumbersAsTexts shows that a number that becomes text, as a control plane stores both, changes no proxy.
func TestNumbersAsTexts(t *testing.T) {
	t.Parallel()
	const policies = `
{type: MeshFaultInjection, mesh: shop, name: f, spec: {rules: [{default: {http: [{abort: {httpStatus: 500, percentage: 50}}]}}]}}
---
{type: MeshLoadBalancingStrategy, mesh: shop, name: l, spec: {to: [{targetRef: {kind: Mesh}, default: {loadBalancer: {type: LeastRequest, leastRequest: {activeRequestBias: 2}}}}]}}
`
	text := strings.NewReplacer("percentage: 50", `percentage: "50"`, "Bias: 2", `Bias: "2"`).Replace(policies)
	testworld.Equal(t, "changed proxies", []string(nil), compare(t, shopWith(t, exclusive, policies), shopWith(t, exclusive, text), "shop").Changed())
	other := strings.Replace(text, `"50"`, `"51"`, 1)
	testworld.Equal(t, "another number", true, len(compare(t, shopWith(t, exclusive, policies), shopWith(t, exclusive, other), "shop").Changed()) > 0)
}

// TestDefaultsOfRetries adds settings to a MeshRetry.
func TestDefaultsOfRetries(t *testing.T) {
	t.Parallel()
	const policy = "{type: MeshRetry, mesh: shop, name: r, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {retryOn: ['5xx']%s}}}]}}"
	for added, changes := range map[string]bool{
		", numRetries: 1": false, ", numRetries: 2": true, ", numRetries: 0": true, ", perTryTimeout: 0s": false, ", perTryTimeout: 1s": true,
		", backOff: {baseInterval: 25ms}": false, ", backOff: {baseInterval: 26ms}": true,
	} {
		before, after := shopWith(t, exclusive, fmt.Sprintf(policy, "")), shopWith(t, exclusive, fmt.Sprintf(policy, added))
		testworld.Equal(t, added, changes, len(compare(t, before, after, "shop").Changed()) > 0)
		testworld.Equal(t, added+", removed", changes, len(compare(t, after, before, "shop").Changed()) > 0)
	}
}

// TestMatchesOfPassthroughAreASet shows that a match which another MeshPassthrough has, and the order of
// matches, change no proxy.
func TestMatchesOfPassthroughAreASet(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}], transparentProxying: {redirectPortInbound: 1, redirectPortOutbound: 2}}}
---
{type: MeshPassthrough, mesh: shop, name: s, spec: {default: {passthroughMode: Matched, appendMatch: [{type: Domain, value: a.example, protocol: tls, port: 443}, {type: Domain, value: b.example, protocol: tls, port: 443}]}}}
`
	const other = "\n---\n{type: MeshPassthrough, mesh: shop, name: %s, spec: {default: {passthroughMode: Matched, appendMatch: [{type: Domain, value: b.example, protocol: tls, port: 443}]}}}"
	for _, name := range []string{"r", "t"} {
		found := compare(t, snapshotOf(t, world), snapshotOf(t, world+fmt.Sprintf(other, name)), "shop")
		testworld.Equal(t, "changed proxies with another policy "+name, []string(nil), found.Changed())
	}
	mode := func(mode string) *rules.Snapshot {
		return snapshotOf(t, world+"\n---\n{type: MeshPassthrough, mesh: shop, name: s, spec: {default: {passthroughMode: "+mode+"}}}")
	}
	testworld.Equal(t, "changed proxies without matches", []string(nil), compare(t, mode("Matched"), mode("None"), "shop").Changed())
	testworld.Equal(t, "changed proxies that passed all", []string{"web-1"}, compare(t, mode("Matched"), mode("All"), "shop").Changed())
}

// TestRuleOfMeshIsForServices shows that the rule for Mesh does not name a proxy that sends by tags only, for which an
// entry for a route has no effect, and neither has any beside it.
func TestRuleOfMeshIsForServices(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Everywhere}}
---
{type: Dataplane, mesh: shop, name: db-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: db, kuma.io/protocol: http}}], transparentProxying: {redirectPortInbound: 1, redirectPortOutbound: 2, reachableBackends: {refs: []}}}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: web}}], outbound: [{port: 1, tags: {kuma.io/service: db}}]}}
---
{type: MeshHTTPRoute, mesh: shop, name: r, spec: {to: [{targetRef: {kind: MeshService, name: db}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {}}]}]}}
---
`
	const retries = "{type: MeshRetry, mesh: shop, name: t, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 3}}}, " +
		"{targetRef: {kind: MeshHTTPRoute, name: r}, default: {http: {numRetries: 5}}}]}}"
	found := compare(t, snapshotOf(t, world+retries), snapshotOf(t, world+strings.Replace(retries, "3", "4", 1)), "shop")
	testworld.Equal(t, "changed proxies", []string(nil), found.Changed())
}

// TestMeshTLSWithoutCertificate shows that a MeshTLS changes no proxy that has no certificate, also beside one that has one.
func TestMeshTLSWithoutCertificate(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: shop, name: api-1, labels: {app: api}, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: api}}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}]}}
---
{type: Dataplane, mesh: shop, name: zoo-1, labels: {app: api}, networking: {address: 10.0.0.3, inbound: [{port: 80, tags: {kuma.io/service: zoo}}]}}
---
{type: MeshIdentity, mesh: shop, name: id, spec: {selector: {dataplane: {matchLabels: {app: api}}}, spiffeID: {trustDomain: td, path: /api}, provider: {type: Spire, spire: {}}}}
---
`
	const policy = "{type: MeshTLS, mesh: shop, name: t, spec: {rules: [{default: {mode: Permissive}}]}}"
	found := compare(t, snapshotOf(t, world+policy), snapshotOf(t, world), "shop")
	testworld.Equal(t, "changed proxies", []string{"api-1", "zoo-1"}, found.Changed())
}

// TestTracesOfRequests shows that a MeshTrace only changes proxies that handle HTTP requests.
func TestTracesOfRequests(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: Dataplane, mesh: shop, name: api-1, labels: {app: api}, networking: {address: 10.0.0.1, inbound: [{port: 80, protocol: http}]}}
---
{type: MeshService, mesh: shop, name: raw, spec: {selector: {dataplaneLabels: {matchLabels: {app: raw}}}, ports: [{port: 80, targetPort: 80}]}}
---
{type: Dataplane, mesh: shop, name: raw-1, labels: {app: raw}, networking: {address: 10.0.0.2, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, name: raw, port: 80}}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.3, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, name: api, port: 80}}]}}
---
`
	const policy = "{type: MeshTrace, mesh: shop, name: t, spec: {default: {backends: [{type: Zipkin, zipkin: {url: 'http://zipkin'}}]}}}"
	found := compare(t, snapshotOf(t, world+policy), snapshotOf(t, world), "shop")
	testworld.Equal(t, "changed proxies", []string{"api-1", "web-1"}, found.Changed())
}

// TestSettingsByTagForOtherProtocol shows that settings for requests change no proxy that sends by tags to TCP services only, that
// retries change none that sends to a service without a protocol, that what no proxy provides is TCP, and that requests without a
// rule by tags have other timeouts than those with one that sets nothing.
func TestSettingsByTagForOtherProtocol(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop}
---
{type: Dataplane, mesh: shop, name: db-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: db, kuma.io/protocol: tcp}}], outbound: [{port: 1, tags: {kuma.io/service: web}}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: web, kuma.io/protocol: http}}], outbound: [{port: 1, tags: {kuma.io/service: db}}]}}
---
{type: Dataplane, mesh: shop, name: old-1, networking: {address: 10.0.0.3, inbound: [{port: 80, tags: {kuma.io/service: old}}], outbound: [{port: 1, tags: {kuma.io/service: old}}, {port: 2, tags: {kuma.io/service: ghost}}]}}
---
`
	for spec, want := range map[string][]string{
		"type: MeshTimeout, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 1s}}}]}":                                          {"db-1"},
		"type: MeshTimeout, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 1s}}]}":                                               {"db-1", "old-1", "web-1"},
		"type: MeshRetry, spec: {to: [{targetRef: {kind: Mesh}, default: {tcp: {maxConnectAttempt: 3}}}]}":                                           {"web-1"},
		"type: MeshRetry, spec: {to: [{targetRef: {kind: Mesh}, default: {http: {numRetries: 3}}}]}":                                                 {"db-1"},
		"type: MeshTimeout, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 5s, idleTimeout: 1h, http: {requestTimeout: 15s}}}]}": {"db-1"},
		"type: MeshHTTPRoute, spec: {to: [{targetRef: {kind: MeshService, name: ghost}, rules: [{matches: [{method: GET}], default: {}}]}]}":         nil,
	} {
		found := compare(t, snapshotOf(t, world), snapshotOf(t, world+"{mesh: shop, name: p, "+spec+"}"), "shop")
		testworld.Equal(t, spec, want, found.Changed())
	}
}

// TestListenerForTCP shows that a MeshTCPRoute makes the listener for an HTTP port one for TCP, which uses no settings of
// requests, and that connections go to its backends only; also one by a tag.
func TestListenerForTCP(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshService, mesh: shop, name: other, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, name: api, port: 80}}]}}
---
{type: Dataplane, mesh: shop, name: tagged, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: api, kuma.io/protocol: http}}], outbound: [{port: 1, tags: {kuma.io/service: api}}]}}
---
{type: MeshTCPRoute, mesh: shop, name: r, spec: {to: [{targetRef: {kind: MeshService, name: api}, rules: [{default: {backendRefs: [{kind: MeshService, name: other, port: 80}]}}]}]}}
---
`
	retry := func(conf string) string {
		return "{type: MeshRetry, mesh: shop, name: p, spec: {to: [{targetRef: {kind: MeshService, name: api}, default: {" + conf + "}}]}}"
	}
	timeout := func(of string) string {
		return "{type: MeshTimeout, mesh: shop, name: p, spec: {to: [{targetRef: {kind: MeshService, name: " + of + "}, default: {connectionTimeout: 3s}}]}}"
	}
	for name, test := range map[string]struct {
		policy string
		want   []string
	}{
		"retries of requests":        {retry("http: {numRetries: 2}"), nil},
		"retries of connections":     {retry("tcp: {maxConnectAttempt: 2}"), []string{"tagged", "web"}},
		"connections to the port":    {timeout("api"), nil},
		"connections to the backend": {timeout("other"), []string{"tagged", "web"}},
	} {
		found := compare(t, snapshotOf(t, world), snapshotOf(t, world+test.policy), "shop")
		if got := found.Changed(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v change, want %v\n%s", name, got, test.want, found.Summary())
		}
	}
}

// TestSettingsOfNamedPort shows that settings for a section with the name of a port change no proxy whose Dataplane refers to the port by
// its number.
func TestSettingsOfNamedPort(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {ports: [{port: 80, name: main, appProtocol: http}]}}
---
{type: Dataplane, mesh: shop, name: all, networking: {address: 10.0.0.1, inbound: [{port: 80}], transparentProxying: {redirectPortInbound: 1, redirectPortOutbound: 2}}}
---
{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.2, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}
---
`
	for _, conf := range []string{"connectionTimeout: 3s", "http: {requestTimeout: 3s}"} {
		policy := "{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: MeshService, labels: {app: api}, sectionName: main}, default: {" + conf + "}}]}}"
		found := compare(t, snapshotOf(t, world), snapshotOf(t, world+policy), "shop")
		testworld.Equal(t, "changed proxies by "+conf, []string{"all"}, found.Changed())
	}
}

// TestRulesAndBackendsThatProxiesDoNotHave shows that a rule without a usable backend, one that only says what happens without it, and
// the weights of backends that share no requests change no proxy of Kuma 2.
func TestRulesAndBackendsThatProxiesDoNotHave(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshService, mesh: shop, name: db, labels: {app: db}, spec: {ports: [{port: 80, appProtocol: http}, {port: 81, appProtocol: tcp}]}}
---
{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.2, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}
---
`
	const rest = "{matches: [{path: {type: PathPrefix, value: /}}], default: {}}"
	rule := func(backends string) string {
		return "{matches: [{path: {type: PathPrefix, value: /v2}}], default: {backendRefs: [" + backends + "]}}"
	}
	to := func(app string, port, weight int) string {
		return fmt.Sprintf("{kind: MeshService, labels: {app: %s}, port: %d, weight: %d}", app, port, weight)
	}
	for name, tt := range map[string]struct {
		before, after string // rules; none without a route
		onKuma3       []string
	}{
		"missing port":              {"", rule(to("db", 8080, 1)), []string{"web"}},
		"port of another protocol":  {"", rule(to("db", 81, 1)), []string{"web"}},
		"only weight 0":             {"", rule(to("db", 80, 0)), []string{"web"}},
		"the rest":                  {"", rest, nil},
		"the service itself":        {"", strings.Replace(rule(to("api", 80, 1)), "/v2", "/", 1), nil},
		"instead of no backend":     {rest, strings.Replace(rule(to("api", 80, 1)), "/v2", "/", 1), nil},
		"weight of the only one":    {rule(to("db", 80, 1)), rule(to("db", 80, 2)), nil},
		"weights beside a missing":  {rule(to("db", 80, 1) + ", " + to("nope", 80, 9)), rule(to("db", 80, 2) + ", " + to("nope", 80, 8)), []string{"web"}},
		"weights beside a weight 0": {rule(to("db", 80, 1)), rule(to("db", 80, 2) + ", " + to("api", 80, 0)), nil},
	} {
		for release, want := range map[kuma.Release][]string{kuma.Newest2(): nil, rules.Newest(): tt.onKuma3} {
			of := func(list string) *rules.Snapshot {
				text := world
				if list != "" {
					text += "{type: MeshHTTPRoute, mesh: shop, name: r, spec: {targetRef: {kind: Dataplane}, to: [{targetRef: {kind: MeshService, labels: {app: api}}, rules: [" + list + "]}]}}"
				}
				return rules.NewSnapshotFor(release, testworld.Resources(t, text)).RestrictOutbound(false)
			}
			for _, pair := range [][2]string{{tt.before, tt.after}, {tt.after, tt.before}} {
				found := compare(t, of(pair[0]), of(pair[1]), "shop")
				if got := found.Changed(); !slices.Equal(got, want) {
					t.Errorf("%s on %s: %v change, want %v\n%s", name, release, got, want, found.Summary())
				}
			}
		}
	}
}

// TestChecksOfOtherProtocols shows that a MeshHealthCheck changes only proxies that check endpoints by the part for the protocol of the
// port, or by the part for TCP instead of one that is disabled.
func TestChecksOfOtherProtocols(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {ports: [{port: 80, appProtocol: http2}]}}
---
{type: MeshService, mesh: shop, name: db, labels: {app: db}, spec: {ports: [{port: 80, appProtocol: tcp}]}}
---
{type: Dataplane, mesh: shop, name: http, networking: {address: 10.0.0.2, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}
---
{type: Dataplane, mesh: shop, name: tcp, networking: {address: 10.0.0.3, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: db}, port: 80}}]}}
---
`
	for confs, want := range map[[2]string][]string{
		{"interval: 1s, tcp: {}", "interval: 2s, tcp: {}"}:                                                 {"tcp"},
		{"interval: 1s, http: {}", "interval: 2s, http: {}"}:                                               {"http"},
		{"interval: 1s, http: {disabled: true}, tcp: {}", "interval: 2s, http: {disabled: true}, tcp: {}"}: {"http", "tcp"},
		{"http: {disabled: true}, tcp: {send: a}", "http: {disabled: true}, tcp: {send: b}"}:               {"http", "tcp"},
		{"http: {}, tcp: {send: a}", "http: {}, tcp: {send: b}"}:                                           {"tcp"},
		{"http: {}, tcp: {}", "http: {disabled: true}, tcp: {}"}:                                           {"http"},
		{"interval: 1s, grpc: {}", "interval: 2s, grpc: {}"}:                                               nil,
		{"failTrafficOnPanic: true, grpc: {}", "failTrafficOnPanic: false, grpc: {}"}:                      {"http", "tcp"},
		{"http: {}", "interval: 1m0s, unhealthyThreshold: 5, http: {path: /, disabled: false}"}:            nil, // the defaults, as measured on 2.14.3
		{"timeout: 15s, healthyThreshold: 1, tcp: {}", "timeout: 16s, tcp: {}"}:                            {"tcp"},
		{"grpc: {}", "http: {path: /}"}:                                                                    {"http"},
	} {
		for _, to := range []string{"{kind: Mesh}", "{kind: MeshService, labels: {}}"} {
			snapshot := func(conf string) *rules.Snapshot {
				var entries []string
				for _, app := range []string{"api", "db"} {
					entries = append(entries, "{targetRef: "+strings.Replace(to, "{}", "{app: "+app+"}", 1)+", default: {"+conf+"}}")
				}
				return snapshotOf(t, world+"{type: MeshHealthCheck, mesh: shop, name: c, spec: {to: ["+strings.Join(entries, ", ")+"]}}")
			}
			found := compare(t, snapshot(confs[0]), snapshot(confs[1]), "shop")
			if got := found.Changed(); !slices.Equal(got, want) {
				t.Errorf("%s for %s: %v change, want %v\n%s", confs, to, got, want, found.Summary())
			}
		}
	}
}

// TestRuleOfMeshBesideOneOfService shows that the entries for Mesh and for a service with what proxies have by default change no proxy
// that calls only the service.
func TestRuleOfMeshBesideOneOfService(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshService, mesh: shop, name: db, labels: {app: db}, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: Dataplane, mesh: shop, name: all, networking: {address: 10.0.0.1, inbound: [{port: 80}], transparentProxying: {redirectPortInbound: 1, redirectPortOutbound: 2}}}
---
{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.2, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}
---
`
	const policy = "{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 3s}}, {targetRef: {kind: MeshService, labels: {app: api}}, default: {connectionTimeout: 5s}}]}}"
	found := compare(t, snapshotOf(t, world+policy), snapshotOf(t, world), "shop")
	testworld.Equal(t, "changed proxies", []string{"all"}, found.Changed())
}

// TestSettingsOfRedirects shows that settings for a route whose rules all redirect change no proxy (2.14.3).
func TestSettingsOfRedirects(t *testing.T) {
	t.Parallel()
	const redirect = "filters: [{type: RequestRedirect, requestRedirect: {statusCode: 302}}]"
	for list, want := range map[string][]string{
		"{matches: [{path: {type: PathPrefix, value: /v2}}], default: {" + redirect + "}}":                                                                   nil,
		"{matches: [{path: {type: PathPrefix, value: /v2}}], default: {" + redirect + "}}, {matches: [{path: {type: PathPrefix, value: /v3}}], default: {}}": {"web-1"},
	} {
		world := `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 8080, protocol: http}], outbound: [{port: 80, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}
---
{type: MeshHTTPRoute, mesh: shop, name: r, labels: {route: r}, spec: {to: [{targetRef: {kind: MeshService, labels: {app: api}}, rules: [` + list + `]}]}}
`
		policy := "---\n{type: MeshRetry, mesh: shop, name: t, spec: {to: [{targetRef: {kind: MeshHTTPRoute, labels: {route: r}}, default: {http: {numRetries: 3}}}]}}"
		found := compare(t, snapshotOf(t, world), snapshotOf(t, world+policy), "shop")
		testworld.Equal(t, list, want, found.Changed())
	}
}

// TestIdleTimeoutByProtocol shows that a proxy has no idle timeout for gRPC (2.14.3 and 3.0).
func TestIdleTimeoutByProtocol(t *testing.T) {
	t.Parallel()
	for protocol, want := range map[string][]string{"grpc": nil, "http2": {"web-1"}, "tcp": {"web-1"}} {
		before := `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {ports: [{port: 80, appProtocol: ` + protocol + `}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 8080, protocol: http}], outbound: [{port: 80, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}
`
		after := before + "---\n{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: MeshService, labels: {app: api}}, default: {idleTimeout: 1s}}]}}"
		of := func(text string) *rules.Snapshot {
			return rules.NewSnapshotFor(rules.Newest(), testworld.Resources(t, text))
		}
		found := compare(t, of(before), of(after), "shop")
		testworld.Equal(t, protocol, want, found.Changed())
	}
}

// TestSettingsBySection shows that an entry by the name of a port has no effect on what a proxy refers to by number, also where
// a transparent proxy listens by name, but refers to the port by number first (2.14.3 and 3.0).
func TestSettingsBySection(t *testing.T) {
	t.Parallel()
	const route = "---\n{type: MeshHTTPRoute, mesh: shop, name: r, spec: {to: [{targetRef: {kind: MeshService, labels: {app: api}}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], " +
		"default: {backendRefs: [{kind: MeshService, labels: {app: db}, port: 80}]}}]}]}}\n"
	const outbound = "outbound: [{port: 80, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}, {port: 81, backendRef: {kind: MeshService, labels: {app: db}, port: 80}}]"
	const transparent = "transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}"
	for name, tt := range map[string]struct {
		networking, more string
		want             []string
	}{
		"by number":           {outbound, "", nil},
		"by name":             {transparent, "", []string{"web-1"}},
		"by a route and name": {transparent, route, nil},
	} {
		before := `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {ports: [{port: 80, name: web, appProtocol: http}]}}
---
{type: MeshService, mesh: shop, name: db, labels: {app: db}, spec: {ports: [{port: 80, name: web, appProtocol: http}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 8080, protocol: http}], ` + tt.networking + "}}\n" + tt.more
		after := before + "---\n{type: MeshCircuitBreaker, mesh: shop, name: c, spec: {to: [{targetRef: {kind: MeshService, labels: {app: db}, sectionName: web}, default: {connectionLimits: {maxConnections: 3}}}]}}"
		of := func(text string) *rules.Snapshot {
			return rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, text))
		}
		found := compare(t, of(before), of(after), "shop")
		testworld.Equal(t, name, tt.want, found.Changed())
	}
}

// TestSettingsOfServiceBesideItsPort shows that an entry for a service has no effect on a port whose entry sets the same, unless a proxy
// refers to the port by number.
func TestSettingsOfServiceBesideItsPort(t *testing.T) {
	t.Parallel()
	for networking, want := range map[string][]string{
		"transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}":        nil,
		"outbound: [{port: 80, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]": {"web-1"},
	} {
		for _, conf := range []string{"connectionTimeout", "http.requestTimeout"} {
			of := func(timeout string) *rules.Snapshot {
				conf := func(value string) string {
					return strings.Replace(conf, ".", ": {", 1) + ": " + value + strings.Repeat("}", strings.Count(conf, "."))
				}
				return snapshotOf(t, `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {ports: [{port: 80, name: web, appProtocol: http}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 8080, protocol: http}], `+networking+`}}
---
{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: MeshService, labels: {app: api}}, default: {`+conf(timeout)+`}},
  {targetRef: {kind: MeshService, labels: {app: api}, sectionName: web}, default: {`+conf("9s")+`}}]}}`)
			}
			found := compare(t, of("1s"), of("2s"), "shop")
			testworld.Equal(t, conf+" with "+networking, want, found.Changed())
		}
	}
}

// TestTimeoutOfRouteWithoutBackends changes the timeout of a route whose only backend is not an HTTP service: proxies of 2.14 do not
// have the rule.
func TestTimeoutOfRouteWithoutBackends(t *testing.T) {
	t.Parallel()
	world := `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshService, mesh: shop, name: db, spec: {ports: [{port: 80, appProtocol: tcp}]}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 8080}], outbound: [{port: 80, backendRef: {kind: MeshService, name: api, port: 80}}]}}
---
{type: MeshHTTPRoute, mesh: shop, name: a, spec: {to: [{targetRef: {kind: MeshService, name: api}, rules: [{matches: [{path: {type: PathPrefix, value: /a}}], default: {backendRefs: [{kind: MeshService, name: %s, port: 80}]}}]}]}}
---
`
	timeout := "{type: MeshTimeout, mesh: shop, name: a, spec: {to: [{targetRef: {kind: MeshHTTPRoute, name: a}, default: {http: {requestTimeout: 1s}}}]}}"
	for backend, want := range map[string][]string{"db": nil, "api": {"web-1"}} {
		before := fmt.Sprintf(world, backend)
		found := compare(t, rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, before)),
			rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, before, timeout)), "shop")
		testworld.Equal(t, "backend "+backend, want, found.Changed())
	}
}

// TestBackendWithoutSuchPort changes how proxies connect to a service that they only have as a backend of a route, with a port that it does
// not have, as read from the configuration of proxies of 2.14.3.
func TestBackendWithoutSuchPort(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: m, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: m, name: web, labels: {app: web}, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshService, name: api, port: 80}}]}}
---
{type: MeshService, mesh: m, name: api, spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 80, targetPort: 80, appProtocol: tcp}]}}
---
{type: MeshService, mesh: m, name: pay, labels: {svc: pay}, spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 81, targetPort: 80, appProtocol: tcp}]}}
---
{type: MeshTCPRoute, mesh: m, name: r, spec: {to: [{targetRef: {kind: MeshService, name: api}, rules: [{default: {backendRefs: [{kind: MeshService, labels: {svc: pay}, port: 81}, {kind: MeshService, name: api, port: 80}]}}]}]}}
---
{type: MeshLoadBalancingStrategy, mesh: m, name: p, spec: {to: [{targetRef: {kind: MeshService, name: pay}, default: {loadBalancer: {type: Random}}}]}}
`
	for port, want := range map[string][]string{"port: 81}, {": {"web"}, "port: 8080, sectionName: x}, {": nil, "port: 8080}, {": nil} {
		testworld.Equal(t, port, want, changedNames(t, strings.Replace(world, "port: 81}, {", port, 1), "type: Random", "type: LeastRequest"))
	}
}
