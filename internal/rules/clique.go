package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// clique is a set of subsets whose tags are combined: they do not contradict
// each other, so that together they require at most one value for each key. In
// older releases it also contains subsets that do, and are linked by others.
type clique struct {
	name       string // the positions of all its entries, as a string by which cliques are ordered
	subsets    []subset
	matchers   []Matcher   // all tags, in order of key
	dimensions []dimension // the keys
	demands    [][]int     // for each subset, which of the matchers it requires
}

// dimension is the matchers with one key, of which a peer has at most one: those
// from first up to and without end.
type dimension struct{ first, end int }

func newClique(all []subset, members []int) clique {
	c := clique{matchers: []Matcher{}}
	var nodes []int
	for _, i := range members {
		c.subsets = append(c.subsets, all[i])
		nodes = append(nodes, all[i].nodes...)
		c.matchers = append(c.matchers, all[i].tags...)
	}
	slices.SortFunc(c.matchers, compareMatchers)
	c.matchers = slices.Compact(c.matchers)
	if repeatsKey(c.matchers) {
		// A subset that contradicts a member may cover peers that the member does not.
		for i, s := range all {
			if !slices.Contains(members, i) && containsAll(c.matchers, s.tags) {
				c.subsets = append(c.subsets, s)
			}
		}
	}
	for i, m := range c.matchers {
		if i == 0 || m.Key != c.matchers[i-1].Key {
			c.dimensions = append(c.dimensions, dimension{i, i})
		}
		c.dimensions[len(c.dimensions)-1].end++
	}
	for _, s := range c.subsets {
		c.demands = append(c.demands, phrase.Each(s.tags, func(tag Matcher) int { return slices.Index(c.matchers, tag) }))
	}
	slices.Sort(nodes)
	c.name = strings.Join(phrase.Each(nodes, strconv.Itoa), ":")
	return c
}

// count returns the number of combinations of the tags, or one above the limit.
func (c clique) count() int {
	n := 1
	for _, d := range c.dimensions {
		if n *= d.end - d.first + 1; n > maxSubsets {
			return maxSubsets + 1
		}
	}
	return n
}

// last returns the combination of the last values of all keys: for each matcher,
// whether peers have the tag.
func (c clique) last() []bool {
	present := make([]bool, len(c.matchers))
	for _, d := range c.dimensions {
		present[d.end-1] = true
	}
	return present
}

// next changes a combination into the next one. It counts with the first key as
// the lowest digit, whose values are counted down until peers have none.
func (c clique) next(present []bool) {
	for _, d := range c.dimensions {
		values := present[d.first:d.end]
		i := slices.Index(values, true)
		if i < 0 {
			values[len(values)-1] = true
			continue
		}
		values[i] = false
		if i > 0 {
			values[i-1] = true
		}
		return
	}
}

// covers reports whether a subset covers peers with a combination of tags.
func (c clique) covers(subset int, present []bool) bool {
	for _, i := range c.demands[subset] {
		if !present[i] {
			return false
		}
	}
	return true
}

// matchersOf returns the matchers of peers with a combination of tags. It
// omits negations that a value of the same key implies.
func (c clique) matchersOf(present []bool) []Matcher {
	out := make([]Matcher, 0, len(c.matchers))
	for _, d := range c.dimensions {
		if i := slices.Index(present[d.first:d.end], true); i >= 0 {
			out = append(out, c.matchers[d.first+i])
			continue
		}
		for _, m := range c.matchers[d.first:d.end] {
			m.Not = true
			out = append(out, m)
		}
	}
	return out
}

// repeatsKey reports whether tags, in order of key, contain several values for
// one key.
func repeatsKey(tags []Matcher) bool {
	for i := range len(tags) - 1 {
		if tags[i].Key == tags[i+1].Key {
			return true
		}
	}
	return false
}

func containsAll(tags, want []Matcher) bool {
	return !slices.ContainsFunc(want, func(m Matcher) bool { return !slices.Contains(tags, m) })
}

