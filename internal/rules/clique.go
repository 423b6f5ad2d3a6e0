package rules

import (
	"slices"
	"strconv"
	"strings"
)

// clique is a set of subsets that do not contradict each other: together they
// require at most one value for each tag.
type clique struct {
	name     string // the positions of all its entries, as a string by which cliques are ordered
	subsets  []subset
	matchers []Matcher // all tags, in order of key
	demands  []uint32  // for each subset, which of the matchers it requires
	repeats  bool      // a key has several values, which no peer can have
}

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
	if c.repeats = repeatsKey(c.matchers); c.repeats {
		// A subset that contradicts a member may cover peers that the member does not.
		for i, s := range all {
			if !slices.Contains(members, i) && containsAll(c.matchers, s.tags) {
				c.subsets = append(c.subsets, s)
			}
		}
	}
	for _, s := range c.subsets {
		var demand uint32
		for i, m := range c.matchers {
			if slices.Contains(s.tags, m) {
				demand |= 1 << i
			}
		}
		c.demands = append(c.demands, demand)
	}
	slices.Sort(nodes)
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = strconv.Itoa(n)
	}
	c.name = strings.Join(names, ":")
	return c
}

// lacking returns all tags that a peer lacks if it lacks those of absent: it
// has one value for a key, the last of those that remain.
func (c clique) lacking(absent uint32) uint32 {
	if !c.repeats {
		return absent
	}
	for i := range len(c.matchers) - 1 {
		for j := i + 1; j < len(c.matchers) && c.matchers[j].Key == c.matchers[i].Key; j++ {
			if absent&(1<<j) == 0 {
				absent |= 1 << i
			}
		}
	}
	return absent
}

// appendMatchers appends the matchers of the peers that lack the tags of which
// absent has the bit set. It omits negations that a value of the same key
// implies.
func (c clique) appendMatchers(out []Matcher, absent uint32) []Matcher {
	for i, m := range c.matchers {
		m.Not = absent&(1<<i) != 0
		if !m.Not || !c.repeats || !c.hasValue(m.Key, absent) {
			out = append(out, m)
		}
	}
	return out
}

func (c clique) hasValue(key string, absent uint32) bool {
	for i, m := range c.matchers {
		if m.Key == key && absent&(1<<i) == 0 {
			return true
		}
	}
	return false
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
	var out []int
	for _, u := range among {
		if s.adjacent[v][u] {
			out = append(out, u)
		}
	}
	return out
}
