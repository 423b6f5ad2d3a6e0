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
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

var (
	runKey = kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: "a"}
	other  = kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: "b"}
)

// waiting is a creation that waits.
type waiting kuma.Key

func (w waiting) Key() kuma.Key { return kuma.Key(w) }

// TestConflicts checks that the creation of a resource and its planned action at
// another address may be reported in any order.
func TestConflicts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		how   Creation
		stage Stage
		want  Conflict
	}{
		"tainted":                       {CreationNew, StageInState, ConflictNone},
		"kept at another address":       {CreationNew, StageKept, ConflictTwoBlocks},
		"renamed elsewhere":             {CreationNew, StageRenamed, ConflictNone},
		"address gone":                  {CreationNew, StageDestroyed, ConflictMovedBlock},
		"takes the name of a kept one":  {CreationReplacement, StageKept, ConflictTwoBlocks},
		"takes the name of one renamed": {CreationReplacement, StageRenamed, ConflictNone},
		"list that shifts":              {CreationReplacement, StageDestroyed, ConflictNone},
		"replaced under its name":       {CreationSameKey, StageKept, ConflictNone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				create := func(s *State) Conflict {
					found, mayExist := s.RecordCreation(runKey, "kuma_mesh_timeout", test.how)
					if mayExist {
						found, _ = s.Resolve(t.Context(), waiting(runKey), false)
					}
					return found
				}
				plan := func(s *State) Conflict {
					s.RecordState(runKey, "kuma_mesh_timeout")
					if test.stage == StageInState {
						return ConflictNone
					}
					return s.RecordPlan(runKey, "kuma_mesh_timeout", test.stage)
				}
				s := New(Options{})
				testworld.Equal(t, "planned, then created: conflict", test.want, max(plan(s), create(s)))
				if test.how == CreationSameKey {
					return // Terraform plans such a resource first
				}
				s = New(Options{})
				testworld.Equal(t, "created, then planned: conflict", test.want, max(create(s), plan(s)))
				s = New(Options{})
				s.RecordApply()
				testworld.Equal(t, "in an apply: conflict", ConflictNone, max(plan(s), create(s)))
			})
		})
	}
	t.Run("created twice", func(t *testing.T) {
		t.Parallel()
		s := New(Options{})
		s.RecordCreation(runKey, "kuma_mesh_timeout", CreationNew)
		if found, _ := s.RecordCreation(runKey, "kuma_mesh_timeout", CreationNew); found != ConflictTwoBlocks {
			t.Errorf("conflict %d, want two blocks", found)
		}
	})
	t.Run("planned and applied by one provider", func(t *testing.T) {
		t.Parallel()
		s := New(Options{Shared: true})
		for range 2 {
			if found, _ := s.RecordCreation(runKey, "kuma_mesh_timeout", CreationNew); found != ConflictNone {
				t.Errorf("a creation that is planned again: conflict %d, want none", found)
			}
		}
		for range 2 {
			if found := s.RecordPlan(other, "kuma_mesh_timeout", StageKept); found != ConflictNone {
				t.Errorf("a resource that is planned again: conflict %d, want none", found)
			}
		}
	})
}

// TestResolveReportsAll checks that one call reports all resources that are not in the
// state, except those that Terraform shows meanwhile.
func TestResolveReportsAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
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
				_, foreign := s.Resolve(t.Context(), waiting(key(name)), false)
				mu.Lock()
				defer mu.Unlock()
				for _, e := range foreign {
					reported = append(reported, e.Key().Name)
				}
			})
		}
		s.RecordRead(key("b"), "kuma_mesh_timeout")
		wg.Wait()
		slices.Sort(reported)
		if want := []string{"a", "c", "d", "e"}; !slices.Equal(reported, want) {
			t.Errorf("reported %v, want %v", reported, want)
		}
		if s.Get(key("b")).Progress == ProgressReported || s.Get(key("a")).Progress != ProgressReported {
			t.Error("the record does not say what was reported")
		}
	})
}

