package rules

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestPlainLeavesAreThoseOfTheMerge compares both ways to explain a rule, for
// all rules of the recorded worlds.
func TestPlainLeavesAreThoseOfTheMerge(t *testing.T) {
	t.Parallel()
	plain, traced := 0, 0
	check := func(f mergeInput) {
		if size := (Rule{mergeInput: f}).size(); f.kind.keyed == "" && f.maxSize() < size {
			t.Errorf("%s: a rule takes %d bytes, and is estimated at %d", f.kind.Name, size, f.maxSize())
		}
		describe := metas{}.originOf
		got, ok := f.plainLeaves(describe)
		if !ok {
			traced++
			return
		}
		plain++
		want := f.tracedLeaves(describe)
		if reflect.DeepEqual(want, [][]Leaf{got}) {
			return
		}
		if diff := cmp.Diff(want, [][]Leaf{got}); diff != "" {
			t.Errorf("leaves of %s (-traced +plain):\n%s", f.kind.Name, diff)
		}
	}
	for _, w := range testworld.GoldenSample(t) {
		s := NewSnapshot(w.Resources)
		for _, r := range w.Resources {
			if r.Type != kuma.KindDataplane {
				continue
			}
			a, err := s.Dataplane(r.Mesh, r.Name)
			if err != nil {
				continue // of an unknown mesh
			}
			for _, p := range a.Rules {
				for _, r := range p.ToResourceRules {
					check(r.mergeInput)
				}
				for _, r := range p.ToRules {
					check(r.mergeInput)
				}
				for _, f := range p.FromRules {
					for _, r := range f.Rules {
						check(r.mergeInput)
					}
				}
				if p.ProxyRule != nil {
					check(p.ProxyRule.mergeInput)
				}
			}
		}
	}
	if plain == 0 || traced == 0 {
		t.Errorf("%d rules have plain confs, %d do not", plain, traced)
	}
	t.Logf("%d rules have plain confs, %d do not", plain, traced)
}
