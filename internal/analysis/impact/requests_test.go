package impact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// split is a mesh in which storefront calls checkout, of which there are two versions.
const split = `
type: Mesh
name: shop
meshServices: {mode: Exclusive}
---
type: Dataplane
mesh: shop
name: storefront-1
labels: {app: storefront}
networking: {address: 10.0.0.1, inbound: [{port: 8080}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: checkout}}}]}
---
type: Dataplane
mesh: shop
name: audit-1
labels: {app: audit}
networking: {address: 10.0.0.2, inbound: [{port: 8080}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: checkout}}}]}
---
type: Dataplane
mesh: shop
name: stable-1
labels: {app: stable}
networking: {address: 10.0.0.3, inbound: [{port: 8080}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: stable}}}]}
---
type: Dataplane
mesh: shop
name: canary-1
labels: {app: canary}
networking: {address: 10.0.0.4, inbound: [{port: 8080}], outbound: [{port: 1, backendRef: {kind: MeshService, labels: {app: stable}}}]}
---
{type: MeshService, mesh: shop, name: checkout, labels: {app: checkout}, spec: {selector: {dataplaneLabels: {matchLabels: {app: stable}}}, ports: [{port: 80, targetPort: 8080, appProtocol: http}]}}
---
{type: MeshService, mesh: shop, name: stable, labels: {app: stable}, spec: {selector: {dataplaneLabels: {matchLabels: {app: stable}}}, ports: [{port: 80, targetPort: 8080, appProtocol: http}]}}
`

const (
	canary     = "{type: MeshService, mesh: shop, name: canary, labels: {app: canary}, spec: {selector: {dataplaneLabels: {matchLabels: {app: canary}}}, ports: [{port: 80, targetPort: 8080, appProtocol: http}]}}"
	splitRoute = `
type: MeshHTTPRoute
mesh: shop
name: split
spec:
  to:
    - targetRef: {kind: MeshService, labels: {app: checkout}}
      rules:
        - matches: [{path: {type: PathPrefix, value: /}}]
          default: {backendRefs: [{kind: MeshService, labels: {app: stable}, port: 80, weight: 90}, {kind: MeshService, labels: {app: canary}, port: 80, weight: 10}]}
        - matches: [{path: {type: PathPrefix, value: /v2}}, {path: {type: RegularExpression, value: '/v(3|4)'}}]
          default: {backendRefs: [{kind: MeshService, labels: {app: canary}, port: 80}]}
`
	tcpRoute = "{type: MeshTCPRoute, mesh: shop, name: tcp, spec: {to: [{targetRef: {kind: MeshService, labels: {app: checkout}}, rules: [{default: {backendRefs: [{kind: MeshService, labels: {app: stable}, port: 80, weight: 90}, {kind: MeshService, labels: {app: canary}, port: 80, weight: 10}]}}]}]}}"
)

