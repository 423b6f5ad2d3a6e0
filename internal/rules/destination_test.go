package rules_test

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestCandidates(t *testing.T) {
	t.Parallel()
	s := snapshotOf(t, aMesh, `
type: MeshService
name: cart-4x7
labels: {kuma.io/display-name: cart, kuma.io/zone: east, tier: gold}
spec:
  ports:
    - {port: 80, name: http}
    - {port: 81}
---
type: MeshService
name: cart-9c2
labels: {kuma.io/display-name: cart, kuma.io/zone: west, tier: gold}
---
type: MeshExternalService
name: bank
spec: {match: {port: 443}}
---
type: MeshHTTPRoute
name: cart
spec: {}
---
type: MeshTimeout
name: cart
spec: {}
`)
	for name, tt := range map[string]struct {
		mesh, kind, name string
		labels           map[string]string
		want             string // names with their ports
	}{
		"name":            {"default", "MeshService", "cart-9c2", nil, "cart-9c2[]"},
		"display name":    {"default", "MeshService", "cart", nil, "cart-4x7[http 81] cart-9c2[]"},
		"labels":          {"default", "MeshService", "", map[string]string{"tier": "gold"}, "cart-4x7[http 81] cart-9c2[]"},
		"name and labels": {"default", "MeshService", "cart", map[string]string{"kuma.io/zone": "west"}, "cart-9c2[]"},
		"none":            {"default", "MeshService", "pay", nil, ""},
		"external":        {"default", "MeshExternalService", "bank", nil, "bank[443]"},
		"route":           {"default", "MeshHTTPRoute", "cart", nil, "cart[]"},
		"no destination":  {"default", "MeshTimeout", "cart", nil, ""},
		"unknown mesh":    {"other", "MeshService", "cart", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, c := range s.Candidates(tt.mesh, tt.kind, tt.name, tt.labels) {
				got = append(got, c.Name+"["+strings.Join(c.Ports, " ")+"]")
			}
			testworld.Equal(t, "Candidates", tt.want, strings.Join(got, " "))
		})
	}
}

func TestHasServiceTag(t *testing.T) {
	t.Parallel()
	s := snapshotOf(t, aMesh, aDataplane, `
type: Dataplane
name: edge
networking:
  gateway: {tags: {kuma.io/service: edge}}
`)
	for service, want := range map[string]bool{"web": true, "edge": true, "cart": false} {
		if got := s.HasServiceTag("default", service); got != want {
			t.Errorf("HasServiceTag(%q) = %t, want %t", service, got, want)
		}
	}
	if s.HasServiceTag("other", "web") {
		t.Error("an unknown mesh has a service")
	}
	testworld.Equal(t, "ServiceTags", []string{"edge", "web"}, s.ServiceTags("default"))
	if got := s.ServiceTags("other"); got != nil {
		t.Errorf("ServiceTags of an unknown mesh: got %v", got)
	}
}

// TestDataplaneOfTypes checks that the answer for some types contains their
// elements of the whole answer, and their matches.
func TestDataplaneOfTypes(t *testing.T) {
	t.Parallel()
	s := snapshotOf(t, aMesh, aDataplane, "type: MeshTrace\nname: t\nspec: {default: {}}",
		`
type: MeshTimeout
name: t
spec:
  to:
    - {targetRef: {kind: Mesh}, default: {}}
`,
		`
type: MeshHTTPRoute
name: r
spec:
  to:
    - targetRef: {kind: MeshService, name: cart}
      rules:
        - matches: [{method: GET}]
          default: {}
`)
	all, err := s.Dataplane("default", "web")
	testworld.NoError(t, err)
	some, err := s.Dataplane("default", "web", "MeshTrace", "MeshRetry", "MeshTimeout")
	testworld.NoError(t, err)
	want := rules.Answer{HTTPMatches: []rules.HTTPMatch{}, Resource: all.Resource, Rules: []rules.PolicyRules{rulesOf(all, "MeshTrace"), rulesOf(all, "MeshTimeout")}}
	testworld.Equal(t, "answer", compact(throughJSON(t, want)), compact(throughJSON(t, some)))
	if len(all.Rules) != 3 || len(all.HTTPMatches) != 1 {
		t.Errorf("the whole answer has %d types and %d matches, want 3 and 1", len(all.Rules), len(all.HTTPMatches))
	}
}
