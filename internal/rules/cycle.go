package rules

import (
	"cmp"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Order is the order of the policies, or of their entries, from which rules are
// merged. Rules whose entries were sorted together share it.
//
// The comparison of references to dataplanes is not transitive (matching.md
// §3.3), so policies can override each other in a cycle, and policies that are
// equal in all criteria tie. Their order depends on all other policies of the
// proxy.
type Order struct {
	cycles func() map[int][]kuma.Key // by position in [Snapshot.Entries]
}

// Cycle returns the policies that override each other, or tie, in a cycle that contains
// two entries of different policies, in ascending order. Entries are positions in
// [Snapshot.Entries]. It is nil if the order of the entries depends only on these two.
// The list is read-only.
func (o *Order) Cycle(a, b int) []kuma.Key {
	if o == nil {
		return nil
	}
	cycles := o.cycles()
	first, second := cycles[a], cycles[b]
	if len(first) == 0 || len(second) == 0 || &first[0] != &second[0] {
		return nil
	}
	return first
}

// HasCycle reports whether two of the entries that the rule is merged from are in one
// cycle, see [Order.Cycle].
func (f mergeInput) HasCycle() bool {
	if f.order == nil {
		return false
	}
	cycles := f.order.cycles()
	if len(cycles) == 0 {
		return false
	}
	seen := map[*kuma.Key]bool{}
	for _, l := range f.layers {
		if cycle := cycles[l.policy.first+l.index]; cycle != nil {
			if seen[&cycle[0]] {
				return true
			}
			seen[&cycle[0]] = true
		}
	}
	return false
}

// CanCycle reports whether two policies can be in a cycle although they do not tie: both
// select proxies by kind Dataplane.
func (s *Snapshot) CanCycle(a, b kuma.Key) bool {
	p, q := s.policy(a), s.policy(b)
	return p != nil && q != nil && p.top.Kind == kuma.KindDataplane && q.top.Kind == kuma.KindDataplane
}

// Reversible reports whether one more policy can reverse the order of two, of
// which the first overrides the second, although the references by which they
// select dataplanes tie. That is possible unless their order agrees with the
// only stable one: name over neither name nor labels over labels (matching.md
// §3.3).
func (s *Snapshot) Reversible(winner, overridden kuma.Key) bool {
	p, q := s.policy(winner), s.policy(overridden)
	return s.CanCycle(winner, overridden) && compareDataplaneRefs(p.top, q.top) == 0 && precision(p.top) < precision(q.top)
}

// precision is the rank of a reference to dataplanes in the only order that all ties
// between such references can be part of.
func precision(ref kuma.TargetRef) int {
	switch {
	case ref.Labels != nil:
		return 0
	case ref.Name == "":
		return 1
	default:
		return 2
	}
}

// orderOfPolicies expects policies as sorted by sortFunc.
func orderOfPolicies(sorted []*policy) *Order {
	return orderOf(sorted, func(p *policy) sortedItem { return sortedItem{policy: p} })
}

// orderOfEntries expects entries of `to` as sorted by sortStableFunc.
func orderOfEntries(sorted []*entry) *Order {
	return orderOf(sorted, func(e *entry) sortedItem { return sortedItem{e.policy, e} })
}

func orderOf[E any](sorted []E, item func(E) sortedItem) *Order {
	return &Order{sync.OnceValue(func() map[int][]kuma.Key { return cyclesOf(phrase.Each(sorted, item)) })}
}

// sortedItem is a policy, or one of its entries.
type sortedItem struct {
	policy *policy
	entry  *entry // nil for a policy
}

// positions returns the positions in [Snapshot.Entries]: from, up to but without to.
func (i sortedItem) positions() (from, to int) {
	if i.entry == nil {
		return i.policy.first, i.policy.first + i.policy.positions()
	}
	return i.policy.first + i.entry.index, i.policy.first + i.entry.index + 1
}

func compareItemsButName(a, b sortedItem) int {
	if a.entry == nil {
		return comparePoliciesButName(a.policy, b.policy)
	}
	return compareToEntriesButName(a.entry, b.entry)
}

func compareItems(a, b sortedItem) int {
	return cmp.Or(compareItemsButName(a, b), compareDisplayNames(a.policy, b.policy))
}

// cyclesOf returns for each item that is part of a cycle the policies of the
// cycle. Items that do not select proxies by kind Dataplane are sorted by a
// transitive comparison: among them only neighbors can tie.
func cyclesOf(sorted []sortedItem) map[int][]kuma.Key {
	out := map[int][]kuma.Key{}
	add := func(cycle []sortedItem) {
		policies := phrase.Each(cycle, func(i sortedItem) kuma.Key { return i.policy.Key() })
		slices.SortFunc(policies, kuma.CompareKeys)
		if policies = slices.Compact(policies); len(policies) < 2 {
			return
		}
		for _, i := range cycle {
			for from, to := i.positions(); from < to; from++ {
				out[from] = policies
			}
		}
	}
	for len(sorted) > 0 {
		end := 1
		if isDataplane := sorted[0].policy.top.Kind == kuma.KindDataplane; isDataplane {
			for end < len(sorted) && sorted[end].policy.top.Kind == kuma.KindDataplane {
				end++
			}
			for _, cycle := range componentsOf(sorted[:end]) {
				add(cycle)
			}
		} else {
			for end < len(sorted) && compareItems(sorted[end-1], sorted[end]) == 0 {
				end++
			}
			add(sorted[:end])
		}
		sorted = sorted[end:]
	}
	return out
}

// componentsOf divides items into the smallest groups of which each overrides
// all items of those before it. Within a group of several items, each can be
// reached from every other one by steps to an item that it overrides or ties
// with.
//
// An item scores two points for each item that it overrides and one for each it
// ties with. Any k items have k·(k-1) points from each other, so the k items
// with the fewest points have exactly that number if they override none of the
// others.
func componentsOf(items []sortedItem) [][]sortedItem {
	scores := scoresOf(items)
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	var out [][]sortedItem
	var group []sortedItem
	points := 0
	for k, i := range order {
		points += scores[i]
		group = append(group, items[i])
		if points == (k+1)*k {
			out = append(out, group)
			group = nil
		}
	}
	return out
}

// selector is what the comparison of items that select dataplanes evaluates
// before their names.
type selector struct {
	named, labeled, sectioned bool
	origin, role              int
	kind                      string // of the destination of an entry
	section                   bool   // whether it names one
}

func (i sortedItem) selector() selector {
	top := i.policy.top
	s := selector{
		named: top.Name != "", labeled: top.Labels != nil, sectioned: top.SectionName != "",
		origin: i.policy.strength.origin, role: i.policy.strength.role,
	}
	if i.entry != nil {
		s.kind, s.section = i.entry.ref.Kind, i.entry.ref.SectionName != ""
	}
	return s
}

// scoresOf returns the scores of componentsOf. Items with the same selector are
// compared with others only once, because comparing all pairs takes long.
func scoresOf(items []sortedItem) []int {
	classes := map[selector][]sortedItem{}
	for _, i := range items {
		s := i.selector()
		classes[s] = append(classes[s], i)
	}
	names := map[selector][]string{} // ascending, which is the order of decreasing precedence
	for s, class := range classes {
		names[s] = phrase.Each(class, func(i sortedItem) string { return i.policy.strength.name })
		slices.Sort(names[s])
	}
	type pair struct{ a, b selector }
	results := map[pair]int{} // of the first: it overrides, ties by all but names, is overridden, or both override each other
	for a := range classes {
		for b := range classes {
			results[pair{a, b}] = compareItemsButName(classes[a][0], classes[b][0])
		}
	}
	scores := make([]int, len(items))
	for n, i := range items {
		s := i.selector()
		for other := range classes {
			forward, back := results[pair{s, other}], results[pair{other, s}]
			switch all := names[other]; {
			case forward == 0:
				name := i.policy.strength.name
				atLeast, _ := slices.BinarySearch(all, name)
				after, _ := slices.BinarySearch(all, name+"\x00")
				scores[n] += after - atLeast + 2*(len(all)-after)
			case forward == back: // references with both a name and labels
				scores[n] += len(all)
			case forward > 0:
				scores[n] += 2 * len(all)
			}
		}
		if results[pair{s, s}] >= 0 {
			scores[n]-- // it was compared with itself
		}
	}
	return scores
}
