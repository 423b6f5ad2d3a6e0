package impact_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// Documents of the tests of permissions. A control plane 2.14.3 generates the
// permissions that they expect (matching.md §7.5).
const (
	secureMesh = `
type: Mesh
name: shop
mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}
meshServices: {mode: Exclusive}
---
type: Dataplane
mesh: shop
name: web-1
networking: {address: 10.0.0.1, inbound: [{port: 8080, name: http, tags: {kuma.io/service: web}}]}
`
	allowAll = `{type: MeshTrafficPermission, mesh: shop, name: allow-all, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}`
	denyAll  = `{type: MeshTrafficPermission, mesh: shop, name: deny-all, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Deny}}]}}`
	denyB    = `{type: MeshTrafficPermission, mesh: shop, name: deny-b, spec: {rules: [{default: {deny: [{spiffeID: {type: Exact, value: "spiffe://shop/b"}}]}}]}}`
	open     = `{type: MeshTrafficPermission, mesh: shop, name: open, spec: {rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://shop"}}, {spiffeID: {type: Prefix, value: "spiffe://td"}}]}}]}}`
	identity = `{type: MeshIdentity, mesh: shop, name: identity, spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {trustDomain: td}, provider: {type: Spire, spire: {}}}}`
)

func TestInboundPrecedence(t *testing.T) {
	t.Parallel()
	old := `{type: MeshTimeout, mesh: shop, name: old, spec: {targetRef: {kind: Dataplane, labels: {app: web}}, from: [{targetRef: {kind: Mesh}, default: {connectionTimeout: 12s}}]}}`
	newer := `{type: MeshTimeout, mesh: shop, name: new, spec: {targetRef: {kind: Dataplane, labels: {app: web}, sectionName: http}, rules: [{default: {connectionTimeout: 11s}}]}}`
	web := `{type: Dataplane, mesh: shop, name: web-1, labels: {app: web}, networking: {address: 10.0.0.1, inbound: [{port: 8080, name: http}]}}`
	for name, tt := range map[string]struct {
		before, after string
		want          []string
	}{
		"rules lose their precedence": {newer, testworld.Edited(t, newer, "targetRef: {kind: Dataplane, labels: {app: web}, sectionName: http}, ", ""), []string{
			"web-1: rules port 8080 connectionTimeout: 11s by new#0 -> 12s by old#0",
		}},
		"overridden from changes": {newer, newer + "\n---\n" + testworld.Edited(t, old, "12s", "13s"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := impact.Compare(
				rules.NewSnapshot(testworld.Resources(t, "{type: Mesh, name: shop}", web, old, tt.before)),
				rules.NewSnapshot(testworld.Resources(t, "{type: Mesh, name: shop}", web, old, tt.after)), "shop")
			testworld.NoError(t, err)
			testworld.Equal(t, "changes", tt.want, lines(found))
		})
	}
}

// TestInboundsWithOtherProtocols checks that settings change only proxies whose inbounds have a protocol of
// the setting, also beside others with the same policies and ports.
func TestInboundsWithOtherProtocols(t *testing.T) {
	t.Parallel()
	world := []string{"{type: Mesh, name: shop}"}
	for name, inbounds := range map[string]string{
		"a": "{port: 8080, name: main, protocol: tcp}", "b": "{port: 8080, name: main, protocol: http}", "c": "{port: 8080, name: main, tags: {kuma.io/service: c, kuma.io/protocol: grpc}}",
		"d": "{port: 8080, name: main, protocol: tcp}, {port: 8081, name: aux, protocol: http}",
	} {
		world = append(world, "{type: Dataplane, mesh: shop, name: "+name+", networking: {address: 10.0.0.1, inbound: ["+inbounds+"]}}")
	}
	before := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, world...))
	after := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, append(world, "{type: MeshTimeout, mesh: shop, name: t, spec: {rules: [{default: {idleTimeout: 2h, http: {requestTimeout: 3s}}}]}}")...))
	found := compare(t, before, after, "shop")
	testworld.Equal(t, "changes", []string{
		"b,c: rules port 8080 http.requestTimeout: none -> 3s by t#0",
		"a,b,d: rules port 8080 idleTimeout: none -> 2h by t#0",
		"d: rules port 8081 http.requestTimeout: none -> 3s by t#0",
		"d: rules port 8081 idleTimeout: none -> 2h by t#0",
	}, lines(found))
	faults := "{type: MeshFaultInjection, mesh: shop, name: f, spec: {from: [{targetRef: {kind: MeshSubset, tags: {version: v1}}, default: {http: [{abort: {httpStatus: 503, percentage: 30}}]}}]}}"
	found = compare(t, before, rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, append(world, faults)...)), "shop")
	testworld.Equal(t, "changed by faults for some clients", []string{"b", "c", "d"}, found.Changed())
}

// TestSecondDenyAdmitsClients checks permissions that deny clients by two values of a
// tag, of which a proxy denies neither.
func TestSecondDenyAdmitsClients(t *testing.T) {
	t.Parallel()
	deny := func(service string) string {
		return `{type: MeshTrafficPermission, mesh: shop, name: a-` + service + `, spec: {from: [{targetRef: {kind: MeshSubset, tags: {kuma.io/service: ` + service + `}}, default: {action: Deny}}]}}`
	}
	found, err := impact.Compare(
		rules.NewSnapshot(testworld.Resources(t, secureMesh, allowAll, deny("b"))),
		rules.NewSnapshot(testworld.Resources(t, secureMesh, allowAll, deny("b"), deny("c"))), "shop")
	testworld.NoError(t, err)
	want := []string{
		`web-1: rules port 8080 access: some clients by #0 -> every client by #0`,
		`web-1: from port 8080, kuma.io/service=b action: Deny by a-b#0 -> Allow by allow-all#0`,
	}
	testworld.Equal(t, "changes", want, lines(found))
	if len(found.WithoutEffect) > 0 {
		t.Errorf("without effect: %v", found.WithoutEffect)
	}
}

// TestAccessLogsMovedToAnotherPolicy checks entries that all apply.
func TestAccessLogsMovedToAnotherPolicy(t *testing.T) {
	t.Parallel()
	logs := func(name, path string) string {
		return `{type: MeshAccessLog, mesh: shop, name: ` + name + `, spec: {rules: [{default: {backends: [{type: File, file: {path: ` + path + `}}]}}]}}`
	}
	found, err := impact.Compare(
		rules.NewSnapshot(testworld.Resources(t, secureMesh, logs("a", "/a"), logs("b", "/b"))),
		rules.NewSnapshot(testworld.Resources(t, secureMesh, logs("a", "/b"), logs("b", "/a"))), "shop")
	testworld.NoError(t, err)
	testworld.Equal(t, "changes", []string(nil), lines(found))
}
