package access_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// Documents of the tests.
const (
	plainMesh    = "{type: Mesh, name: shop, meshServices: {mode: Exclusive}}"
	secureMesh   = "{type: Mesh, name: shop, meshServices: {mode: Exclusive}, mtls: {enabledBackend: ca, backends: [{name: ca, type: builtin}]}}"
	identity     = `{type: MeshIdentity, mesh: shop, name: identity, spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {trustDomain: td, path: '/{{ label "app" }}'}, provider: {type: Spire, spire: {}}}}`
	identityOfDB = `{type: MeshIdentity, mesh: shop, name: identity, spec: {selector: {dataplane: {matchLabels: {app: db}}}, spiffeID: {trustDomain: td, path: '/{{ label "app" }}'}, provider: {type: Spire, spire: {}}}}`
	noWorkload   = `{type: MeshIdentity, mesh: shop, name: identity, spec: {selector: {dataplane: {matchLabels: {app: web}}}, spiffeID: {trustDomain: td}, provider: {type: Spire, spire: {}}}}`
	permissive   = "{type: MeshTLS, mesh: shop, name: permissive, spec: {rules: [{default: {mode: Permissive}}]}}"
	allowAll     = "{type: MeshTrafficPermission, mesh: shop, name: allow-all, spec: {from: [{targetRef: {kind: Mesh}, default: {action: Allow}}]}}"
	allowTD      = `{type: MeshTrafficPermission, mesh: shop, name: allow-td, spec: {rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://td"}}]}}]}}`
	denyWeb      = "{type: MeshTrafficPermission, mesh: shop, name: deny-web, spec: {from: [{targetRef: {kind: MeshSubset, tags: {kuma.io/service: web}}, default: {action: Deny}}]}}"
	rulesWeb     = `{type: MeshTrafficPermission, mesh: shop, name: rules-web, spec: {rules: [{default: {allow: [{spiffeID: {type: Prefix, value: "spiffe://shop/web"}}, {spiffeID: {type: Exact, value: "spiffe://td/web"}}]}}]}}`
	denyRule     = `{type: MeshTrafficPermission, mesh: shop, name: deny-rule, spec: {rules: [{default: {deny: [{spiffeID: {type: Prefix, value: "spiffe://shop/other"}}]}}]}}`
	shadowWeb    = `{type: MeshTrafficPermission, mesh: shop, name: shadow-web, spec: {rules: [{default: {allowWithShadowDeny: [{spiffeID: {type: Exact, value: "spiffe://td/web"}}]}}]}}`
)

const trust = "{type: MeshTrust, mesh: shop, name: copy, spec: {trustDomain: td, caBundles: [{type: Pem, pem: {value: x}}]}}"

// bundled is a MeshIdentity with an authority.
func bundled(provider string) string {
	return `{type: MeshIdentity, mesh: shop, name: identity, spec: {selector: {dataplane: {matchLabels: {}}}, spiffeID: {trustDomain: td, path: '/{{ label "app" }}'}, provider: {type: Bundled, ` + provider + `}}}`
}

// dataplane is a Dataplane with a MeshService of the same name.
func dataplane(name, address string) string {
	return fmt.Sprintf(`{type: Dataplane, mesh: shop, name: %[1]s-1, labels: {app: %[1]s}, networking: {address: %[2]s, inbound: [{port: 8080, name: http, tags: {kuma.io/service: %[1]s}}]}}
---
{type: MeshService, mesh: shop, name: %[1]s, spec: {selector: {dataplaneLabels: {matchLabels: {app: %[1]s}}}, ports: [{port: 80, targetPort: 8080}]}}`, name, address)
}

func meshOf(t *testing.T, release kuma.Release, documents ...string) *proxy.Mesh {
	t.Helper()
	documents = append(documents, dataplane("web", "10.0.0.1"), dataplane("db", "10.0.0.2"))
	m, err := proxy.New(rules.NewSnapshotFor(release, testworld.Resources(t, documents...)), "shop")
	testworld.NoError(t, err)
	return m
}

// TestMultiZoneServiceOfMutualTLS checks that in 2.14 a client with a MeshIdentity does not
// accept the certificates of the mesh through a MeshMultiZoneService, and others do.
func TestMultiZoneServiceOfMutualTLS(t *testing.T) {
	t.Parallel()
	multi := rules.Port{Resource: kuma.ID{Type: kuma.KindMeshMultiZoneService, Mesh: "shop", Name: "db"}, Number: 80}
	for name, tt := range map[string]struct {
		identity string
		service  rules.Port
		want     proxy.Verdict
	}{
		"client with an identity":           {testworld.Edited(t, identityOfDB, "app: db", "app: web"), multi, proxy.TLSMismatch},
		"client with an identity, directly": {testworld.Edited(t, identityOfDB, "app: db", "app: web"), rules.Port{}, proxy.Allowed},
		"service with an identity":          {identityOfDB, multi, proxy.Denied},
		"no identity":                       {"", multi, proxy.Allowed},
	} {
		d, err := meshOf(t, kuma.Newest2(), secureMesh, allowAll, tt.identity).Decide("web-1", proxy.Target{Service: tt.service, Dataplane: "db-1", Port: 8080})
		if err != nil || d.Verdict != tt.want {
			t.Errorf("%s: %s, error %v, want %s", name, d, err, tt.want)
		}
	}
}

