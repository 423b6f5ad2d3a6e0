package rules

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Contest is a [Leaf] for callers that process many rules: it identifies
// entries by their position in [Snapshot.Entries].
type Contest struct {
	Path   tree.Path
	Claims []Claim // in order of increasing precedence: the last one is in effect
}

// Claim is a value that an entry sets for a leaf. The value is read-only.
type Claim struct {
	Entry int
	Value any
}

// Contests returns the leaves of the conf.
func (f mergeInput) Contests() []Contest {
	if confs := f.contests(); f.nth < len(confs) {
		return confs[f.nth]
	}
	return nil
}

// Contests returns the leaves of each conf.
func (r ResourceRule) Contests() [][]Contest { return r.contests() }

func (f mergeInput) contests() [][]Contest {
	if len(f.layers) == 0 {
		return nil
	}
	if plain, ok := f.plainContests(); ok {
		for _, c := range plain {
			for i := range c.Claims {
				l := f.layers[c.Claims[i].Entry]
				c.Claims[i].Entry = l.policy.first + l.index
			}
		}
		return [][]Contest{plain}
	}
	claim := func(s Setting) Claim { return Claim{s.SetBy.RuleIndex, s.Value} }
	contest := func(l Leaf) Contest { return Contest{l.Path, phrase.Each(append(l.Overridden, l.Setting), claim)} }
	all := f.tracedLeaves(func(l *layer) Origin { return Origin{RuleIndex: l.policy.first + l.index} })
	return phrase.Each(all, func(leaves []Leaf) []Contest { return phrase.Each(leaves, contest) })
}

// Entries returns the entries of all policies of a type, by policy in order of
// name. Lists of a policy share their positions: the position of an index
// represents the element of each list at that index, and the first one also
// represents the only conf.
func (s *Snapshot) Entries(meshName, policyType string) []Entry {
	var out []Entry
	for _, p := range s.mesh(meshName).policies[policyType] {
		for i := range p.positions() {
			out = append(out, Entry{p.Key(), i})
		}
	}
	return out
}

// number assigns the policies of a type their positions in [Snapshot.Entries].
func number(policies []*policy) {
	next := 0
	for _, p := range policies {
		p.first = next
		next += p.positions()
	}
}

// positions is the length of the longest list.
func (p *policy) positions() int { return max(len(p.to), len(p.from), len(p.rules), 1) }
