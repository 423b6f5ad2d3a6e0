package rules

import (
	"cmp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// ruleBuilder turns parts of the peers into rules.
type ruleBuilder struct {
	kind    *kind
	proxy   *proxy
	entries []subsetEntry
	rules   []Rule
}

// addEach adds one rule for each subset, and reports whether there is room for
// all. With a single tag key, a subset is covered only by itself and by the
// empty one.
func (b *ruleBuilder) addEach(subsets []subset) bool {
	var empty []int
	for _, s := range subsets {
		if len(s.tags) == 0 {
			empty = s.nodes
		}
	}
	for _, s := range subsets {
		nodes := s.nodes
		if len(s.tags) > 0 {
			nodes = slices.Concat(empty, s.nodes)
		}
		if !b.add(slices.Clone(s.tags), nodes) {
			return false
		}
	}
	return true
}

// addCombinations adds rules for all ways in which the tags of each clique of
// compatible subsets can be present or not (matching.md §5.3), and reports
// whether there is room for all.
func (b *ruleBuilder) addCombinations(subsets []subset) bool {
	byCliques := b.proxy.mesh.matching.byCliques
	cliques, ok := linked(subsets), true
	if byCliques {
		cliques, ok = cliquesOf(subsets)
	}
	if !ok {
		return false
	}
	var ordered []clique
	total := 0
	for _, members := range cliques {
		c := newClique(subsets, members)
		if total += c.count(); total > maxSubsets {
			return false
		}
		ordered = append(ordered, c)
	}
	slices.SortFunc(ordered, func(a, b clique) int { return cmp.Compare(b.name, a.name) })
	for _, c := range ordered {
		present := c.last() // which comes last in cliques, and first in linked sets
		for range c.count() {
			if byCliques {
				c.next(present)
			}
			if !b.addCombination(c, present) {
				return false
			}
			if !byCliques {
				c.next(present)
			}
		}
	}
	return true
}

// addCombination adds the rule for the peers of a clique with a combination of
// tags. There is none when no entry covers them.
func (b *ruleBuilder) addCombination(c clique, present []bool) bool {
	var nodes []int
	for i, s := range c.subsets {
		if c.covers(i, present) {
			nodes = append(nodes, s.nodes...)
		}
	}
	if len(nodes) == 0 {
		return true
	}
	return b.add(c.matchersOf(present), nodes)
}

// add adds a rule for the entries at nodes, in any order, and reports whether
// there is room for it. It retains the matchers.
func (b *ruleBuilder) add(matchers []Matcher, nodes []int) bool {
	slices.Sort(nodes)
	layers := phrase.Each(nodes, func(node int) *layer { return b.entries[node].layer })
	for nth := range b.kind.confs(layers) {
		r := Rule{
			Matchers:   matchers,
			mergeInput: mergeInput{kind: b.kind, layers: layers, outline: true, nth: nth},
		}
		b.rules = append(b.rules, r)
		if !b.proxy.hasRoom(r.mergeInput, len(r.Matchers)) {
			return false
		}
	}
	return true
}

// merged returns the rule with its conf, and with the policies that it is merged from.
func (r Rule) merged(described metas) Rule {
	r.Conf, r.Origin = r.Merge(), phrase.Each(metasOf(r.layers), described.of)
	r.outline = false
	return r
}

// Merge returns Conf, which a rule of [Snapshot.Outline] does not have yet.
func (r Rule) Merge() any {
	if r.Conf != nil || len(r.layers) == 0 {
		return r.Conf
	}
	return r.kind.merge(r.layers, nil)[r.nth]
}
