package impact

import (
	"cmp"
	"slices"
)

// Swap is a pair of unchanged policies whose order is reversed.
type Swap struct {
	Type               string
	Winner, Overridden string   // names of the policies, after the change
	Dataplanes         []string // dataplanes whose settings change as a result
}

// Swaps returns the pairs of policies whose order is reversed, sorted by type
// and names.
func (i Impact) Swaps() []Swap {
	type pair struct{ policyType, winner, overridden string }
	found := map[pair][]string{}
	for _, g := range i.Groups {
		seen := map[pair]bool{}
		for _, c := range g.Changes {
			p := pair{c.Type, c.After.name(), c.Before.name()}
			if c.Cause == CauseOrder && p.winner != p.overridden && !seen[p] {
				seen[p] = true
				found[p] = append(found[p], g.Dataplanes...)
			}
		}
	}
	var out []Swap
	for p, dataplanes := range found {
		out = append(out, Swap{p.policyType, p.winner, p.overridden, sorted(dataplanes)})
	}
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
