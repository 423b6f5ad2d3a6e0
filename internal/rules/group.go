package rules

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Match is how the policies of one type select a dataplane. Dataplanes of a
// snapshot with the same Match, compared by pointer, have the same rules of
// that type, which therefore need to be computed only once. Only the tags in
// [Inbound] may differ, which describe a port and are often specific to an
// instance.
type Match struct {
	policies []*policy // in order of increasing precedence
}

// Policies returns the policies that select the dataplane, in order of
// increasing precedence; nil only for the nil Match.
func (m *Match) Policies() []kuma.Key {
	if m == nil {
		return nil
	}
	return phrase.Each(m.policies, func(p *policy) kuma.Key { return p.Key() })
}

// Group are the dataplanes of a mesh that share a [Match].
type Group struct {
	*Match
	Dataplanes []string // in ascending order
}

// Match is the cheap part of [Snapshot.Rules]: it selects, but does not merge, and
// does so once for each dataplane and type. It is nil if there is no such mesh,
// dataplane or type.
func (s *Snapshot) Match(meshName, dataplane, policyType string) *Match {
	m, dp, err := s.find(meshName, dataplane)
	if err != nil || m.groupings[policyType] == nil {
		return nil
	}
	return m.groupings[policyType].match(dp)
}

// IsSelected reports whether a policy of a type selects a dataplane.
func (s *Snapshot) IsSelected(meshName, dataplane, policyType string) bool {
	m := s.Match(meshName, dataplane, policyType)
	return m != nil && len(m.policies) > 0
}

// Groups divides the dataplanes of a mesh by their rules of one type of policy,
// in the order of their first names. The result is empty when the mesh or the
// type is unknown.
func (s *Snapshot) Groups(meshName, policyType string) []Group {
	m := s.mesh(meshName)
	if len(m.resources[kuma.KindMesh]) == 0 || m.groupings[policyType] == nil {
		return nil
	}
	return m.groupings[policyType].groups()
}

// Selected returns the names of the dataplanes that a policy selects, in ascending
// order.
func (s *Snapshot) Selected(policy kuma.Key) []string {
	m := s.mesh(policy.Mesh)
	if len(m.resources[kuma.KindMesh]) == 0 || m.groupings[policy.Type] == nil {
		return nil
	}
	return m.groupings[policy.Type].selected()[policy]
}

// grouping divides the dataplanes of a mesh by the policies of one type.
type grouping struct {
	kind     *kind
	policies []*policy
	groups   func() []Group
	selected func() map[kuma.Key][]string

	mu          sync.Mutex
	byProfile   map[profile]*Match
	byDataplane map[string]*Match
}

func newGrouping(m *mesh, k *kind) *grouping {
	g := &grouping{kind: k, policies: m.policies[k.Name], byProfile: map[profile]*Match{}, byDataplane: map[string]*Match{}}
	g.groups = sync.OnceValue(func() []Group { return g.divide(m) })
	g.selected = sync.OnceValue(func() map[kuma.Key][]string {
		groups, of := g.groups(), map[*policy][]byte{} // numbers of the groups that a policy selects
		for i, group := range groups {
			for _, p := range group.policies {
				of[p] = binary.AppendUvarint(of[p], uint64(i)) //nolint:gosec // never negative
			}
		}
		selected, known := map[kuma.Key][]string{}, map[string][]string{} // most policies select the same as others
		for p, numbers := range of {
			names, ok := known[string(numbers)]
			if !ok {
				names = namesIn(groups, numbers)
				known[string(numbers)] = names
			}
			selected[p.Key()] = names
		}
		return selected
	})
	return g
}

// namesIn returns the dataplanes of some groups, in ascending order.
func namesIn(groups []Group, numbers []byte) []string {
	var names []string
	for len(numbers) > 0 {
		i, size := binary.Uvarint(numbers)
		names, numbers = append(names, groups[i].Dataplanes...), numbers[size:]
	}
	slices.Sort(names)
	return names
}

func (g *grouping) divide(m *mesh) []Group {
	match := func(r *kuma.Resource) *Match { return g.match(m.proxy(r.Name)) }
	return phrase.Each(phrase.Grouped(m.resources[kuma.KindDataplane], match), func(same []*kuma.Resource) Group {
		return Group{match(same[0]), phrase.Each(same, func(r *kuma.Resource) string { return r.Name })}
	})
}

// match returns the one Match of all dataplanes with the profile of this one.
func (g *grouping) match(dp *proxy) *Match {
	g.mu.Lock()
	match, ok := g.byDataplane[dp.Name]
	g.mu.Unlock()
	if ok {
		return match
	}
	selected := dp.unsortedMatch(g.policies)
	p := selected.profile(g.kind)
	g.mu.Lock()
	defer g.mu.Unlock()
	if match = g.byProfile[p]; match == nil {
		match = &Match{policies: selected.sorted()}
		g.byProfile[p] = match
	}
	g.byDataplane[dp.Name] = match
	return match
}

// profile identifies everything that the rules of one type, and their effect on inbounds, depend on.
type profile [sha256.Size]byte

// profile hashes the chosen policies, from whose order of names all other orders
// follow, and the inbounds with protocols for which some of them have entries. For permissions,
// these are all inbounds, and the certificate of the proxy matters. On a builtin
// gateway, it matters which policies each listener has.
func (m matchedPolicies) profile(k *kind) profile {
	text := appendNames(nil, m.policies)
	for _, at := range m.incomingAddresses(k) {
		incoming := slices.DeleteFunc(slices.Clone(m.inbounds[at]), func(p *policy) bool { return len(p.from)+len(p.rules) == 0 })
		if len(incoming) == 0 && !k.Policy.Permission {
			continue
		}
		in := m.proxy.describe(at)
		text = appendNames(fmt.Appendf(text, "%d %q %s", in.Port, in.Name, m.proxy.protocolAt(at)), incoming)
	}
	for _, l := range m.proxy.ownListeners() {
		if k.Policy.To && len(m.policies) > 0 {
			text = appendNames(fmt.Appendf(text, "%q", l), m.proxy.onListener(l, k).unsortedMatch(m.policies).policies)
		}
	}
	return sha256.Sum256(fmt.Appendf(text, "%q %t", m.warnings, k.Policy.Permission && m.proxy.identity != kuma.Key{}))
}

func appendNames(text []byte, policies []*policy) []byte {
	const usual = 16 // bytes of a name
	text = slices.Grow(text, usual*len(policies))
	for _, p := range policies {
		text = append(append(text, p.Name...), 0) // no name contains it
	}
	return append(text, 1)
}

// sorted returns the chosen policies, in order of increasing precedence.
func (m matchedPolicies) sorted() []*policy {
	ordered := slices.Clone(m.policies)
	slices.SortFunc(ordered, comparePolicies)
	return ordered
}
