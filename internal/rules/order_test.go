package rules_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const (
	// aDataplane is in zone-1, like everything else with inZone.
	aDataplane = `
type: Dataplane
name: web
labels: {app: web, kuma.io/origin: zone, kuma.io/zone: zone-1}
networking:
  address: 10.0.0.1
  inbound:
    - port: 8080
      name: main
      tags: {kuma.io/service: web}
`
	aCart = `
type: MeshService
name: cart
labels: {kuma.io/origin: zone, kuma.io/zone: zone-1}
spec:
  ports:
    - {port: 80, name: http}
    - {port: 81}
`
	inZone = `labels: {kuma.io/origin: zone, kuma.io/zone: zone-1}`
)

// TestOrderOfPolicies is the example of matching.md §3.4.
func TestOrderOfPolicies(t *testing.T) {
	const (
		toMesh    = `to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]`
		toCart    = `to: [{targetRef: {kind: MeshService, name: cart}, default: {idleTimeout: 1s}}]`
		toSection = `to: [{targetRef: {kind: MeshService, name: cart, sectionName: http}, default: {idleTimeout: 1s}}]`
	)
	answer := answerFor(t, "web", aMesh, aDataplane, aCart,
		`{type: MeshTimeout, name: g, labels: {kuma.io/origin: global}, spec: {`+toMesh+`}}`,
		`{type: MeshTimeout, name: d, `+inZone+`, spec: {`+toSection+`}}`,
		`{type: MeshTimeout, name: c, `+inZone+`, spec: {`+toCart+`}}`,
		`{type: MeshTimeout, name: b, `+inZone+`, spec: {`+toCart+`}}`,
		`{type: MeshTimeout, name: y, labels: {kuma.io/origin: zone, kuma.io/zone: zone-1, kuma.io/display-name: a0}, spec: {`+toMesh+`}}`,
		`{type: MeshTimeout, name: a-mesh, `+inZone+`, spec: {`+toMesh+`}}`,
		`{type: MeshTimeout, name: s, `+inZone+`, spec: {targetRef: {kind: MeshSubset}, `+toMesh+`}}`,
	)
	got := rulesOf(answer, "MeshTimeout")

	wantResources := []string{
		`MeshService cart | {"idleTimeout":"1s"} | g#0 y#0 a-mesh#0 c#0 b#0 s#0`,
		`MeshService cart http | {"idleTimeout":"1s"} | g#0 y#0 a-mesh#0 c#0 b#0 d#0 s#0`,
		`Mesh default | {"idleTimeout":"1s"} | g#0 y#0 a-mesh#0 s#0`,
	}
	testworld.Equal(t, "toResourceRules", wantResources, resourceRules(got.ToResourceRules))
	wantTags := []string{
		`kuma.io/service=cart | {"idleTimeout":"1s"} | g d c b y a-mesh s`,
		` | {"idleTimeout":"1s"} | g y a-mesh s`,
	}
	testworld.Equal(t, "toRules", wantTags, tagRules(got.ToRules))
}

// TestOrderIsNotTransitive tests the cycle of matching.md §3.3, in which the
// initial order by resource name decides.
func TestOrderIsNotTransitive(t *testing.T) {
	for name, tt := range map[string]struct{ a, b, c, want string }{
		"named as displayed": {"a", "b", "c", "b a c"},
		"named in reverse":   {"c", "b", "a", "a b c"}, // displayed as c b a
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := func(resource, display, ref string) string {
				return `{type: MeshTrace, name: ` + resource +
					`, labels: {kuma.io/origin: zone, kuma.io/zone: zone-1, kuma.io/display-name: ` + display +
					`}, spec: {targetRef: {kind: Dataplane, ` + ref + `}, default: {}}}`
			}
			answer := answerFor(t, "web", aMesh, aDataplane,
				policy(tt.a, "a", `labels: {app: web}, sectionName: main`),
				policy(tt.b, "b", `sectionName: main`),
				policy(tt.c, "c", `name: web`))
			got := metas(rulesOf(answer, "MeshTrace").ProxyRule.Origin)
			if got != tt.want {
				t.Errorf("origin of the proxy rule: got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestOrderByRole covers the roles of matching.md §1.6.
func TestOrderByRole(t *testing.T) {
	const dataplane = `
type: Dataplane
name: web
labels: {k8s.kuma.io/namespace: shop}
networking:
  address: 10.0.0.1
  inbound: [{port: 8080}]
`
	policy := func(name, role string) string {
		return `{type: MeshTrace, name: ` + name + `, labels: {k8s.kuma.io/namespace: shop, kuma.io/policy-role: ` +
			role + `}, spec: {default: {}}}`
	}
	answer := answerFor(t, "web", aMesh, dataplane,
		policy("a-system", "system"), policy("b-unknown", "chief"), policy("c-owner", "workload-owner"),
		policy("d-producer", "producer"), policy("e-consumer", "consumer"))
	got := metas(rulesOf(answer, "MeshTrace").ProxyRule.Origin)
	if want := "b-unknown a-system d-producer e-consumer c-owner"; got != want {
		t.Errorf("origin of the proxy rule: got %q, want %q", got, want)
	}
}
