package rules_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestDependents(t *testing.T) {
	s := rules.NewSnapshot(testworld.Resources(t, aMesh,
		`
type: MeshTimeout
mesh: default
name: p
spec:
  to:
    - targetRef: {kind: MeshService, name: gone}
      default: {idleTimeout: 1s}
`,
		`
type: MeshRetry
mesh: default
name: p
spec:
  to:
    - targetRef: {kind: MeshHTTPRoute, name: gone}
      default: {http: {numRetries: 1}}
`,
		`
type: MeshAccessLog
mesh: default
name: p
spec:
  targetRef: {kind: MeshHTTPRoute, name: gone}
  to:
    - targetRef: {kind: Mesh}
      default: {backends: []}
`,
	))
	all := []string{"MeshAccessLog", "MeshTimeout", "MeshRetry"}
	for kind, want := range map[string][]string{
		"Dataplane":            nil,
		"Mesh":                 append(slices.Clone(all), "MeshTrafficPermission"),
		"MeshIdentity":         {"MeshTrafficPermission"},
		"MeshGateway":          all,
		"MeshService":          {"MeshTimeout"},
		"MeshExternalService":  nil,
		"MeshMultiZoneService": nil,
		"MeshTimeout":          {"MeshTimeout"},
		"MeshTLS":              {"MeshTLS"},
		"MeshHTTPRoute":        {"MeshAccessLog", "MeshHTTPRoute", "MeshRetry"},
		"Zone":                 nil,
	} {
		t.Run(kind, func(t *testing.T) {
			got := s.Dependents("default", kind)
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Dependents(%s) (-want +got):\n%s", kind, diff)
			}
		})
	}
}

// TestRulesChangeForDependentsOnly removes each resource of a world in turn,
// and checks that the rules of types that do not depend on its kind do not
// change.
func TestRulesChangeForDependentsOnly(t *testing.T) {
	changed := 0
	for _, world := range worlds(t) {
		before := rules.NewSnapshot(world)
		for i, r := range world {
			if r.Type == kuma.KindMesh {
				continue // without it there are no answers
			}
			after := rules.NewSnapshot(slices.Delete(slices.Clone(world), i, i+1))
			dependents := append(before.Dependents("default", r.Type), after.Dependents("default", r.Type)...)
			for _, name := range after.Dataplanes("default") {
				for _, k := range kinds.Policies() {
					same := rulesText(t, before, name, k.Name) == rulesText(t, after, name, k.Name)
					if !same && !slices.Contains(dependents, k.Name) {
						t.Errorf("without %s the %s of %s are others, which do not depend on it", r.Key(), k.Name, name)
					}
					if !same {
						changed++
					}
				}
			}
		}
	}
	if changed == 0 {
		t.Error("no removal changed anything")
	}
}

// TestInfluences checks that omitting resources without influence does not
// change rules.
func TestInfluences(t *testing.T) {
	for name, want := range map[string]bool{
		"MeshTimeout": true, "MeshHTTPRoute": true, "MeshService": true, "Mesh": true, "Dataplane": true,
		"MeshRetry": false, "MeshTrust": false, "Unheard": false,
	} {
		if got := rules.Influences(name, "MeshTimeout"); got != want {
			t.Errorf("Influences(%q, MeshTimeout) = %t, want %t", name, got, want)
		}
	}
	for _, world := range worlds(t) {
		var left []kuma.Resource
		for _, r := range world {
			if rules.Influences(r.Type, "MeshTimeout") {
				left = append(left, r)
			}
		}
		all, few := rules.NewSnapshot(world), rules.NewSnapshot(left)
		for _, name := range all.Dataplanes("default") {
			want, err := all.Rules("default", name, "MeshTimeout")
			got, errFew := few.Rules("default", name, "MeshTimeout")
			if (err == nil) != (errFew == nil) || compact(throughJSON(t, want)) != compact(throughJSON(t, got)) {
				t.Errorf("rules of %s change:\n%s", name, cmp.Diff(compact(throughJSON(t, want)), compact(throughJSON(t, got))))
			}
		}
	}
}

// TestDependentsAreInfluenced checks that Dependents only returns types that
// Influences includes.
func TestDependentsAreInfluenced(t *testing.T) {
	dependents := 0
	for _, world := range worlds(t) {
		s := rules.NewSnapshot(world)
		for _, k := range rules.Kinds() {
			for _, policyType := range s.Dependents("default", k.Name) {
				dependents++
				if !rules.Influences(k.Name, policyType) {
					t.Errorf("%s depends on %s, which is said not to influence it", policyType, k.Name)
				}
			}
		}
	}
	if dependents == 0 {
		t.Error("no type depends on any")
	}
}

// TestAddressMatters checks that another address does not change the rules of a
// proxy for which it does not matter.
func TestAddressMatters(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, w := range testworld.GoldenSample(t) {
		moved := make([]kuma.Resource, len(w.Resources))
		var proxies []string
		for i, r := range w.Resources {
			moved[i] = r.Clone()
			networking := tree.Object(moved[i].Body["networking"])
			if r.Type == kuma.KindDataplane && r.Mesh == w.Mesh && networking["address"] != nil && !rules.AddressMatters(networking) {
				networking["address"] = "203.0.113.9"
				proxies = append(proxies, r.Name)
			}
		}
		before, after := rules.NewSnapshot(w.Resources), rules.NewSnapshot(moved)
		for _, name := range proxies {
			if diff := cmp.Diff(answerJSON(t, before, w.Mesh, name), answerJSON(t, after, w.Mesh, name)); diff != "" {
				t.Errorf("world %s, %s with another address (-before +after):\n%s", w.Name, name, diff)
			}
			checked++
		}
	}
	if checked == 0 {
		t.Error("the address matters for every proxy")
	}
}

func answerJSON(t *testing.T, s *rules.Snapshot, mesh, dataplane string) string {
	t.Helper()
	answer, err := s.Dataplane(mesh, dataplane)
	testworld.NoError(t, err)
	text, err := tree.EncodeJSON(answer)
	testworld.NoError(t, err)
	return text
}

// TestAddressMattersBesideAnother checks an inbound with its own address, which
// may be that of the proxy: then two inbounds with one port are one.
func TestAddressMattersBesideAnother(t *testing.T) {
	t.Parallel()
	answer := func(address string) string {
		proxy := testworld.Resource(t, `
type: Dataplane
name: web-1
networking:
  address: `+address+`
  inbound:
    - {port: 80, name: first, tags: {kuma.io/service: web}}
    - {port: 80, name: second, address: 10.0.0.5, tags: {kuma.io/service: admin}}
`)
		if networking := tree.Object(proxy.Body["networking"]); !rules.AddressMatters(networking) {
			t.Errorf("AddressMatters(%v) = false, want true", networking)
		}
		s := rules.NewSnapshot(append(testworld.Resources(t, aMesh, `
type: MeshTrafficPermission
mesh: default
name: p
spec:
  targetRef: {kind: Dataplane}
  from:
    - targetRef: {kind: Mesh}
      default: {action: Allow}
`), proxy))
		return answerJSON(t, s, "default", "web-1")
	}
	if first, second := answer("10.0.0.1"), answer("10.0.0.5"); first == second {
		t.Errorf("the address does not matter: %s", first)
	}
}
