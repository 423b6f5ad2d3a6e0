package impact

import (
	"cmp"
	"slices"
)

// Swap are two policies that are not changed, of which one now overrides the other.
type Swap struct {
	Type               string
	Winner, Overridden string   // names, after the change
	Dataplanes         []string // on which settings change for that reason
}

// Swaps returns the policies that trade places, in order of type and names.
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

// name returns the name of the policy that a value comes from.
func (v *Value) name() string {
	if v == nil {
		return ""
	}
	return v.SetBy.Name
}
