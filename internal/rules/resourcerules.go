package rules

import (
	"cmp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// resourceRules makes one rule for each section that an entry of `to` resolves
// to, and for no other (matching.md §4).
func (m matchedPolicies) resourceRules(k *kind) []ResourceRule {
	var entries []*entry
	for _, p := range m.policies {
		if p.top.Kind != kuma.KindMeshHTTPRoute {
			entries = append(entries, p.to...)
		}
	}
	sortStableFunc(entries, compareToEntries)

	// What each entry reaches, by position in the order of merging: scanning all
	// entries for each rule would take quadratic time.
	var everywhere []int
	reaching := map[*section][]int{}
	resources := map[*section]*kuma.Resource{}
	for i, e := range entries {
		for _, t := range e.targets {
			resources[t.section] = t.resource
			if t.resource.Type == kuma.KindMesh {
				everywhere = append(everywhere, i)
				continue
			}
			at := t.section.reach()
			reaching[at] = append(reaching[at], i)
		}
	}

	rules := make([]ResourceRule, 0, len(resources))
	for at, r := range resources {
		positions := slices.Concat(everywhere, reaching[at.whole])
		if at != at.whole {
			positions = append(positions, reaching[at]...)
		}
		slices.Sort(positions)
		rules = append(rules, m.resourceRule(k, resolvedTarget{r, at}, entries, positions))
	}
	slices.SortFunc(rules, compareResourceRules)
	return rules
}

// resourceRule merges the entries at ascending positions. One that resolved
// twice to the same section is merged twice, but is one origin.
func (m matchedPolicies) resourceRule(k *kind, about resolvedTarget, entries []*entry, positions []int) ResourceRule {
	layers := make([]layer, len(positions))
	origins := make([]Origin, 0, len(positions))
	for i, position := range positions {
		layers[i] = entries[position].layer
		if i == 0 || position != positions[i-1] {
			origins = append(origins, m.proxy.metas.origin(layers[i]))
		}
	}
	return ResourceRule{
		ResourceMeta:        m.proxy.metas.of(about.resource),
		ResourceSectionName: about.section.name,
		Conf:                k.merge(layers, nil),
		Origin:              origins,
		from:                mergeInput{k, layers},
	}
}

// reach returns what an entry for a section is relevant to: sections of services
// stand alone, in all other kinds the resource counts as a whole.
func (s *section) reach() *section {
	switch s.resource.Type {
	case kuma.KindMeshService, kuma.KindMeshMultiZoneService:
		return s
	default:
		return s.whole
	}
}

// compareResourceRules is a total order, where a control plane's own is random
// among resources of one name (matching.md §13.4).
func compareResourceRules(a, b ResourceRule) int {
	x, y := a.ResourceMeta, b.ResourceMeta
	return cmp.Or(
		cmp.Compare(x.Name, y.Name),
		cmp.Compare(x.Type, y.Type),
		cmp.Compare(x.Mesh, y.Mesh),
		cmp.Compare(a.ResourceSectionName, b.ResourceSectionName),
	)
}
