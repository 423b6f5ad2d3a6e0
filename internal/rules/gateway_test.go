package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// edge is a builtin gateway with a listener for requests and one for connections, and policies for both.
const edge = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshGateway, mesh: shop, name: edge, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [
  {port: 80, protocol: HTTP, hostname: shop.example, tags: {l: web}}, {port: 443, protocol: HTTPS, tags: {l: web}}, {port: 81, protocol: TCP, tags: {l: raw}}]}}
---
{type: Dataplane, mesh: shop, name: edge-1, networking: {address: 10.0.0.1, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}}
---
{type: Dataplane, mesh: shop, name: api-1, labels: {app: api}, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: api, kuma.io/protocol: http}}]}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}
---
{type: MeshHTTPRoute, mesh: shop, name: shop, labels: {route: shop}, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, rules: [{matches: [{path: {type: PathPrefix, value: /}}], default: {backendRefs: [{kind: MeshService, name: api, port: 80}]}}]}]}}
---
{type: MeshTimeout, mesh: shop, name: slow, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 3s, http: {requestTimeout: 4s}}}]}}
---
{type: MeshTimeout, mesh: shop, name: route, spec: {to: [{targetRef: {kind: MeshHTTPRoute, labels: {route: shop}}, default: {http: {requestTimeout: 9s}}}]}}
---
{type: MeshRateLimit, mesh: shop, name: limit, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, default: {local: {http: {requestRate: {num: 1, interval: 1s}}}}}]}}
`

// TestListenersOfGateway shows the listeners of a builtin gateway, and what each of them uses of the policies.
func TestListenersOfGateway(t *testing.T) {
	s := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, edge))
	listeners := s.Listeners("shop", "edge-1")
	var got []string
	for _, l := range listeners {
		got = append(got, fmt.Sprintf("%s: http %t, encrypted %t, shares clusters %t", l, l.IsHTTP(), l.IsEncrypted(), l.SharesClusters(listeners[0])))
	}
	for _, kind := range []def.Kind{kinds.MeshTimeout, kinds.MeshRateLimit, kinds.MeshHTTPRoute} {
		r, err := s.OutlineByTags("shop", "edge-1", kind.Name)
		testworld.NoError(t, err)
		if !r.OfGateway() || len(r.Outgoing()) != len(listeners)+1 {
			t.Errorf("%s: %d parts, want one for each listener and one for backends", kind.Name, len(r.Outgoing()))
		}
		for _, l := range listeners {
			o := r.OnListener(l)
			_, found := o.ByTags(rules.MatchTags(nil))
			text := fmt.Sprintf("%s on port %d: rule %t", kind.Name, l.Port, found)
			for _, e := range o.IgnoredEntries() {
				text += fmt.Sprintf(", %s ignored", e.Policy.Local())
			}
			if kind.Name == kinds.MeshTimeout.Name {
				text += fmt.Sprintf(", request timeout used %t, connect timeout used %t",
					o.Uses(kind, tree.Path{"http", "requestTimeout"}), o.Uses(kind, tree.Path{"connectionTimeout"}))
			}
			got = append(got, text)
		}
		for _, rule := range r.ToResourceRules {
			for _, e := range s.IgnoredByGateway(rule) {
				got = append(got, fmt.Sprintf("%s ignored: %s", e.Policy.Local(), e.Reason))
			}
		}
	}
	testworld.Equal(t, "listeners", []string{
		`shop.example, port 80 of MeshGateway "edge": http true, encrypted false, shares clusters true`,
		`port 443 of MeshGateway "edge": http true, encrypted true, shares clusters true`,
		`port 81 of MeshGateway "edge": http false, encrypted false, shares clusters false`,
		"MeshTimeout on port 80: rule true, request timeout used true, connect timeout used true",
		"MeshTimeout on port 443: rule true, request timeout used true, connect timeout used true",
		"MeshTimeout on port 81: rule true, request timeout used false, connect timeout used true",
		`MeshTimeout "route" ignored: A builtin gateway ignores entries for routes.`,
		"MeshRateLimit on port 80: rule true", "MeshRateLimit on port 443: rule true",
		`MeshRateLimit on port 81: rule true, MeshRateLimit "limit" ignored`,
		"MeshHTTPRoute on port 80: rule true", "MeshHTTPRoute on port 443: rule true", "MeshHTTPRoute on port 81: rule false",
	}, got)
}

// TestLookupOnListeners looks up what a builtin gateway uses for traffic to a service, by resource and by tags.
func TestLookupOnListeners(t *testing.T) {
	s := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, edge))
	const timeouts = `[{"connectionTimeout":"3s","http":{"requestTimeout":"4s"}}]`
	for _, to := range []rules.Destination{
		{Tags: map[string]string{kuma.TagService: "api"}}, {Resource: kuma.ID{Type: kuma.KindMeshService, Mesh: "shop", Name: "api"}},
	} {
		r, err := s.Outline("shop", "edge-1", kinds.MeshTimeout.Name)
		testworld.NoError(t, err)
		var got []string
		for _, on := range r.LookupOnListeners(to) {
			got = append(got, fmt.Sprintf("%d %s by %s", on.Listener.Port, phrase.JSON(on.Conf), on.Origin[0].Name))
		}
		testworld.Equal(t, "confs", []string{"80 " + timeouts + " by slow", "443 " + timeouts + " by slow", "81 " + timeouts + " by slow"}, got)
		answer, err := s.DataplaneOutline("shop", "edge-1")
		testworld.NoError(t, err)
		var types []string
		for _, p := range answer.For(to).Rules {
			types = append(types, p.Type)
		}
		testworld.Equal(t, "types", []string{"MeshHTTPRoute", "MeshRateLimit", "MeshTimeout"}, types)
	}
	if sidecar, err := s.Outline("shop", "api-1", kinds.MeshTimeout.Name); err != nil || sidecar.OfGateway() || len(s.Listeners("shop", "api-1")) > 0 {
		t.Error("a sidecar counts as a gateway", err)
	}
	for _, name := range []string{"edge-1", "missing"} {
		if err := s.CheckDataplane("shop", name); (err == nil) != (name == "edge-1") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGatewayGetsPoliciesOfItsZone has a builtin gateway to which a global control plane says that the policies of all zones apply.
func TestGatewayGetsPoliciesOfItsZone(t *testing.T) {
	t.Parallel()
	resources := testworld.Resources(t, `
{type: Mesh, name: shop}
---
{type: MeshGateway, mesh: shop, name: edge, labels: {kuma.io/origin: global}, selectors: [{match: {kuma.io/service: edge}}], conf: {listeners: [{port: 80, protocol: HTTP}]}}
---
{type: Dataplane, mesh: shop, name: edge, labels: {kuma.io/origin: zone, kuma.io/zone: west}, networking: {address: 10.0.0.1, gateway: {type: BUILTIN, tags: {kuma.io/service: edge}}}}
---
{type: MeshTimeout, mesh: shop, name: east, labels: {kuma.io/origin: zone, kuma.io/zone: east}, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 7s}}]}}
---
{type: MeshTimeout, mesh: shop, name: west, labels: {kuma.io/origin: zone, kuma.io/zone: west}, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 8s}}]}}
---
{type: MeshTimeout, mesh: shop, name: all, spec: {targetRef: {kind: MeshGateway, name: edge}, to: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 9s}}]}}
`)
	for want, s := range map[string]*rules.Snapshot{
		"all east west": rules.NewSnapshotFor(kuma.Newest2(), resources), "all west": rules.NewSnapshotOfProxies(kuma.Newest2(), resources),
	} {
		var names []string
		for _, key := range s.Match("shop", "edge", "MeshTimeout").Policies() {
			names = append(names, key.Name)
		}
		slices.Sort(names)
		testworld.Equal(t, "policies", want, strings.Join(names, " "))
	}
}

// TestNewestGateway has two gateways with the same selectors: the newest one applies, which is the one that is not stored yet.
func TestNewestGateway(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		first, second time.Time
		want          string
	}{
		{time.Unix(1, 0), time.Unix(2, 0), "second"},
		{time.Unix(2, 0), time.Unix(1, 0), "edge"},
		{time.Time{}, time.Unix(1, 0), "edge"},
		{time.Unix(1, 0), time.Time{}, "second"},
	} {
		resources := testworld.Resources(t, edge)
		resources[1].CreationTime = tt.first
		second := resources[1].Clone()
		second.Name, second.CreationTime = "second", tt.second
		got := rules.NewSnapshotFor(kuma.Newest2(), append(resources, second)).Listeners("shop", "edge-1")
		if len(got) != 3 || got[0].Gateway.Name != tt.want {
			t.Errorf("%s and %s: %v, want gateway %q", tt.first, tt.second, got, tt.want)
		}
	}
}
