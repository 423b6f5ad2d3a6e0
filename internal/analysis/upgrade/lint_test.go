package upgrade_test

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestReportFindsWhatLintFinds compares the conditions that the linter finds with those of the report, by resource. What
// it finds in stage two must be in the report, because the rewriting has left it; what it no longer finds there is
// solved, whatever the condition of the rewriting is. It must also find something about each document that the report
// leaves to people, if only another condition of the same field: K3-001 where the rewriting cannot replace proxyTypes.
func TestReportFindsWhatLintFinds(t *testing.T) {
	t.Parallel()
	worlds := map[string]testworld.World{}
	for _, pattern := range []string{"testdata/*.yaml", "testdata/worlds/*.yaml", "../../command/testdata/cases/*.yaml", "../lint/testdata/kuma3-*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			worlds[file] = testworld.World{Zone: zone.ControlPlane.Zone, Resources: testworld.Resources(t, testworld.Text(t, file))}
		}
	}
	for _, w := range testworld.GoldenSample(t) {
		if !w.Release.Kuma3() {
			worlds[w.Name] = w
		}
	}
	for name, w := range worlds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := upgrade.Options{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: w.Zone, Federated: len(w.Zones) > 0}}
			if w.Zone == "" {
				o.ControlPlane = global.ControlPlane
			}
			result, err := upgrade.Rewrite(w.Resources, o)
			testworld.NoError(t, err)
			reported, decisions := map[string]bool{}, map[string]bool{}
			for _, i := range result.Report {
				for _, name := range append(i.Also, i.Key.Name) {
					key := i.Key
					key.Name = name
					reported[i.Condition+" "+key.String()] = true
					if given := slices.ContainsFunc(w.Resources, func(r kuma.Resource) bool { return r.Key() == key }); given && i.Action == upgrade.Manual && i.Condition != "" {
						decisions[key.String()] = true
					}
				}
			}
			for _, r := range w.Resources { // copies are for the report of their control plane
				if k, ok := kinds.Find(r.Type); ok && k.Synced(r, o.ControlPlane) {
					for _, c := range kuma3.Conditions() {
						reported[c.ID+" "+r.Key().String()] = true
					}
				}
			}
			before, left := linted(w.Resources, o.ControlPlane, kuma.Newest2()), linted(result.StageTwo, o.ControlPlane, upgrade.Release3())
			for _, what := range slices.Sorted(maps.Keys(left)) {
				if left[what] != lint.Info && before[what] != "" && !reported[what] {
					t.Errorf("the report does not contain %s", what)
				}
			}
			for _, what := range slices.Sorted(maps.Keys(decisions)) {
				about := func(found string) bool { return strings.HasSuffix(found, " "+what) }
				if !slices.ContainsFunc(slices.Collect(maps.Keys(before)), about) && !slices.ContainsFunc(slices.Collect(maps.Keys(left)), about) {
					t.Errorf("the linter finds nothing about %s", what)
				}
			}
		})
	}
}

// linted returns what the linter finds in documents that a release has stored.
func linted(documents []kuma.Resource, cp kuma.ControlPlane, release kuma.Release) map[string]lint.Severity {
	cp.Release = release
	found, stored := map[string]lint.Severity{}, make([]kuma.Resource, len(documents))
	for i, r := range documents {
		if stored[i] = r; !kinds.IsGeneratedService(r) {
			if k, ok := kinds.Find(r.Type); ok {
				stored[i] = k.Store(r, def.StoreContext{ControlPlane: cp})
			}
		}
	}
	meshes := map[string]bool{}
	for _, r := range documents {
		meshes[cmp.Or(r.Mesh, r.Name)] = r.Mesh != "" || r.Type == kuma.KindMesh
	}
	for mesh := range meshes {
		s, _ := input.Stored(mesh, cp, nil, stored, nil).Snapshot()
		for _, f := range lint.Kuma3(s, mesh) {
			found[f.Code+" "+f.Resource.String()] = f.Severity
		}
	}
	return found
}
