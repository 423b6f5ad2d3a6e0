package runstate

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

var runKey = kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: "a"}

// waiting is a creation that waits.
type waiting kuma.Key

func (w waiting) Key() kuma.Key { return kuma.Key(w) }

// TestConflicts checks that the creation of a resource and its planned action at
// another address may be reported in any order.
func TestConflicts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		how    Creation
		action Action
		want   Conflict
	}{
		"tainted":                       {CreationNew, actionUnknown, ConflictNone},
		"kept at another address":       {CreationNew, ActionKeep, ConflictTwoBlocks},
		"renamed elsewhere":             {CreationNew, ActionRename, ConflictNone},
		"address gone":                  {CreationNew, ActionDelete, ConflictMovedBlock},
		"takes the name of a kept one":  {CreationReplacement, ActionKeep, ConflictTwoBlocks},
		"takes the name of one renamed": {CreationReplacement, ActionRename, ConflictNone},
		"list that shifts":              {CreationReplacement, ActionDelete, ConflictNone},
		"replaced under its name":       {CreationSameKey, ActionKeep, ConflictNone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			create := func(s *State) Conflict {
				found, mayExist := s.RecordCreation(runKey, "kuma_mesh_timeout", test.how)
				if mayExist {
					found, _ = s.Resolve(t.Context(), waiting(runKey), time.Millisecond)
				}
				return found
			}
			plan := func(s *State) Conflict {
				s.RecordState(runKey, "kuma_mesh_timeout")
				if test.action == actionUnknown {
					return ConflictNone
				}
				return s.RecordPlan(runKey, "kuma_mesh_timeout", test.action)
			}
			s := New()
			if got := max(plan(s), create(s)); got != test.want {
				t.Errorf("planned, then created: conflict %d, want %d", got, test.want)
			}
			if test.how == CreationSameKey {
				return // Terraform plans such a resource first
			}
			s = New()
			if got := max(create(s), plan(s)); got != test.want {
				t.Errorf("created, then planned: conflict %d, want %d", got, test.want)
			}
			s = New()
			s.RecordApply()
			if got := max(plan(s), create(s)); got != ConflictNone {
				t.Errorf("in an apply: conflict %d, want none", got)
			}
		})
	}
	t.Run("created twice", func(t *testing.T) {
		t.Parallel()
		s := New()
		s.RecordCreation(runKey, "kuma_mesh_timeout", CreationNew)
		if found, _ := s.RecordCreation(runKey, "kuma_mesh_timeout", CreationNew); found != ConflictTwoBlocks {
			t.Errorf("conflict %d, want two blocks", found)
		}
	})
	t.Run("planned and applied by one provider", func(t *testing.T) {
		t.Parallel()
		s := New()
		s.Several = true
		for range 2 {
			if found, _ := s.RecordCreation(runKey, "kuma_mesh_timeout", CreationNew); found != ConflictNone {
				t.Errorf("a creation that is planned again: conflict %d, want none", found)
			}
		}
		s.RecordApply()
		s.RecordCreated(runKey)
		s.RecordState(runKey, "kuma_mesh_timeout")
		for range 2 {
			if found := s.RecordPlan(runKey, "kuma_mesh_timeout", ActionKeep); found != ConflictNone {
				t.Errorf("a resource that is planned again: conflict %d, want none", found)
			}
		}
		if s.Get(runKey).Created {
			t.Error("a deletion would be taken for one of a resource that this run has replaced")
		}
	})
}

// TestResolveReportsAll checks that one call reports all resources that are not in the
// state, except those that Terraform shows meanwhile.
func TestResolveReportsAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New()
		key := func(name string) kuma.Key { return kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: name} }
		names := []string{"a", "b", "c", "d", "e"}
		var mu sync.Mutex
		var reported []string
		var wg sync.WaitGroup
		for _, name := range names {
			done := s.Call()
			wg.Go(func() {
				defer done()
				s.RecordCreation(key(name), "kuma_mesh_timeout", CreationReplacement)
				_, foreign := s.Resolve(t.Context(), waiting(kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: name}), 100*time.Millisecond)
				mu.Lock()
				defer mu.Unlock()
				for _, e := range foreign {
					reported = append(reported, e.Key().Name)
				}
			})
		}
		s.RecordState(key("b"), "kuma_mesh_timeout")
		wg.Wait()
		slices.Sort(reported)
		if want := []string{"a", "c", "d", "e"}; !slices.Equal(reported, want) {
			t.Errorf("reported %v, want %v", reported, want)
		}
		if s.Get(key("b")).Reported || !s.Get(key("a")).Reported {
			t.Error("the record does not say what was reported")
		}
	})
}

