package runstate

import (
	"context"
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Terraform plans destroys and reads data sources in any order, and does not tell an
// analysis what the plan destroys. An analysis waits for a moment, excludes what the
// plan has destroyed so far, and is recorded, so that the plan of a later destroy can
// warn about it.

// Analysis is an analysis that was read while planning.
type Analysis struct {
	Name    string              // for messages
	Mesh    string              // that it analyzed
	Kinds   []string            // of resources that it took into account
	Planned map[kuma.Key]bool   // resources that it included as the plan has them
	Still   map[kuma.Key]string // identifiers of the other resources that it included
}

// covers reports whether the analysis includes the plan of a resource, or does not depend on it.
func (a Analysis) covers(key kuma.Key) bool {
	return a.Planned[key] || key.Mesh != a.Mesh && key != kuma.MeshKey(a.Mesh) || !slices.Contains(a.Kinds, key.Type)
}

// BeginAnalysis waits until Terraform has planned all that it can plan before it reads
// an analysis. The analysis counts as waiting until done is called. A shared provider does
// not know yet whether the data source belongs to an apply or to the next plan.
func (s *State) BeginAnalysis(ctx context.Context) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting++
	for (s.phase == planning || s.options.Shared) && ctx.Err() == nil && !s.silent(ctx, s.untilPlanned()) {
		continue
	}
	return func() { s.update(func() { s.waiting-- }) }
}

// untilPlanned returns how long Terraform must be silent until its plan is considered
// complete: longer while the state has resources of which the plan is not known. Forgotten
// ones are never planned.
func (s *State) untilPlanned() time.Duration {
	for _, r := range s.resources {
		if r.Stage.unplanned() && r.Creation == CreationNone {
			return s.options.Waits.Forgotten
		}
	}
	return s.options.Waits.Analysis
}

// RecordAnalysis records an analysis without the resources that the plan destroys, and
// returns these, and those that the plan creates or changes and the analysis does not cover.
func (s *State) RecordAnalysis(a Analysis) (destroyed map[kuma.Key]bool, uncovered []kuma.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	destroyed = map[kuma.Key]bool{}
	for key := range a.Still {
		if r, ok := s.resources[key]; ok && r.destroyed() {
			destroyed[key] = true
			delete(a.Still, key)
		}
	}
	if s.phase == planning {
		s.analyses = append(s.analyses, a)
		for key, r := range s.resources {
			if r.changes && !a.covers(key) {
				uncovered = append(uncovered, key)
			}
		}
	}
	slices.SortFunc(uncovered, kuma.CompareKeys)
	return destroyed, uncovered
}

// destroyed reports whether the plan destroys the resource.
func (r *Resource) destroyed() bool {
	return r.Stage.Destroys() && r.Creation == CreationNone
}

// OutdatedAnalyses returns the names of the analyses that included a resource, and its
// identifier.
func (s *State) OutdatedAnalyses(key kuma.Key) (names []string, kri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.analyses {
		if id, ok := a.Still[key]; ok {
			names, kri = append(names, a.Name), id
		}
	}
	return names, kri
}
