package impact

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestRecordedChanges checks the properties of comparisons with changes of recorded worlds that
// remove about a tenth of the resources, and with those that add them again.
func TestRecordedChanges(t *testing.T) {
	t.Parallel()
	changed, unchanged := 0, 0
	for n, world := range testworld.GoldenSample(t) {
		t.Run(world.Name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(n), 0))
			fewer := slices.DeleteFunc(slices.Clone(world.Resources), func(r kuma.Resource) bool {
				return r.Type != kuma.KindMesh && random.IntN(10) == 0
			})
			all, most := rules.NewSnapshot(world.Resources), rules.NewSnapshot(fewer)
			removal, addition := compare(t, all, most, world.Mesh), compare(t, most, all, world.Mesh)
			checkReverse(t, removal, addition)
			for _, change := range []struct {
				before, after *rules.Snapshot
				Impact
			}{{all, most, removal}, {most, all, addition}} {
				want := compareFully(t, change.before, change.after, world.Mesh)
				if diff := cmp.Diff(want, change.Groups, cmpopts.IgnoreUnexported(Change{}), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("groups (-full +restricted):\n%s", diff)
				}
				other := compare(t, reversed(change.before, world.Mesh), reversed(change.after, world.Mesh), world.Mesh)
				testworld.Equal(t, "summary of the documents in reverse order", change.Summary(), other.Summary())
				changed += len(change.Changed())
				unchanged += len(change.Unchanged)
			}
		})
	}
	if changed == 0 || unchanged == 0 {
		t.Errorf("%d dataplanes change, %d do not", changed, unchanged)
	}
	t.Logf("%d dataplanes change, %d do not", changed, unchanged)
}

func compare(t *testing.T, before, after *rules.Snapshot, meshName string) Impact {
	t.Helper()
	i, err := Compare(before, after, meshName)
	testworld.NoError(t, err)
	return i
}

// compareFully compares all types of all dataplanes, each from scratch.
func compareFully(t *testing.T, before, after *rules.Snapshot, meshName string) []Group {
	t.Helper()
	c := comparison{before: newSnapshot(before, meshName), after: newSnapshot(after, meshName), types: kinds.PolicyTypes()}
	c.findChanges()
	common, _, _ := split(c.before.dataplanes, c.after.dataplanes)
	results := make([][]*result, len(common))
	for i, name := range common {
		for _, r := range []*result{c.configuredAgain(name, newReachability(&c)), newDefaultChanges(&c).compare(name)} {
			if len(r.changes) > 0 {
				results[i] = append(results[i], r)
			}
		}
		unused := unusedChanges{comparison: &c}
		for _, policyType := range c.types {
			in := c.input(name, policyType)
			c.settings.known.Clear() // of the changes of other dataplanes
			if r := unused.without(c.compareType(name, policyType, in), name, policyType); len(r.changes) > 0 {
				results[i] = append(results[i], r)
			}
		}
		if r := c.ownChanges(name); results[i] == nil && len(r.changes) > 0 {
			results[i] = append(results[i], r)
		}
	}
	testworld.NoError(t, c.failure())
	var out Impact
	out.group(common, results)
	return out.Groups
}

// checkReverse checks that the reverse change affects the same values, with before and after
// swapped, and that each has a path. That a proxy can no longer be configured is not a value.
func checkReverse(t *testing.T, there, back Impact) {
	t.Helper()
	values := func(i Impact) []Row {
		return slices.DeleteFunc(i.Rows(), func(r Row) bool { return r.Path == ConfigurationPath })
	}
	rows := values(there)
	for i := range rows {
		swapped := *rows[i].Change
		swapped.Before, swapped.After = swapped.After, swapped.Before
		rows[i].Change = &swapped
		if rows[i].Path == "" {
			t.Errorf("%s %s changes without a path", rows[i].Type, rows[i].Destination)
		}
	}
	sortRows(rows)
	if diff := cmp.Diff(rows, values(back), cmpopts.IgnoreUnexported(Change{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("rows (-forward, swapped +reverse):\n%s", diff)
	}
}

// TestNothingChanges checks that the order of the documents is not a change.
func TestNothingChanges(t *testing.T) {
	t.Parallel()
	for _, world := range testworld.GoldenSample(t) {
		shuffled := slices.Clone(world.Resources)
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		i, err := Compare(rules.NewSnapshot(world.Resources), rules.NewSnapshot(shuffled), world.Mesh)
		if err != nil {
			t.Fatalf("%s: %v", world.Name, err)
		}
		if len(i.Groups)+len(i.WithoutEffect)+len(i.Added)+len(i.Removed) > 0 {
			t.Errorf("%s: %s", world.Name, i.Summary())
		}
	}
}

// reversed returns a snapshot of the same resources in reverse order.
func reversed(s *rules.Snapshot, meshName string) *rules.Snapshot {
	var resources []kuma.Resource
	for _, r := range slices.Backward(s.Resources(meshName)) {
		resources = append(resources, *r)
	}
	return rules.NewSnapshot(resources)
}