// TestInterruptedWait checks that no resource is attributed to another client when
// Terraform stops.
func TestInterruptedWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New()
		ctx, cancel := context.WithCancel(t.Context())
		defer s.Call()()
		time.AfterFunc(20*time.Millisecond, cancel)
		s.RecordCreation(runKey, "kuma_mesh_timeout", CreationNew)
		if found, foreign := s.Resolve(ctx, waiting(runKey), time.Hour); found != ConflictNone || foreign != nil {
			t.Errorf("resolve() = %d, %v after an interrupt, want nothing", found, foreign)
		}
	})
}

// TestAwaitDeletion checks that a deletion of this run ends the wait, and counts once.
func TestAwaitDeletion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New()
		defer s.Call()()
		time.AfterFunc(20*time.Millisecond, func() { s.RecordDeleted(runKey) })
		if !s.AwaitDeletion(t.Context(), runKey, time.Hour) {
			t.Error("the deletion is not noticed")
		}
		if s.AwaitDeletion(t.Context(), runKey, 20*time.Millisecond) {
			t.Error("the deletion counts twice")
		}
	})
}

// TestAnalysisSeesDestroys checks that an analysis excludes what Terraform plans to
// destroy while it waits, and is recorded for later destroys.
func TestAnalysisSeesDestroys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key := func(name string) kuma.Key { return kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: name} }
		s := New()
		defer s.Call()()
		s.RecordState(key("a"), "kuma_mesh_timeout")
		time.AfterFunc(20*time.Millisecond, func() {
			s.RecordState(key("b"), "kuma_mesh_timeout")
			s.RecordPlan(key("a"), "kuma_mesh_timeout", ActionDelete)
			s.RecordPlan(key("b"), "kuma_mesh_timeout", ActionRename)
		})
		defer s.BeginAnalysis(t.Context())()
		still := map[kuma.Key]string{key("a"): "kri-a", key("b"): "kri-b", key("c"): "kri-c"}
		destroyed := s.RecordAnalysis(Analysis{Name: "impact", Still: still})
		if want := (map[kuma.Key]bool{key("a"): true, key("b"): true}); !maps.Equal(destroyed, want) {
			t.Errorf("destroyed %v, want %v", destroyed, want)
		}
		if names, _ := s.OutdatedAnalyses(key("a")); names != nil {
			t.Errorf("the analyses %q are outdated by the destroy of a resource that they excluded", names)
		}
		if names, kri := s.OutdatedAnalyses(key("c")); !slices.Equal(names, []string{"impact"}) || kri != "kri-c" {
			t.Errorf("outdated analyses %q, identifier %q, want the one recorded", names, kri)
		}
	})
}

// TestAnalysesDoNotWaitForEachOther checks that computing an analysis does not delay
// another one.
func TestAnalysesDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New()
		defer s.Call()()
		defer s.BeginAnalysis(t.Context())() // and goes on
		ctx, cancel := context.WithTimeout(t.Context(), 20*planQuiet)
		defer cancel()
		defer s.Call()()
		defer s.BeginAnalysis(ctx)()
		if ctx.Err() != nil {
			t.Error("the second analysis waits for the first")
		}
	})
}

// TestTimeouts checks how long a creation waits for Terraform to send its state, from the
// last request on, and that the next one does not wait again.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New()
		defer s.Call()()
		other := kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: "b"}
		time.AfterFunc(3*time.Second, func() { s.RecordState(other, "kuma_mesh_timeout") })
		for _, want := range []time.Duration{3*time.Second + s.StateTimeout, 0} {
			started := time.Now()
			s.RecordCreation(runKey, "kuma_mesh_timeout", CreationNew)
			_, foreign := s.Resolve(t.Context(), waiting(runKey), s.StateTimeout)
			if took := time.Since(started); took != want || len(foreign) != 1 {
				t.Errorf("%d resources reported after %s, want 1 after %s", len(foreign), took, want)
			}
		}
	})
}