// TestInterruptedWait checks that no resource is attributed to another client when
// Terraform stops.
func TestInterruptedWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		ctx, cancel := context.WithCancel(t.Context())
		defer s.Call()()
		time.AfterFunc(20*time.Millisecond, cancel)
		s.RecordCreation(runKey, "kuma_mesh_timeout", CreationNew)
		if found, foreign := s.Resolve(ctx, waiting(runKey), false); found != ConflictNone || foreign != nil {
			t.Errorf("resolve() = %d, %v after an interrupt, want nothing", found, foreign)
		}
	})
}

// TestAwaitDeletion checks that a deletion of this run ends the wait, and counts once.
func TestAwaitDeletion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		defer s.Call()()
		time.AfterFunc(20*time.Millisecond, func() { s.RecordDeleted(runKey) })
		if !s.AwaitDeletion(t.Context(), runKey, false) {
			t.Error("the deletion is not noticed")
		}
		if s.AwaitDeletion(t.Context(), runKey, true) {
			t.Error("the deletion counts twice")
		}
	})
}

// TestMissingDeletion checks how long a creation waits for a deletion that does not come.
func TestMissingDeletion(t *testing.T) {
	t.Parallel()
	for adoptable, want := range map[bool]time.Duration{true: DefaultWaits.Adoption, false: DefaultWaits.Deletion} {
		synctest.Test(t, func(t *testing.T) {
			s := New(Options{})
			defer s.Call()()
			started := time.Now()
			if deleted, took := s.AwaitDeletion(t.Context(), runKey, adoptable), time.Since(started); deleted || took != want {
				t.Errorf("adoptable %v: deleted %v after %s, want false after %s", adoptable, deleted, took, want)
			}
		})
	}
}

// TestAnalysisSeesDestroys checks that an analysis excludes what Terraform plans to
// destroy while it waits, and is recorded for later destroys.
func TestAnalysisSeesDestroys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key := func(name string) kuma.Key { return kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: name} }
		s := New(Options{})
		defer s.Call()()
		s.RecordState(key("a"), "kuma_mesh_timeout")
		time.AfterFunc(20*time.Millisecond, func() {
			s.RecordState(key("b"), "kuma_mesh_timeout")
			s.RecordPlan(key("a"), "kuma_mesh_timeout", StageDestroyed)
			s.RecordPlan(key("b"), "kuma_mesh_timeout", StageRenamed)
		})
		defer s.BeginAnalysis(t.Context())()
		still := map[kuma.Key]string{key("a"): "kri-a", key("b"): "kri-b", key("c"): "kri-c"}
		destroyed, _ := s.RecordAnalysis(Analysis{Name: "impact", Still: still})
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
		s := New(Options{})
		defer s.Call()()
		defer s.BeginAnalysis(t.Context())() // and goes on
		ctx, cancel := context.WithTimeout(t.Context(), 20*DefaultWaits.Analysis)
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
		s := New(Options{})
		defer s.Call()()
		time.AfterFunc(3*time.Second, func() { s.RecordState(other, "kuma_mesh_timeout") })
		for _, want := range []time.Duration{3*time.Second + DefaultWaits.State, 0} {
			started := time.Now()
			s.RecordCreation(runKey, "kuma_mesh_timeout", CreationNew)
			_, foreign := s.Resolve(t.Context(), waiting(runKey), false)
			if took := time.Since(started); took != want || len(foreign) != 1 {
				t.Errorf("%d resources reported after %s, want 1 after %s", len(foreign), took, want)
			}
		}
	})
}

