package runstate

import (
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// RecordWrite records what was stored before this run wrote or deleted a resource
// for the first time, the zero value for nothing. Where runs share a provider, a data
// source does not know which of them has written.
func (s *State) RecordWrite(key kuma.Key, before kuma.Resource) {
	if s.options.Shared {
		return
	}
	s.update(func() {
		if _, written := s.before[key]; !written {
			s.before[key] = before
		}
	})
}

// HasWritten reports whether this run wrote the mesh or something in it.
func (s *State) HasWritten(mesh string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.before {
		if key.Within(mesh) {
			return true
		}
	}
	return false
}

// ApplyBegan returns when the apply began, before its first write, by the clock of this
// process; zero while planning.
func (s *State) ApplyBegan() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.began
}

// BeforeWrites returns the resources that were stored before this run wrote the
// first of them. Resources that other clients have changed since are returned
// as they are now.
func (s *State) BeforeWrites(stored []kuma.Resource, mesh string) []kuma.Resource {
	s.mu.Lock()
	defer s.mu.Unlock()
	meshBefore, written := s.before[kuma.MeshKey(mesh)]
	created := written && meshBefore.Name == ""
	out := slices.DeleteFunc(slices.Clone(stored), func(r kuma.Resource) bool {
		_, written := s.before[r.Key()]
		return written || created && r.Mesh == mesh // what the control plane created with the mesh
	})
	for _, r := range s.before {
		if r.Name != "" && (r.Mesh == "" || r.Mesh == mesh) {
			out = append(out, r)
		}
	}
	return out
}
