package digest_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/digest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestGroupsMatchDigests checks that the digest of a group, computed once, equals
// the digest of each of its dataplanes.
func TestGroupsMatchDigests(t *testing.T) {
	t.Parallel()
	grouped, groups := 0, 0
	for _, world := range testworld.GoldenSample(t) {
		s := rules.NewSnapshot(world.Resources)
		names := s.Dataplanes(world.Mesh)
		found, err := digest.Groups(s, world.Mesh, names)
		if errors.Is(err, rules.ErrTooManySubsets) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", world.Name, err)
		}
		var all []string
		for _, g := range found {
			groups++
			grouped += len(g.Dataplanes)
			all = append(all, g.Dataplanes...)
			for _, name := range g.Dataplanes {
				answer, err := s.Dataplane(world.Mesh, name)
				if err != nil {
					t.Fatalf("%s: %v", world.Name, err)
				}
				if want, err := digest.Of(s, answer); want != g.Digest || err != nil {
					t.Errorf("%s: digest of %s: got %s from its group, want %s (%v)", world.Name, name, g.Digest, want, err)
				}
			}
		}
		slices.Sort(all)
		if diff := cmp.Diff(names, all); diff != "" {
			t.Errorf("%s: dataplanes of all groups (-want +got):\n%s", world.Name, diff)
		}
	}
	if grouped <= groups || groups == 0 {
		t.Errorf("%d dataplanes are in %d groups", grouped, groups)
	}
	t.Logf("%d dataplanes are in %d groups", grouped, groups)
}

// TestGroupOrder checks that groups are sorted by size, then by their first name.
func TestGroupOrder(t *testing.T) {
	t.Parallel()
	world := mesh
	for name, team := range map[string]string{"a": "a", "b": "b", "c": "c", "d": "b", "e": "b"} {
		world += "\n---\n" + testworld.Edited(t, web, "web-1", name, "app: web", "team: "+team)
	}
	s := rules.NewSnapshot(testworld.Resources(t, world))
	groups, err := digest.Groups(s, kuma.DefaultMesh, []string{"e", "d", "c", "b", "a"}, "MeshTimeout")
	testworld.NoError(t, err)
	var got [][]string
	for _, g := range groups {
		got = append(got, g.Dataplanes)
	}
	testworld.Equal(t, "groups", [][]string{{"b", "d", "e"}, {"a", "c"}}, got)
	if _, err := digest.Groups(s, kuma.DefaultMesh, []string{"unknown"}); !errors.Is(err, rules.ErrUnknownDataplane) {
		t.Errorf("unknown dataplane: got %v, want %v", err, rules.ErrUnknownDataplane)
	}
}

// TestOfGroups checks that the digest changes with the groups but not with their
// proxies.
func TestOfGroups(t *testing.T) {
	t.Parallel()
	a, b := digest.Group{Digest: "a", Dataplanes: []string{"a-1"}}, digest.Group{Digest: "b", Dataplanes: []string{"b-1"}}
	if got := digest.OfGroups([]digest.Group{a}); got != a.Digest {
		t.Errorf("digest of the only group: got %s, want %s", got, a.Digest)
	}
	both := digest.OfGroups([]digest.Group{a, b})
	b.Dataplanes = []string{"b-1", "b-2"}
	if got := digest.OfGroups([]digest.Group{b, a}); got != both {
		t.Errorf("digest with one more proxy: got %s, want %s", got, both)
	}
	if got := digest.OfGroups([]digest.Group{a, {Digest: "c"}}); got == both {
		t.Errorf("digest of different groups is the same: %s", got)
	}
}