// TestForgotten checks that the creation of what a `removed` block forgets is reported, that
// of a tainted resource is not, and how long either waits.
func TestForgotten(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		plan     func(*State) // besides the state and the creation
		how      Creation
		reported bool
		after    time.Duration
	}{
		"forgotten": {
			func(s *State) { s.RecordRead(other, "kuma_mesh_timeout") },
			CreationNew, true, DefaultWaits.Forgotten,
		},
		"tainted": {
			func(s *State) { s.RecordRead(runKey, "kuma_mesh_timeout") },
			CreationNew, false, 0,
		},
		"tainted or forgotten, without a refresh": {
			func(s *State) {
				s.RecordState(other, "kuma_mesh_timeout")
				s.RecordPlan(other, "kuma_mesh_timeout", StageKept)
			},
			CreationNew, false, 0,
		},
		"tainted or forgotten, and nothing else": {
			func(*State) {}, CreationNew, false, DefaultWaits.Forgotten,
		},
		"forgotten, for one that is renamed": {
			func(s *State) {
				s.RecordState(other, "kuma_mesh_timeout")
				s.RecordPlan(other, "kuma_mesh_timeout", StageRenamed)
			},
			CreationReplacement, true, DefaultWaits.Forgotten,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				for _, shown := range []time.Duration{0, time.Second} {
					s := New(Options{})
					defer s.Call()()
					time.AfterFunc(shown, func() {
						s.RecordState(runKey, "kuma_mesh_timeout")
						test.plan(s)
					})
					if shown == 0 {
						synctest.Wait()
					}
					started := time.Now()
					s.RecordCreation(runKey, "kuma_mesh_timeout", test.how)
					found, all := s.Resolve(t.Context(), waiting(runKey), false)
					if took := time.Since(started); found != ConflictNone || (len(all) > 0) != test.reported || took != shown+test.after {
						t.Errorf("state after %s: conflict %d, %d reported after %s, want %t after %s", shown, found, len(all), took, test.reported, shown+test.after)
					}
				}
			})
		})
	}
}

// TestRunsOfSharedProvider checks with which request the next run of a provider begins
// that serves several, and that no request of an apply begins one.
func TestRunsOfSharedProvider(t *testing.T) {
	t.Parallel()
	third := kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: "c"}
	create := func(key kuma.Key, how Creation) func(*State) {
		return func(s *State) {
			s.BeginCreation(key)
			s.RecordCreation(key, "kuma_mesh_timeout", how)
		}
	}
	remove := func(s *State) {
		s.BeginPlan()
		s.RecordPlan(runKey, "kuma_mesh_timeout", StageDestroyed)
	}
	keep := func(s *State) { s.RecordPlan(other, "kuma_mesh_timeout", StageKept) }
	read := func(s *State) { s.RecordRead(other, "kuma_mesh_timeout") }
	removed := func(s *State) { s.RecordApply(); s.RecordDeleted(runKey) }
	created := func(s *State) { s.RecordApply(); s.RecordCreated(runKey) }
	plan := []func(*State){read, keep, remove}
	replacement := []func(*State){create(runKey, CreationSameKey)}
	for name, test := range map[string]struct {
		requests []func(*State)
		begins   bool // with the last of them
	}{
		"first plan":                     {plan, false},
		"update in an apply":             {slices.Concat(plan, []func(*State){removed, keep}), false},
		"refresh":                        {slices.Concat(plan, []func(*State){removed, read}), true},
		"refresh after a plan":           {slices.Concat(plan, []func(*State){read}), true},
		"nothing to do, without refresh": {slices.Concat(plan, []func(*State){removed, (*State).BeginPlan}), true},
		"destroy, without refresh":       {slices.Concat(replacement, []func(*State){created, remove}), true},
		"creation in an apply":           {slices.Concat(plan, replacement, []func(*State){removed, create(runKey, CreationNew)}), false},
		"creation of what was deleted":   {slices.Concat(plan, []func(*State){removed, create(runKey, CreationNew)}), true},
		"creation of what was created":   {slices.Concat(replacement, []func(*State){created, create(runKey, CreationNew)}), true},
		"another creation":               {slices.Concat(replacement, []func(*State){created, create(third, CreationNew)}), true},
		"name that was unknown":          {slices.Concat(replacement, []func(*State){create(kuma.Key{}, CreationNew), created, create(third, CreationNew)}), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs, before := 0, 0
			s := New(Options{Shared: true, Restarted: func() { runs++ }})
			for _, request := range test.requests {
				before = runs
				request(s)
			}
			if begins := runs > before; begins != test.begins || !begins && runs != 1 {
				t.Errorf("the last request begins a run: %t, want %t; %d runs", begins, test.begins, runs)
			}
			if deleted := s.Get(runKey).Stage == StageDeleted; test.begins && deleted {
				t.Error("the next run knows what the last one deleted")
			}
			runs = 0
			s = New(Options{Restarted: func() { runs++ }})
			for _, request := range test.requests {
				request(s)
			}
			if runs != 1 {
				t.Errorf("%d runs of a provider that serves one", runs)
			}
		})
	}
}

