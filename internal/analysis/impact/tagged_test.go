package impact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// tagged is a mesh without services, in which storefront calls checkout by its tag.
const tagged = `
{type: Mesh, name: shop}
---
{type: Dataplane, mesh: shop, name: storefront-1, networking: {address: 10.0.0.1, inbound: [{port: 8080, tags: {kuma.io/service: storefront}}], outbound: [{port: 11000, tags: {kuma.io/service: checkout}}, {port: 11001, tags: {kuma.io/service: ledger}}]}}
---
{type: Dataplane, mesh: shop, name: storefront-2, networking: {address: 10.0.0.2, inbound: [{port: 8080, tags: {kuma.io/service: storefront}}], outbound: [{port: 11000, tags: {kuma.io/service: checkout}}]}}
---
{type: Dataplane, mesh: shop, name: audit-1, networking: {address: 10.0.0.3, inbound: [{port: 8080, tags: {kuma.io/service: audit}}], outbound: [{port: 11000, tags: {kuma.io/service: ledger}}]}}
---
{type: Dataplane, mesh: shop, name: checkout-1, networking: {address: 10.0.0.4, inbound: [{port: 8080, tags: {kuma.io/service: checkout, kuma.io/protocol: http, version: v1}}]}}
---
{type: Dataplane, mesh: shop, name: checkout-2, networking: {address: 10.0.0.5, inbound: [{port: 8080, tags: {kuma.io/service: checkout, kuma.io/protocol: http, version: v2}}]}}
---
{type: Dataplane, mesh: shop, name: ledger-1, networking: {address: 10.0.0.6, inbound: [{port: 8080, tags: {kuma.io/service: ledger, kuma.io/protocol: tcp}}]}}
`

// TestTimeoutsByTag checks that the first MeshTimeout for a service by tags also limits requests for which it does not set a
// timeout, as measured on 2.14.3.
func TestTimeoutsByTag(t *testing.T) {
	t.Parallel()
	const (
		policy = "{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: MeshService, name: checkout}, default: {connectionTimeout: 3s}}, {targetRef: {kind: MeshService, name: ledger}, default: {connectionTimeout: 3s}}]}}"
	)
	timeouts := []string{`http.requestTimeout "0s" -> "15s"`, `http.streamIdleTimeout "5m0s" -> "30m0s"`}
	for name, tt := range map[string]struct {
		before, after []string
		want          []string
	}{
		"first policy": {[]string{tagged}, []string{tagged, policy}, append([]string{`connectionTimeout unset -> "3s"`}, timeouts...)},
		"a policy sets one of them": {
			[]string{tagged},
			[]string{tagged, testworld.Edited(t, policy, "name: checkout}, default: {connectionTimeout: 3s}", "name: checkout}, default: {http: {requestTimeout: 3s}}")},
			[]string{`http.requestTimeout unset -> "3s"`, timeouts[1]},
		},
	} {
		found := compare(t, rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, tt.before...)), rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, tt.after...)), "shop")
		var got []string
		for _, r := range found.Rows() {
			if slices.Contains(r.Dataplanes, "storefront-2") {
				got = append(got, fmt.Sprintf("%s %s -> %s", r.Path, value(r.Before), value(r.After)))
			}
			if slices.Contains(r.Dataplanes, "audit-1") && r.Path != "connectionTimeout" {
				t.Errorf("%s: %s of audit-1 changes, which calls a TCP service", name, r.Path)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestBackendOfTCPByTag checks that a MeshHTTPRoute does not give a proxy backends if it sends TCP by the tag, as measured on 2.14.3.
func TestBackendOfTCPByTag(t *testing.T) {
	t.Parallel()
	const (
		route   = "{type: MeshHTTPRoute, mesh: shop, name: r, spec: {to: [{targetRef: {kind: MeshService, name: ledger}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, name: checkout, port: 80}]}}]}]}}"
		service = "{type: MeshService, mesh: shop, name: checkout, spec: {selector: {dataplaneTags: {kuma.io/service: checkout}}, ports: [{port: 80, targetPort: 8080, appProtocol: http}]}}"
		policy  = "{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: MeshService, name: checkout}, default: {connectionTimeout: 3s}}]}}"
	)
	found, err := impact.Compare(rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, tagged, route, service)),
		rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, tagged, route, service, policy)), "shop")
	testworld.NoError(t, err)
	if slices.Contains(found.Changed(), "audit-1") {
		t.Error(found.Summary())
	}
}