// TestDecide has the decisions that control planes generate (proxies.md §3, §5), for web that
// connects to db.
func TestDecide(t *testing.T) {
	t.Parallel()
	kuma3 := kuma.Release{Major: 3}
	for name, tt := range map[string]struct {
		release   kuma.Release
		documents []string
		want      string
	}{
		"no TLS":                            {kuma.Newest2(), []string{plainMesh, denyWeb}, "unchecked"},
		"no permission":                     {kuma.Newest2(), []string{secureMesh}, "denied, because no permission allows it"},
		"from allows":                       {kuma.Newest2(), []string{secureMesh, allowAll}, "allowed by MeshTrafficPermission allow-all"},
		"from denies":                       {kuma.Newest2(), []string{secureMesh, testworld.Edited(t, allowAll, "allow-all", "z"), denyWeb}, "denied by MeshTrafficPermission deny-web"},
		"first name wins in from":           {kuma.Newest2(), []string{secureMesh, allowAll, denyWeb}, "allowed by MeshTrafficPermission allow-all"},
		"trap: rules beside from allow":     {kuma.Newest2(), []string{secureMesh, allowAll, denyRule}, "denied, because no permission allows it; ignores from of allow-all because of the `rules` of deny-rule"},
		"trap: identity beside from":        {kuma.Newest2(), []string{secureMesh, identity, allowAll}, "denied, because no permission allows it; ignores from of allow-all because of the MeshIdentity identity"},
		"trap: from deny beside rules":      {kuma.Newest2(), []string{secureMesh, denyWeb, rulesWeb}, "allowed by MeshTrafficPermission rules-web; ignores from of deny-web because of the `rules` of rules-web"},
		"exact ID of the mesh":              {kuma.Newest2(), []string{secureMesh, testworld.Edited(t, rulesWeb, "Prefix", "Exact")}, "denied, because no permission allows it"},
		"exact ID of an identity":           {kuma.Newest2(), []string{plainMesh, identity, rulesWeb}, "allowed by MeshTrafficPermission rules-web"},
		"shadow":                            {kuma.Newest2(), []string{plainMesh, identity, shadowWeb}, "allowed by MeshTrafficPermission shadow-web; shadow denied by MeshTrafficPermission shadow-web"},
		"no certificate":                    {kuma.Newest2(), []string{plainMesh, identityOfDB, rulesWeb}, "no certificate"},
		"permissive":                        {kuma.Newest2(), []string{plainMesh, identityOfDB, permissive}, "plaintext"},
		"permissive with a certificate":     {kuma.Newest2(), []string{plainMesh, identity, permissive}, "denied, because no permission allows it"},
		"server without identity":           {kuma.Newest2(), []string{plainMesh, testworld.Edited(t, identityOfDB, "app: db", "app: web")}, "TLS mismatch"},
		"server without identity in 3.0":    {kuma3, []string{plainMesh, testworld.Edited(t, identityOfDB, "app: db", "app: web")}, "unchecked"},
		"label is missing":                  {kuma.Newest2(), []string{plainMesh, noWorkload}, "no configuration"},
		"trusted authority":                 {kuma.Newest2(), []string{plainMesh, bundled("bundled: {insecureAllowSelfSigned: true, autogenerate: {enabled: true}}"), allowTD}, "allowed by MeshTrafficPermission allow-td"},
		"authority without a MeshTrust":     {kuma.Newest2(), []string{plainMesh, bundled("bundled: {insecureAllowSelfSigned: true, autogenerate: {enabled: true}, meshTrustCreation: Disabled}"), allowTD}, "TLS mismatch"},
		"authority of 3.0":                  {kuma3, []string{plainMesh, bundled("bundled: {insecureAllowSelfSigned: true, autogenerate: {enabled: true}, meshTrustCreation: Disabled}"), allowTD}, "TLS mismatch"},
		"authority in a MeshTrust":          {kuma.Newest2(), []string{plainMesh, bundled("bundled: {insecureAllowSelfSigned: true, autogenerate: {enabled: true}, meshTrustCreation: Disabled}"), trust, allowTD}, "allowed by MeshTrafficPermission allow-td"},
		"authority in no MeshTrust":         {kuma.Newest2(), []string{plainMesh, bundled("bundled: {insecureAllowSelfSigned: true, autogenerate: {enabled: true}, meshTrustCreation: Disabled}"), testworld.Edited(t, trust, "trustDomain: td", "trustDomain: x"), allowTD}, "TLS mismatch"},
		"own authority of two":              {kuma.Newest2(), []string{plainMesh, bundled("bundled: {ca: {}, meshTrustCreation: Disabled}"), testworld.Edited(t, bundled("bundled: {ca: {}}"), "name: identity", "name: other", "matchLabels: {}", "matchLabels: {app: x}"), allowTD}, "allowed by MeshTrafficPermission allow-td"},
		"authority of SPIRE beside another": {kuma3, []string{plainMesh, identity, testworld.Edited(t, bundled("bundled: {ca: {}}"), "name: identity", "name: own", "matchLabels: {}", "matchLabels: {app: db}", "trustDomain: td", "trustDomain: own"), allowTD}, "TLS mismatch"},
		"authority of SPIRE in a MeshTrust": {kuma3, []string{plainMesh, identity, testworld.Edited(t, bundled("bundled: {ca: {}}"), "name: identity", "name: own", "matchLabels: {}", "matchLabels: {app: db}", "trustDomain: td", "trustDomain: own"), trust, allowTD}, "allowed by MeshTrafficPermission allow-td"},
		"authority of SPIRE alone":          {kuma3, []string{plainMesh, identity, allowTD}, "allowed by MeshTrafficPermission allow-td"},
		"authority is not accepted":         {kuma.Newest2(), []string{plainMesh, bundled("bundled: {autogenerate: {enabled: true}}"), allowTD}, "unchecked"},
		"authority of the mesh":             {kuma.Newest2(), []string{secureMesh, bundled("bundled: {autogenerate: {enabled: true}}"), allowTD}, "denied, because no permission allows it"},
		"zone is not known":                 {kuma.Newest2(), []string{plainMesh, testworld.Edited(t, identity, "trustDomain: td, ", ""), rulesWeb}, "undecided"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := meshOf(t, tt.release, tt.documents...).Decide("web-1", proxy.Target{Dataplane: "db-1", Port: 8080})
			testworld.NoError(t, err)
			got := d.String()
			if d.Shadow != nil {
				got += "; shadow " + d.Shadow.String()
			}
			if d.Ignored != nil {
				got += "; ignores from of " + d.Ignored.Policies[0].Name + " because of " + d.Ignored.Reason()
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestServiceWithAndWithoutIdentity has what clients do if only some proxies of a service
// have a certificate: for Kuma 3.0, that is a service without (proxies.md §5).
func TestServiceWithAndWithoutIdentity(t *testing.T) {
	t.Parallel()
	secure := func(document string) string { return testworld.Edited(t, document, "labels: {", "labels: {tls: on, ") }
	second := "{type: Dataplane, mesh: shop, name: db-2, labels: {app: db}, networking: {address: 10.0.0.3, inbound: [{port: 8080, name: http}]}}"
	documents := []string{
		plainMesh, rulesWeb, testworld.Edited(t, identity, "matchLabels: {}", "matchLabels: {tls: on}"),
		secure(dataplane("web", "10.0.0.1")), secure(dataplane("db", "10.0.0.2")), second,
	}
	service := rules.Port{Resource: kuma.ID{Type: kuma.KindMeshService, Mesh: "shop", Name: "db"}, Section: "80", Number: 80}
	for release, want := range map[kuma.Release][]proxy.Verdict{
		kuma.Newest2(): {proxy.Allowed, proxy.TLSMismatch},
		{Major: 3}:     {proxy.TLSMismatch, proxy.Unchecked},
	} {
		m, err := proxy.New(rules.NewSnapshotFor(release, testworld.Resources(t, documents...)), "shop")
		testworld.NoError(t, err)
		for i, server := range []string{"db-1", "db-2"} {
			if d, err := m.Decide("web-1", proxy.Target{Service: service, Dataplane: server, Port: 8080}); err != nil || d.Verdict != want[i] {
				t.Errorf("%v, %s: %v, %v, want %s", release, server, d, err, want[i])
			}
		}
	}
}

// TestServiceWithBrokenProxy shows that clients with a certificate of a permissive mesh speak plaintext to a service
// as long as one of its proxies gets no certificate, here because its Dataplane lacks a label. Clients with a
// MeshIdentity speak TLS, also on Kuma 3.0 (seeds 67 and 43).
func TestServiceWithBrokenProxy(t *testing.T) {
	t.Parallel()
	service := rules.Port{Resource: kuma.ID{Type: kuma.KindMeshService, Mesh: "shop", Name: "db"}, Section: "80", Number: 80}
	for _, release := range []kuma.Release{kuma.Newest2(), rules.Newest()} {
		m := meshOf(t, release,
			testworld.Edited(t, secureMesh, "type: builtin", "type: builtin, mode: PERMISSIVE"),
			testworld.Edited(t, testworld.Edited(t, identityOfDB, `label "app"`, `label "team"`), "Spire, spire: {}", "Bundled, bundled: {}"),
			"{type: Dataplane, mesh: shop, name: db-2, labels: {app: db, team: a}, networking: {address: 10.0.0.3, inbound: [{port: 8080, name: http}]}}")
		for client, want := range map[string]bool{"web-1": false, "db-2": true} {
			if d, err := m.Decide(client, proxy.Target{Service: service, Dataplane: "db-2", Port: 8080}); err != nil || d.TLS != want {
				t.Errorf("%s, %s: %v, TLS %t, %v", release, client, d, d.TLS, err)
			}
		}
	}
}