// TestRequestChanges has what changes for callers, in the words of the summary.
func TestRequestChanges(t *testing.T) {
	t.Parallel()
	half := testworld.Edited(t, splitRoute, "weight: 90", "weight: 50", "weight: 10", "weight: 50")
	for name, tt := range map[string]struct {
		before, after []string
		release       kuma.Release
		want          string
	}{
		"unchanged": {[]string{canary, splitRoute}, []string{canary, splitRoute}, kuma.Newest2(), ""},
		"other weights": {
			[]string{canary, splitRoute},
			[]string{canary, half},
			kuma.Newest2(),
			"GET / and GET /v3 on checkout port 80: stable 90% → 50%, canary 10% → 50%, for audit-1 and storefront-1\n",
		},
		"new route": {
			[]string{canary},
			[]string{canary, splitRoute},
			kuma.Newest2(),
			"GET / and GET /v3 on checkout port 80: checkout 100% → 0%, stable 0% → 90%, canary 0% → 10%, for audit-1 and storefront-1\n" +
				"GET /v2 on checkout port 80: checkout → canary, for audit-1 and storefront-1\n",
		},
		"removed backend": {
			[]string{canary, splitRoute},
			[]string{splitRoute},
			kuma.Newest2(),
			"GET / and GET /v3 on checkout port 80: stable 90% → 100%, canary 10% → 0%, for audit-1 and storefront-1\n" +
				"GET /v2 on checkout port 80: canary → checkout, for audit-1 and storefront-1\n",
		},
		"removed backend on Kuma 3.0": {
			[]string{canary, splitRoute},
			[]string{splitRoute},
			kuma.Release{Major: 3},
			"GET / and GET /v3 on checkout port 80: canary 10% → 0%, status 500 0% → 10%, for audit-1 and storefront-1\n" +
				"GET /v2 on checkout port 80 answers 500, before: canary, for audit-1 and storefront-1\n",
		},
		"route for some clients": {
			[]string{canary},
			[]string{canary, testworld.Edited(t, half, "spec:\n", "spec:\n  targetRef: {kind: Dataplane, labels: {app: audit}}\n", "/}", "/only}")},
			kuma.Newest2(),
			"GET /only on checkout port 80: checkout 100% → 0%, stable 0% → 50%, canary 0% → 50%, for audit-1\n" +
				"GET /v2 and GET /v3 on checkout port 80: checkout → canary, for audit-1\n",
		},
		"rule removed on Kuma 3.0": {
			[]string{canary, splitRoute},
			[]string{canary, testworld.Edited(t, splitRoute, "value: /}", "value: /v1}")},
			kuma.Release{Major: 3},
			"GET / on checkout port 80 answers 404, before: stable 90%, canary 10%, for audit-1 and storefront-1\n" +
				"GET /v3 on checkout port 80: stable 90% → 0%, canary 10% → 100%, for audit-1 and storefront-1\n",
		},
		"rewrite": {
			[]string{canary, splitRoute},
			[]string{canary, testworld.Edited(t, splitRoute, "default: {backendRefs: [{kind: MeshService, labels: {app: canary}, port: 80}]}", "default: {filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplaceFullPath, replaceFullPath: /api}}}], backendRefs: [{kind: MeshService, labels: {app: canary}, port: 80}]}")},
			kuma.Newest2(),
			"GET /v2 on checkout port 80: canary → canary as /api, for audit-1 and storefront-1\n",
		},
		"route without a backend that its proxies can use": {
			[]string{canary},
			[]string{canary, testworld.Edited(t, splitRoute, "port: 80, weight: 90", "port: 81, weight: 90", "port: 80, weight: 10", "port: 81, weight: 10", "port: 80}", "port: 81}")},
			kuma.Newest2(),
			"GET /, GET /v2 and GET /v3 on checkout port 80: checkout → no listener, for audit-1 and storefront-1\n",
		},
		"TCP route": {
			[]string{canary, testworld.Edited(t, tcpRoute, "weight: 90", "weight: 10")},
			[]string{canary, tcpRoute},
			kuma.Newest2(),
			"GET / on checkout port 80: stable 50% → 90%, canary 50% → 10%, for audit-1 and storefront-1\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := func(documents []string) *rules.Snapshot {
				return rules.NewSnapshotFor(tt.release, testworld.Resources(t, append(documents, split)...))
			}
			found := compare(t, read(tt.before), read(tt.after), "shop")
			var got strings.Builder
			for line := range strings.Lines(found.Summary()) {
				if strings.Contains(line, " on checkout port ") && !strings.HasPrefix(line, "- ") {
					got.WriteString(line)
				}
			}
			if diff := cmp.Diff(tt.want, got.String()); diff != "" {
				t.Errorf("%s\n%s", diff, found.Summary())
			}
		})
	}
}

