package rules

import (
	"cmp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
)

// section identifies what a resource rule is about: a resource, or with a name
// one section of it. Resources of equal identity are the same.
type section struct {
	of   mesh.ID
	name string
}

// resourceRules makes one rule for each section that an entry of `to` resolves
// to, and for no other (spec/matching.md §4).
func (m matched) resourceRules(k *kind) []ResourceRule {
	var entries []entry
	for _, p := range m.policies {
		if p.top.Kind != mesh.KindMeshHTTPRoute {
			entries = append(entries, p.to...)
		}
	}
	slices.SortStableFunc(entries, compareToEntries)

	// What each entry reaches, by position in the order of merging: scanning all
	// entries for each rule would take quadratic time.
	var everywhere []int
	reaching := map[section][]int{}
	resources := map[section]*mesh.Resource{}
	for i, e := range entries {
		for _, t := range e.targets {
			s := section{t.resource.ID(), t.section}
			resources[s] = t.resource
			if t.resource.Type == mesh.KindMesh {
				everywhere = append(everywhere, i)
				continue
			}
			reaching[reach(s)] = append(reaching[reach(s)], i)
		}
	}

	rules := make([]ResourceRule, 0, len(resources))
	for s, r := range resources {
		positions := slices.Concat(everywhere, reaching[section{of: s.of}])
		if s.name != "" {
			positions = append(positions, reaching[s]...)
		}
		slices.Sort(positions)
		relevant := make([]entry, len(positions))
		for i, position := range positions {
			relevant[i] = entries[position]
		}
		rules = append(rules, ResourceRule{
			ResourceMeta:        metaOf(r),
			ResourceSectionName: s.name,
			Conf:                k.merge(relevant),
			Origin:              originsOf(relevant),
		})
	}
	slices.SortFunc(rules, compareResourceRules)
	return rules
}

// reach returns what an entry for s is relevant to besides s itself: sections
// of services stand alone, in all other kinds the resource counts as a whole.
func reach(s section) section {
	switch s.of.Type {
	case mesh.KindMeshService, mesh.KindMeshMultiZoneService:
		return s
	default:
		return section{of: s.of}
	}
}

// compareResourceRules is a total order, where a control plane's own is random
// among resources of one name (spec/matching.md §13.4).
func compareResourceRules(a, b ResourceRule) int {
	x, y := a.ResourceMeta, b.ResourceMeta
	return cmp.Or(
		cmp.Compare(x.Name, y.Name),
		cmp.Compare(x.Type, y.Type),
		cmp.Compare(x.Mesh, y.Mesh),
		cmp.Compare(a.ResourceSectionName, b.ResourceSectionName),
	)
}
