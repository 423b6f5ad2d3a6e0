package rules

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Match is how the policies of one type select a dataplane.
type Match struct{ matched }

// Profile stands for everything that the rules of one type depend on. Within a
// snapshot, dataplanes with the same profile for a type have the same rules of
// that type, so that they need to be computed but once.
type Profile [sha256.Size]byte

// Match is the cheap part of [Snapshot.Rules]: it selects, but neither orders nor
// merges. The errors are the same, without [ErrTooManySubsets].
func (s *Snapshot) Match(meshName, dataplane, policyType string) (Match, error) {
	w, dp, err := s.find(meshName, dataplane)
	if err != nil {
		return Match{}, err
	}
	k, err := s.kind(policyType)
	if err != nil {
		return Match{}, err
	}
	return Match{dp.choose(w.policies[k.Name])}, nil
}

// Policies returns the policies that select the dataplane, weakest first; never
// nil.
func (m Match) Policies() []kuma.Key {
	ordered := slices.Clone(m.policies)
	sortFunc(ordered, comparePolicies)
	keys := make([]kuma.Key, 0, len(ordered))
	for _, p := range ordered {
		keys = append(keys, p.Key())
	}
	return keys
}

// Profile hashes the chosen policies, from whose order of names all other orders
// follow, and the inbounds for which some of them have entries.
func (m Match) Profile() Profile {
	text := appendNames(nil, m.policies)
	for _, at := range m.addresses() {
		incoming := slices.DeleteFunc(slices.Clone(m.inbounds[at]), func(p *policy) bool { return len(p.from)+len(p.rules) == 0 })
		if len(incoming) == 0 {
			continue
		}
		in := m.proxy.describe(at)
		text = fmt.Appendf(text, "%d %q", in.Port, in.Name)
		for _, tag := range slices.Sorted(maps.Keys(in.Tags)) {
			text = fmt.Appendf(text, "%q=%q", tag, in.Tags[tag])
		}
		text = appendNames(text, incoming)
	}
	return sha256.Sum256(fmt.Appendf(text, "%q", m.warnings))
}

func appendNames(text []byte, policies []*policy) []byte {
	for _, p := range policies {
		text = append(append(text, p.Name...), 0) // no name contains it
	}
	return append(text, 1)
}