// TestBackendsOfAssumedProxies checks that a proxy that may call everything and one that lists nothing, with the same routes, do not
// share what is known about their backends.
func TestBackendsOfAssumedProxies(t *testing.T) {
	t.Parallel()
	const (
		assumed = "{type: Dataplane, mesh: shop, name: %s, networking: {address: 10.0.0.7, inbound: [{port: 8080}]}}"
		lists   = "{type: Dataplane, mesh: shop, name: %s, networking: {address: 10.0.0.8, inbound: [{port: 8080}], transparentProxying: {redirectPortInbound: 1, redirectPortOutbound: 2, reachableBackends: {refs: []}}}}"
		mesh    = "{type: Mesh, name: shop, meshServices: {mode: Exclusive}}"
		service = "{type: MeshService, mesh: shop, name: checkout, labels: {app: checkout}, spec: {selector: {dataplaneLabels: {matchLabels: {app: checkout}}}, ports: [{port: 80, targetPort: 8080, appProtocol: http}]}}"
		other   = "{type: MeshService, mesh: shop, name: ledger, labels: {app: ledger}, spec: {selector: {dataplaneLabels: {matchLabels: {app: ledger}}}, ports: [{port: 80, targetPort: 8080, appProtocol: http}]}}"
		route   = "{type: MeshHTTPRoute, mesh: shop, name: r, spec: {to: [{targetRef: {kind: MeshService, labels: {app: ledger}}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, labels: {app: checkout}, port: 80}]}}]}]}}"
		policy  = "{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: MeshService, labels: {app: checkout}}, default: {connectionTimeout: 3s}}]}}"
	)
	for _, names := range [][2]string{{"a", "b"}, {"b", "a"}} { // whichever comes first
		world := []string{mesh, fmt.Sprintf(assumed, names[0]), fmt.Sprintf(lists, names[1]), service, other, route}
		found, err := impact.Compare(rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, world...)),
			rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, append(world, policy)...)), "shop")
		testworld.NoError(t, err)
		testworld.Equal(t, "changed", []string{names[0]}, found.Changed())
	}
}

// TestTaggedRequestChanges has what changes for callers of a service by tags.
func TestTaggedRequestChanges(t *testing.T) {
	t.Parallel()
	const (
		weights  = "{type: MeshHTTPRoute, mesh: shop, name: split, spec: {to: [{targetRef: {kind: MeshService, name: checkout}, rules: [{matches: [{path: {type: PathPrefix, value: /v2}}], default: {backendRefs: [{kind: MeshServiceSubset, name: checkout, tags: {version: v1}, weight: 90}, {kind: MeshServiceSubset, name: checkout, tags: {version: v2}, weight: 10}]}}]}]}}"
		toBooks  = "{type: MeshTCPRoute, mesh: shop, name: tcp, spec: {to: [{targetRef: {kind: MeshService, name: checkout}, rules: [{default: {backendRefs: [{kind: MeshService, labels: {app: books}, port: 80}]}}]}]}}"
		books    = "{type: MeshService, mesh: shop, name: books, labels: {app: books}, spec: {selector: {dataplaneTags: {kuma.io/service: ledger}}, ports: [{port: 80, targetPort: 8080}]}}"
		virtual  = "{type: Dataplane, mesh: shop, name: virtual, networking: {address: 10.0.0.7, inbound: [{port: 8080, tags: {kuma.io/service: virtual}}], transparentProxying: {redirectPortInbound: 15006, redirectPortOutbound: 15001}}}"
		toLedger = "{type: MeshTCPRoute, mesh: shop, name: tcp, spec: {to: [{targetRef: {kind: MeshService, name: ledger}, rules: [{default: {backendRefs: [{kind: MeshService, name: checkout}]}}]}]}}"
	)
	for name, tt := range map[string]struct {
		before, after []string
		want          []string
	}{
		"unchanged": {[]string{weights}, []string{weights}, nil},
		"other weights": {[]string{weights}, []string{testworld.Edited(t, weights, "weight: 90", "weight: 50", "weight: 10", "weight: 50")}, []string{
			"GET /v2 on checkout port 11000: checkout (version=v1) 90% → 50%, checkout (version=v2) 10% → 50%, for storefront-1 and storefront-2",
		}},
		"new route": {nil, []string{weights}, []string{
			"GET /v2 on checkout port 11000: checkout 100% → 0%, checkout (version=v1) 0% → 90%, checkout (version=v2) 0% → 10%, for storefront-1 and storefront-2",
		}},
		"route of TCP": {nil, []string{toLedger}, []string{
			"connections on ledger port 11000: ledger → checkout, for audit-1",
			"connections on ledger port 11001: ledger → checkout, for storefront-1",
		}},
		"removed backend of a route of TCP": {[]string{virtual, toBooks, books}, []string{virtual, toBooks}, []string{
			"GET / on checkout port 11000: books → checkout, for storefront-1 and storefront-2",
			"GET / on checkout port 80: books → checkout, for virtual",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, requestChanges(t, append(tt.before, tagged), append(tt.after, tagged))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestChangeOfTopLevelRoute checks that a change for the requests of a route is named by the route.
func TestChangeOfTopLevelRoute(t *testing.T) {
	t.Parallel()
	const route = "{type: MeshHTTPRoute, mesh: shop, name: slow, spec: {to: [{targetRef: {kind: MeshService, name: checkout}, rules: [{matches: [{method: PUT}]}]}]}}"
	const timeout = "{type: MeshTimeout, mesh: shop, name: t, spec: {targetRef: {kind: MeshHTTPRoute, name: slow}, to: [{targetRef: {kind: Mesh}, default: {http: {requestTimeout: 3s}}}]}}"
	before := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, tagged, route, timeout))
	after := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, tagged, route))
	found, err := impact.Compare(before, after, "shop")
	if summary := found.Summary(); err != nil || !strings.Contains(summary, `to kuma.io/service=checkout, rule 1 of MeshHTTPRoute "slow"`) || strings.Contains(summary, "__") {
		t.Errorf("%v: %s", err, summary)
	}
}

