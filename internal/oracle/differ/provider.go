package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// providerComparison applies worlds with Terraform and compares the results of the
// provider with the answers of the control plane.
type providerComparison struct {
	*deployment
	settings
	cli terraform

	mu    sync.Mutex
	total providerResult
}

// providerResult counts the comparisons of one world, or of all.
type providerResult struct {
	worlds, failed               int // failed: a command of Terraform ended with an error
	resources, manifests         int
	dataplanes, random           int
	plannedDiffers, storedDiffer int // dataplanes
	secondPlans                  int // that are not empty
	documents, rejected          int
}

func (r *providerResult) add(o providerResult) {
	r.worlds += o.worlds
	r.failed += o.failed
	r.resources += o.resources
	r.manifests += o.manifests
	r.dataplanes += o.dataplanes
	r.random += o.random
	r.plannedDiffers += o.plannedDiffers
	r.storedDiffer += o.storedDiffer
	r.secondPlans += o.secondPlans
	r.documents += o.documents
	r.rejected += o.rejected
}

func (r providerResult) equal() bool {
	return r.failed+r.plannedDiffers+r.storedDiffer+r.secondPlans == 0
}

func (r providerResult) String() string {
	return fmt.Sprintf("%d worlds of %d resources (%d of them kuma_manifest) applied by Terraform, %d failed; %d dataplanes: %d different when planned, %d when stored, %d random; %d second plans with changes; %d of %d documents rejected",
		r.worlds, r.resources, r.manifests, r.failed, r.dataplanes, r.plannedDiffers, r.storedDiffer, r.random, r.secondPlans, r.rejected, r.documents)
}

// compareThroughProvider compares all worlds and reports whether nothing differs.
func compareThroughProvider(ctx context.Context, d *deployment, s settings) (equal bool, err error) {
	dir, err := filepath.Abs(s.out)
	if err != nil {
		return false, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return false, err
	}
	s.out = dir
	cli, err := newTerraform(s.terraform, s.provider, dir)
	if err != nil {
		return false, err
	}
	c := &providerComparison{deployment: d, settings: s, cli: cli}
	err = forEachSeed(ctx, s, c.world)
	fmt.Fprintln(os.Stdout, c.total)
	return c.total.equal(), err
}

// world compares the world of one seed. It keeps the configuration if something differs.
func (c *providerComparison) world(ctx context.Context, seed uint64) error {
	world := c.invent(seed)
	taken, err := c.taken(ctx, world)
	if err != nil {
		return err
	}
	config := worldConfig{world: inMesh(taken, fmt.Sprintf("p%d", seed)), firstManifest: int(seed % 2)}
	defer c.remove(ctx, config.world)
	dir := filepath.Join(c.out, config.world[0].Name)
	result, err := c.compare(ctx, config, dir)
	if failed, ok := errors.AsType[*commandError](err); ok {
		result.failed, err = 1, nil
		fmt.Fprintf(os.Stderr, "%s: %v\n", dir, failed)
	}
	result.worlds, result.resources, result.manifests = 1, len(config.world), config.manifests()
	result.documents, result.rejected = len(world), len(world)-len(taken)
	c.mu.Lock()
	c.total.add(result)
	c.mu.Unlock()
	if err == nil && result.equal() {
		err = os.RemoveAll(dir)
	}
	return err
}

// taken returns the resources of a world that the control plane accepts. The comparison
// of worlds without Terraform lists those that it rejects.
func (c *providerComparison) taken(ctx context.Context, world []kuma.Resource) ([]kuma.Resource, error) {
	defer c.remove(ctx, world)
	taken, _, err := c.store(ctx, world)
	return taken, err
}

// compare plans a world and applies it, then plans again. The rules that the
// provider computes in the first plan, and those of the second plan, must be those of
// the control plane.
func (c *providerComparison) compare(ctx context.Context, config worldConfig, dir string) (providerResult, error) {
	var result providerResult
	if err := os.RemoveAll(dir); err != nil {
		return result, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return result, err
	}
	resources, err := config.resources(ctx, c.sites[0].endpoint)
	if err != nil {
		return result, err
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(dir, "main.tf"), []byte(resources), 0o600),
		os.WriteFile(filepath.Join(dir, "planned.tf"), []byte(config.rules(outputPlanned)), 0o600),
	)
	if err != nil {
		return result, err
	}
	first, err := c.cli.plan(ctx, dir, "first.tfplan")
	if err != nil {
		return result, err
	}
	if err := c.cli.apply(ctx, dir, "first.tfplan"); err != nil {
		return result, err
	}
	if err := os.WriteFile(filepath.Join(dir, "stored.tf"), []byte(config.rules(outputStored)), 0o600); err != nil {
		return result, err
	}
	second, err := c.cli.plan(ctx, dir, "second.tfplan")
	if err != nil {
		return result, err
	}
	if len(second.changes) > 0 {
		result.secondPlans = 1
		fmt.Fprintf(os.Stderr, "%s: the second plan has changes: %v\n", dir, second.changes)
	}
	err = c.compareRules(ctx, config.world, first.outputs[outputPlanned], second.outputs[outputStored], &result)
	return result, err
}

// compareRules compares the rules of all dataplanes, as planned and as stored.
func (c *providerComparison) compareRules(ctx context.Context, world []kuma.Resource, planned, stored map[string]string, result *providerResult) error {
	for _, r := range world {
		if r.Type != kuma.KindDataplane {
			continue
		}
		result.dataplanes++
		expected, err := decodeAnswer([]byte(planned[r.Name]))
		if err != nil {
			return fmt.Errorf("planned rules of %s: %w", r.Key(), err)
		}
		seen, err := decodeAnswer([]byte(stored[r.Name]))
		if err != nil {
			return fmt.Errorf("stored rules of %s: %w", r.Key(), err)
		}
		places, err := c.differences(ctx, r.Key(), map[input]any{asPlanned: expected, asStored: seen})
		switch {
		case errors.Is(err, errRandom):
			result.random++
			continue
		case err != nil:
			return err
		}
		if len(places[asPlanned]) > 0 {
			result.plannedDiffers++
		}
		if len(places[asStored]) > 0 {
			result.storedDiffer++
		}
		for _, in := range slices.Sorted(maps.Keys(places)) {
			if len(places[in]) > 0 {
				fmt.Fprintf(os.Stderr, "%s, rules %s: %d differences\n", r.Key(), in, len(places[in]))
				tellPlaces(places[in])
			}
		}
	}
	return nil
}

// errRandom reports that the answers about a dataplane keep changing.
var errRandom = errors.New("the answers keep changing")

// differences requests the rules of a dataplane until they are as expected, and returns
// the places where they are not.
func (c *providerComparison) differences(ctx context.Context, dataplane kuma.Key, expected map[input]any) (map[input][]string, error) {
	var last any
	for i := 0; ; i++ {
		actual, err := c.sites[0].rules(ctx, dataplane.Mesh, dataplane.Name)
		if err != nil {
			return nil, err
		}
		different := false
		places := map[input][]string{}
		for in, e := range expected {
			places[in] = testworld.AnswerDifferences("", e, actual)
			different = different || len(places[in]) > 0
		}
		switch {
		case !different:
			return places, nil
		case i == asks && tree.Equal(actual, last):
			return places, nil
		case i == asks:
			return nil, errRandom
		}
		last = actual
		if err := pause(ctx, cached); err != nil {
			return nil, err
		}
	}
}
