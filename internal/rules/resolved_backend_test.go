package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// backends is a service with two ports, an external service, a service of several zones, and a route with references to them.
const backends = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: MeshService, mesh: shop, name: api, labels: {app: api}, spec: {ports: [{port: 80, name: http, appProtocol: http}, {port: 81, appProtocol: tcp}]}}
---
{type: MeshService, mesh: shop, name: far, labels: {app: far, kuma.io/origin: global}, spec: {ports: [{port: 90, name: http}]}}
---
{type: MeshExternalService, mesh: shop, name: bank, labels: {app: bank}, spec: {match: {type: HostnameGenerator, port: 443, protocol: tcp}}}
---
{type: MeshMultiZoneService, mesh: shop, name: all, labels: {app: all}, spec: {selector: {meshService: {matchLabels: {app: api}}}, ports: [{port: 81, name: http, appProtocol: http}]}}
---
{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80}]}}
---
{type: MeshHTTPRoute, mesh: shop, name: r, spec: {to: [{targetRef: {kind: MeshService, name: api, sectionName: http}, rules: [{default: {backendRefs: [
  {kind: MeshService, name: api, port: 80}, {kind: MeshService, name: api, sectionName: http}, {kind: MeshService, name: api, port: 99},
  {kind: MeshService, labels: {app: api}, sectionName: "81"}, {kind: MeshExternalService, name: bank}, {kind: MeshService, name: api},
  {kind: MeshServiceSubset, name: api, tags: {version: v1}}, {kind: MeshService, labels: {app: missing}, port: 80}, {kind: MeshService, labels: {app: far}}]}}]}]}}
`

// TestBackend resolves references of a route to services, ports and tags, and of a Dataplane to ports: on Kuma 3.0, a reference by
// labels without a port has the only port of the service (measured on 2.14.3 and the preview of 3.0).
func TestBackend(t *testing.T) {
	for release, changed := range map[kuma.Release]map[int]string{
		kuma.Newest2(): {
			5: "api 0, section , tags kuma.io/service=api, selects 1",
			6: " 0, section , tags kuma.io/service=api, version=v1, selects 0",
			8: "far 0, section , tags , selects 1",
		},
		rules.Newest(): {5: "api 0, section , tags , selects 1", 6: " 0, section , tags , selects 0", 8: "far 90, section http, tags , selects 1"},
	} {
		want := []string{
			"api 80, section 80, tags , selects 1", "api 80, section http, tags , selects 1", "api 0, section 99, tags , selects 2",
			"api 81, section 81, tags , selects 1", "bank 443, section 443, tags , selects 1", changed[5], changed[6],
			" 0, section 80, tags , selects 0", changed[8],
		}
		s := rules.NewSnapshotFor(release, testworld.Resources(t, backends))
		route := *s.Resource(kuma.Key{Type: kuma.KindMeshHTTPRoute, Mesh: "shop", Name: "r"})
		web := *s.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: "shop", Name: "web"})
		var got []string
		for _, ref := range rules.BackendRefs(route) {
			id, port := s.Backend(route, ref)
			selected, _ := s.SelectPorts(web, ref)
			got = append(got, fmt.Sprintf("%s %d, section %s, tags %s, selects %d", id.Name, port.Number, ref.Section(port), phrase.Pairs(s.Tags(ref)),
				len(selected)))
		}
		testworld.Equal(t, release.String(), want, got)
		if n, none := len(s.Services("shop")), len(s.Services("other")); n != 4 || none != 0 {
			t.Errorf("%d services, and %d of an unknown mesh", n, none)
		}
		if !s.RestrictOutbound(true).RestrictsOutbound() || s.RestrictsOutbound() != release.Kuma3() {
			t.Error("the release or the argument does not decide whether proxies reach only what they list")
		}
	}
}

// TestPortNamedByItsNumber lists services without a port: a port that is named by its number is not one without a name, which would
// be the only one that is selected, and that of only one of the services (measured on 2.14.3 and the preview of 3.0).
func TestPortNamedByItsNumber(t *testing.T) {
	const services = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80}]}}
---
{type: MeshService, mesh: shop, name: named, labels: {app: named, tier: one}, spec: {ports: [{port: 80, name: "80"}, {port: 81, name: http}]}}
---
{type: MeshService, mesh: shop, name: named-2, labels: {tier: one}, spec: {ports: [{port: 80, name: "80"}]}}
---
{type: MeshService, mesh: shop, name: unnamed, labels: {app: unnamed, tier: two}, spec: {ports: [{port: 80}, {port: 81, name: http}]}}
---
{type: MeshService, mesh: shop, name: unnamed-2, labels: {tier: two}, spec: {ports: [{port: 80}]}}
`
	s := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, services))
	web := *s.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: "shop", Name: "web"})
	for _, tt := range []struct {
		label, value string
		want         int
		drawn        bool
	}{{"app", "named", 2, false}, {"app", "unnamed", 1, false}, {"tier", "one", 3, false}, {"tier", "two", 2, true}} {
		ref := rules.BackendRef{TargetRef: kuma.TargetRef{Kind: kuma.KindMeshService, Labels: map[string]string{tt.label: tt.value}}}
		if got, drawn := s.SelectPorts(web, ref); len(got) != tt.want || drawn != tt.drawn {
			t.Errorf("%+v: %v, %t", tt, got, drawn)
		}
	}
}

