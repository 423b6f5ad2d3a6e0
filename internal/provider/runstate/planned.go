package runstate

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// RecordChange records that the plan creates or changes a resource, and the labels that it gives to
// it. It returns the names of the analyses that do not cover the change.
func (s *State) RecordChange(key kuma.Key, labels map[string]string) (analyses []string) {
	s.update(func() {
		r := s.resource(key)
		r.labels, r.changes = labels, true
		for _, a := range s.analyses {
			if s.phase == planning && !a.covers(key) {
				analyses = append(analyses, a.Name)
			}
		}
	})
	return analyses
}

// HasLabel reports whether a stored or planned resource of a kind in a mesh has a label
// with a value, after the plan.
func (s *State) HasLabel(stored []kuma.Resource, kind, mesh, label, value string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range stored {
		planned, ok := s.resources[r.Key()]
		if (!ok || planned.labels == nil && planned.Stage != StageDestroyed) && r.Labels[label] == value {
			return true
		}
	}
	for key, planned := range s.resources {
		if key.Type == kind && key.Mesh == mesh && planned.labels[label] == value {
			return true
		}
	}
	return false
}

// RecordMesh records what the plan makes of a mesh.
func (s *State) RecordMesh(mesh kuma.Resource) {
	s.update(func() { s.meshes[mesh.Name] = mesh })
}

// PlannedMesh returns a mesh that the plan creates or changes.
func (s *State) PlannedMesh(name string) (mesh kuma.Resource, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	mesh, ok = s.meshes[name]
	return mesh, ok
}

// RecordReferenced records a resource that the plan creates or changes, and that
// references may resolve to.
func (s *State) RecordReferenced(r kuma.Resource) {
	s.update(func() { s.referenced[r.Key()] = r })
}

// RecordUnknown records that the plan does not know all of a resource of a kind.
func (s *State) RecordUnknown(kind string) {
	s.update(func() { s.unknown[kind] = true })
}

// Referenced returns the resources of RecordReferenced, and the kinds of RecordUnknown.
func (s *State) Referenced() (resources []kuma.Resource, unknown map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.referenced)), maps.Clone(s.unknown)
}

// Destroyed returns those of the stored resources that the plan destroys, and whether the plan
// of one that the state has may still come.
func (s *State) Destroyed(stored []kuma.Resource) (destroyed map[kuma.Key]bool, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	destroyed = map[kuma.Key]bool{}
	for _, r := range stored {
		if known, ok := s.resources[r.Key()]; ok {
			more = more || known.Stage.unplanned()
			if known.Stage.Destroys() {
				destroyed[r.Key()] = true
			}
		}
	}
	return destroyed, more
}

// AwaitPlans waits until Terraform has sent no requests for as long as analyses wait.
func (s *State) AwaitPlans(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait(ctx, func() time.Duration { return s.options.Waits.Analysis })
}
