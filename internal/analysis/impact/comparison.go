package impact

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// comparison is one run of [Compare].
type comparison struct {
	before, after *snapshot
	types         []string // types to compare, in the order in which they are processed
	allTypes      bool
	compared      []string // of the types, whose settings are compared
	asksForCauses bool     // of the changes
	differences   []difference
	changed       map[kuma.Key]bool // resources that differ between the two sides
	common        []string          // dataplanes that exist on both sides, sorted
	lost          []LostService
	settings      memo[settingsKey, *result]
	shared        memo[string, *result] // see share
	causes        map[kuma.Key]bool

	renamed map[string]map[string]rules.Destination // services that outbounds by a tag refer to, by dataplane and tag

	reached []string            // types that can change for all dataplanes
	own     map[string]bool     // dataplanes that differ themselves
	routes  map[string][]string // kinds of routes that the policies of each type refer to
}

// failure returns the first error of a side, see [snapshot.fail].
func (c *comparison) failure() error {
	if failed := cmp.Or(c.before.failed.Load(), c.after.failed.Load()); failed != nil {
		return *failed
	}
	return nil
}

// findChanges determines what can have changed.
func (c *comparison) findChanges() {
	sides := []*snapshot{c.before, c.after}
	c.before.sides, c.after.sides = sides, sides
	c.differences = differences(c.before, c.after)
	c.own, c.changed = map[string]bool{}, map[kuma.Key]bool{}
	reached := map[string]bool{}
	for i, d := range c.differences {
		c.changed[d.key] = true
		switch {
		case d.key.Type == kuma.KindDataplane:
			c.own[d.key.Name] = true
		case i == 0 || d.key.Type != c.differences[i-1].key.Type:
			maps.Copy(reached, c.dependents(d.key.Type))
		}
	}
	c.routes = map[string][]string{}
	for _, k := range rules.RouteKinds() {
		for t := range c.dependents(k) {
			if t != k {
				c.routes[t] = append(c.routes[t], k)
			}
		}
	}
	c.renamed = c.renamedOutbounds()
	otherRelease := c.before.Release() != c.after.Release() // which can match all of them differently
	c.reached = slices.DeleteFunc(slices.Clone(c.types), func(t string) bool { return !reached[t] && !otherRelease })
}

// dependents returns the types that depend on a kind on either side.
func (c *comparison) dependents(kind string) map[string]bool {
	out := map[string]bool{}
	for _, s := range []*snapshot{c.before, c.after} {
		for _, t := range s.Dependents(s.mesh, kind) {
			out[t] = true
		}
	}
	return out
}

// input is everything that the comparison of one type depends on.
type input struct{ before, after matches }

// result is changes of a dataplane.
type result struct {
	changes []*Change         // not modified: results share them
	causes  map[kuma.Key]bool // policies that cause the changes
}

// compareRules compares the rules of each dataplane, once for equal input. It returns the
// results that contain changes, for each dataplane in order of type.
func (c *comparison) compareRules(dataplanes []string) [][]*result {
	results := make([][]*result, len(dataplanes))
	reached, defaults := newReachability(c), newDefaultChanges(c)
	unused := unusedChanges{comparison: c}
	add := func(i int, r *result) {
		if len(r.changes) > 0 {
			results[i] = append(results[i], r)
		}
	}
	inParallel(len(dataplanes), func(i int) {
		if c.allTypes {
			add(i, c.configuredAgain(dataplanes[i], reached))
		}
		if c.allTypes && reached.canChange(dataplanes[i]) {
			add(i, reached.compare(dataplanes[i]))
		}
		add(i, defaults.compare(dataplanes[i]))
	})
	for _, t := range c.compared { // one after the other, so that only one fills the caches
		var known memo[input, func() *result] // each computed once
		inParallel(len(dataplanes), func(i int) {
			if c.own[dataplanes[i]] || slices.Contains(c.reached, t) {
				in := c.input(dataplanes[i], t)
				r := known.get(in, func() func() *result {
					return sync.OnceValue(func() *result { return c.compareType(dataplanes[i], t, in) })
				})
				add(i, unused.without(r(), dataplanes[i], t))
			}
		})
		c.settings.known.Clear()
	}
	for i, name := range dataplanes {
		if c.allTypes && results[i] == nil {
			add(i, c.ownChanges(name))
		}
	}
	return results
}

func (c *comparison) input(dataplane, policyType string) input {
	of := func(s *snapshot) matches { return s.matches(dataplane, policyType, c.routes[policyType]) }
	return input{of(c.before), of(c.after)}
}

func (c *comparison) compareType(dataplane, policyType string, in input) *result {
	before, after := c.before.effectiveRules(dataplane, policyType, in.before), c.after.effectiveRules(dataplane, policyType, in.after)
	d := newRuleComparison(policyType, before, after, c)
	d.compare()
	return &result{d.changes, d.causes}
}

// share returns one result for equal changes of dataplanes.
func (c *comparison) share(changes []*Change, causes map[kuma.Key]bool) *result {
	changes = sorted(changes)
	return c.shared.get(fmt.Sprint(phrase.Each(changes, (*Change).identity)), func() *result { return &result{changes, causes} })
}

// memo keeps values by what they are computed from.
type memo[K comparable, V any] struct{ known sync.Map }

// get returns the value for a key. It computes it only the first time, but perhaps at the same time for several callers.
func (m *memo[K, V]) get(key K, compute func() V) V {
	found, ok := m.known.Load(key)
	if !ok {
		found, _ = m.known.LoadOrStore(key, compute())
	}
	value, _ := found.(V)
	return value
}

// causesOf returns the policies that cause changes.
func causesOf(results [][]*result) map[kuma.Key]bool {
	causes := map[kuma.Key]bool{}
	for _, list := range results {
		for _, r := range list {
			maps.Copy(causes, r.causes)
		}
	}
	return causes
}

// group groups the dataplanes by their changes.
func (i *Impact) group(dataplanes []string, results [][]*result) {
	at, keys, numbers := map[string]int{}, map[*result][]byte{}, map[identity]int{}
	for n, name := range dataplanes {
		var key strings.Builder
		var changes [][]*Change
		for _, r := range results[n] {
			if keys[r] == nil {
				for _, c := range r.changes {
					id := c.identity()
					if _, ok := numbers[id]; !ok {
						numbers[id] = len(numbers)
					}
					keys[r] = strconv.AppendInt(append(keys[r], ' '), int64(numbers[id]), 10)
				}
			}
			key.Write(keys[r])
			changes = append(changes, r.changes)
		}
		if len(changes) == 0 {
			continue
		}
		g, ok := at[key.String()]
		if !ok {
			g = len(i.Groups)
			at[key.String()] = g
			i.Groups = append(i.Groups, Group{Changes: slices.Concat(changes...)})
		}
		i.Groups[g].Dataplanes = append(i.Groups[g].Dataplanes, name)
	}
}

// inParallel calls do with 0 to n-1 on all cores.
func inParallel(n int, do func(int)) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error {
			do(i)
			return nil
		})
	}
	_ = g.Wait()
}
