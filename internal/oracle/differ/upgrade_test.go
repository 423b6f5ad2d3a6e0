package main

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade/upgradetest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/randomworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestInvariants rewrites random meshes, without a control plane.
func TestInvariants(t *testing.T) {
	t.Parallel()
	for seed := range 70 {
		if !testworld.Runs(seed) {
			continue
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			world := randomworld.New(uint64(seed), randomworld.Options{Mesh: "shop", Zone: "zone-1"})
			upgradetest.CheckInvariants(t, world, upgrade.Options{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1"}})
		})
	}
}

// TestUpgradeOfMesh rewrites a mesh of more than 100 documents on the control planes of the
// binaries KUMA_CP, of 2.14, and KUMA3_CP, of 3.0.
func TestUpgradeOfMesh(t *testing.T) {
	old, binary3 := os.Getenv("KUMA_CP"), os.Getenv("KUMA3_CP")
	if old == "" || binary3 == "" {
		t.Skip("KUMA_CP and KUMA3_CP do not name a kuma-cp of 2.14 and of 3.0")
	}
	d, err := oracle.Deploy(t.Context(), old, nil)
	testworld.NoError(t, err)
	defer d.Stop() //nolint:errcheck // nothing depends on it
	u := &upgrades{old: d.Sites[0]}
	if u.new, err = oracle.Start(t.Context(), oracle.Options{Binary: binary3}); err != nil {
		t.Fatal(err)
	}
	defer u.new.Stop() //nolint:errcheck // nothing depends on it
	_, rejected, err := store(t.Context(), d, testworld.Resources(t, testworld.OldStyle(t, "oldstyle")))
	if err != nil || len(rejected) > 0 {
		t.Fatal(rejected, err)
	}
	before := outbounds(t, u.old, "oldstyle")
	if len(before) == 0 {
		t.Error("no proxy reaches a service")
	}
	testworld.NoError(t, u.check(t.Context(), "mesh", "oldstyle"))
	if diff := cmp.Diff(before, outbounds(t, u.old, "oldstyle")); diff != "" {
		t.Errorf("services that proxies reach (-before +after stage one):\n%s", diff)
	}
	t.Logf("%d documents, %d changed by stage one; %d in stage two, %d of them rejected", u.documents, u.changed, u.stageTwo, u.rejected)
	if u.different+u.unexpected+u.mispredicted > 0 || u.dataplanes == 0 || u.predicted == 0 {
		t.Errorf("%d of %d dataplanes differ after stage one, %d of %d are not as predicted, %d rejections are not named", u.different, u.dataplanes, u.mispredicted, u.predicted, u.unexpected)
	}
}

// outbounds returns the ports that each proxy of a mesh reaches according to 2.14.
func outbounds(t *testing.T, s *oracle.Site, mesh string) map[string][]string {
	t.Helper()
	if err := oracle.Pause(t.Context(), 5*time.Second); err != nil { // services are generated
		t.Fatal(err)
	}
	stored, err := s.Stored(t.Context(), mesh)
	testworld.NoError(t, err)
	found := map[string][]string{}
	for _, name := range rules.NewSnapshot(stored).Dataplanes(mesh) {
		answer, err := s.Get(t.Context(), oracle.Path("meshes", mesh, "dataplanes", name, "_layout"))
		if err != nil || !answer.Accepted() {
			t.Fatal(answer, err)
		}
		for _, o := range tree.Objects(answer.Document()["outbounds"]) {
			found[name] = append(found[name], tree.Text(o["kri"]))
		}
		slices.Sort(found[name])
	}
	return found
}
