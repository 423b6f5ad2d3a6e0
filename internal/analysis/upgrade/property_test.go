package upgrade_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/randomworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestRandomWorlds checks for random meshes that stage one changes nothing on 2.14, that no
// document is lost, and that rewriting stage two again changes nothing.
func TestRandomWorlds(t *testing.T) {
	t.Parallel()
	for seed := range 70 {
		if !testworld.Runs(seed) {
			continue
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			world := randomworld.New(uint64(seed), randomworld.Options{Mesh: "shop", Zone: "zone-1"})
			checkRewriting(t, world, upgrade.Options{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1"}})
		})
	}
}

// TestInvariants checks the same for meshes in files.
func TestInvariants(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"testdata/shop.yaml", "../lint/testdata/kuma3-old-style.yaml", "../lint/testdata/kuma3-breaks.yaml", "../lint/testdata/kuma3-kitchen-sink.yaml"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			checkRewriting(t, testworld.Resources(t, testworld.Text(t, file)), upgrade.Options{ControlPlane: zone.ControlPlane})
		})
	}
}

func checkRewriting(t *testing.T, documents []kuma.Resource, o upgrade.Options) {
	t.Helper()
	before := yaml(t, documents)
	result, err := upgrade.Rewrite(documents, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, yaml(t, documents)); diff != "" {
		t.Errorf("the input is modified:\n%s", diff)
	}
	if !result.Proof.StageOne.None() {
		t.Errorf("stage one changes proxies on 2.14:\n%s", result.Proof)
	}
	has := func(list []kuma.Resource, key kuma.Key) bool {
		return slices.ContainsFunc(list, func(r kuma.Resource) bool { return r.Key() == key })
	}
	for _, r := range documents {
		gone := slices.ContainsFunc(result.Report, func(i upgrade.Item) bool {
			return i.Key == r.Key() && i.Path == "" && (i.Action == upgrade.Removed || i.Action == upgrade.Generated)
		})
		if !has(result.StageTwo, r.Key()) && !gone {
			t.Errorf("%s is neither in stage two nor named as removed", r.Key())
		}
	}
	again, err := upgrade.Rewrite(result.StageTwo, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(yaml(t, result.StageTwo), yaml(t, again.StageTwo)); diff != "" {
		t.Errorf("rewriting stage two changes it (-once +twice):\n%s", diff)
	}
}
