package rules

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// TestComponentsAreThoseOfTheComparison compares the components with those
// found by comparing every pair.
func TestComponentsAreThoseOfTheComparison(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	cycles := 0
	for range 3_000 {
		items := randomItems(random)
		want := reachableFromEachOther(items)
		for _, component := range componentsOf(items) {
			var got []string
			for _, i := range component {
				got = append(got, i.policy.Name)
			}
			slices.Sort(got)
			if diff := cmp.Diff(want[got[0]], got); diff != "" {
				t.Fatalf("component (-want +got):\n%s", diff)
			}
			if len(got) > 1 {
				cycles++
			}
		}
	}
	if cycles == 0 {
		t.Error("no cycle in any list")
	}
}

// randomItems generates policies that select dataplanes in all ways.
func randomItems(random *rand.Rand) []sortedItem {
	var items []sortedItem
	for i := range 1 + random.IntN(9) {
		top := kuma.TargetRef{Kind: kuma.KindDataplane}
		if random.IntN(3) == 0 {
			top.Name = "web"
		} else if random.IntN(2) == 0 {
			top.Labels = map[string]string{}
		}
		if random.IntN(2) == 0 {
			top.SectionName = "http"
		}
		if random.IntN(30) == 0 {
			top.Name, top.Labels = "web", map[string]string{}
		}
		p := &policy{Resource: &kuma.Resource{Name: string(rune('a' + i))}, top: top}
		p.strength = strength{kind: kindRank(top.Kind), origin: random.IntN(2), name: string(rune('a' + random.IntN(12)))}
		items = append(items, sortedItem{policy: p})
	}
	return items
}

// reachableFromEachOther returns the names of the items of each component by the name
// of its first item.
func reachableFromEachOther(items []sortedItem) map[string][]string {
	n := len(items)
	reaches := make([][]bool, n)
	for i := range items {
		reaches[i] = make([]bool, n)
		for j := range items {
			forward, back := compareItems(items[i], items[j]), compareItems(items[j], items[i])
			reaches[i][j] = i == j || forward > 0 || forward == 0 || forward == back
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reaches[i][j] = reaches[i][j] || reaches[i][k] && reaches[k][j]
			}
		}
	}
	out := map[string][]string{}
	for i := range n {
		var names []string
		for j := range n {
			if reaches[i][j] && reaches[j][i] {
				names = append(names, items[j].policy.Name)
			}
		}
		slices.Sort(names)
		out[names[0]] = names
	}
	return out
}

// TestReversible adds every possible policy to two policies.
func TestReversible(t *testing.T) {
	t.Parallel()
	forms := []kuma.TargetRef{{}, {Name: "web"}, {Labels: map[string]string{}}, {SectionName: "http"}, {Name: "web", SectionName: "http"}, {Labels: map[string]string{}, SectionName: "http"}}
	policyOf := func(ref kuma.TargetRef, name string) *policy {
		ref.Kind = kuma.KindDataplane
		p := &policy{Resource: &kuma.Resource{Type: "MeshTimeout", Name: name}, top: ref}
		p.strength = strengthOf(p)
		return p
	}
	s := func(policies ...*policy) *Snapshot {
		return &Snapshot{meshes: map[string]*mesh{"": {policies: map[string][]*policy{"MeshTimeout": policies}}}}
	}
	for _, first := range forms {
		for _, second := range forms {
			winner, overridden := policyOf(first, "d"), policyOf(second, "m")
			if compareDataplaneRefs(winner.top, overridden.top) != 0 {
				continue
			}
			want := false
			for _, third := range forms {
				for _, name := range []string{"a", "h", "z"} {
					items := []sortedItem{{policy: winner}, {policy: overridden}, {policy: policyOf(third, name)}}
					want = want || len(componentsOf(items)) == 1
				}
			}
			if got := s(winner, overridden).Reversible(winner.Key(), overridden.Key()); got != want {
				t.Errorf("%+v over %+v: got %t, want %t", first, second, got, want)
			}
		}
	}
}
