package provider

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
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
		how    creation
		action plannedAction
		want   conflict
	}{
		"tainted":                       {creationNew, actionUnknown, conflictNone},
		"kept at another address":       {creationNew, actionKeep, conflictTwoBlocks},
		"renamed elsewhere":             {creationNew, actionRename, conflictNone},
		"address gone":                  {creationNew, actionDelete, conflictMovedBlock},
		"takes the name of a kept one":  {creationReplacement, actionKeep, conflictTwoBlocks},
		"takes the name of one renamed": {creationReplacement, actionRename, conflictNone},
		"list that shifts":              {creationReplacement, actionDelete, conflictNone},
		"replaced under its name":       {creationSameKey, actionKeep, conflictNone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			create := func(s *runState) conflict {
				found, mayExist := s.recordCreation(runKey, "kuma_mesh_timeout", test.how)
				if mayExist {
					found, _ = s.resolve(t.Context(), waiting(runKey), time.Millisecond)
				}
				return found
			}
			plan := func(s *runState) conflict {
				s.recordState(runKey, "kuma_mesh_timeout")
				if test.action == actionUnknown {
					return conflictNone
				}
				return s.recordPlan(runKey, "kuma_mesh_timeout", test.action)
			}
			s := newRunState()
			if got := max(plan(s), create(s)); got != test.want {
				t.Errorf("planned, then created: conflict %d, want %d", got, test.want)
			}
			if test.how == creationSameKey {
				return // Terraform plans such a resource first
			}
			s = newRunState()
			if got := max(create(s), plan(s)); got != test.want {
				t.Errorf("created, then planned: conflict %d, want %d", got, test.want)
			}
			s = newRunState()
			s.recordApply()
			if got := max(plan(s), create(s)); got != conflictNone {
				t.Errorf("in an apply: conflict %d, want none", got)
			}
		})
	}
	t.Run("created twice", func(t *testing.T) {
		t.Parallel()
		s := newRunState()
		s.recordCreation(runKey, "kuma_mesh_timeout", creationNew)
		if found, _ := s.recordCreation(runKey, "kuma_mesh_timeout", creationNew); found != conflictTwoBlocks {
			t.Errorf("conflict %d, want two blocks", found)
		}
	})
	t.Run("planned and applied by one provider", func(t *testing.T) {
		t.Parallel()
		s := newRunState()
		s.several = true
		for range 2 {
			if found, _ := s.recordCreation(runKey, "kuma_mesh_timeout", creationNew); found != conflictNone {
				t.Errorf("a creation that is planned again: conflict %d, want none", found)
			}
		}
		s.recordApply()
		s.recordCreated(runKey)
		s.recordState(runKey, "kuma_mesh_timeout")
		for range 2 {
			if found := s.recordPlan(runKey, "kuma_mesh_timeout", actionKeep); found != conflictNone {
				t.Errorf("a resource that is planned again: conflict %d, want none", found)
			}
		}
		if s.get(runKey).created {
			t.Error("a deletion would be taken for one of a resource that this run has replaced")
		}
	})
}

// TestResolveReportsAll checks that one call reports all resources that are not in the
// state, except those that Terraform shows meanwhile.
func TestResolveReportsAll(t *testing.T) {
	t.Parallel()
	s := newRunState()
	key := func(name string) kuma.Key { return kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: name} }
	names := []string{"a", "b", "c", "d", "e"}
	var mu sync.Mutex
	var reported []string
	var wg sync.WaitGroup
	for _, name := range names {
		done := s.call()
		wg.Go(func() {
			defer done()
			s.recordCreation(key(name), "kuma_mesh_timeout", creationReplacement)
			_, foreign := s.resolve(t.Context(), waiting(kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: name}), 100*time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			for _, e := range foreign {
				reported = append(reported, e.Key().Name)
			}
		})
	}
	s.recordState(key("b"), "kuma_mesh_timeout")
	wg.Wait()
	slices.Sort(reported)
	if want := []string{"a", "c", "d", "e"}; !slices.Equal(reported, want) {
		t.Errorf("reported %v, want %v", reported, want)
	}
	if s.get(key("b")).reported || !s.get(key("a")).reported {
		t.Error("the record does not say what was reported")
	}
}

// TestInterruptedWait checks that no resource is attributed to another client when
// Terraform stops.
func TestInterruptedWait(t *testing.T) {
	t.Parallel()
	s := newRunState()
	ctx, cancel := context.WithCancel(t.Context())
	defer s.call()()
	time.AfterFunc(20*time.Millisecond, cancel)
	s.recordCreation(runKey, "kuma_mesh_timeout", creationNew)
	if found, foreign := s.resolve(ctx, waiting(runKey), time.Hour); found != conflictNone || foreign != nil {
		t.Errorf("resolve() = %d, %v after an interrupt, want nothing", found, foreign)
	}
}

// TestAwaitDeletion checks that a deletion of this run ends the wait, and counts once.
func TestAwaitDeletion(t *testing.T) {
	t.Parallel()
	s := newRunState()
	defer s.call()()
	time.AfterFunc(20*time.Millisecond, func() { s.recordDeleted(runKey) })
	if !s.awaitDeletion(t.Context(), runKey, time.Hour) {
		t.Error("the deletion is not noticed")
	}
	if s.awaitDeletion(t.Context(), runKey, 20*time.Millisecond) {
		t.Error("the deletion counts twice")
	}
}

// TestAnalysisSeesDestroys checks that an analysis excludes what Terraform plans to
// destroy while it waits, and is recorded for later destroys.
func TestAnalysisSeesDestroys(t *testing.T) {
	t.Parallel()
	key := func(name string) kuma.Key { return kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: name} }
	s := newRunState()
	defer s.call()()
	s.recordState(key("a"), "kuma_mesh_timeout")
	time.AfterFunc(20*time.Millisecond, func() {
		s.recordState(key("b"), "kuma_mesh_timeout")
		s.recordPlan(key("a"), "kuma_mesh_timeout", actionDelete)
		s.recordPlan(key("b"), "kuma_mesh_timeout", actionRename)
	})
	defer s.beginAnalysis(t.Context())()
	still := map[kuma.Key]string{key("a"): "kri-a", key("b"): "kri-b", key("c"): "kri-c"}
	destroyed := s.recordAnalysis(readAnalysis{name: "impact", still: still})
	if want := (map[kuma.Key]bool{key("a"): true, key("b"): true}); !maps.Equal(destroyed, want) {
		t.Errorf("destroyed %v, want %v", destroyed, want)
	}
	if names, _ := s.outdatedAnalyses(key("a")); names != nil {
		t.Errorf("the analyses %q are outdated by the destroy of a resource that they excluded", names)
	}
	if names, kri := s.outdatedAnalyses(key("c")); !slices.Equal(names, []string{"impact"}) || kri != "kri-c" {
		t.Errorf("outdated analyses %q, identifier %q, want the one recorded", names, kri)
	}
}

// TestAnalysesDoNotWaitForEachOther checks that computing an analysis does not delay
// another one.
func TestAnalysesDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	s := newRunState()
	defer s.call()()
	defer s.beginAnalysis(t.Context())() // and goes on
	ctx, cancel := context.WithTimeout(t.Context(), 20*planQuiet)
	defer cancel()
	defer s.call()()
	defer s.beginAnalysis(ctx)()
	if ctx.Err() != nil {
		t.Error("the second analysis waits for the first")
	}
}
