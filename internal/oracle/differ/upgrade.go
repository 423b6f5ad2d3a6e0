package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// upgrades compares what proxies get before and after stage one of a rewriting on a control
// plane of 2.14, and what the engine predicts for stage two with a control plane of 3.0.
type upgrades struct {
	settings
	old, new *oracle.Site // new is nil without one of 3.0
	mu       sync.Mutex

	worlds, documents, changed, deferred int
	dataplanes, different, ineffective   int
	predicted, mispredicted              int
	stageTwo, rejected, unexpected       int
}

// compareUpgrades rewrites random worlds, and compares what stage one changes, and how stage
// two is read, with what is predicted.
func compareUpgrades(ctx context.Context, d *oracle.Deployment, s settings) (found oracle.Result, err error) {
	u := &upgrades{settings: s, old: d.Sites[0]}
	if s.binary3 != "" {
		if u.new, err = oracle.Start(ctx, oracle.Options{Binary: s.binary3}); err != nil {
			return found, err
		}
		defer u.new.Stop() //nolint:errcheck // nothing depends on it
	}
	s.worlds = s.upgrades
	err = forEachSeed(ctx, s, func(ctx context.Context, seed uint64) error { return u.world(ctx, d, seed) })
	fmt.Fprintf(os.Stdout,
		"%d worlds of %d documents rewritten, %d documents changed in stage one, %d rewrites left for stage two; on 2.14 %d dataplanes, %d "+
			"with other settings after stage one, %d with other rules of the same effect; "+
			"on 3.0 %d of %d documents of stage two rejected, %d of them not named by the report, %d dataplanes, %d with other "+
			"rules than predicted\n",
		u.worlds, u.documents, u.changed, u.deferred, u.dataplanes, u.different, u.ineffective, u.rejected, u.stageTwo, u.unexpected, u.predicted,
		u.mispredicted)
	found.Compared = fmt.Sprintf("%d dataplanes before and after stage one", u.dataplanes)
	if u.new != nil {
		found.Compared += fmt.Sprintf(", %d after stage two", u.predicted)
	}
	found.Different = u.different + u.unexpected + u.mispredicted
	return found, err
}

func (u *upgrades) world(ctx context.Context, d *oracle.Deployment, seed uint64) error {
	world := invent(d, seed)
	taken, _, err := store(ctx, d, world)
	if err != nil || len(taken) == 0 {
		return err
	}
	defer remove(ctx, d, world)
	return u.check(ctx, fmt.Sprintf("seed %d", seed), world[0].Name)
}

// check rewrites what 2.14 stores of a mesh, and applies both stages.
func (u *upgrades) check(ctx context.Context, name, mesh string) error {
	before, err := u.settle(ctx, mesh)
	if err != nil {
		return err
	}
	result, err := upgrade.Rewrite(before.stored, upgrade.Options{ControlPlane: u.old.Info.ControlPlane})
	if err != nil {
		return err
	}
	changed, err := u.apply(ctx, before.stored, result.StageOne)
	if err != nil {
		return fmt.Errorf("%s: stage one: %w", name, err)
	}
	after, err := u.settle(ctx, mesh)
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.worlds++
	u.documents += len(before.stored)
	u.changed += changed
	u.deferred += len(result.Report.Of(upgrade.Deferred))
	for _, dataplane := range slices.Sorted(maps.Keys(before.answers)) {
		u.dataplanes++
		differences := tree.Diff(testworld.WithoutExplicit(before.settings(dataplane), nil),
			testworld.WithoutExplicit(after.settings(dataplane), before.settings(dataplane)))
		if len(differences) > 0 {
			if same, err := u.sameEffect(mesh, dataplane, before, after); err != nil || same {
				u.ineffective++
				if err != nil {
					return err
				}
				continue
			}
			u.different++
			fmt.Fprintf(os.Stderr, "%s, dataplane %s: %d differences after stage one\n", name, dataplane, len(differences))
			for _, d := range differences[:min(placesShown, len(differences))] {
				fmt.Fprintf(os.Stderr, "  %.*s\n", widthShown, fmt.Sprintf("%s: %v -> %v", d.Path, d.A, d.B))
			}
		}
	}
	if u.new == nil {
		return nil
	}
	return u.stage2(ctx, name, mesh, result)
}

