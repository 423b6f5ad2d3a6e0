package impact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// callers is a mesh with certificates, in which storefront has an outbound to checkout, and
// batch has none.
const callers = `
type: Mesh
name: shop
mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}
meshServices: {mode: Exclusive}
---
type: MeshService
mesh: shop
name: checkout
spec: {selector: {dataplaneTags: {kuma.io/service: checkout}}, ports: [{port: 80, targetPort: 8080}]}
---
type: MeshService
mesh: shop
name: storefront
spec: {selector: {dataplaneTags: {kuma.io/service: storefront}}, ports: [{port: 80, targetPort: 8080}]}
---
type: Dataplane
mesh: shop
name: storefront-1
labels: {app: storefront, kuma.io/workload: storefront}
networking: {address: 10.0.0.1, inbound: [{port: 8080, tags: {kuma.io/service: storefront}}], outbound: [{port: 1, backendRef: {kind: MeshService, name: checkout}}]}
---
type: Dataplane
mesh: shop
name: batch-1
labels: {app: batch, kuma.io/workload: batch}
networking: {address: 10.0.0.2, inbound: [{port: 8080, tags: {kuma.io/service: batch}}], outbound: [{port: 1, backendRef: {kind: MeshService, name: storefront}}]}
---
type: Dataplane
mesh: shop
name: checkout-1
labels: {app: checkout, kuma.io/workload: checkout}
networking: {address: 10.0.0.3, inbound: [{port: 8080, tags: {kuma.io/service: checkout}}], outbound: [{port: 1, backendRef: {kind: MeshService, name: storefront}}]}
`

