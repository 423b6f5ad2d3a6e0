package impact

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// identity is a comparable form of a change.
type identity struct {
	policyType, destination, path, why string
	direction                          Direction
	before, after                      Value // zero if there is no value, as JSON is never empty
	cause                              Cause
	renamed                            string
	uses                               [2]bool
}

func (c Change) identity() identity {
	id := identity{
		policyType: c.Type, destination: c.Destination, path: c.Path, why: c.why, direction: c.Direction, cause: c.Cause,
		renamed: c.target.renamed, uses: c.target.uses,
	}
	if c.Before != nil {
		id.before = *c.Before
	}
	if c.After != nil {
		id.after = *c.After
	}
	return id
}

// sorted sorts changes of one type, and leaves out repeated ones.
func sorted(changes []*Change) []*Change {
	slices.SortFunc(changes, compareChanges)
	return slices.CompactFunc(changes, func(a, b *Change) bool { return a.identity() == b.identity() })
}

// compareChanges defines a total order of the changes of one type.
func compareChanges(a, b *Change) int {
	if c := cmp.Or(
		cmp.Compare(accessRank(a.Path), accessRank(b.Path)),
		cmp.Compare(directionRank(a.Direction), directionRank(b.Direction)),
		cmp.Compare(a.Destination, b.Destination),
		cmp.Compare(a.Path, b.Path),
	); c != 0 {
		return c
	}
	x, y := a.identity(), b.identity()
	if x == y {
		return 0
	}
	return cmp.Compare(phrase.JSON([]any{x.before, x.after, fmt.Sprint(x)}), phrase.JSON([]any{y.before, y.after, fmt.Sprint(y)}))
}

// accessRank sorts which clients may connect, and which services the proxy reaches, before
// everything else.
func accessRank(path string) int {
	if path == AccessPath || path == ReachablePath || path == CertificatePath || path == ConfigurationPath {
		return 0
	}
	return 1
}

func directionRank(d Direction) int {
	return slices.Index([]Direction{To, From, Rules, Proxy}, d)
}

// sortRows sorts changes of several groups, and the dataplanes of each.
func sortRows(rows []Row) {
	for i := range rows {
		slices.Sort(rows[i].Dataplanes)
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(processed(a.Type), processed(b.Type)), compareChanges(a.Change, b.Change))
	})
}

// processed returns the position of a type in the order in which types are
// processed. The Dataplane itself precedes them.
func processed(changed string) int {
	k, _ := kinds.Find(changed)
	if k.Policy == nil {
		return -1
	}
	return k.Policy.Order
}

// Swap is a pair of unchanged policies whose order is reversed.
type Swap struct {
	Type               string
	Winner, Overridden string   // names of the policies, after the change
	Dataplanes         []string // dataplanes whose settings change as a result
}

// Swaps returns the pairs of policies whose order is reversed, sorted by type
// and names.
func (i Impact) Swaps() []Swap {
	var all []Swap
	for _, g := range i.Groups {
		for _, c := range g.Changes {
			if s := (Swap{c.Type, c.After.name(), c.Before.name(), g.Dataplanes}); c.Cause == CauseOrder && s.Winner != s.Overridden {
				all = append(all, s)
			}
		}
	}
	same := phrase.Grouped(all, func(s Swap) [3]string { return [3]string{s.Type, s.Winner, s.Overridden} })
	out := phrase.Each(same, func(swaps []Swap) Swap {
		swaps[0].Dataplanes = phrase.Sorted(slices.Concat(phrase.Each(swaps, func(s Swap) []string { return s.Dataplanes })...))
		return swaps[0]
	})
	slices.SortFunc(out, func(a, b Swap) int {
		return cmp.Or(cmp.Compare(processed(a.Type), processed(b.Type)), cmp.Compare(a.Winner, b.Winner), cmp.Compare(a.Overridden, b.Overridden))
	})
	return out
}

// name returns the name of the policy that sets the value, or the empty string for
// nil.
func (v *Value) name() string {
	if v == nil {
		return ""
	}
	return v.SetBy.Name
}
