package rules_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestOverridingOnUniversal is the example "Overriding on universal" of Kuma's
// design for routes in `to`: a policy for a subset of the mesh overrides, field
// by field, the policies for the service and its route that select all proxies.
func TestOverridingOnUniversal(t *testing.T) {
	const (
		conf1 = `{connectionTimeout: 1s, idleTimeout: 1h}`
		conf2 = `{http: {requestTimeout: 2s, streamIdleTimeout: 2m}}`
		conf3 = `{connectionTimeout: 3s}`
		conf4 = `{http: {requestTimeout: 4s}}`

		toService = `to: [{targetRef: {kind: MeshService, name: backend}, default: `
		toRoute   = `to: [{targetRef: {kind: MeshHTTPRoute, name: route-to-backend}, default: `
		frontend  = `targetRef: {kind: MeshSubset, tags: {services-group: frontend}}, `
	)
	documents := []string{
		aMesh, `
type: MeshService
name: backend
spec:
  ports: [{port: 80}]
`, `
type: MeshHTTPRoute
name: route-to-backend
spec:
  to:
    - targetRef: {kind: MeshService, name: backend}
      rules:
        - matches:
            - path: {type: PathPrefix, value: /slow-endpoint}
          default:
            backendRefs:
              - {kind: MeshService, name: backend, weight: 1}
`, `
type: Dataplane
name: frontend
networking:
  address: 10.0.0.1
  inbound:
    - port: 80
      tags: {kuma.io/service: frontend, services-group: frontend}
`, `
type: Dataplane
name: other
networking:
  address: 10.0.0.2
  inbound:
    - port: 80
      tags: {kuma.io/service: other}
`,
		`{type: MeshTimeout, name: timeout-on-backend-service, spec: {` + toService + conf1 + `}]}}`,
		`{type: MeshTimeout, name: timeout-on-backend-route, spec: {` + toRoute + conf2 + `}]}}`,
		`{type: MeshTimeout, name: timeout-on-backend-service-override, spec: {` + frontend + toService + conf3 + `}]}}`,
		`{type: MeshTimeout, name: timeout-on-backend-route-override, spec: {` + frontend + toRoute + conf4 + `}]}}`,
	}
	for dataplane, want := range map[string][]string{
		"frontend": {
			`MeshService backend | {"connectionTimeout":"3s","idleTimeout":"1h"}` +
				` | timeout-on-backend-service#0 timeout-on-backend-service-override#0`,
			`MeshHTTPRoute route-to-backend | {"http":{"requestTimeout":"4s","streamIdleTimeout":"2m"}}` +
				` | timeout-on-backend-route#0 timeout-on-backend-route-override#0`,
		},
		"other": {
			`MeshService backend | {"connectionTimeout":"1s","idleTimeout":"1h"} | timeout-on-backend-service#0`,
			`MeshHTTPRoute route-to-backend | {"http":{"requestTimeout":"2s","streamIdleTimeout":"2m"}} | timeout-on-backend-route#0`,
		},
	} {
		t.Run(dataplane, func(t *testing.T) {
			t.Parallel()
			got := resourceRules(rulesOf(answerFor(t, dataplane, documents...), "MeshTimeout").ToResourceRules)
			testworld.Equal(t, "toResourceRules", want, got)
		})
	}
}

// TestRelevance is the example of matching.md §4.3.
func TestRelevance(t *testing.T) {
	answer := answerFor(t, "web", aMesh, aDataplane, aCart,
		`{type: MeshExternalService, name: pay, `+inZone+`, spec: {match: {port: 443}}}`,
		`{type: MeshHTTPRoute, name: r1, `+inZone+`, spec: {to: []}}`, `
type: MeshTimeout
name: t
labels: {kuma.io/origin: zone, kuma.io/zone: zone-1}
spec:
  to:
    - targetRef: {kind: Mesh}
      default:
        connectionTimeout: 5s
        http: {requestTimeout: 1s}
    - targetRef: {kind: MeshService, name: cart}
      default: {http: {requestTimeout: 2s}}
    - targetRef: {kind: MeshService, name: cart, sectionName: http}
      default: {http: {streamIdleTimeout: 3s}}
    - targetRef: {kind: MeshService, name: cart, sectionName: "81"}
      default: {http: {streamIdleTimeout: 4s}}
    - targetRef: {kind: MeshService, name: cart, sectionName: "80"}
      default: {http: {streamIdleTimeout: 5s}}
    - targetRef: {kind: MeshService, name: nope}
      default: {http: {streamIdleTimeout: 6s}}
    - targetRef: {kind: MeshHTTPRoute, name: r1}
      default: {http: {requestTimeout: 7s}}
`)
	got := rulesOf(answer, "MeshTimeout")
	want := []string{
		`MeshService cart | {"connectionTimeout":"5s","http":{"requestTimeout":"2s"}} | t#0 t#1`,
		`MeshService cart 81 | {"connectionTimeout":"5s","http":{"requestTimeout":"2s","streamIdleTimeout":"4s"}} | t#0 t#1 t#3`,
		`MeshService cart http | {"connectionTimeout":"5s","http":{"requestTimeout":"2s","streamIdleTimeout":"3s"}} | t#0 t#1 t#2`,
		`Mesh default | {"connectionTimeout":"5s","http":{"requestTimeout":"1s"}} | t#0`,
		`MeshHTTPRoute r1 | {"connectionTimeout":"5s","http":{"requestTimeout":"7s"}} | t#0 t#6`,
	}
	testworld.Equal(t, "toResourceRules", want, resourceRules(got.ToResourceRules))
	if len(got.ToRules) != 0 {
		t.Errorf("toRules: got %v, want none because of the entry for a route", tagRules(got.ToRules))
	}
}

