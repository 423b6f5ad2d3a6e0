package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/randomworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

const (
	// shrinkLimit limits the attempts to shrink one world.
	shrinkLimit = 600
	// placesShown and widthShown limit what is printed about one difference.
	placesShown = 4
	widthShown  = 500
)

// comparison compares all worlds and counts the results.
type comparison struct {
	*oracle.Deployment
	settings
	mu                           sync.Mutex
	worlds                       int
	total                        result
	documents, rejectedDocuments int
	rejected                     map[string][]kuma.Resource // by kind and reason
	shrunk                       int
}

// compareWorlds compares all worlds.
func compareWorlds(ctx context.Context, d *oracle.Deployment, s settings) (oracle.Result, error) {
	c := &comparison{Deployment: d, settings: s, rejected: map[string][]kuma.Resource{}}
	err := forEachSeed(ctx, s, c.world)
	c.report()
	compared := fmt.Sprintf("%d dataplanes", c.total.compared)
	if c.total.lookups > 0 {
		compared += fmt.Sprintf(", %d answers about ports and destinations", c.total.lookups)
	}
	return oracle.Result{Compared: compared, Different: len(c.total.findings)}, err
}

// world compares the world of one seed.
func (c *comparison) world(ctx context.Context, seed uint64) error {
	world := invent(c.Deployment, seed)
	mesh := world[0].Name
	taken, rejected, err := store(ctx, c.Deployment, world)
	if err != nil {
		return err
	}
	defer remove(ctx, c.Deployment, world)
	var total result
	for _, s := range c.Sites {
		if len(taken) == 0 {
			break
		}
		got, err := check(ctx, asksOf(s), func(ctx context.Context) (observation, error) { return observe(ctx, s, mesh, c.SentTo(s, taken)) })
		if err != nil {
			return err
		}
		total.add(got)
	}
	if c.count(world, rejected, total, seed) {
		return c.shrinkAndRecord(ctx, seed, taken, total.findings[0])
	}
	return nil
}

// workers is the number of worlds that are compared at a time.
const workers = 4

// forEachSeed calls compare with every seed of the settings.
func forEachSeed(ctx context.Context, s settings, compare func(ctx context.Context, seed uint64) error) error {
	seeds := make([]uint64, s.worlds)
	for i := range seeds {
		seeds[i] = s.seed + uint64(i)
	}
	return oracle.Each(ctx, workers, seeds, func(ctx context.Context, seed uint64) error {
		if err := compare(ctx, seed); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		return nil
	})
}

// invent returns the world of a seed, with its own mesh.
func invent(d *oracle.Deployment, seed uint64) []kuma.Resource {
	info := d.Sites[0].Info
	zones := phrase.Each(d.Sites[1:], func(s *oracle.Site) string { return s.Info.Zone })
	return randomworld.New(seed, randomworld.Options{Mesh: fmt.Sprintf("m%d", seed), Zone: info.Zone, Zones: zones, Release: info.Release})
}

// count adds a world to the totals, prints the differences, and reports whether the
// world should be shrunk.
func (c *comparison) count(world []kuma.Resource, rejected []oracle.Rejection, r result, seed uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.worlds++
	c.documents += len(world)
	c.total.add(r)
	for _, f := range rejected {
		c.rejectedDocuments++
		reason := f.Resource.Type + ": " + withoutIndices(f.Reason)
		c.rejected[reason] = append(c.rejected[reason], f.Resource)
	}
	for _, f := range r.findings {
		fmt.Fprintf(os.Stderr, "seed %d, ", seed)
		f.tell()
	}
	if len(r.findings) == 0 || c.shrunk == c.shrinks {
		return false
	}
	c.shrunk++
	return true
}

// shrinkAndRecord shrinks a world that differs, and writes it.
func (c *comparison) shrinkAndRecord(ctx context.Context, seed uint64, world []kuma.Resource, found finding) error {
	attempt := 0
	var failure error
	// Every attempt uses its own mesh, because a control plane caches answers.
	differs := func(candidate []kuma.Resource) bool {
		attempt++
		renamed := inMesh(candidate, fmt.Sprintf("m%d-%d", seed, attempt))
		defer remove(ctx, c.Deployment, renamed)
		findings, err := c.differences(ctx, renamed, found)
		if err != nil {
			failure = err
		}
		return len(findings) > 0
	}
	if !differs(world) {
		fmt.Fprintf(os.Stderr, "seed %d: cannot be shrunk, it is equal in another mesh\n", seed)
		return failure
	}
	world = inMesh(shrink(world, shrinkLimit, differs), fmt.Sprintf("differ-%d", seed))
	defer remove(ctx, c.Deployment, world)
	findings, err := c.differences(ctx, world, found)
	if err != nil {
		return err
	}
	about := map[string]any{"id": world[0].Name, "title": string(found.input), "group": "R", "seed": fmt.Sprint(seed), "exercises": []any{}}
	dir := filepath.Join(c.out, world[0].Name)
	fmt.Fprintf(os.Stderr, "seed %d: %d attempts, %d resources, written to %s\n", seed, attempt, len(world), dir)
	for _, f := range findings {
		f.tell()
	}
	return record(ctx, found.site, world[0].Name, dir, about)
}

// differences stores a world and returns the findings of the same kind as before. The
// attempt fails if a document is rejected. A difference that occurs only once does not
// count, because the control plane may not have been ready.
func (c *comparison) differences(ctx context.Context, world []kuma.Resource, like finding) ([]finding, error) {
	taken, rejected, err := store(ctx, c.Deployment, world)
	if err != nil || len(rejected) > 0 {
		return nil, err
	}
	seen, err := check(ctx, 1, func(ctx context.Context) (observation, error) {
		return observe(ctx, like.site, world[0].Name, c.SentTo(like.site, taken))
	})
	return slices.DeleteFunc(seen.findings, func(f finding) bool { return f.input != like.input || f.signature() != like.signature() }), err
}

// tell prints the differences between engine and control plane.
func (f finding) tell() {
	fmt.Fprintf(os.Stderr, "%s %s, dataplane %s, %s: %d differences\n", f.site.Info.Mode, f.site.Info.Zone, f.dataplane, f.input,
		len(f.differences))
	for _, place := range f.differences[:min(placesShown, len(f.differences))] {
		fmt.Fprintf(os.Stderr, "  %.*s\n", widthShown, place)
	}
}

// inMesh returns the resources of a world in a mesh with another name.
func inMesh(world []kuma.Resource, mesh string) []kuma.Resource {
	moved := make([]kuma.Resource, len(world))
	for i, r := range world {
		if r.Type == kuma.KindMesh {
			r.Name = mesh
		} else if r.Mesh != "" {
			r.Mesh = mesh
		}
		moved[i] = r
	}
	return moved
}

// report prints the totals.
func (c *comparison) report() {
	for _, reason := range slices.Sorted(maps.Keys(c.rejected)) {
		fmt.Fprintf(os.Stderr, "%4d rejected: %s\n     such as %s\n", len(c.rejected[reason]), reason,
			phrase.JSON(c.rejected[reason][0].Document()))
	}
	t, different := c.total, len(c.total.findings)
	fmt.Fprintf(os.Stdout,
		"%d worlds, %d dataplanes compared, %d equal, %d different, %d random; %d without an answer of the control plane, %d "+
			"without one of the engine; "+
			"%d answers about ports and destinations, %d ports omitted that share a number or name; %d of %d documents rejected\n",
		c.worlds, t.compared, t.compared-different-t.random, different, t.random, t.unanswered, t.skipped, t.lookups, t.shared,
		c.rejectedDocuments, c.documents)
}
