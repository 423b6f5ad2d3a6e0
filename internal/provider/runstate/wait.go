package runstate

import (
	"context"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Waits are how long Terraform must send no requests until something that it has not
// requested is considered not to happen. Where Terraform gives an order, nothing waits:
// the first half of a replacement comes before the second, and a resource after those
// that it refers to.
type Waits struct {
	// State: Terraform sends the state in no order, several resources at a time, and does
	// not say when it has sent all of it. If it was only busy with other providers, an
	// error gives the wrong reason, or an action changes what a resource manages.
	State time.Duration
	// Forgotten: Terraform sends a resource of the state and then, at once, the request to
	// read or to plan it, unless a `removed` block forgets it. It does not say so.
	Forgotten time.Duration
	// Deletion: an apply deletes a resource before or after it creates one of the same
	// name at another address, and does not say which deletions will come. They may wait
	// for other providers and for provisioners.
	Deletion time.Duration
	// Adoption replaces the others where an existing resource may be adopted.
	Adoption time.Duration
	// Analysis: Terraform reads data sources and plans destroys, and a resource and what refers to
	// it by name, in any order.
	Analysis time.Duration
}

// DefaultWaits are the waits of a provider that serves users.
var DefaultWaits = Waits{
	State:     5 * time.Second,
	Forgotten: time.Second,
	Deletion:  20 * time.Second,
	Adoption:  500 * time.Millisecond,
	Analysis:  100 * time.Millisecond,
}

// unless returns a wait, or that for an adoption.
func (w Waits) unless(adoptable bool, d time.Duration) time.Duration {
	if adoptable {
		return min(d, w.Adoption)
	}
	return d
}

// Unresolved is a planned creation of a resource that exists.
type Unresolved interface{ Key() kuma.Key }

type unresolved struct {
	Unresolved
	adoptable bool
}

// Resolve decides about a planned creation of a resource that exists: it returns the
// conflict if the plan says what happens to the resource of the state. Otherwise, one of the
// waiting calls returns all creations that would write over a resource, because the state
// does not have it or the plan forgets it.
func (s *State) Resolve(ctx context.Context, e Unresolved, adoptable bool) (Conflict, []Unresolved) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := unresolved{e, adoptable}
	if s.remaining(own) == 0 {
		return s.resource(e.Key()).conflict(), nil
	}
	s.unresolved = append(s.unresolved, own)
	if len(s.unresolved) > 1 {
		return ConflictNone, nil
	}
	defer func() { s.unresolved = nil }()
	s.wait(ctx, func() (longest time.Duration) {
		for _, e := range s.unresolved {
			longest = max(longest, s.remaining(e))
		}
		return longest
	})
	if ctx.Err() != nil {
		return ConflictNone, nil
	}
	var overwriting []Unresolved
	for _, e := range s.unresolved {
		if r := s.resource(e.Key()); r.Stage == StageNone || s.forgotten(r) {
			r.Progress = ProgressReported
			overwriting = append(overwriting, e.Unresolved)
		}
	}
	return s.resource(e.Key()).conflict(), overwriting
}

// remaining returns how long a creation must wait until it is known what happens to the
// resource of the state, zero if that is known.
func (s *State) remaining(e unresolved) time.Duration {
	waits, r := s.options.Waits, s.resource(e.Key())
	switch {
	case r.Stage == StageNone:
		return waits.unless(e.adoptable, waits.State)
	case r.Stage == StageInState && (s.refresh != refreshesNot || r.Creation == CreationReplacement):
		return waits.unless(e.adoptable, waits.Forgotten)
	default:
		return 0
	}
}

// forgotten reports whether the plan forgets a resource of the state, after it has waited.
// Without a refresh, one that the plan creates may be tainted instead.
func (s *State) forgotten(r *Resource) bool {
	return r.Stage == StageInState && (s.refresh == refreshes || r.Creation == CreationReplacement)
}

// AwaitManaged waits until one of some resources is in the state or planned, or until Terraform has sent all of the state and
// of the plan.
func (s *State) AwaitManaged(ctx context.Context, keys []kuma.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait(ctx, func() time.Duration {
		for _, key := range keys {
			if r := s.resource(key); r.Stage != StageNone || r.Creation != CreationNone {
				return 0
			}
		}
		return s.options.Waits.State
	})
}

// AwaitDeletion waits until this run has deleted a resource that prevents a
// creation. It returns false if that does not happen.
func (s *State) AwaitDeletion(ctx context.Context, key kuma.Key, adoptable bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.resource(key)
	if !s.wait(ctx, func() time.Duration {
		if r.Stage == StageDeleted {
			return 0
		}
		return s.options.Waits.unless(adoptable, s.options.Waits.Deletion)
	}) {
		return false
	}
	r.Stage = StageNone // a deletion makes room for one creation
	return true
}

// wait waits until remaining, which it calls with the lock held, returns zero. It gives up
// when Terraform has been silent for as long as remaining says, and when another call has
// given up and nothing has changed since.
func (s *State) wait(ctx context.Context, remaining func() time.Duration) bool {
	s.waiting++
	defer func() { s.waiting-- }()
	for {
		timeout := remaining()
		switch {
		case timeout == 0:
			return true
		case timeout <= s.waited:
			return false
		case s.silent(ctx, timeout):
			s.waited = timeout
			return false
		case ctx.Err() != nil:
			return false
		}
	}
}

// silent reports whether Terraform has sent no requests for the duration of timeout, apart
// from calls that wait. If not, it returns when that may have changed.
func (s *State) silent(ctx context.Context, timeout time.Duration) bool {
	left := timeout
	if s.calls <= s.waiting {
		left -= time.Since(s.lastCall)
	}
	if left <= 0 {
		return true
	}
	s.sleep(ctx, left)
	return false
}

// sleep waits for a change of the record, but not longer than timeout. The lock is
// held when it is called and when it returns.
func (s *State) sleep(ctx context.Context, timeout time.Duration) {
	changed := s.changed
	s.mu.Unlock()
	defer s.mu.Lock()
	select {
	case <-ctx.Done():
	case <-changed:
	case <-time.After(timeout):
	}
}