// TestBackendByTagsOfServiceByLabels checks that "destinations: other order" is not reported for a
// backend by tags because a MeshService no longer selects by these tags.
func TestBackendByTagsOfServiceByLabels(t *testing.T) {
	t.Parallel()
	const (
		service = "{type: MeshService, mesh: shop, name: checkout, spec: {selector: {dataplaneTags: {kuma.io/service: checkout}}, ports: [{port: 80, appProtocol: http}]}}"
		route   = "{type: MeshHTTPRoute, mesh: shop, name: split, spec: {to: [{targetRef: {kind: MeshService, name: checkout}, rules: [{matches: [{method: PUT}], default: {backendRefs: [{kind: MeshService, name: checkout}]}}]}]}}"
	)
	read := func(edits ...string) *rules.Snapshot {
		return rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, tagged, testworld.Edited(t, service+"\n---\n"+route, edits...)))
	}
	before, after := read(), read("dataplaneTags: {kuma.io/service: checkout}", "dataplaneLabels: {matchLabels: {app: checkout}}", "rules: [", "rules: [{matches: [{method: GET}]}, ")
	for _, sides := range [][2]*rules.Snapshot{{before, after}, {after, before}} {
		if found, err := impact.Compare(sides[0], sides[1], "shop", kuma.KindMeshHTTPRoute); err != nil || !strings.Contains(found.Summary(), "method GET") || strings.Contains(found.Summary(), "method PUT") {
			t.Errorf("%v: %s", err, found.Summary())
		}
	}
}

// TestRequestsToUnseenProxies checks that requests which proxies of other zones may take are not said to fail from now on.
func TestRequestsToUnseenProxies(t *testing.T) {
	t.Parallel()
	const (
		documents = `
{type: Mesh, name: shop, labels: {kuma.io/origin: global}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}
---
{type: Dataplane, mesh: shop, name: db, networking: {address: 10.0.0.2, inbound: [{port: 80, state: Ignored, tags: {kuma.io/service: db}}]}}
---
{type: MeshService, mesh: shop, name: db, spec: {selector: {dataplaneTags: {kuma.io/service: db}}, ports: [{port: 80, targetPort: 80, appProtocol: tcp}]}}
`
		client = "{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}], outbound: [{port: 100, tags: {kuma.io/service: db}}]}}"
	)
	snapshot := func(client string) *rules.Snapshot {
		return rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, documents, client))
	}
	found := compare(t, snapshot(client), snapshot(testworld.Edited(t, client, "tags: {kuma.io/service: db}", "backendRef: {kind: MeshService, name: db, port: 80}")), "shop")
	testworld.Equal(t, "changes", "", strings.Join(phrase.Each(found.RequestsChanged, impact.RequestChange.String), "\n"))
}

// TestBackendOfAnotherProtocol checks that proxies do not depend on a backend that their HTTP route cannot have.
func TestBackendOfAnotherProtocol(t *testing.T) {
	t.Parallel()
	const world = `
{type: Mesh, name: shop}
---
{type: Dataplane, mesh: shop, name: api, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: api, kuma.io/protocol: %s, version: %s}}]}}
---
{type: Dataplane, mesh: shop, name: pay, networking: {address: 10.0.0.3, inbound: [{port: 80, tags: {kuma.io/service: pay, kuma.io/protocol: http}}]}}
---
{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}], outbound: [{port: 1, tags: {kuma.io/service: pay}}]}}
---
{type: MeshHTTPRoute, mesh: shop, name: r, spec: {targetRef: {kind: Dataplane, name: web}, to: [{targetRef: {kind: MeshService, name: pay}, rules: [
  {matches: [{path: {type: PathPrefix, value: /a}}], default: {backendRefs: [{kind: MeshServiceSubset, name: api, tags: {version: v2}}]}}]}]}}
`
	for protocol, want := range map[string][]string{"tcp": nil, "http": {"web"}} {
		before, after := snapshotOf(t, fmt.Sprintf(world, protocol, "v1")), snapshotOf(t, fmt.Sprintf(world, protocol, "v2"))
		testworld.Equal(t, protocol, want, compare(t, before, after, "shop").Changed())
	}
}
