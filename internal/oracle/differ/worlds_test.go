package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// fakeSite is a control plane that stores resources like the embedded one, and answers
// with the rules of the engine after applying change.
func fakeSite(t *testing.T, change func(answer map[string]any)) *oracle.Site {
	t.Helper()
	store, err := embedded.New(embedded.Config{Directory: t.TempDir(), Zone: "zone-1", Release: kuma.Newest2()})
	testworld.NoError(t, err)
	var s *oracle.Site
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		steps := strings.Split(r.URL.Path, "/")
		if steps[len(steps)-1] != "_rules" {
			store.ServeHTTP(w, r)
			return
		}
		mesh, dataplane := steps[2], steps[4]
		resources, err := s.Stored(r.Context(), mesh)
		if err != nil {
			t.Error(err)
			return
		}
		answers, err := engine(rules.NewSnapshotFor(s.Info.Release, resources), mesh)
		if err != nil {
			t.Error(err)
			return
		}
		answer, _ := answers[dataplane].(map[string]any)
		change(answer)
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	if s, err = oracle.Connect(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}
	s.Info.Release = kuma.ParseRelease("2.13.0") // without the endpoints about single ports and destinations
	return s
}

func compare(t *testing.T, s *oracle.Site, with settings) (c *comparison) {
	t.Helper()
	c = &comparison{Deployment: &oracle.Deployment{Sites: []*oracle.Site{s}}, settings: with, rejected: map[string][]kuma.Resource{}}
	for i := range with.worlds {
		testworld.NoError(t, c.world(t.Context(), with.seed+uint64(i)))
	}
	return c
}

func TestEqualWorlds(t *testing.T) {
	t.Parallel()
	s := fakeSite(t, func(map[string]any) {})
	c := compare(t, s, settings{worlds: 3, seed: 1})
	if len(c.total.findings) > 0 || c.total.compared == 0 || c.rejectedDocuments > 0 {
		t.Errorf("got %+v, %d documents rejected: %v", c.total, c.rejectedDocuments, c.rejected)
	}
	meshes, err := s.Client.List(t.Context(), kinds.Mesh, "")
	testworld.NoError(t, err)
	if len(meshes) > 1 {
		t.Errorf("%d meshes are left", len(meshes))
	}
}

// TestPlantedDifference checks that a control plane that ignores MeshTimeouts is
// detected, with a world that contains little more than one.
func TestPlantedDifference(t *testing.T) {
	t.Parallel()
	s := fakeSite(t, func(answer map[string]any) {
		list, _ := answer["rules"].([]any)
		answer["rules"] = slices.DeleteFunc(list, func(v any) bool {
			policy, _ := v.(map[string]any)
			return policy["type"] == "MeshTimeout"
		})
	})
	dir := t.TempDir()
	ctx, world := t.Context(), testworld.Resources(t, smallWorld)
	c := &comparison{Deployment: &oracle.Deployment{Sites: []*oracle.Site{s}}, settings: settings{out: dir}, rejected: map[string][]kuma.Resource{}}
	taken, rejected, err := store(ctx, c.Deployment, world)
	if err != nil || len(rejected) > 0 {
		t.Fatal(err, rejected)
	}
	got, err := check(ctx, asksOf(s), func(ctx context.Context) (observation, error) { return observe(ctx, s, "m", taken) })
	testworld.NoError(t, err)
	if len(got.findings) != 1 || got.findings[0].dataplane != "dp" || got.findings[0].input != asStored {
		t.Fatalf("findings: %+v", got.findings)
	}
	testworld.NoError(t, c.shrinkAndRecord(ctx, 7, taken, got.findings[0]))
	text := testworld.Text(t, filepath.Join(dir, "differ-7", "resources.yaml"))
	found := phrase.Each(testworld.Resources(t, text), func(r kuma.Resource) string { return r.Type })
	slices.Sort(found)
	if want := []string{kuma.KindDataplane, kuma.KindMesh, "MeshTimeout"}; !slices.Equal(found, want) {
		t.Errorf("the smallest world has %v, want %v", found, want)
	}
	for _, file := range []string{"case.yaml", "rules.dp.json"} {
		if _, err := os.Stat(filepath.Join(dir, "differ-7", file)); err != nil {
			t.Error(err)
		}
	}
}

// checkSmallWorld stores the small world and compares its dataplane.
func checkSmallWorld(t *testing.T, s *oracle.Site) result {
	t.Helper()
	ctx := t.Context()
	for _, r := range testworld.Resources(t, smallWorld) {
		if rejection, err := s.Put(ctx, r); err != nil || rejection != "" {
			t.Fatal(err, rejection)
		}
	}
	got, err := check(ctx, asksOf(s), func(ctx context.Context) (observation, error) { return observe(ctx, s, "m", nil) })
	testworld.NoError(t, err)
	return got
}

// TestUnanswered checks that a dataplane for which the control plane does not return
// rules is counted and does not end the comparison.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	s := fakeSite(t, func(map[string]any) { panic(http.ErrAbortHandler) })
	got := checkSmallWorld(t, s)
	if got.unanswered != 1 || got.compared != 0 || len(got.findings) > 0 {
		t.Errorf("got %+v, want one dataplane without an answer", got)
	}
}

// TestStaleAnswer checks that an answer from before the last change does not make later
// ones count as random.
func TestStaleAnswer(t *testing.T) {
	t.Parallel()
	asked := 0
	s := fakeSite(t, func(answer map[string]any) {
		asked++
		answer["stale"] = asked == 1
	})
	got := checkSmallWorld(t, s)
	if len(got.findings) != 1 || got.random != 0 {
		t.Errorf("got %+v, want one dataplane with a difference", got)
	}
}

// TestRandomAnswers checks that answers that change each time do not count as
// differences.
func TestRandomAnswers(t *testing.T) {
	t.Parallel()
	asked := 0
	s := fakeSite(t, func(answer map[string]any) { asked++; answer["asked"] = asked })
	got := checkSmallWorld(t, s)
	if len(got.findings) > 0 || got.random != 1 {
		t.Errorf("got %+v, want one dataplane with random answers", got)
	}
}
