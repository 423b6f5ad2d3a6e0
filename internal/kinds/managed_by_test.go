package kinds_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestManagedBy(t *testing.T) {
	t.Parallel()
	const retries = "type: MeshRetry\nmesh: shop\nname: mesh-retry-all-shop\nspec:\n  to:\n    - targetRef:\n        kind: Mesh\n      default:\n"
	const generator = "type: HostnameGenerator\nname: local-universal-mesh-service\nspec:\n  selector:\n    meshService:\n      matchLabels:\n        kuma.io/origin: zone\n"
	zone := kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "east"}
	federated := kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "east", Federated: true}
	global := kuma.ControlPlane{Mode: kuma.ModeGlobal}
	mesh := testworld.Resource(t, "type: Mesh\nname: shop\n")
	bare := testworld.Resource(t, "type: Mesh\nname: shop\nskipCreatingInitialPolicies:\n  - '*'\n")
	initial := kinds.Initial(mesh, kuma.Newest2())[0]
	inForm3 := testworld.Resource(t, "{type: MeshTimeout, mesh: shop, name: mesh-timeout-all-shop, spec: {targetRef: {kind: Mesh}, rules: [{default: {connectionTimeout: 10s, idleTimeout: 2h0m0s, http: {requestTimeout: 0s, streamIdleTimeout: 1h0m0s, maxStreamDuration: 0s}}}]}}")
	two, three := zone, zone
	two.Release, three.Release = kuma.Newest2(), kuma.Release{Major: 3}
	identity := func(provider string) kuma.Resource {
		return testworld.Resource(t, "{type: MeshIdentity, mesh: shop, name: identity, spec: {provider: {type: "+provider+"}}}")
	}
	generates := identity("Bundled, bundled: {autogenerate: {enabled: true}}")
	copied := generates.Clone()
	copied.Name, copied.Labels = "identity-44vf7bc6b44c9fvc", map[string]string{kuma.LabelDisplayName: "identity", kuma.LabelOrigin: kuma.OriginGlobal}
	own := identity("Bundled, bundled: {meshTrustCreation: Disabled, ca: {}}")
	trust := testworld.Resource(t, "{type: MeshTrust, mesh: shop, name: identity, spec: {trustDomain: shop}}")
	rootCA := testworld.Resource(t, "{type: Secret, mesh: shop, name: identity-root-ca}")
	key := testworld.Resource(t, "{type: Secret, mesh: shop, name: identity-private-key}")
	written := testworld.Resource(t, "{type: Secret, mesh: shop, name: identity-root-ca, labels: {kuma.io/origin: zone}}")
	for name, test := range map[string]struct {
		resource kuma.Resource
		owner    kuma.Resource
		cp       kuma.ControlPlane
		want     string
	}{
		"a user":                       {testworld.Resource(t, retries+"        http:\n          numRetries: 1\n"), mesh, zone, ""},
		"the mesh":                     {initial, mesh, zone, kinds.ManagedByMesh},
		"stage one of an upgrade":      {inForm3, mesh, two, ""},
		"a development build of 3.0":   {inForm3, mesh, three, kinds.ManagedByMesh},
		"a mesh without such policies": {initial, bare, zone, ""},
		"a mesh that is not known":     {initial, kuma.Resource{}, zone, ""},
		"a generator":                  {testworld.Resource(t, "type: MeshService\nmesh: shop\nname: web\nlabels:\n  kuma.io/managed-by: meshservice-generator\n"), mesh, zone, "meshservice-generator"},
		"a signing key":                {testworld.Resource(t, "type: Secret\nmesh: shop\nname: dataplane-token-signing-key-shop-1\n"), mesh, zone, kinds.ManagedByControlPlane},
		"a builtin authority":          {testworld.Resource(t, "type: Secret\nmesh: shop\nname: shop.ca-builtin-key-ca\n"), mesh, zone, kinds.ManagedByControlPlane},
		"the token of administrators":  {testworld.Resource(t, "type: GlobalSecret\nname: admin-user-token\n"), mesh, zone, kinds.ManagedByControlPlane},
		"a secret of a user":           {testworld.Resource(t, "type: GlobalSecret\nname: user-token-revocations\n"), mesh, zone, ""},
		"a generator of host names":    {testworld.Resource(t, generator+"  template: '{{ .DisplayName }}.svc.mesh.local'\n"), kuma.Resource{}, zone, kinds.ManagedByControlPlane},
		"a generator that was changed": {testworld.Resource(t, generator+"  template: '{{ .DisplayName }}.shop'\n"), kuma.Resource{}, zone, ""},
		"the zone of a control plane":  {testworld.Resource(t, "type: Zone\nname: east\n"), kuma.Resource{}, zone, kinds.ManagedByControlPlane},
		"another zone":                 {testworld.Resource(t, "type: Zone\nname: east\n"), kuma.Resource{}, global, ""},
		"the global control plane":     {testworld.Resource(t, "type: MeshTimeout\nmesh: shop\nname: a\nlabels:\n  kuma.io/origin: global\n"), mesh, federated, kinds.ManagedByOther},
		"that of a zone of its own":    {testworld.Resource(t, "type: MeshTimeout\nmesh: shop\nname: a\nlabels:\n  kuma.io/origin: global\n"), mesh, zone, ""},
		"a zone":                       {testworld.Resource(t, "type: MeshTimeout\nmesh: shop\nname: a\nlabels:\n  kuma.io/origin: zone\n"), mesh, global, kinds.ManagedByOther},
		"a mesh on a zone of a global": {mesh, mesh, federated, kinds.ManagedByOther},
		"a generated certificate":      {rootCA, generates, zone, kinds.ManagedByControlPlane},
		"a generated key":              {key, generates, zone, kinds.ManagedByControlPlane},
		"a key for a copy":             {key, copied, federated, kinds.ManagedByControlPlane},
		"a trust whose owner is gone":  {testworld.Resource(t, "{type: MeshTrust, mesh: shop, name: identity, status: {origin: {kri: kri_mid_shop_zone-1__identity_}}}"), mesh, zone, kinds.ManagedByControlPlane},
		"one that has become a user's": {testworld.Resource(t, "{type: MeshTrust, mesh: shop, name: identity, labels: {kuma.io/origin: zone}, status: {origin: {kri: kri_mid_shop_zone-1__identity_}}}"), mesh, zone, ""},
		"a generated trust":            {trust, generates, zone, kinds.ManagedByControlPlane},
		"one that a user has written":  {written, generates, zone, ""},
		"the authority of a user":      {rootCA, own, zone, ""},
		"trust of a user":              {trust, own, zone, ""},
		"a SPIRE agent":                {trust, identity("Spire, spire: {}"), zone, ""},
		"no identity":                  {rootCA, mesh, zone, ""},
		"another name":                 {testworld.Resource(t, "{type: Secret, mesh: shop, name: root-ca}"), generates, zone, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, _ := kinds.Find(test.resource.Type)
			if got := kinds.ManagedBy(k, test.resource, []kuma.Resource{test.owner}, test.cp); got != test.want {
				t.Errorf("ManagedBy(%s) = %q, want %q", test.resource.Key(), got, test.want)
			}
		})
	}
}