// TestAccessChanges has the changes of access that the Envoy configuration shows
// (matching.md §7.5, proxies.md §5), among them three that the rules of the control plane do
// not show.
func TestAccessChanges(t *testing.T) {
	t.Parallel()
	denyStorefront := `{type: MeshTrafficPermission, mesh: shop, name: deny-storefront, spec: {from: [{targetRef: {kind: MeshSubset, tags: {kuma.io/service: storefront}}, default: {action: Deny}}]}}`
	allowMesh := `{type: MeshTrafficPermission, mesh: shop, name: open, spec: {rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://shop"}}]}}]}}`
	onCheckout := func(document string) string {
		return testworld.Edited(t, document, "spec: {", "spec: {targetRef: {kind: Dataplane, labels: {app: checkout}}, ")
	}
	for name, tt := range map[string]struct {
		before, after []string
		release       kuma.Release
		want          string
	}{
		"unchanged": {[]string{allowAll}, []string{allowAll}, kuma.Newest2(), ""},
		"rules deny added to from allow": {
			[]string{allowAll},
			[]string{allowAll, onCheckout(denyB)},
			kuma.Newest2(),
			"storefront can no longer call checkout port 80 (no permission allows it; the service ignores `from` of allow-all because of the `rules` of deny-b)\n" +
				"batch-1 can no longer call checkout port 80 (no permission allows it; the service ignores `from` of allow-all because of the `rules` of deny-b; no outbound)\n",
		},
		"MeshIdentity added": {
			[]string{allowAll},
			[]string{allowAll, identity},
			kuma.Newest2(),
			"storefront can no longer call checkout port 80 (no permission allows it; the service ignores `from` of allow-all because of the MeshIdentity identity)\n" +
				"batch-1 and checkout can no longer call storefront port 80 (no permission allows it; the service ignores `from` of allow-all because of the MeshIdentity identity)\n" +
				"batch-1 can no longer call checkout port 80 (no permission allows it; the service ignores `from` of allow-all because of the MeshIdentity identity; no outbound)\n",
		},
		"from deny beside rules": {[]string{allowMesh}, []string{allowMesh, denyStorefront}, kuma.Newest2(), ""},
		"rules beside from deny": {
			[]string{denyStorefront, onCheckout(denyStorefront)},
			[]string{denyStorefront, onCheckout(allowMesh)},
			kuma.Newest2(),
			"storefront can now call checkout port 80 (allowed by MeshTrafficPermission open)\n" +
				"batch-1 can now call checkout port 80 (allowed by MeshTrafficPermission open; no outbound)\n",
		},
		"denied by a policy": {
			[]string{allowMesh},
			[]string{allowMesh, onCheckout(testworld.Edited(t, denyB, "Exact", "Prefix", "shop/b", "shop/storefront"))},
			kuma.Newest2(),
			"storefront can no longer call checkout port 80 (denied by MeshTrafficPermission deny-b)\n",
		},
		"Kuma 3.0 without an identity": {
			nil, nil,
			kuma.Release{Major: 3},
			"storefront can now call checkout port 80 (the service has no certificate, so it accepts every client)\n" +
				"batch-1 and checkout can now call storefront port 80 (the service has no certificate, so it accepts every client)\n" +
				"batch-1 can now call checkout port 80 (the service has no certificate, so it accepts every client; no outbound)\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := impact.Compare(
				rules.NewSnapshot(testworld.Resources(t, append(tt.before, callers)...)),
				rules.NewSnapshotFor(tt.release, testworld.Resources(t, append(tt.after, callers)...)), "shop")
			testworld.NoError(t, err)
			var got strings.Builder
			for line := range strings.Lines(found.Summary()) {
				if strings.Contains(line, " call ") {
					got.WriteString(line)
				}
			}
			if diff := cmp.Diff(tt.want, got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestChangeFreezesProxies checks that a change which keeps the control plane from generating
// the configuration of proxies is an effect of it, although no value changes.
func TestChangeFreezesProxies(t *testing.T) {
	t.Parallel()
	world := testworld.Text(t, "../../command/testdata/cases/mirror-tcp.yaml")
	mesh, route, found := strings.Cut(world, "---\ntype: MeshHTTPRoute")
	if !found {
		t.Fatal("the world has no route")
	}
	route = "---\ntype: MeshHTTPRoute" + route
	labeled := func(labels string) string {
		return "{type: Mesh, name: ol4, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}\n---\n{type: Dataplane, mesh: ol4, name: db-1, labels: {" + labels + "}, networking: {address: 10.0.0.1, inbound: [{port: 80}]}}"
	}
	for name, test := range map[string]struct {
		before, after, want, again string
	}{
		"by a route":         {mesh, mesh + route, `caddy-1 can no longer be configured, because`, ""},
		"before":             {mesh + route, mesh + route, "", ""},
		"no longer":          {mesh + route, mesh, "", "1 dataplane changes: caddy-1\n- Dataplane, for the proxy\n  - the proxy can be configured again; before, it could not, because"},
		"by labels":          {labeled("kuma.io/workload: db"), labeled(""), `db-1 can no longer be configured, because a certificate of the mesh needs a service`, ""},
		"has labels":         {labeled(""), labeled("kuma.io/workload: db"), "", "the proxy gets a certificate of Mesh ol4"},
		"without mutual TLS": {labeled(""), "{type: Mesh, name: ol4}\n---\n{type: Dataplane, mesh: ol4, name: db-1, networking: {address: 10.0.0.1, inbound: [{port: 80}]}}", "", "the proxy can be configured again; before, it could not, because a certificate of the mesh needs a service"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after := rules.NewSnapshot(testworld.Resources(t, test.before)), rules.NewSnapshot(testworld.Resources(t, test.after))
			got := compare(t, before, after, "ol4")
			if summary := got.Summary(); strings.Contains(summary, "can no longer be configured") != (test.want != "") || !strings.Contains(summary, test.want) {
				t.Errorf("summary lacks %q, or contains it without a reason:\n%s", test.want, summary)
			} else if !strings.Contains(summary, test.again) || strings.Contains(summary, "again") && test.again == "" {
				t.Errorf("summary lacks %q:\n%s", test.again, summary)
			}
			if want := test.want != ""; (len(got.Frozen) > 0) != want {
				t.Errorf("frozen = %v", got.Frozen)
			}
		})
	}
}

// TestEmptiedService shows that a removed MeshService, or one with other labels, changes proxies that call it as the only one
// that a MeshMultiZoneService selects.
func TestEmptiedService(t *testing.T) {
	t.Parallel()
	const (
		world = `
{type: Mesh, name: shop, meshServices: {mode: Exclusive}}
---
{type: Dataplane, mesh: shop, name: api-1, labels: {app: api}, networking: {address: 10.0.0.1, inbound: [{port: 80, protocol: http}], outbound: []}}
---
{type: Dataplane, mesh: shop, name: web-1, networking: {address: 10.0.0.2, inbound: [{port: 80}], outbound: [{port: 1, backendRef: {kind: MeshMultiZoneService, labels: {svc: global}, port: 80}}]}}
---
{type: MeshMultiZoneService, mesh: shop, name: global, labels: {svc: global}, spec: {selector: {meshService: {matchLabels: {svc: api}}}, ports: [{port: 80, appProtocol: http}]}}
---
`
		member = "{type: MeshService, mesh: shop, name: api, labels: {svc: api}, spec: {selector: {dataplaneLabels: {matchLabels: {app: api}}}, ports: [{port: 80, targetPort: 80, appProtocol: http}]}}"
		want   = "MeshMultiZoneService global no longer selects a service; web-1 has an outbound to it"
	)
	for name, after := range map[string]string{"removed": world, "other labels": world + strings.Replace(member, "svc: api", "svc: old", 1)} {
		found := compare(t, snapshotOf(t, world+member), snapshotOf(t, after), "shop")
		if !slices.Equal(found.Changed(), []string{"web-1"}) || !strings.Contains(found.Summary(), want) {
			t.Errorf("%s: %s", name, found.Summary())
		}
	}
}

// TestCertificateOfClient checks that a client without inbounds changes if it gets or loses its certificate.
func TestCertificateOfClient(t *testing.T) {
	t.Parallel()
	const world = `
---
{type: Dataplane, mesh: shop, name: front, networking: {address: 10.0.0.1, gateway: {type: DELEGATED, tags: {kuma.io/service: front}}, outbound: [{port: 1, tags: {kuma.io/service: api}}]}}
---
{type: Dataplane, mesh: shop, name: api-1, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: api}}]}}
`
	secured := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, "{type: Mesh, name: shop, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}"+world))
	plain := rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, "{type: Mesh, name: shop}"+world))
	for want, sides := range map[string][2]*rules.Snapshot{
		"the proxy loses its certificate of Mesh shop": {secured, plain},
		"the proxy gets a certificate of Mesh shop":    {plain, secured},
	} {
		found, err := impact.Compare(sides[0], sides[1], "shop")
		if changed := found.Changed(); err != nil || !slices.Contains(changed, "front") || !strings.Contains(found.Summary(), want) {
			t.Errorf("%v: %v\n%s", err, changed, found.Summary())
		}
	}
}

