package runstate

import (
	"context"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Terraform plans destroys and reads data sources in any order, and does not tell an
// analysis what the plan destroys. An analysis waits for a moment, excludes what the
// plan has destroyed so far, and is recorded, so that the plan of a later destroy can
// warn about it.

// Analysis is an analysis that was read while planning.
type Analysis struct {
	Name  string              // for messages
	Still map[kuma.Key]string // identifiers of the resources that it included
}

const (
	// planQuiet is how long Terraform must not send requests until its plan is
	// considered complete, except for requests that wait for the analysis.
	planQuiet = 100 * time.Millisecond
	// planQuietUnplanned is the same while the state has resources whose planned
	// action is not known. Resources that a `removed` block forgets are never planned.
	planQuietUnplanned = time.Second
)

// BeginAnalysis waits until Terraform has planned all that it can plan before it reads
// an analysis. The analysis counts as waiting until done is called.
func (s *State) BeginAnalysis(ctx context.Context) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting++
	for !s.applying && ctx.Err() == nil {
		left := planQuiet
		if s.hasUnplanned() {
			left = planQuietUnplanned
		}
		if s.calls <= s.waiting {
			left -= time.Since(s.lastCall)
		}
		if left <= 0 {
			break
		}
		s.sleep(ctx, left)
	}
	return func() { s.update(func() { s.waiting-- }) }
}

// hasUnplanned reports whether the state has resources whose planned action is not
// known.
func (s *State) hasUnplanned() bool {
	for _, r := range s.resources {
		if r.TypeName != "" && r.Action == actionUnknown && r.Creation == CreationNone {
			return true
		}
	}
	return false
}

// RecordAnalysis records an analysis without the resources that the plan destroys, and
// returns these.
func (s *State) RecordAnalysis(a Analysis) (destroyed map[kuma.Key]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	destroyed = map[kuma.Key]bool{}
	for key := range a.Still {
		if r, ok := s.resources[key]; ok && r.destroyed() {
			destroyed[key] = true
			delete(a.Still, key)
		}
	}
	if !s.applying {
		s.analyses = append(s.analyses, a)
	}
	return destroyed
}

// destroyed reports whether the plan destroys the resource.
func (r *Resource) destroyed() bool {
	return (r.Action == ActionDelete || r.Action == ActionRename) && r.Creation == CreationNone
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