// TestDestroyAfterPlan checks that a destroy knows nothing of what a plan before it keeps and replaces, which
// Terraform does not apply, whichever resource it plans first.
func TestDestroyAfterPlan(t *testing.T) {
	t.Parallel()
	mesh, policies := kuma.MeshKey("shop"), []kuma.Key{runKey, other}
	for _, meshFirst := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := New(Options{Shared: true})
			for _, key := range append(policies, mesh) {
				s.RecordState(key, "kuma")
				s.RecordRead(key, "kuma")
				s.RecordPlan(key, "kuma", StageKept)
			}
			s.RecordCreation(runKey, "kuma", CreationSameKey)

			destroy := func(keys ...kuma.Key) {
				for _, key := range keys {
					s.RecordState(key, "kuma")
					s.BeginPlan()
					s.RecordPlan(key, "kuma", StageDestroyed)
				}
			}
			if meshFirst {
				destroy(mesh)
				go destroy(policies...)
			} else {
				destroy(append(policies, mesh)...)
			}
			if c := s.RecordMeshDeletion(t.Context(), mesh, policies, true); len(c.Destroyed) != 2 {
				t.Errorf("mesh first: %t, contents %+v", meshFirst, c)
			}
		})
	}
}

// TestAwaitManaged checks that an action waits for the resources that Terraform plans after it, and only for those.
func TestAwaitManaged(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		record func(*State)
		want   time.Duration
	}{
		"in the state":    {func(s *State) { s.RecordState(runKey, "kuma_secret") }, time.Second},
		"created":         {func(s *State) { s.RecordCreation(runKey, "kuma_secret", CreationNew) }, time.Second},
		"another":         {func(s *State) { s.RecordState(other, "kuma_secret") }, time.Second + DefaultWaits.State},
		"no further plan": {func(*State) {}, DefaultWaits.State},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, started := New(Options{}), time.Now()
			s.BeginPlan()
			go func() { time.Sleep(time.Second); test.record(s) }()
			if s.AwaitManaged(t.Context(), []kuma.Key{runKey}); time.Since(started) != test.want {
				t.Errorf("%s: after %s, want %s", name, time.Since(started), test.want)
			}
			synctest.Wait()
		})
	}
}

// TestMeshDeletion checks what the plan of a mesh knows of the resources in it, and that the
// plan of a resource says so if it comes after that of the mesh.
func TestMeshDeletion(t *testing.T) {
	t.Parallel()
	mesh := kuma.MeshKey("shop")
	keep := func(s *State) Conflict { return s.RecordPlan(runKey, "kuma_mesh_timeout", StageKept) }
	create := func(s *State) Conflict { c, _ := s.RecordCreation(runKey, "kuma_mesh_timeout", CreationNew); return c }
	keys := []kuma.Key{runKey}
	for name, test := range map[string]struct {
		plan     func(*State) Conflict
		before   Contents // if the resource is planned first
		conflict Conflict // if the mesh is planned first
	}{
		"nothing known": {func(*State) Conflict { return ConflictNone }, Contents{Unknown: keys}, ConflictNone},
		"forgotten":     {func(s *State) Conflict { s.RecordState(runKey, ""); return ConflictNone }, Contents{Kept: keys}, ConflictNone},
		"read":          {func(s *State) Conflict { s.RecordRead(runKey, ""); return ConflictNone }, Contents{Unknown: keys}, ConflictNone},
		"kept":          {keep, Contents{Kept: keys}, ConflictMesh},
		"created":       {create, Contents{Kept: keys}, ConflictMesh},
		"destroyed":     {func(s *State) Conflict { return s.RecordPlan(runKey, "", StageDestroyed) }, Contents{Destroyed: keys}, ConflictNone},
		"mesh created again": {func(s *State) Conflict {
			s.RecordCreation(mesh, "kuma_mesh", CreationReplacement)
			s.RecordPlan(runKey, "", StageRenamed)
			return create(s)
		}, Contents{Destroyed: keys}, ConflictNone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := New(Options{})
				if found := test.plan(s); found != ConflictNone {
					t.Errorf("planned first: conflict %d", found)
				}
				testworld.Equal(t, "planned first", test.before, s.RecordMeshDeletion(t.Context(), mesh, keys, true))
				s = New(Options{})
				testworld.Equal(t, "the mesh first", Contents{Unknown: keys}, s.RecordMeshDeletion(t.Context(), mesh, keys, true))
				if found := test.plan(s); found != test.conflict {
					t.Errorf("planned after the mesh: conflict %d, want %d", found, test.conflict)
				}
			})
		})
	}
}

