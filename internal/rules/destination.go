package rules

import (
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Candidate is a resource that traffic can be addressed to, or a route that it
// can take. Its labels are read-only.
type Candidate struct {
	Meta
	Ports []string // names of its sections, in its own order; empty for a route
}

// Candidates returns the resources of a kind of destination or route in any
// zone and namespace that have the given name or display name, unless it is
// empty, and all of the labels, in order of name.
func (s *Snapshot) Candidates(meshName, kind, name string, labels map[string]string) []Candidate {
	m := s.mesh(meshName)
	if !IsDestination(kind) && !IsRoute(kind) {
		return nil
	}
	all := m.resources[kind]
	if len(labels) > 0 {
		all = m.index.labeled(kind, labels)
	}
	var out []Candidate
	for _, r := range all {
		if name != "" && name != r.Name && name != r.DisplayName() {
			continue
		}
		c := Candidate{Meta: sharedMeta(r)}
		if IsDestination(kind) {
			c.Ports = Sections(*r)
		}
		out = append(out, c)
	}
	return out
}

// HasServiceTag reports whether a dataplane or ExternalService of a mesh provides a service with
// that value of the tag kuma.io/service. Such a service can be addressed
// without a resource, unless the mesh is [Snapshot.Exclusive].
func (s *Snapshot) HasServiceTag(meshName, service string) bool {
	return s.mesh(meshName).serviceTags()[service]
}

// ServiceTags returns the values of the tag kuma.io/service for which [Snapshot.HasServiceTag] holds, in ascending order.
func (s *Snapshot) ServiceTags(meshName string) []string {
	return slices.Sorted(maps.Keys(s.mesh(meshName).serviceTags()))
}

// readServiceTags collects the values of kuma.io/service.
func (m *mesh) readServiceTags() map[string]bool {
	offered := map[string]bool{}
	for _, tags := range m.offeredTags() {
		if service := tags[kuma.TagService]; service != "" {
			offered[service] = true
		}
	}
	return offered
}

// offeredTags returns the tags of everything that accepts traffic of the mesh.
func (m *mesh) offeredTags() []map[string]string {
	var all []map[string]string
	for _, r := range m.resources[kuma.KindDataplane] {
		dp := m.proxy(r.Name)
		for _, in := range slices.Concat(dp.inbounds, dp.listeners) {
			all = append(all, in.tags)
		}
		all = append(all, dp.gatewayTags)
	}
	for _, r := range m.resources[kinds.ExternalService] {
		all = append(all, tree.StringMap(r.Body["tags"]))
	}
	return all
}