// TestResolve covers matching.md §4.1: which services and ports a reference
// resolves to.
func TestResolve(t *testing.T) {
	services := []string{
		aMesh, aDataplane, aCart,
		`
type: MeshService
name: basket
labels:
  kuma.io/origin: zone
  kuma.io/zone: zone-1
  kuma.io/display-name: trolley
  team: red
spec:
  ports: [{port: 80, name: ""}]
`,
		`
type: MeshService
name: far
labels: {kuma.io/origin: zone, kuma.io/zone: zone-2, team: red}
spec:
  ports: [{port: 80, name: http}]
`,
		`
type: MeshService
name: old.shop
labels: {kuma.io/display-name: old, k8s.kuma.io/namespace: shop}
spec:
  ports:
    - {port: 80, name: http}
    - {port: 81, name: admin}
`,
		`
type: MeshMultiZoneService
name: wide
labels: {team: blue}
spec:
  ports: [{port: 80, name: ""}]
`,
		`{type: MeshExternalService, name: pay, ` + inZone + `, spec: {match: {port: 443}}}`,
	}
	for name, tt := range map[string]struct {
		ref  string
		want []string
	}{
		"by name":                         {`{kind: MeshService, name: cart}`, []string{"cart"}},
		"by display name":                 {`{kind: MeshService, name: trolley}`, []string{"basket"}},
		"a name behind a display name":    {`{kind: MeshService, name: basket}`, nil},
		"of another zone":                 {`{kind: MeshService, name: far}`, nil},
		"by label, of any zone":           {`{kind: MeshService, labels: {team: red}}`, []string{"basket", "far"}},
		"by labels and section":           {`{kind: MeshService, labels: {team: red}, sectionName: http}`, []string{"far http"}},
		"by a label that none has":        {`{kind: MeshService, labels: {team: red, tier: x}}`, nil},
		"empty labels count as none":      {`{kind: MeshService, name: cart, labels: {}}`, []string{"cart"}},
		"unnamed port":                    {`{kind: MeshService, name: cart, sectionName: "81"}`, []string{"cart 81"}},
		"number of a named port":          {`{kind: MeshService, name: cart, sectionName: "80"}`, nil},
		"port with an empty name":         {`{kind: MeshService, name: trolley, sectionName: "80"}`, nil},
		"legacy name":                     {`{kind: MeshService, name: old_shop_svc}`, []string{"old.shop"}},
		"legacy name with a port":         {`{kind: MeshService, name: old_shop_svc_81}`, []string{"old.shop admin"}},
		"legacy name, port 0":             {`{kind: MeshService, name: old_shop_svc_0}`, []string{"old.shop"}},
		"legacy name, unknown port":       {`{kind: MeshService, name: old_shop_svc_99}`, nil},
		"legacy name, not a port":         {`{kind: MeshService, name: old_shop_svc_http}`, nil},
		"multi-zone service by name":      {`{kind: MeshMultiZoneService, name: wide}`, nil},
		"multi-zone service by label":     {`{kind: MeshMultiZoneService, labels: {team: blue}, sectionName: "80"}`, []string{"wide 80"}},
		"external service":                {`{kind: MeshExternalService, name: pay}`, []string{"pay"}},
		"port of an external service":     {`{kind: MeshExternalService, name: pay, sectionName: "443"}`, []string{"pay 443"}},
		"kinds that are not destinations": {`{kind: MeshSubset, tags: {a: b}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := `{type: MeshTimeout, name: t, ` + inZone + `, spec: {to: [{targetRef: ` + tt.ref + `, default: {}}]}}`
			answer := answerFor(t, "web", append(slices.Clip(services), policy)...)
			var got []string
			for _, r := range rulesOf(answer, "MeshTimeout").ToResourceRules {
				about := r.ResourceMeta.Name
				if r.ResourceSectionName != "" {
					about += " " + r.ResourceSectionName
				}
				got = append(got, about)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("rules for %s (-want +got):\n%s", tt.ref, diff)
			}
		})
	}
}
