package runstate

import (
	"context"
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// A control plane deletes a mesh together with everything in it. The plans of the mesh and
// of its resources come in any order, and those of other provider configurations are not
// known here. Whichever comes last reports that the mesh would take along a resource that
// the plan does not destroy.

// Contents are the resources in a mesh that the plan deletes, by what the plan does with
// them.
type Contents struct {
	Destroyed []kuma.Key
	Kept      []kuma.Key // or created, or forgotten by a removed block
	Unknown   []kuma.Key // not in the state, not planned yet, or in another provider configuration
}

// RecordMeshDeletion records that the plan deletes a mesh, and returns what it does with the
// resources in it. If it keeps one of the unknown ones, or creates one in the mesh, later,
// that is a [ConflictMesh]. With await, it waits until Terraform has planned all that it can
// plan; it must not where the plans of other resources wait for that of the mesh.
func (s *State) RecordMeshDeletion(ctx context.Context, mesh kuma.Key, stored []kuma.Key, await bool) (c Contents) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if await {
		s.wait(ctx, func() (longest time.Duration) {
			for _, key := range stored {
				switch s.resource(key).Stage {
				case StageNone:
					longest = max(longest, s.options.Waits.State)
				case StageInState, StageRead:
					longest = max(longest, s.options.Waits.Forgotten)
				default:
				}
			}
			return longest
		})
	}
	s.lost[mesh] = true
	created := func(r *Resource) bool { return r.Creation != CreationNone && s.resource(mesh).Creation == CreationNone }
	for _, key := range stored {
		switch r := s.resource(key); {
		case created(r), r.Stage == StageKept, await && r.Stage == StageInState:
			c.Kept = append(c.Kept, key)
		case r.Stage.Destroys():
			c.Destroyed = append(c.Destroyed, key)
		default:
			c.Unknown = append(c.Unknown, key)
			s.lost[key] = true
		}
	}
	for key, r := range s.resources {
		if key.Mesh == mesh.Name && created(r) && !slices.Contains(stored, key) {
			c.Kept = append(c.Kept, key)
		}
	}
	return c
}
