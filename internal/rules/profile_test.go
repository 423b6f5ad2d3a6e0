package rules_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

func TestMatch(t *testing.T) {
	s := rules.NewSnapshot(decodeResources(t, []byte(stream(aMesh, aDataplane,
		`{type: Dataplane, mesh: default, name: api, networking: {address: 10.0.0.2, inbound: [{port: 80, tags: {kuma.io/service: api}}]}}`,
		`{type: MeshTimeout, mesh: default, name: all, spec: {to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]}}`,
		`{type: MeshTimeout, mesh: default, name: api, spec: {targetRef: {kind: MeshSubset, tags: {kuma.io/service: api}}, to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 2s}}]}}`,
	))))
	for name, tt := range map[string]struct {
		dataplane string
		want      []string
		err       error
	}{
		"one policy":        {"web", []string{"all"}, nil},
		"two":               {"api", []string{"all", "api"}, nil},
		"unknown dataplane": {"cart", nil, rules.ErrUnknownDataplane},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := s.Match("default", tt.dataplane, "MeshTimeout")
			if !errors.Is(err, tt.err) {
				t.Fatalf("Match() = %v, want %v", err, tt.err)
			}
			var got []string
			for _, key := range m.Policies {
				got = append(got, key.Name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("policies (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := s.Match("default", "web", "Mesh"); !errors.Is(err, rules.ErrUnknownPolicy) {
		t.Errorf("Match(Mesh) = %v, want %v", err, rules.ErrUnknownPolicy)
	}
}

// TestEqualProfilesHaveEqualRules: profiles are worth something only if they are
// equal now and then, and right only if the rules are equal then.
func TestEqualProfilesHaveEqualRules(t *testing.T) {
	shared, differing := 0, 0
	for _, world := range worlds(t) {
		s := rules.NewSnapshot(append(world, twins(world)...))
		for _, k := range kinds.Policies() {
			byProfile := map[rules.Profile]string{}
			for _, name := range s.Dataplanes("default") {
				m, err := s.Match("default", name, k.Name)
				if err != nil {
					t.Fatal(err)
				}
				got := rulesText(t, s, name, k.Name)
				want, ok := byProfile[m.Profile]
				switch {
				case !ok:
					byProfile[m.Profile] = got
				case got != want:
					t.Errorf("%s for %s, which has the profile of another:\ngot  %s\nwant %s", k.Name, name, got, want)
				default:
					shared++
				}
			}
			differing += len(byProfile)
		}
	}
	if shared == 0 || differing == 0 {
		t.Errorf("%d profiles are shared, %d are not", shared, differing)
	}
}

// twins are dataplanes like those of the world, at other addresses.
func twins(world []mesh.Resource) []mesh.Resource {
	var out []mesh.Resource
	for _, r := range world {
		if r.Type == mesh.KindDataplane {
			twin := r.Clone()
			twin.Name += "-twin"
			twin.Body["networking"].(object)["address"] = "10.0.9.9"
			out = append(out, twin)
		}
	}
	return out
}

func rulesText(t *testing.T, s *rules.Snapshot, dataplane, policyType string) string {
	t.Helper()
	r, err := s.Rules("default", dataplane, policyType)
	if err != nil {
		return rules.ErrTooManySubsets.Error()
	}
	return compact(r)
}
