package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
)

// providerComparison applies worlds with Terraform and compares the results of the
// provider with the answers of the control plane.
type providerComparison struct {
	*oracle.Deployment
	settings
	cli terraform

	mu    sync.Mutex
	total providerResult
}

// providerResult counts the comparisons of one world, or of all.
type providerResult struct {
	result
	worlds, failed       int // failed: a command of Terraform ended with an error
	resources, manifests int
	secondPlans          int // that are not empty
	documents, rejected  int
}

func (r *providerResult) add(o providerResult) {
	r.result.add(o.result)
	r.worlds += o.worlds
	r.failed += o.failed
	r.resources += o.resources
	r.manifests += o.manifests
	r.secondPlans += o.secondPlans
	r.documents += o.documents
	r.rejected += o.rejected
}

func (r providerResult) different() int { return r.failed + r.secondPlans + len(r.findings) }

// differentFor counts the dataplanes that differ for an input.
func (r providerResult) differentFor(in input) (n int) {
	for _, f := range r.findings {
		if f.input == in {
			n++
		}
	}
	return n
}

func (r providerResult) String() string {
	return fmt.Sprintf("%d worlds of %d resources (%d of them kuma_manifest) applied by Terraform, %d failed; %d dataplanes: "+
		"%d different only when planned, %d when stored, %d random; %d second plans with changes; %d of %d documents rejected",
		r.worlds, r.resources, r.manifests, r.failed, r.compared, r.differentFor(asPlanned), r.differentFor(asStored), r.random, r.secondPlans,
		r.rejected, r.documents)
}

// compareThroughProvider compares all worlds.
func compareThroughProvider(ctx context.Context, d *oracle.Deployment, s settings) (found oracle.Result, err error) {
	dir, err := filepath.Abs(s.out)
	if err != nil {
		return found, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return found, err
	}
	s.out = dir
	cli, err := newTerraform(s.terraform, s.provider, dir)
	if err != nil {
		return found, err
	}
	c := &providerComparison{Deployment: d, settings: s, cli: cli}
	err = forEachSeed(ctx, s, c.world)
	fmt.Fprintln(os.Stdout, c.total)
	found = oracle.Result{Compared: fmt.Sprintf("%d dataplanes, planned and stored", c.total.compared), Different: c.total.different()}
	return found, err
}

// world compares the world of one seed. It keeps the configuration if something differs.
func (c *providerComparison) world(ctx context.Context, seed uint64) error {
	world := slices.DeleteFunc(invent(c.Deployment, seed), ofGlobal)
	taken, err := c.taken(ctx, world)
	if err != nil {
		return err
	}
	config := worldConfig{world: inMesh(taken, fmt.Sprintf("p%d", seed)), firstManifest: int(seed % 2)}
	defer remove(ctx, c.Deployment, config.world)
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
	if err == nil && result.different() == 0 {
		err = os.RemoveAll(dir)
	}
	return err
}

// ofGlobal reports whether a resource is a MeshService with the origin of another control
// plane, which cannot replace one that the control plane has generated before.
func ofGlobal(r kuma.Resource) bool {
	return r.Type == kuma.KindMeshService && r.Labels[kuma.LabelOrigin] == kuma.OriginGlobal
}

// taken returns the resources of a world that the control plane accepts. The comparison
// of worlds without Terraform lists those that it rejects.
func (c *providerComparison) taken(ctx context.Context, world []kuma.Resource) ([]kuma.Resource, error) {
	defer remove(ctx, c.Deployment, world)
	taken, _, err := store(ctx, c.Deployment, world)
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
	resources, err := config.resources(c.Sites[0].Endpoint)
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
	if err := withoutInitial(ctx, c.Sites[0], config.world[0].Name); err != nil {
		return result, err
	}
	if err := os.WriteFile(filepath.Join(dir, "stored.tf"), []byte(config.rules(outputStored)), 0o600); err != nil {
		return result, err
	}
	if err := generated(ctx, c.Sites[0], config.world); err != nil {
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
	result.result, err = c.compareRules(ctx, config.world, first.outputs[outputPlanned], second.outputs[outputStored])
	return result, err
}

// withoutInitial deletes the policies that a development build of Kuma 3.0 has created with
// a mesh: the release, and so the plan, has none (release3.md §2).
func withoutInitial(ctx context.Context, s *oracle.Site, mesh string) error {
	if !s.Info.Release.Kuma3() {
		return nil
	}
	stored, err := s.Stored(ctx, mesh)
	for _, r := range stored {
		k, _ := kinds.Find(r.Type)
		if err == nil && kinds.ManagedBy(k, r, stored, s.Info.ControlPlane) == kinds.ManagedByMesh {
			err = s.Client.Delete(ctx, k, r.Mesh, r.Name)
		}
	}
	return err
}

// generated waits until the control plane has generated the MeshServices that the provider
// predicts for a world, which takes seconds. That one is still missing then shows in the
// rules, if it matters.
func generated(ctx context.Context, s *oracle.Site, world []kuma.Resource) error {
	var dataplanes []kuma.Resource
	for _, r := range world {
		if r.Type == kuma.KindDataplane {
			dataplanes = append(dataplanes, r)
		}
	}
	for _, service := range kinds.GeneratedServices(world[0], dataplanes, s.Info.ControlPlane) {
		exists := func(ctx context.Context) (bool, error) {
			_, err := s.Client.Get(ctx, kinds.MeshService, service.Mesh, service.Name)
			if _, missing := errors.AsType[*controlplane.NotFoundError](err); missing {
				return false, nil
			}
			return true, err
		}
		if err := oracle.Until(ctx, generation, oracle.Cached, service.Key().String(), exists); err != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// generation limits the wait for generated resources.
const generation = 30 * time.Second

// compareRules compares the rules of all dataplanes, as planned and as stored.
func (c *providerComparison) compareRules(ctx context.Context, world []kuma.Resource, planned, stored map[string]string) (result, error) {
	computed := map[input]map[string]any{asPlanned: {}, asStored: {}}
	for in, texts := range map[input]map[string]string{asPlanned: planned, asStored: stored} {
		for _, r := range world {
			if r.Type != kuma.KindDataplane {
				continue
			}
			var err error
			if computed[in][r.Name], err = decodeAnswer([]byte(texts[r.Name])); err != nil {
				return result{}, fmt.Errorf("rules of %s %s: %w", r.Key(), in, err)
			}
		}
	}
	got, err := check(ctx, asksOf(c.Sites[0]), func(ctx context.Context) (observation, error) {
		v := observation{answers: map[string]any{}}
		err := v.compareRules(ctx, c.Sites[0], world[0].Name, computed)
		return v, err
	})
	for _, f := range got.findings {
		f.tell()
	}
	return got, err
}
