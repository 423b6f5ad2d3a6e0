package upgrade

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestStoredOnce checks that documents which are stored once equal those that are stored each time,
// after every rewrite of any world.
func TestStoredOnce(t *testing.T) {
	t.Parallel()
	worlds := map[string][]kuma.Resource{"old style": testworld.Resources(t, testworld.OldStyle(t, "shop"))}
	for _, world := range testworld.GoldenSample(t) {
		worlds[world.Name] = world.Resources
	}
	shared := 0
	for _, name := range slices.Sorted(maps.Keys(worlds)) {
		w := newWorld(worlds[name], Options{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "east", Release: kuma.Newest2()}})
		for _, w.final = range []bool{false, true} {
			w.suspects = map[kuma.Key]bool{}
			for _, r := range rewrites() {
				w.run(r)
				testworld.NoError(t, *w.failed)
				for _, release := range []kuma.Release{kuma.Newest2(), Release3()} {
					cp, fresh := w.ControlPlane, *w
					cp.Release, fresh.known = release, map[storedKey]storedAs{}
					shared += len(w.known)
					if !reflect.DeepEqual(fresh.stored(w.resources, cp), w.stored(w.resources, cp)) {
						t.Errorf("%s after %s: documents that %s stores differ", name, r.id, release)
					}
				}
			}
		}
	}
	if shared == 0 {
		t.Error("no document was stored before")
	}
}
