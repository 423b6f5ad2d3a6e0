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

// TestRestrictedEqualsFull checks that the comparison, which computes equal input
// once and only what can have changed, returns the same as computing everything.
func TestRestrictedEqualsFull(t *testing.T) {
	changed, unchanged := 0, 0
	eachChange(t, func(t *testing.T, before, after *rules.Snapshot, meshName string) {
		t.Helper()
		got, err := Compare(before, after, meshName)
		if err != nil {
			t.Fatal(err)
		}
		want := compareFully(t, before, after, meshName)
		if diff := cmp.Diff(want, got.Groups, cmpopts.IgnoreUnexported(Change{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("groups (-full +restricted):\n%s", diff)
		}
		changed += len(got.Changed())
		unchanged += len(got.Unchanged)
	})
	if changed == 0 || unchanged == 0 {
		t.Errorf("%d dataplanes change, %d do not", changed, unchanged)
	}
	t.Logf("%d dataplanes change, %d do not", changed, unchanged)
}

// compareFully compares all types of all dataplanes, each from scratch.
func compareFully(t *testing.T, before, after *rules.Snapshot, meshName string) []Group {
	t.Helper()
	c := comparison{before: newSnapshot(before, meshName), after: newSnapshot(after, meshName), types: kinds.PolicyTypes()}
	c.findChanges()
	common, _, _ := split(c.before.dataplanes, c.after.dataplanes)
	results := make([][]*result, len(common))
	for i, name := range common {
		for _, policyType := range c.types {
			in, err := c.input(name, policyType)
			if err != nil {
				t.Fatal(err)
			}
			r := &result{}
			clear(c.settings.found) // forget the changes of other dataplanes
			r.compare(&c, name, policyType, in)
			if r.err != nil {
				t.Fatal(r.err)
			}
			if len(r.changes) > 0 {
				results[i] = append(results[i], r)
			}
		}
	}
	var out Impact
	out.group(common, results)
	return out.Groups
}

// TestReverseChange checks that the reverse change affects the same values, with
// before and after swapped, and that each has a path.
func TestReverseChange(t *testing.T) {
	eachChange(t, func(t *testing.T, before, after *rules.Snapshot, meshName string) {
		t.Helper()
		there, err := Compare(before, after, meshName)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Compare(after, before, meshName)
		if err != nil {
			t.Fatal(err)
		}
		rows := there.Rows()
		for i := range rows {
			rows[i].Before, rows[i].After = rows[i].After, rows[i].Before
			if rows[i].Path == "" {
				t.Errorf("%s %s changes without a path", rows[i].Type, rows[i].Destination)
			}
		}
		sortRows(rows)
		if diff := cmp.Diff(rows, back.Rows(), cmpopts.IgnoreUnexported(Change{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("rows (-forward, swapped +reverse):\n%s", diff)
		}
	})
}

// TestNothingChanges checks that the order of the documents is not a change.
func TestNothingChanges(t *testing.T) {
	for _, world := range testworld.Golden(t) {
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

// TestSummaryIsStable checks that the summary does not depend on the order of the
// documents.
func TestSummaryIsStable(t *testing.T) {
	eachChange(t, func(t *testing.T, before, after *rules.Snapshot, meshName string) {
		t.Helper()
		first, err := Compare(before, after, meshName)
		if err != nil {
			t.Fatal(err)
		}
		second, err := Compare(reversed(before, meshName), reversed(after, meshName), meshName)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first.Summary(), second.Summary()); diff != "" {
			t.Errorf("summary (-first +second):\n%s", diff)
		}
	})
}

// reversed returns a snapshot of the same resources in reverse order.
func reversed(s *rules.Snapshot, meshName string) *rules.Snapshot {
	var resources []kuma.Resource
	for _, r := range slices.Backward(s.Resources(meshName)) {
		resources = append(resources, *r)
	}
	return rules.NewSnapshot(resources)
}

// eachChange calls test with changes of each recorded world that remove about a
// tenth of its resources, and with those that add them again. With -short, it does so for
// a part of the worlds.
func eachChange(t *testing.T, test func(t *testing.T, before, after *rules.Snapshot, meshName string)) {
	t.Helper()
	for n, world := range testworld.Golden(t) {
		if !testworld.Runs(n) {
			continue
		}
		t.Run(world.Name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(n), 0))
			after := slices.DeleteFunc(slices.Clone(world.Resources), func(r kuma.Resource) bool {
				return r.Type != kuma.KindMesh && random.IntN(10) == 0
			})
			all, most := rules.NewSnapshot(world.Resources), rules.NewSnapshot(after)
			test(t, all, most, world.Mesh)
			test(t, most, all, world.Mesh)
		})
	}
}