// TestIdentitiesOfServicesOfOtherZones changes which proxies a synchronized MeshService selects: a zone does not see these, and its clients
// accept the SPIFFE IDs that the other zone found.
func TestIdentitiesOfServicesOfOtherZones(t *testing.T) {
	t.Parallel()
	const mesh = `{type: Mesh, name: m, labels: {kuma.io/origin: global}, meshServices: {mode: Exclusive}%s}
---
{type: Dataplane, mesh: m, name: web-1, networking: {address: 10.0.0.1, inbound: [{port: 80, tags: {kuma.io/service: web}}], outbound: [
  {port: 1001, backendRef: {kind: MeshService, name: api-1, port: 80}}]}}
---
{type: MeshService, mesh: m, name: api-1, labels: {kuma.io/display-name: api, kuma.io/zone: west, kuma.io/origin: %s}, spec: {
  selector: {dataplaneTags: {kuma.io/service: %s}}, identities: [{type: ServiceTag, value: %s}], ports: [{port: 80}]}}`
	const mtls = `, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}`
	const trust = "}\n---\n{type: MeshTrust, mesh: m, name: td, spec: {trustDomain: td, caBundles: [{type: Pem, pem: {value: a}}]}"
	for _, tt := range []struct {
		mtls, origin, selected, identity string
		unknown                          bool
	}{
		{mtls, kuma.OriginGlobal, "other", "api", true},
		{mtls, kuma.OriginGlobal, "api", "other", true},
		{mtls, kuma.OriginGlobal, "api", "api", false},
		{"", kuma.OriginGlobal, "other", "other", false},
		{mtls + trust, kuma.OriginGlobal, "other", "other", false}, // clients accept what the MeshTrust vouches for
		{mtls, kuma.OriginZone, "api", "other", false},
	} {
		of := func(selected, identity string) *rules.Snapshot {
			documents := fmt.Sprintf(mesh, tt.mtls, tt.origin, selected, identity)
			return rules.NewSnapshotFor(kuma.Newest2(), testworld.Resources(t, documents))
		}
		i := compare(t, of("api", "api"), of(tt.selected, tt.identity), "m")
		if text := i.Summary(); i.IsUncertain() != tt.unknown || tt.unknown != strings.Contains(text, "SPIFFE IDs of MeshService \"api") {
			t.Errorf("%+v:\n%s", tt, text)
		}
	}
}