// apply writes stage one, and returns the number of changed documents.
func (u *upgrades) apply(ctx context.Context, stored, stage []kuma.Resource) (changed int, err error) {
	byKey := map[kuma.Key]kuma.Resource{}
	for _, r := range stored {
		byKey[r.Key()] = r
	}
	for _, r := range stage {
		was, existed := byKey[r.Key()]
		delete(byKey, r.Key())
		if existed && tree.Equal(was.Document(), r.Document()) {
			continue
		}
		changed++
		if err := u.put(ctx, r); err != nil {
			return changed, err
		}
	}
	for key, r := range byKey {
		if k, _ := kinds.Find(key.Type); k.Policy != nil && !kinds.IsGeneratedService(r) {
			changed++
			if err := u.old.Client.Delete(ctx, k, key.Mesh, key.Name); err != nil {
				return changed, err
			}
		}
	}
	return changed, nil
}

// put writes a resource to 2.14, again if a generator writes it at the same time.
func (u *upgrades) put(ctx context.Context, r kuma.Resource) error {
	const attempts = 5
	for range attempts {
		rejection, err := u.old.Put(ctx, r)
		if rejection != "" {
			return fmt.Errorf("%s: %s", r.Key(), rejection)
		}
		if _, conflict := errors.AsType[*controlplane.ConflictError](err); !conflict {
			return err
		}
	}
	return fmt.Errorf("%s: conflicts with other writes", r.Key())
}

// state is what 2.14 stores of a mesh, and its answers about the proxies.
type state struct {
	stored  []kuma.Resource
	answers map[string]any
}

func (s state) settings(dataplane string) any { return testworld.Settings(s.answers[dataplane]) }

// settle returns the state of a mesh after its last change.
func (u *upgrades) settle(ctx context.Context, mesh string) (s state, err error) {
	if err = oracle.Pause(ctx, 2*oracle.Cached); err != nil {
		return s, err
	}
	if s.stored, err = u.old.Stored(ctx, mesh); err != nil {
		return s, err
	}
	s.answers = map[string]any{}
	for _, name := range rules.NewSnapshot(s.stored).Dataplanes(mesh) {
		if s.answers[name], err = u.old.Rules(ctx, mesh, name); err != nil {
			return s, err
		}
	}
	return s, nil
}

// sameEffect reports whether the engine gives the same answers about a proxy as 2.14 in both
// states, and finds that what differs between them has no effect: such as settings for
// incoming traffic that the proxy ignores, or another order of settings that do not conflict.
func (u *upgrades) sameEffect(mesh, dataplane string, before, after state) (bool, error) {
	for _, s := range []state{before, after} {
		answers, err := engine(rules.NewSnapshot(s.stored), mesh)
		if err != nil || len(testworld.AnswerDifferences("", answers[dataplane], testworld.ComparableAnswer(s.answers[dataplane]))) > 0 {
			return false, err
		}
	}
	changes, err := upgrade.Compare(before.stored, after.stored, upgrade.Options{ControlPlane: u.old.Info.ControlPlane})
	return len(changes.Access)+len(changes.Requests) == 0 &&
		!slices.ContainsFunc(changes.Settings, func(r impact.Row) bool { return slices.Contains(r.Dataplanes, dataplane) }), err
}

// stage2 writes stage two to a control plane of 3.0.
func (u *upgrades) stage2(ctx context.Context, name, mesh string, result upgrade.Result) error {
	var taken []kuma.Resource
	for _, r := range result.StageTwo {
		if _, described := kinds.Find(r.Type); !described {
			continue
		}
		u.stageTwo++
		if networking := tree.Object(r.Body["networking"]); networking["gateway"] != nil { // a release drops it, and the build keeps it
			r = r.Clone()
			delete(tree.Object(r.Body["networking"]), "gateway")
		}
		rejection, err := u.new.Put(ctx, r)
		if err != nil {
			return err
		}
		if rejection == "" {
			taken = append(taken, r)
			continue
		}
		u.rejected++
		if !slices.ContainsFunc(result.Report, func(i upgrade.Item) bool {
			return i.Key == r.Key() && (i.Action == upgrade.Manual || i.Action == upgrade.Kept)
		}) {
			u.unexpected++
			fmt.Fprintf(os.Stderr, "%s: 3.0 rejects %s: %s\n", name, r.Key(), rejection)
		}
	}
	defer u.new.Remove(ctx, mesh, taken)
	got, err := check(ctx, asksOf(u.new), func(ctx context.Context) (observation, error) { return observe(ctx, u.new, mesh, taken) })
	u.predicted += got.compared
	u.mispredicted += len(got.findings)
	for _, f := range got.findings {
		fmt.Fprintf(os.Stderr, "%s, stage two, ", name)
		f.tell()
	}
	return err
}