// linked returns the sets of subsets that are linked, directly or through others
// of the set, by position.
func linked(subsets []subset) [][]int {
	var sets [][]int
	known := make([]bool, len(subsets))
	for first := range subsets {
		if known[first] {
			continue
		}
		known[first] = true
		set := []int{first}
		for at := 0; at < len(set); at++ {
			for i := range subsets {
				if !known[i] && (links(subsets[set[at]], subsets[i]) || links(subsets[i], subsets[set[at]])) {
					known[i] = true
					set = append(set, i)
				}
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// links reports whether the first tag of a decides that a peer can have all tags
// of a and b: b has no tag with its key. If both have it, the next one decides. The
// name of a service is the first tag. A control plane compares the others in random
// order, most often in this one (versions.md §5, M12).
func links(a, b subset) bool {
	tags := a.tags
	if a.named {
		tags = slices.Clone(tags)
		slices.SortStableFunc(tags, func(x, y Matcher) int { return compareBools(y.Key == kuma.TagService, x.Key == kuma.TagService) })
	}
	for _, x := range tags {
		known := false
		for _, y := range b.tags {
			if x.Key == y.Key && x.Value != y.Value {
				return false
			}
			known = known || x == y
		}
		if !known {
			return true
		}
	}
	return true
}

// cliquesOf returns the largest sets of subsets that do not contradict each
// other, by position; false when there are too many.
func cliquesOf(subsets []subset) ([][]int, bool) {
	if countKeys(subsets) > 1 {
		const limit = maxSubsets / 2 // with tags, a clique results in at least two rules
		return maximalCliques(len(subsets), limit, func(i, j int) bool {
			return compatible(subsets[i], subsets[j])
		})
	}
	// With one key, each value forms a clique with the empty subset only: no
	// search is needed.
	var empty []int
	var cliques [][]int
	for i, s := range subsets {
		if len(s.tags) == 0 {
			empty = []int{i}
		}
	}
	for i, s := range subsets {
		if len(s.tags) > 0 {
			cliques = append(cliques, slices.Concat(empty, []int{i}))
		}
	}
	if cliques == nil && empty != nil {
		cliques = [][]int{empty}
	}
	return cliques, true
}

// compatible reports whether a peer can have all tags of a and b.
func compatible(a, b subset) bool {
	for _, x := range a.tags {
		for _, y := range b.tags {
			if x.Key == y.Key && x.Value != y.Value {
				return false
			}
		}
	}
	return true
}

// maximalCliques returns all largest sets of nodes 0 … n-1 in which every two
// are adjacent, in no useful order; false when there are more than limit.
//
// This is the algorithm of Bron and Kerbosch with the pivot of Tomita et al.
func maximalCliques(n, limit int, adjacent func(i, j int) bool) ([][]int, bool) {
	s := cliqueSearch{adjacent: make([][]bool, n), limit: limit}
	candidates := make([]int, n)
	for i := range n {
		candidates[i] = i
		s.adjacent[i] = make([]bool, n)
		for j := range n {
			s.adjacent[i][j] = i != j && adjacent(i, j)
		}
	}
	if n > 0 {
		s.extend(nil, candidates, nil)
	}
	return s.found, len(s.found) <= limit
}

type cliqueSearch struct {
	adjacent [][]bool
	found    [][]int
	limit    int
}

// extend finds the maximal cliques that contain chosen, some candidates, and
// none of done, whose cliques have already been found. It owns candidates and
// done.
func (s *cliqueSearch) extend(chosen, candidates, done []int) {
	if len(candidates) == 0 && len(done) == 0 {
		s.found = append(s.found, slices.Clone(chosen))
		return
	}
	pivot := s.pivot(candidates, done)
	for _, v := range slices.Clone(candidates) {
		if len(s.found) > s.limit {
			return
		}
		if s.adjacent[pivot][v] {
			continue // every clique with v has the pivot too, or a later candidate
		}
		s.extend(append(chosen, v), s.neighbors(v, candidates), s.neighbors(v, done))
		candidates = slices.DeleteFunc(candidates, func(c int) bool { return c == v })
		done = append(done, v)
	}
}

// pivot returns the node with the most candidates as neighbors.
func (s *cliqueSearch) pivot(candidates, done []int) int {
	best, most := -1, -1
	for _, u := range slices.Concat(candidates, done) {
		if n := len(s.neighbors(u, candidates)); n > most {
			best, most = u, n
		}
	}
	return best
}

func (s *cliqueSearch) neighbors(v int, among []int) []int {
	return slices.DeleteFunc(slices.Clone(among), func(u int) bool { return !s.adjacent[v][u] })
}