// TestReferring checks that references to what a plan destroys are reported once, by whichever
// plan comes last, and not if the plan destroys or changes the resource that has them.
func TestReferring(t *testing.T) {
	t.Parallel()
	ref := Reference{From: runKey, Path: "spec.to[0].targetRef"}
	inState := func(s *State) { s.RecordState(runKey, "kuma_mesh_timeout") }
	read := func(s *State) { s.RecordRead(runKey, "kuma_mesh_timeout") }
	kept := func(s *State) {
		read(s)
		s.RecordPlan(runKey, "kuma_mesh_timeout", StageKept)
	}
	const atOnce, later, unknown, never = "at once", "later", "unknown", "never"
	for name, test := range map[string]struct {
		before func(s *State)
		await  bool
		want   string
	}{
		"unchanged":                 {func(s *State) { kept(s); s.RecordUnchanged(runKey) }, true, atOnce},
		"forgotten":                 {func(s *State) { inState(s); s.RecordRead(other, "kuma_mesh_timeout") }, true, atOnce},
		"without a refresh":         {inState, true, later},
		"not planned yet":           {read, true, later},
		"not planned, not awaited":  {inState, false, later},
		"changed":                   {kept, true, later}, // and RecordUnchanged never comes
		"of another configuration":  {func(*State) {}, true, unknown},
		"of another, not awaited":   {func(*State) {}, false, later},
		"destroyed":                 {func(s *State) { read(s); s.RecordPlan(runKey, "", StageDestroyed) }, true, later},
		"replaced":                  {func(s *State) { kept(s); s.RecordCreation(runKey, "", CreationSameKey) }, true, never},
		"while a plan is applied":   {func(s *State) { kept(s); s.RecordUnchanged(runKey); s.RecordApply() }, true, never},
		"reported by another call ": {func(s *State) { kept(s); s.RecordUnchanged(runKey); s.Referring([]Reference{ref}, true) }, true, never},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := New(Options{})
				test.before(s)
				if test.await && s.AwaitReferring(t.Context(), []kuma.Key{runKey}) == nil {
					t.Fatal("another call waits")
				}
				found, got := s.Referring([]Reference{ref}, test.await), never
				switch {
				case found.Kept != nil:
					got = atOnce
				case found.Unknown != nil:
					got = unknown
				case s.RecordUnchanged(runKey):
					got = later
				}
				testworld.Equal(t, "reported", test.want, got)
			})
		})
	}
}

// TestOneCallAwaitsReferring checks that of several calls only one waits, and for all.
func TestOneCallAwaitsReferring(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		var reports []int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				defer s.Call()()
				awaited := s.AwaitReferring(t.Context(), []kuma.Key{runKey})
				mu.Lock()
				defer mu.Unlock()
				reports = append(reports, len(awaited))
			})
		}
		wg.Wait()
		slices.Sort(reports)
		if !slices.Equal(reports, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 10}) {
			t.Errorf("the calls report %v resources, want all by one of them", reports)
		}
	})
}
