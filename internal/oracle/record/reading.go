package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// reading contains the resources that a control plane stores in a mesh, and its answers.
type reading struct {
	stored  []object
	answers map[string]any // by dataplane
}

func (r reading) equal(other reading) bool {
	return slices.EqualFunc(r.stored, other.stored, sameDocument) && tree.Equal(r.answers, other.answers)
}

const (
	// firstReading is the minimum time for a control plane to synchronize resources, and
	// to generate and update some.
	firstReading = 15 * time.Second
	// nextReading is the time between two readings, longer than an answer is cached.
	nextReading = 5 * time.Second
	// readings limits the attempts to get two equal readings.
	readings = 12
)

// settled returns what the control planes store and answer, once two readings are equal.
func (d *sites) settled(ctx context.Context, worlds []*world) (map[*world]reading, error) {
	if err := pause(ctx, firstReading); err != nil {
		return nil, err
	}
	last := map[*world]reading{}
	for attempt := 1; ; attempt++ {
		got, err := d.read(ctx, worlds)
		if err != nil {
			return nil, err
		}
		restless := slices.DeleteFunc(slices.Clone(worlds), func(w *world) bool { return got[w].equal(last[w]) })
		if len(restless) == 0 {
			return got, nil
		}
		if attempt == readings {
			return nil, fmt.Errorf("the control planes do not settle: world %s changes between readings", restless[0].name)
		}
		last = got
		if err := pause(ctx, nextReading); err != nil {
			return nil, err
		}
	}
}

// read reads all worlds.
func (d *sites) read(ctx context.Context, worlds []*world) (map[*world]reading, error) {
	stored := map[*server]map[string][]object{}
	for _, s := range d.all {
		byMesh, err := s.stored(ctx)
		if err != nil {
			return nil, err
		}
		stored[s] = byMesh
	}
	var mu sync.Mutex
	got := map[*world]reading{}
	err := parallel(worlds, func(w *world) error {
		s := d.answering(w)
		r := reading{stored: stored[s][w.mesh]}
		var err error
		if r.answers, err = s.rules(ctx, w.mesh, r.stored); err != nil {
			return fmt.Errorf("world %s: %w", w.name, err)
		}
		mu.Lock()
		defer mu.Unlock()
		got[w] = r
		return nil
	})
	return got, err
}

// notRecorded are the fields that no rule depends on and that differ from run
// to run.
var notRecorded = []string{"creationTime", "modificationTime", "status"}

// stored reads the resources that worlds consist of, by mesh.
func (s *server) stored(ctx context.Context) (map[string][]object, error) {
	byMesh := map[string][]object{}
	for _, k := range worldKinds() {
		list, err := s.list(ctx, k)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			mesh := tree.Text(r["mesh"])
			if k.Name == kuma.KindMesh {
				mesh = tree.Text(r["name"])
			}
			byMesh[mesh] = append(byMesh[mesh], without(r, notRecorded...))
		}
	}
	return byMesh, nil
}

// worldKinds are the kinds that worlds consist of, in their order in a recording:
// meshes first, dataplanes last, policies behind what they refer to.
var worldKinds = sync.OnceValue(func() []def.Kind {
	first := []string{
		kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshMultiZoneService, kuma.KindMeshExternalService,
		"MeshOpenTelemetryBackend", kuma.KindMeshGateway, kuma.KindMeshHTTPRoute, "MeshTCPRoute",
	}
	var list []def.Kind
	for _, name := range first {
		k, _ := kinds.Find(name)
		list = append(list, k)
	}
	for _, k := range kinds.All() {
		if k.Policy != nil && !slices.Contains(first, k.Name) {
			list = append(list, k)
		}
	}
	return append(list, kinds.Dataplane)
})

// list reads the resources of a kind in all meshes. The list is empty for a kind that
// the control plane does not know.
func (s *server) list(ctx context.Context, k def.Kind) ([]object, error) {
	const pageSize = 1000
	var list []object
	for {
		got, err := s.get(ctx, fmt.Sprintf("/%s?size=%d&offset=%d", k.Path, pageSize, len(list)))
		if err != nil {
			return nil, err
		}
		if !got.accepted() {
			return nil, nil
		}
		page := tree.Objects(got.document()["items"])
		list = append(list, page...)
		if len(page) < pageSize {
			slices.SortStableFunc(list, func(a, b object) int { return strings.Compare(tree.Text(a["name"]), tree.Text(b["name"])) })
			return list, nil
		}
	}
}

// rules requests the rules of the dataplanes among some resources.
func (s *server) rules(ctx context.Context, mesh string, resources []object) (map[string]any, error) {
	answers := map[string]any{}
	for _, r := range resources {
		if tree.Text(r["type"]) != kuma.KindDataplane {
			continue
		}
		got, err := s.get(ctx, pathIn(kinds.Dataplane, mesh, tree.Text(r["name"]))+"/_rules")
		if err != nil {
			return nil, err
		}
		answers[tree.Text(r["name"])] = normalAnswer(got)
	}
	return answers, nil
}
