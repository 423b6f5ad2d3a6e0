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

func TestMatch(t *testing.T) {
	t.Parallel()
	s := snapshotOf(t, aMesh, aDataplane, `
type: Dataplane
name: api
networking:
  address: 10.0.0.2
  inbound:
    - port: 80
      tags: {kuma.io/service: api}
---
type: Dataplane
name: nothing
networking: {address: 10.0.0.3}
---
type: MeshTimeout
name: a
spec: {}
---
type: MeshTimeout
name: b
spec: {}
---
type: MeshTimeout
name: subset
spec:
  targetRef:
    kind: MeshSubset
    tags: {kuma.io/service: web}
---
type: MeshTimeout
name: on-trial
labels: {kuma.io/effect: shadow}
spec: {}
`)
	for name, tt := range map[string]struct {
		dataplane, policyType string
		want                  []kuma.Key // nil if there is no Match
	}{
		"weakest first":     {"web", "MeshTimeout", []kuma.Key{timeoutKey("b"), timeoutKey("a"), timeoutKey("subset")}},
		"other tags":        {"api", "MeshTimeout", []kuma.Key{timeoutKey("b"), timeoutKey("a")}},
		"no inbound":        {"nothing", "MeshTimeout", []kuma.Key{}},
		"no policy":         {"web", "MeshRetry", []kuma.Key{}},
		"unknown dataplane": {"cart", "MeshTimeout", nil},
		"no policy type":    {"web", "Mesh", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testworld.Equal(t, "policies", tt.want, s.Match("default", tt.dataplane, tt.policyType).Policies())
		})
	}
}

// TestEqualMatchesHaveEqualRules checks that dataplanes share a Match, and that
// those that do have equal rules.
func TestEqualMatchesHaveEqualRules(t *testing.T) {
	shared, differing := 0, 0
	for _, world := range worlds(t) {
		s := rules.NewSnapshot(append(world, twins(world)...))
		for _, k := range kinds.Policies() {
			byMatch := map[*rules.Match]string{}
			for _, name := range s.Dataplanes("default") {
				m := s.Match("default", name, k.Name)
				for _, p := range m.Policies() {
					if by, err := s.Excluded(p, name); by != rules.NotExcluded || err != nil {
						t.Errorf("%s is said to select %s, but excludes it by %q, %v", p, name, by, err)
					}
				}
				got := rulesText(t, s, name, k.Name)
				want, ok := byMatch[m]
				switch {
				case !ok:
					byMatch[m] = got
				case got != want:
					t.Errorf("%s for %s, which shares a Match with another:\ngot  %s\nwant %s", k.Name, name, got, want)
				default:
					shared++
				}
			}
			differing += len(byMatch)
			checkGroups(t, s, k.Name)
		}
	}
	t.Logf("%d matches are shared, %d are not", shared, differing)
	if shared == 0 || differing == 0 {
		t.Errorf("%d matches are shared, %d are not", shared, differing)
	}
}

// checkGroups checks that every dataplane is in one group, that of its Match,
// and is selected by exactly its policies.
func checkGroups(t *testing.T, s *rules.Snapshot, policyType string) {
	t.Helper()
	var grouped []string
	for _, g := range s.Groups("default", policyType) {
		grouped = append(grouped, g.Dataplanes...)
		for _, name := range g.Dataplanes {
			if m := s.Match("default", name, policyType); m != g.Match {
				t.Errorf("%s: Match of %s: got %p, want that of its group, %p", policyType, name, m, g.Match)
			}
		}
		for _, p := range s.Resources("default", policyType) {
			selects := slices.Contains(s.Selected(p.Key()), g.Dataplanes[0])
			if selects != slices.Contains(g.Policies(), p.Key()) {
				t.Errorf("%s is said to select %s (%t), and its group has the policies %v", p.Key(), g.Dataplanes[0], selects, g.Policies())
			}
		}
	}
	slices.Sort(grouped)
	if diff := cmp.Diff(s.Dataplanes("default"), grouped); diff != "" {
		t.Errorf("%s: dataplanes of all groups (-want +got):\n%s", policyType, diff)
	}
}

// twins are dataplanes like those of the world, at other addresses and with one more
// tag.
func twins(world []kuma.Resource) []kuma.Resource {
	var out []kuma.Resource
	for _, r := range world {
		if r.Type == kuma.KindDataplane {
			twin := r.Clone()
			twin.Name += "-twin"
			networking := twin.Body["networking"].(object)
			networking["address"] = "10.0.9.9"
			for _, in := range tree.Objects(networking["inbound"]) {
				if tags, ok := in["tags"].(object); ok {
					tags["instance"] = twin.Name
				}
			}
			out = append(out, twin)
		}
	}
	return out
}

// rulesText formats rules without the tags that describe inbounds.
func rulesText(t *testing.T, s *rules.Snapshot, dataplane, policyType string) string {
	t.Helper()
	r, err := s.Rules("default", dataplane, policyType)
	if err != nil {
		return rules.ErrTooManySubsets.Error()
	}
	for i := range r.FromRules {
		r.FromRules[i].Inbound.Tags = nil
	}
	for i := range r.InboundRules {
		r.InboundRules[i].Inbound.Tags = nil
	}
	return compact(r)
}
