package runstate

import (
	"context"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// A plan may destroy what resources refer to that it keeps, or that another configuration
// manages. The plans of the two come in any order. Whichever comes last reports it.

// Reference is a place in a resource that refers to what the plan destroys.
type Reference struct {
	From kuma.Key
	Path string
}

// Referring are references that the plan leaves without a target.
type Referring struct {
	Kept    []Reference // of resources that the plan keeps as they are, or forgets
	Unknown []Reference // of resources that the state does not have, as far as is known
}

// AwaitReferring waits until Terraform has planned all that it can plan and that decides
// about resources that refer to what the plan destroys. It returns those of this call and of
// calls in the meantime, which return none: many waiting calls would leave Terraform none for
// the plans that they wait for.
func (s *State) AwaitReferring(ctx context.Context, from []kuma.Key) (awaited []kuma.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awaited = append(s.awaited, from...)
	if len(s.awaited) > len(from) {
		return nil
	}
	s.wait(ctx, func() time.Duration {
		longest := s.options.Waits.Analysis // a creation may replace what is destroyed
		for _, from := range s.awaited {
			for _, key := range []kuma.Key{from, kuma.MeshKey(from.Mesh)} {
				switch r := s.resource(key); {
				case r.Stage == StageNone && key == from:
					longest = max(longest, s.options.Waits.State)
				case r.Stage.unplanned():
					longest = max(longest, s.options.Waits.Forgotten)
				}
			}
		}
		return longest
	})
	awaited, s.awaited = s.awaited, nil
	return awaited
}

// Referring returns what the plan does with the resources of references, without those that
// it destroys or changes, and those that have been returned before. [State.RecordUnchanged]
// reports those that it has not planned yet, which without awaited are also those that the
// state may not have.
func (s *State) Referring(references []Reference, awaited bool) (r Referring) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase == applying {
		return Referring{}
	}
	for _, ref := range references {
		from := s.resource(ref.From)
		if from.Creation != CreationNone {
			continue
		}
		report := func(as string, list *[]Reference) {
			if s.reported[ref] != as {
				s.reported[ref], *list = as, append(*list, ref)
			}
		}
		switch {
		case from.unchanged, awaited && s.forgotten(from):
			report("kept", &r.Kept)
			continue
		case awaited && from.Stage == StageNone:
			report("unknown", &r.Unknown)
		}
		from.refers = true
	}
	return r
}

// RecordUnchanged records that the plan keeps a resource as it is, and returns whether it
// may refer to what the plan destroys.
func (s *State) RecordUnchanged(key kuma.Key) (refers bool) {
	s.update(func() {
		r := s.resource(key)
		r.unchanged, refers = true, r.refers
	})
	return refers
}
