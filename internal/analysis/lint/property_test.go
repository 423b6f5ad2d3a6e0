package lint_test

import (
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestRecordedWorlds analyzes every mesh of the engine's recorded worlds: it must not
// panic, the findings must not depend on the order of the resources, and they must
// concern existing resources.
func TestRecordedWorlds(t *testing.T) {
	t.Parallel()
	found, worlds := 0, 0
	for _, world := range testworld.GoldenSample(t) {
		worlds++
		s := rules.NewSnapshot(world.Resources)
		var meshes []string
		known := map[kuma.Key]bool{}
		for _, r := range world.Resources {
			known[r.Key()] = true
			if r.Type == kuma.KindMesh {
				meshes = append(meshes, r.Name)
			}
		}
		for _, m := range meshes {
			findings := lint.Mesh(s, m)
			found += len(findings)
			for _, f := range findings {
				if !known[f.Resource] || f.Message == "" || f.Suggestion == "" {
					t.Errorf("%s: %+v", world.Name, f)
				}
			}
			if len(findings)%4 > 0 {
				continue // one world in four is enough, because the comparison is slow
			}
			shuffled := slices.Clone(world.Resources)
			rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			if diff := cmp.Diff(findings, lint.Mesh(rules.NewSnapshot(shuffled), m)); diff != "" {
				t.Errorf("%s: in another order (-want +got):\n%s", world.Name, diff)
			}
		}
	}
	if found == 0 {
		t.Error("no finding in any world")
	}
	t.Logf("%d findings in %d worlds", found, worlds)
}

// TestWrongTypes replaces every value in the documents of all codes by values of other
// types, one at a time: a field of the wrong type is treated as unset.
func TestWrongTypes(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, file := range testworld.Files(t, filepath.Join("testdata", "*", "finding.yaml")) {
		world := load(t, file)
		for i := range world {
			original := world[i]
			world[i] = original.Clone()
			eachPlace(world[i].Body, func() {
				if tried++; !testworld.Runs(tried) {
					return
				}
				lint.Mesh(rules.NewSnapshot(world), kuma.DefaultMesh)
			})
			world[i] = original
		}
	}
	t.Logf("%d documents", tried)
}

// eachPlace replaces each value below v in turn, calls use, and restores the value.
func eachPlace(v any, use func()) {
	wrong := []any{nil, "x", json.Number("-1"), []any{"x", nil}, object{"kind": true, "x": []any{}}}
	switch v := v.(type) {
	case map[string]any:
		for k, before := range v {
			for _, w := range wrong {
				v[k] = w
				use()
			}
			v[k] = before
			eachPlace(before, use)
		}
	case []any:
		for i, before := range v {
			for _, w := range wrong {
				v[i] = w
				use()
			}
			v[i] = before
			eachPlace(before, use)
		}
	}
}
