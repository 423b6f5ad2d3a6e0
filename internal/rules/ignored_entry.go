package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// NoCertificate says why the permissions of a proxy have no effect.
const NoCertificate = "The proxy has no certificate, so permissions have no effect."

// IgnoredEntry is an entry for traffic to an inbound that an answer lists, but
// that the proxy ignores.
type IgnoredEntry struct {
	Entry
	Reason string // a sentence
}

// IgnoredEntries returns the entries that the proxy ignores on the inbound: `from`
// that it does not use, permissions without effect on all or some clients, and
// entries of which other ones override all values, or which set only values for
// another protocol (matching.md §7.4, §7.5, §17.7). They are sorted by policy and
// position.
func (i Incoming) IgnoredEntries() []IgnoredEntry {
	found := map[Entry]string{}
	if i.Ignored != nil {
		for _, e := range i.Ignored.entries {
			found[e] = "The proxy ignores `from` because of " + i.Ignored.Reason() + "."
		}
	}
	if i.Access == AccessUnchecked {
		i.unchecked(found)
	} else {
		i.admitted(found)
	}
	i.overridden(found)
	var out []IgnoredEntry
	for e, reason := range found {
		out = append(out, IgnoredEntry{e, reason})
	}
	slices.SortFunc(out, func(a, b IgnoredEntry) int {
		return cmp.Or(cmp.Compare(a.Policy.Name, b.Policy.Name), cmp.Compare(a.Index, b.Index))
	})
	return out
}

// IgnoredEntries returns the entries for a service that have no effect on the proxy: they set
// only values for other protocols than those of the ports that the rule is for
// (matching.md §17.4). Entries for the whole mesh, or for all ports in
// a rule for one, may have an effect elsewhere and are not listed.
func (s *Snapshot) IgnoredEntries(r ResourceRule) []IgnoredEntry {
	var out []IgnoredEntry
	if r.kind.Policy.Gateway.OnlyHTTP {
		for e := range r.Entries() {
			out = append(out, IgnoredEntry{e, "Only a builtin gateway uses `to` of " + e.Policy.Type + "."})
		}
		return out
	}
	var protocols []string
	for _, p := range s.Ports(r.about.ID()) {
		if r.ResourceSectionName == "" || p.Section == r.ResourceSectionName {
			protocols = append(protocols, p.Protocol)
		}
	}
	if len(protocols) == 0 {
		return nil
	}
	r.outline = true // no labels are returned
	v := newSetValues()
	v.add(slices.Concat(r.Explain()...), func(path tree.Path) bool { return r.kind.AppliesTo(path, protocols...) })
	for e := range r.Entries() {
		ref := s.Resource(e.Policy).ToRefs()[e.Index]
		if v.onlyOther(e) && ref.Kind != kuma.KindMesh && (ref.SectionName == "") == (r.ResourceSectionName == "") {
			out = append(out,
				IgnoredEntry{e, fmt.Sprintf("The service has the protocol %s, on which the settings of the entry have no effect.",
					phrase.And(phrase.Sorted(protocols)...))})
		}
	}
	return out
}

// IgnoredByGateway returns the entries for a route, which a builtin gateway does not use (matching.md
// §18.4).
func (s *Snapshot) IgnoredByGateway(r ResourceRule) []IgnoredEntry {
	var out []IgnoredEntry
	for e := range r.Entries() {
		if IsRoute(s.Resource(e.Policy).ToRefs()[e.Index].Kind) {
			out = append(out, IgnoredEntry{e, "A builtin gateway ignores entries for routes."})
		}
	}
	return out
}

// IgnoredEntries returns the entries for a listener that set only what it does not use.
func (o Outgoing) IgnoredEntries() []IgnoredEntry {
	var out []IgnoredEntry
	for _, r := range o.Rules {
		v := newSetValues()
		v.add(r.Explain(), func(path tree.Path) bool { return o.Uses(r.kind.Kind, path) })
		for e := range r.Entries() {
			if v.onlyOther(e) {
				out = append(out, IgnoredEntry{e, fmt.Sprintf("The listener has the protocol %s, on which the settings of the entry have no effect.",
					o.Listener.Protocol)})
			}
		}
	}
	return out
}