// TestPortBehind shows by what a port of a MeshMultiZoneService meets one of a MeshService: on 2.14 by its number, on 3.0 by its name,
// which can also be the number of the other one.
func TestPortBehind(t *testing.T) {
	for release, want := range map[kuma.Release][]string{kuma.Newest2(): {"api 81", "far 90"}, rules.Newest(): {"api 80", "far 90", "api 81"}} {
		s := rules.NewSnapshotFor(release, testworld.Resources(t, strings.Replace(backends, "appProtocol: http}]}}\n---\n{type: Dataplane",
			"appProtocol: http}, {port: 90, name: '81'}]}}\n---\n{type: Dataplane", 1)))
		var got []string
		for _, p := range s.Ports(s.Resource(kuma.Key{Type: kuma.KindMeshMultiZoneService, Mesh: "shop", Name: "all"}).ID()) {
			for _, service := range s.Resources("shop", kuma.KindMeshService) {
				if n, ok := s.PortBehind(p, *service); ok {
					got = append(got, fmt.Sprintf("%s %d", service.Name, tree.Int(n.Get("port").Value())))
				}
				if rules.IsElsewhere(*service) != (service.Name == "far") {
					t.Errorf("MeshService %s is in the wrong zone", service.Name)
				}
			}
		}
		testworld.Equal(t, release.String(), want, got)
	}
}

// TestRulesByTagsInModeExclusive shows that they apply to outbounds by tags, although the inspect API hides them.
func TestRulesByTagsInModeExclusive(t *testing.T) {
	s := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, backends+`
---
{type: MeshTimeout, mesh: shop, name: t, spec: {to: [{targetRef: {kind: MeshService, name: old}, default: {connectionTimeout: 3s}}]}}`))
	hidden, err := s.Outline("shop", "web", "MeshTimeout")
	testworld.NoError(t, err)
	all, err := s.OutlineByTags("shop", "web", "MeshTimeout")
	testworld.NoError(t, err)
	if _, found := hidden.ByTags(map[string]string{kuma.TagService: "old"}); found {
		t.Error("the inspect API does not hide rules by tags")
	}
	rule, found := all.ByTags(map[string]string{kuma.TagService: "old"})
	if !found {
		t.Fatal("no rule by tags")
	}
	testworld.Equal(t, "conf", `{"connectionTimeout":"3s"}`, phrase.JSON(rule.Merge()))
	match := []any{map[string]any{"path": map[string]any{"type": "PathPrefix", "value": "/"}}}
	if tags := rules.RouteTags("old", match); tags[kuma.TagService] != "old" || len(tags) != len(rules.MatchTags(match))+1 {
		t.Errorf("tags of a route: %v", tags)
	}
}

// TestListedClients lists the clients of permissions, and what rules for some requests, and by tags, do.
func TestListedClients(t *testing.T) {
	s := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, `
{type: Mesh, name: shop, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}
---
{type: Dataplane, mesh: shop, name: web, networking: {address: 10.0.0.1, inbound: [{port: 80, protocol: tcp, tags: {kuma.io/service: web, kuma.io/protocol: tcp}}]}}
---
{type: MeshTrafficPermission, mesh: shop, name: p, spec: {rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://shop/"}}], deny: [{spiffeID: {type: Exact, value: "spiffe://shop/api"}, sni: {type: Exact, value: web}}]}}]}}
---
{type: MeshTrafficPermission, mesh: shop, name: q, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Deny}}]}}
---
{type: MeshTimeout, mesh: shop, name: t, spec: {rules: [{matches: [{spiffeID: {type: Exact, value: "spiffe://shop/api"}}], default: {http: {requestTimeout: 3s}}}]}}
`))
	permissions, err := s.Outline("shop", "web", "MeshTrafficPermission")
	testworld.NoError(t, err)
	in := permissions.Incoming()[0]
	testworld.Equal(t, "clients", []rules.ListedClients{
		{Entry: in.Rules[0].Clients()[0].Entry, List: rules.DenyList, ID: "spiffe://shop/api", ServerName: "web"},
		{Entry: in.Rules[0].Clients()[0].Entry, List: rules.AllowList, ID: "spiffe://shop/", Prefix: true},
	}, in.Rules[0].Clients())
	for _, r := range permissions.FromRules[0].Rules {
		testworld.Equal(t, "action", rules.ActionDeny, r.Action())
	}
	timeouts, err := s.Outline("shop", "web", "MeshTimeout")
	testworld.NoError(t, err)
	in = timeouts.Incoming()[0]
	if in.Protocol() != "tcp" || !in.ForSome() {
		t.Errorf("protocol %q, for some clients %t", in.Protocol(), in.ForSome())
	}
}
