package rules

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// resourceRules returns one rule for each section that an entry of `to`
// resolves to, and for no other (matching.md §4), without merging it.
func (m matchedPolicies) resourceRules(k *kind) []ResourceRule {
	var entries []*entry
	for _, p := range m.policies {
		if p.top.Kind != kuma.KindMeshHTTPRoute {
			entries = append(entries, p.to...)
		}
	}
	slices.SortStableFunc(entries, compareToEntries)

	// What reaches each section, by position in the order of merging: scanning all
	// entries for each rule would take quadratic time.
	var everywhere []int
	sections := map[*section]*reached{}
	find := func(at *section) *reached {
		r := sections[at]
		if r == nil {
			r = &reached{at: at}
			sections[at] = r
		}
		return r
	}
	for i, e := range entries {
		for _, t := range e.targets {
			own := find(t.section)
			own.resource = t.resource
			switch at := t.section.reach(); {
			case t.resource.Type == kuma.KindMesh:
				everywhere = append(everywhere, i)
			case at == t.section:
				own.positions = append(own.positions, i)
			default:
				whole := find(at)
				whole.positions = append(whole.positions, i)
			}
		}
	}

	resolved := slices.DeleteFunc(slices.Collect(maps.Values(sections)), func(r *reached) bool { return r.resource == nil })
	slices.SortFunc(resolved, compareReached)
	rules := make([]ResourceRule, 0, len(resolved))
	var positions []int
	for _, own := range resolved {
		at := own.at
		positions = append(append(positions[:0], everywhere...), own.positions...)
		if whole := sections[at.whole]; at != at.whole && whole != nil {
			positions = append(positions, whole.positions...)
		}
		slices.Sort(positions)
		layers := phrase.Each(positions, func(position int) *layer { return &entries[position].layer })
		rules = append(rules, ResourceRule{
			ResourceMeta:        sharedMeta(own.resource),
			ResourceSectionName: at.name,
			mergeInput:          mergeInput{kind: k, layers: layers, outline: true},
			about:               own.resource,
			at:                  at,
		})
	}
	return rules
}

// Merge returns Conf, which a rule of [Snapshot.Outline] does not have yet.
func (r ResourceRule) Merge() []any {
	if r.Conf != nil || len(r.layers) == 0 {
		return r.Conf
	}
	return r.kind.merge(r.layers, nil)
}

// merged merges the entries of a rule, in order of increasing precedence. One
// that resolved twice to the same section is merged twice, but is one origin.
func (r ResourceRule) merged(described metas) ResourceRule {
	layers := r.layers
	r.Origin = make([]Origin, 0, len(layers))
	for i, l := range layers {
		if i == 0 || l.policy != layers[i-1].policy || l.index != layers[i-1].index {
			r.Origin = append(r.Origin, described.originOf(l))
		}
	}
	r.ResourceMeta = described.of(r.ResourceMeta)
	r.Conf = r.Merge()
	r.outline = false
	return r
}

// reach returns what an entry for a section is relevant to: a single section of
// a service, and the whole resource of all other kinds.
func (s *section) reach() *section {
	switch s.resource.Type {
	case kuma.KindMeshService, kuma.KindMeshMultiZoneService:
		return s
	default:
		return s.whole
	}
}

// reached is a section, the resource that it is part of, and the positions of the entries that reach it.
type reached struct {
	at        *section
	resource  *kuma.Resource // nil if no entry resolves to the section
	positions []int
}

// compareReached is a total order, whereas that of a control plane is
// random among resources with the same name (matching.md §13.4).
func compareReached(a, b *reached) int {
	x, y := a.resource, b.resource
	return cmp.Or(
		cmp.Compare(x.Name, y.Name),
		cmp.Compare(x.Type, y.Type),
		cmp.Compare(x.Mesh, y.Mesh),
		cmp.Compare(a.at.name, b.at.name),
	)
}