// admitted adds the permissions that deny clients without effect.
func (i Incoming) admitted(found map[Entry]string) {
	clients := map[Entry][]string{}
	for _, r := range i.Admitted {
		clients[r.decisive()] = append(clients[r.decisive()], Peers(r.Matchers))
	}
	for e, denied := range clients {
		found[e] = fmt.Sprintf("The proxy allows clients with %s, which the entry denies: other rules computed from the same entries allow them.",
			phrase.Some(denied, maxIgnored, ""))
	}
}

// unchecked adds the permissions of a proxy without a certificate.
func (i Incoming) unchecked(found map[Entry]string) {
	for _, in := range append(i.inputs(), phrase.Each(i.Admitted, inputOf)...) {
		for e := range in.Entries() {
			if _, ok := found[e]; !ok {
				found[e] = NoCertificate
			}
		}
	}
}

// overridden adds the entries that set no value in effect.
func (i Incoming) overridden(found map[Entry]string) {
	v := i.values()
	for e, by := range v.overriders {
		if _, ok := found[e]; !ok && !v.sets[e] && !v.setsOther[e] {
			found[e] = fmt.Sprintf("All values of the entry are overridden by %s.", namesOf(slices.Collect(maps.Keys(by))))
		}
	}
	for e := range v.setsOther {
		if v.onlyOther(e) {
			found[e] = fmt.Sprintf("The inbound has the protocol %s, on which the settings of the entry have no effect.",
				i.protocol)
		}
	}
}

// otherProtocol returns a sentence about the policies that set only values for HTTP on
// an inbound with another protocol, if there are any.
func (i Incoming) otherProtocol() []string {
	inputs := i.inputs()
	if i.protocol == "" || len(inputs) == 0 || inputs[0].kind.Policy.Permission { // which is for all protocols
		return nil
	}
	v := i.values()
	var policies []kuma.Key
	for e := range v.setsOther {
		if v.onlyOther(e) {
			policies = append(policies, e.Policy)
		}
	}
	if len(policies) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The proxy ignores the settings of %s %s, because the inbound has the protocol %s.", policies[0].Type,
		phrase.Some(phrase.Quote(sortedNames(policies)), maxIgnored, ""), i.protocol)}
}

// setValues are what entries set.
type setValues struct {
	sets       map[Entry]bool // a value in effect
	setsOther  map[Entry]bool // a value that is not used, such as one that is only for another protocol
	overriders map[Entry]map[kuma.Key]bool
}

func newSetValues() setValues {
	return setValues{map[Entry]bool{}, map[Entry]bool{}, map[Entry]map[kuma.Key]bool{}}
}

// onlyOther reports whether an entry sets values, and none of them is used.
func (v setValues) onlyOther(e Entry) bool { return v.setsOther[e] && !v.sets[e] }

func (v setValues) add(leaves []Leaf, used func(tree.Path) bool) {
	for _, l := range leaves {
		winner := l.SetBy.entry()
		if used(l.Path) {
			v.sets[winner] = true
		} else {
			v.setsOther[winner] = true
		}
		for _, o := range l.Overridden {
			loser := o.SetBy.entry()
			if v.overriders[loser] == nil {
				v.overriders[loser] = map[kuma.Key]bool{}
			}
			v.overriders[loser][winner.Policy] = true
		}
	}
}

func (i Incoming) values() setValues {
	v := newSetValues()
	for _, in := range i.inputs() {
		v.add(in.Explain(), func(path tree.Path) bool { return i.protocol == "" || in.kind.AppliesTo(path, i.protocol) })
	}
	return v
}

// inputs returns what the proxy uses.
func (i Incoming) inputs() []mergeInput {
	return append(phrase.Each(i.From, inputOf), phrase.Each(i.Rules, func(r IncomingRule) mergeInput { return r.mergeInput })...)
}

func inputOf(r Rule) mergeInput { return r.mergeInput }

func (o Origin) entry() Entry { return Entry{o.ResourceMeta.Key(), o.RuleIndex} }