// TestRuleForTheRest shows that a rule for all other requests writes down what Kuma 2 does anyway, and not Kuma 3.0.
func TestRuleForTheRest(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}], outbound: [{port: 10001, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: web}}}, ports: [{port: 80, appProtocol: http}]}}
---
{type: MeshHTTPRoute, mesh: shop, name: r, spec: {targetRef: {kind: Mesh}, to: [{targetRef: {kind: MeshService, labels: {app: api}}, rules: [{matches: [{path: {type: PathPrefix, value: /v2}}], default: {}}]}]}}
`
	after := strings.Replace(world, "default: {}}]", "default: {}}, {matches: [{}], default: {}}]", 1)
	for release, want := range map[kuma.Release][]string{kuma.Newest2(): nil, rules.Newest(): {"web-1"}} {
		of := func(text string) *rules.Snapshot { return rules.NewSnapshotFor(release, testworld.Resources(t, text)) }
		found := compare(t, of(world), of(after), "shop")
		testworld.Equal(t, "changed proxies", want, found.Changed())
	}
}

// TestSettingsOnRoute checks that settings for a route change no proxy that calls its service by a port with a protocol that does not
// use them, or that the route does not take.
func TestSettingsOnRoute(t *testing.T) {
	t.Parallel()
	const (
		route  = "{type: MeshHTTPRoute, mesh: shop, name: r, labels: {app: r}, spec: {to: [{targetRef: {kind: MeshService, labels: {app: checkout}}, rules: [{matches: [{method: GET}]}]}]}}"
		policy = "{type: %s, mesh: shop, name: p, spec: {to: [{targetRef: {kind: MeshHTTPRoute, labels: {app: r}}, default: {http: {%s}}}]}}"
	)
	retry, timeout := fmt.Sprintf(policy, "MeshRetry", "numRetries: 3"), fmt.Sprintf(policy, "MeshTimeout", "requestTimeout: 3s")
	callers := []string{"audit-1", "storefront-1"}
	for protocol, want := range map[string][2][]string{"http": {callers, callers}, "http2": {nil, callers}, "tcp": {nil, nil}} {
		world := testworld.Edited(t, split, "appProtocol: http", "appProtocol: "+protocol)
		of := func(documents ...string) *rules.Snapshot {
			return rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, append(documents, world, route)...))
		}
		for i, document := range []string{retry, timeout} {
			found := compare(t, of(), of(document), "shop")
			testworld.Equal(t, protocol, want[i], found.Changed())
		}
	}
}

// TestRequestsBySection checks that clients which refer to a port by its name and by its number are compared separately: a route for
// the name does not take the requests of the others (2.14.3 and 3.0).
func TestRequestsBySection(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {ports: [{port: 80, name: web, appProtocol: http}]}}
---
{type: MeshService, mesh: shop, name: db, labels: {app: db}, spec: {ports: [{port: 80, appProtocol: http}]}}
---
{type: Dataplane, mesh: shop, name: a-number, networking: {address: 10.0.0.1, inbound: [{port: 80}], outbound: [{port: 80, backendRef: {kind: MeshService, labels: {app: api}, port: 80}}]}}
---
{type: Dataplane, mesh: shop, name: b-name, networking: {address: 10.0.0.2, inbound: [{port: 80}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}
---
{type: MeshHTTPRoute, mesh: shop, name: r, spec: {to: [{targetRef: {kind: MeshService, labels: {app: api}, sectionName: web}, rules: [{matches: [{path: {type: PathPrefix, value: /v2}}], default: {backendRefs: [{kind: MeshService, labels: {app: %s}, port: 80}]}}]}]}}`
	found := compare(t, snapshotOf(t, fmt.Sprintf(world, "api")), snapshotOf(t, fmt.Sprintf(world, "db")), "shop")
	var clients []string
	for _, r := range found.RequestsChanged {
		clients = append(clients, r.Clients...)
	}
	testworld.Equal(t, "clients", []string{"b-name"}, clients)
}
