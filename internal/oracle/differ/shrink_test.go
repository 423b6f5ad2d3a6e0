package main

import (
	"slices"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/randomworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

const smallWorld = `
type: Mesh
name: m
meshServices: {mode: Exclusive}
---
type: Dataplane
mesh: m
name: dp
labels: {team: a}
networking:
  address: 10.0.0.1
  inbound:
    - port: 80
      name: http
      tags: {kuma.io/service: web}
    - {port: 81}
---
type: MeshTimeout
mesh: m
name: t
labels: {team: a}
spec:
  targetRef: {kind: Mesh}
  to:
    - targetRef: {kind: Mesh}
      default: {idleTimeout: 1s, connectionTimeout: 2s}
    - targetRef: {kind: MeshService, name: web}
      default: {idleTimeout: 3s}
---
type: MeshTimeout
mesh: m
name: u
spec:
  rules:
    - {default: {idleTimeout: 4s}}
`

// TestShrink looks for worlds with a MeshTimeout whose `to` has an idle timeout
// for a MeshService.
func TestShrink(t *testing.T) {
	t.Parallel()
	got := shrink(testworld.Resources(t, smallWorld), 1000, func(world []kuma.Resource) bool {
		for _, r := range world {
			k, _ := kinds.Find(r.Type)
			if problems := def.Errors(k.Validate(r.Document())); len(problems) > 0 {
				t.Errorf("differs was called with an invalid %s: %v", r.Key(), problems)
			}
		}
		return slices.ContainsFunc(world, func(r kuma.Resource) bool {
			return slices.ContainsFunc(tree.Root(r.Document()).Find("spec.to[]"), func(n tree.Node) bool {
				kind, _ := n.Get("targetRef", "kind").Text()
				return kind == kuma.KindMeshService && n.Get("default", "idleTimeout").Known()
			})
		})
	})
	want := testworld.Resources(t, `
type: Mesh
name: m
skipCreatingInitialPolicies: ['*']
---
type: MeshTimeout
mesh: m
name: t
spec:
  to:
    - targetRef: {kind: MeshService, name: web}
      default: {idleTimeout: 3s}
`)
	testworld.Equal(t, "smallest world", documents(want), documents(got))
}

func TestShrinkKeepsItsLimit(t *testing.T) {
	t.Parallel()
	const limit = 50
	asked := 0
	world := randomworld.New(1, randomworld.Options{Mesh: "m", Zone: "zone-1"})
	shrink(world, limit, func([]kuma.Resource) bool { asked++; return false })
	if asked > limit {
		t.Errorf("differs was called %d times, the limit is %d", asked, limit)
	}
}

func documents(world []kuma.Resource) []map[string]any {
	return phrase.Each(world, kuma.Resource.Document)
}
