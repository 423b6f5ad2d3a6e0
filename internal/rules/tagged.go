package rules

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Tags returns the tags by which a reference in backendRefs selects proxies, nil if it refers
// to a resource: that is a MeshServiceSubset, or a MeshService by name without a port. The backend of a MeshTCPRoute without rules
// for the mesh is a tag that no proxy has (matching.md §18.3).
func (s *Snapshot) Tags(ref BackendRef) map[string]string {
	byName := ref.Kind == kuma.KindMeshService && ref.Port == 0 && ref.SectionName == "" && len(ref.Labels) == 0
	switch {
	case s.matching.byLabels || !byName && ref.Kind != kuma.KindMeshServiceSubset && ref.Kind != kuma.KindMesh:
		return nil
	case ref.Kind == kuma.KindMesh:
		return serviceTags("*", nil)
	default:
		return serviceTags(ref.Name, ref.Tags)
	}
}

// RouteTags returns the tags of requests to a service by tags that the rule of a route with
// some matches takes.
func RouteTags(service string, matches any) map[string]string {
	tags := MatchTags(matches)
	tags[kuma.TagService] = service
	return tags
}

// MatchTags returns the tags of requests that the rule of a route of a gateway with some matches
// takes, to any destination.
func MatchTags(matches any) map[string]string {
	return map[string]string{tagMatches: matchesHash(tree.List(matches))}
}

// OutlineByTags is [Snapshot.Outline] with the rules by tags of a mesh in mode Exclusive, too.
// The inspect API hides them there, but they apply to outbounds by tags.
func (s *Snapshot) OutlineByTags(meshName, name, policyType string) (PolicyRules, error) {
	r, err := s.Outline(meshName, name, policyType)
	if err != nil || !s.Exclusive(meshName) || s.matching.byLabels {
		return r, err
	}
	r.ToRules, err = r.selected.toRules(r.kind)
	return r, err
}
