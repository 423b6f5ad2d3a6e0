package rules

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// conf is what an entry sets.
//
// Most confs are plain: objects of values, without null, which deletes a value,
// without empty objects, which others fill, and without lists to which others
// add. Merging plain confs keeps the last value at each place, so their leaves
// show which entry set what. Without this second way to explain a rule, the
// analysis of a mesh with 1,000 proxies takes 30% more CPU time (BenchmarkLarge
// of lint: 0.84 instead of 0.65 s) and 30% more memory (269 instead of 206 MB);
// the explained rules of a proxy take 30% more (BenchmarkExplain), the leaves
// alone three times as much (BenchmarkLeaves).
type conf struct {
	value any
	size  int // see sizeOf; 0 for a part of a conf
	sum   func() Input
	keys  func() []string // of the rules of a route, by which they are merged

	once   sync.Once
	plain  bool
	leaves []flatLeaf
}

func newConf(value any) *conf {
	return &conf{value: value, size: sizeOf(value), sum: newSum(value), keys: sync.OnceValue(func() []string { return ruleKeys(value) })}
}

type flatLeaf struct {
	at    string // the path with a separator after each name, which no name contains
	path  tree.Path
	value any
}

const separator = "\x00"

// read determines whether a conf is plain, and its leaves.
func (c *conf) read(appended [][]string) {
	c.once.Do(func() {
		for _, path := range appended {
			if _, ok := descend(c.value, path[:len(path)-1])[path[len(path)-1]]; ok {
				return
			}
		}
		c.plain = c.collect("", nil, c.value)
	})
}

func (c *conf) collect(at string, path tree.Path, v any) bool {
	object, ok := v.(map[string]any)
	if !ok {
		c.leaves = append(c.leaves, flatLeaf{at, path, v})
		return v != nil && !hasNull(v)
	}
	for name, field := range object {
		if !c.collect(at+name+separator, slices.Clip(path.Child(name)), field) {
			return false
		}
	}
	return len(object) > 0
}

// hasNull reports whether a list or one of its elements contains null.
func hasNull(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return e == nil || hasNull(e) })
	case map[string]any:
		for _, e := range v {
			if e == nil || hasNull(e) {
				return true
			}
		}
	}
	return false
}

func (l flatLeaf) isAtPlaceOf(o flatLeaf) bool { return l.at == o.at }

// maxPlaces bounds the places of one rule, because they are searched one by one.
const maxPlaces = 32

// plainContests returns the leaves of a rule that is merged from plain confs;
// false when the confs must be merged to determine them. The entries of claims
// are positions of layers.
func (f mergeInput) plainContests() ([]Contest, bool) {
	if f.kind.keyed != "" {
		return nil, false
	}
	used := make([]flatLeaf, 0, maxPlaces)
	var counts [maxPlaces]int
	total := 0
	for _, l := range f.layers {
		l.conf.read(f.kind.appended)
		if !l.conf.plain {
			return nil, false
		}
		for _, leaf := range l.conf.leaves {
			i := slices.IndexFunc(used, leaf.isAtPlaceOf)
			if i < 0 && len(used) == maxPlaces {
				return nil, false
			}
			if i < 0 {
				i, used = len(used), append(used, leaf)
			}
			counts[i]++
			total++
		}
	}
	for _, leaf := range used {
		above := func(o flatLeaf) bool { return len(o.at) < len(leaf.at) && strings.HasPrefix(leaf.at, o.at) }
		if slices.ContainsFunc(used, above) { // an object and another value replaced each other
			return nil, false
		}
	}
	claims := make([]Claim, total)
	out := make([]Contest, len(used))
	for i, leaf := range used {
		out[i] = Contest{leaf.path, claims[:0:counts[i]]}
		claims = claims[counts[i]:]
	}
	for position, l := range f.layers {
		for _, leaf := range l.conf.leaves {
			i := slices.IndexFunc(used, leaf.isAtPlaceOf)
			out[i].Claims = append(out[i].Claims, Claim{position, leaf.value})
		}
	}
	slices.SortFunc(out, func(a, b Contest) int { return slices.CompareFunc(a.Path, b.Path, compareSteps) })
	return out, true
}

func compareSteps(a, b any) int { return cmp.Compare(tree.Text(a), tree.Text(b)) }

// plainLeaves returns the same as leaves.
func (f mergeInput) plainLeaves(describe func(*layer) Origin) ([]Leaf, bool) {
	contests, ok := f.plainContests()
	if !ok {
		return nil, false
	}
	out := make([]Leaf, len(contests))
	for i, c := range contests {
		settings := make([]Setting, len(c.Claims))
		for n, claim := range c.Claims {
			settings[n] = Setting{c.Path, tree.Clone(claim.Value), describe(f.layers[claim.Entry])}
		}
		last := len(settings) - 1
		out[i] = Leaf{Setting: settings[last], Overridden: settings[:last:last]}
	}
	return out, true
}
