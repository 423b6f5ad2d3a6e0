package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// reading contains the resources that a control plane stores in a mesh, and its answers.
type reading struct {
	stored  []kuma.Resource
	answers map[string]any // by dataplane
}

const (
	// firstReading is the minimum time for a control plane to synchronize resources, and
	// to generate and update some.
	firstReading = 15 * time.Second
	// nextReading is the time between two readings, longer than an answer is cached.
	nextReading = 5 * time.Second
)

// writes returns what has to be written for worlds to exist, in order. A resource that
// several worlds show is written once, as the world shows it that was recorded from its
// owner.
func writes(d *oracle.Deployment, worlds []*world) []oracle.Write {
	type identity struct {
		owner *oracle.Site
		key   kuma.Key
	}
	seen := map[identity]int{}
	var list []oracle.Write
	for _, w := range worlds {
		for _, r := range w.Resources {
			write := owned(d, w, r)
			id := identity{write.Owner, write.Resource.Key()}
			i, ok := seen[id]
			switch {
			case !ok:
				seen[id] = len(list)
				list = append(list, write)
			case d.Zone(w.Zone) == write.Owner:
				list[i] = write
			}
		}
	}
	slices.SortStableFunc(list, func(a, b oracle.Write) int { return rank(a.Resource) - rank(b.Resource) })
	return list
}

// rank is the place of a resource in the order of writes. A MeshService that a control plane
// generates from Dataplanes follows them, because it is marked for deletion while they are
// missing.
func rank(r kuma.Resource) int {
	kinds := oracle.Kinds()
	if r.Labels[kuma.LabelManagedBy] == "meshservice-generator" {
		return len(kinds)
	}
	return slices.IndexFunc(kinds, func(k def.Kind) bool { return k.Name == r.Type })
}

// settled returns what the control planes store and answer, once two readings are equal.
func settled(ctx context.Context, d *oracle.Deployment, worlds []*world) (map[*world]reading, error) {
	if err := oracle.Pause(ctx, firstReading); err != nil {
		return nil, err
	}
	return oracle.Settled(ctx, nextReading, 1, func(ctx context.Context) (map[*world]reading, string, error) {
		got, err := read(ctx, d, worlds)
		var all []kuma.Resource
		var answers []any
		for _, w := range worlds {
			all = append(all, got[w].stored...)
			answers = append(answers, got[w].answers)
		}
		return got, oracle.Fingerprint(all) + phrase.JSON(answers), err
	})
}

// read reads all worlds.
func read(ctx context.Context, d *oracle.Deployment, worlds []*world) (map[*world]reading, error) {
	stored := map[*oracle.Site]map[string][]kuma.Resource{} // by mesh
	for _, s := range d.Sites {
		resources, err := s.Stored(ctx, "")
		if err != nil {
			return nil, err
		}
		stored[s] = map[string][]kuma.Resource{}
		for _, r := range resources {
			mesh := r.Mesh
			if r.Type == kuma.KindMesh {
				mesh = r.Name
			}
			stored[s][mesh] = append(stored[s][mesh], r)
		}
	}
	var mu sync.Mutex
	got := map[*world]reading{}
	err := oracle.Each(ctx, oracle.Requests, worlds, func(ctx context.Context, w *world) error {
		s := d.Zone(w.Zone)
		r := reading{stored: stored[s][w.Mesh]}
		var err error
		if r.answers, err = s.Answers(ctx, r.stored); err != nil {
			return fmt.Errorf("world %s: %w", w.Name, err)
		}
		mu.Lock()
		defer mu.Unlock()
		got[w] = r
		return nil
	})
	return got, err
}
