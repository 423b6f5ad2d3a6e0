package runstate

import "github.com/kuma-universal/terraform-provider-kuma/internal/kuma"

// RecordLabels records the labels that the plan gives to a resource.
func (s *State) RecordLabels(key kuma.Key, labels map[string]string) {
	s.update(func() { s.resource(key).labels = labels })
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
