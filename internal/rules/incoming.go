package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Incoming is what a proxy does with the policies of one type for traffic to
// one inbound. An answer lists `from` and `rules` side by side and unmerged,
// whereas a proxy combines them (matching.md §7.4, §7.5).
type Incoming struct {
	Inbound Inbound
	Address string // of the inbound, which others with the same port do not have
	// Rules are the settings for requests, most specific match first. The first
	// rule that matches a request applies, or all that match if the entries of
	// the kind add up.
	Rules []IncomingRule
	// From are the settings by the tags of the client, in the order of
	// [FromRules]. Empty if the proxy does not use them.
	From    []Rule
	Ignored *IgnoredFrom // nil if the proxy ignores no `from`
	// Admitted are rules of permissions that are not part of From, because other
	// rules allow all clients that they deny.
	Admitted []Rule
	Access   Access // empty unless the policies are permissions

	protocol string // of the inbound; empty if it is not one of the application
}

// Protocol returns the protocol of the inbound, empty if it is not one of the application.
func (i Incoming) Protocol() string { return i.protocol }

// IncomingRule is the conf for requests with a match, merged from the entries
// that apply to all of them.
type IncomingRule struct {
	mergeInput

	Match any // nil for all requests
}

// IgnoredFrom says which `from` a proxy ignores on an inbound, and why.
type IgnoredFrom struct {
	Policies []kuma.Key // whose `from` is ignored
	// By are the policies whose `rules` replace it or, with Identity, the
	// MeshIdentity of the proxy.
	By       []kuma.Key
	Identity bool

	entries []Entry // of the policies
}

// Access is which clients with a certificate may connect.
type Access string

const maxIgnored = 5 // names in a sentence

// Kinds of access.
const (
	AccessUnchecked Access = "unchecked" // the proxy has no certificate, so permissions have no effect
	AccessNone      Access = "no client"
	AccessSome      Access = "some clients"
	AccessAll       Access = "every client"
)

// Incoming returns what the proxy does with the rules for incoming traffic: for
// each inbound that has some, and for permissions for each inbound of the
// application. The result is nil for rules that were not returned by a snapshot.
func (r PolicyRules) Incoming() []Incoming {
	if r.kind == nil {
		return nil
	}
	from := map[address][]Rule{}
	for _, f := range r.FromRules {
		from[f.at] = f.Rules
	}
	var out []Incoming
	for _, at := range r.selected.incomingAddresses(r.kind) {
		in := Incoming{
			Inbound: r.selected.proxy.describe(at), Address: at.host, From: from[at], Rules: r.selected.incomingRules(r.kind, at, r.outline),
			protocol: r.selected.proxy.protocolAt(at),
		}
		if r.kind.Policy.FromAsRules && len(in.Rules) > 0 {
			in.From = nil // the same entries
		}
		if in.Ignored = r.selected.ignoredFrom(r.kind, at); in.Ignored != nil {
			in.From = nil
		}
		if r.kind.Policy.Permission {
			in.From, in.Admitted = admitted(in.From)
			in.Access = r.selected.access(in)
		}
		if len(in.Rules)+len(in.From) > 0 || in.Ignored != nil || in.Access != "" {
			out = append(out, in)
		}
	}
	return out
}

// incomingAddresses returns the inbounds that policies of the kind concern. One
// without permissions denies all clients.
func (m matchedPolicies) incomingAddresses(k *kind) []address {
	all := m.addresses()
	if k.Policy.Permission {
		for _, in := range m.proxy.inbounds {
			all = append(all, in.at)
		}
		slices.SortFunc(all, compareAddresses)
	}
	return slices.Compact(all)
}

// matchedEntry is an entry with one of its matches.
type matchedEntry struct {
	*entry
	match any // nil for all requests
}

// inboundEntries returns the entries for an inbound in order of increasing
// precedence.
func (m matchedPolicies) inboundEntries(at address) []*entry {
	var entries []*entry
	for _, p := range m.inbounds[at] {
		entries = append(entries, p.rules...)
	}
	slices.SortStableFunc(entries, compareInboundEntries)
	return entries
}

// matchedEntries returns the entries for an inbound with each of their matches,
// the most specific match first, and equal ones in order of increasing
// precedence.
func (m matchedPolicies) matchedEntries(at address) []matchedEntry {
	var out []matchedEntry
	for _, e := range m.inboundEntries(at) {
		if len(e.matches) == 0 {
			out = append(out, matchedEntry{e, nil})
		}
		for _, match := range e.matches {
			out = append(out, matchedEntry{e, match})
		}
	}
	slices.SortStableFunc(out, func(a, b matchedEntry) int { return cmp.Compare(matchRank(a.match), matchRank(b.match)) })
	return out
}

// incomingRules merges the entries for an inbound.
func (m matchedPolicies) incomingRules(k *kind, at address, outline bool) []IncomingRule {
	entries := m.matchedEntries(at)
	var rules []IncomingRule
	add := func(match any, layers ...*layer) {
		rules = append(rules, IncomingRule{mergeInput{kind: k.incoming, layers: layers, outline: outline}, match})
	}
	if k.Policy.Additive {
		for _, e := range entries {
			add(e.match, &e.layer)
		}
		return rules
	}
	slices.SortStableFunc(entries, func(a, b matchedEntry) int { return compareMatches(a.match, b.match) })
	for i, last := range slices.Backward(entries) {
		match := last.match
		if i+1 < len(entries) && tree.Equal(match, entries[i+1].match) {
			continue
		}
		var layers []*layer
		for _, e := range entries[:i+1] {
			if Covers(e.match, match) {
				layers = slices.DeleteFunc(layers, func(l *layer) bool { return l == &e.layer })
				layers = append(layers, &e.layer)
			}
		}
		add(match, layers...)
	}
	return rules
}

// compareMatches sorts by how specific matches are: by SPIFFE ID, of which a
// longer prefix is more specific and an exact one most, then by server name.
// Other matches are sorted by their text, so that equal ones are adjacent.
func compareMatches(a, b any) int {
	id := func(match any) string { return tree.Text(tree.Object(tree.Object(match)["spiffeID"])["value"]) }
	if c := cmp.Compare(matchRank(b)/2, matchRank(a)/2); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(len(id(a)), len(id(b))), cmp.Compare(matchRank(b), matchRank(a)), cmp.Compare(phrase.JSON(a), phrase.JSON(b)))
}

// Covers reports whether every request with the narrow match also has the wide one.
func Covers(wide, narrow any) bool {
	w, n := tree.Object(wide), tree.Object(narrow)
	if sni := tree.Object(w["sni"]); sni != nil && !tree.Equal(sni, n["sni"]) {
		return false
	}
	want, have := tree.Object(w["spiffeID"]), tree.Object(n["spiffeID"])
	switch {
	case want == nil:
		return true
	case tree.Text(want["type"]) == "Prefix":
		return have != nil && strings.HasPrefix(tree.Text(have["value"]), tree.Text(want["value"]))
	default:
		return tree.Equal(want, have)
	}
}

// ignoredFrom returns the `from` that the proxy ignores on an inbound, nil if it
// ignores none.
func (m matchedPolicies) ignoredFrom(k *kind, at address) *IgnoredFrom {
	var ignored IgnoredFrom
	for _, p := range m.inbounds[at] {
		switch {
		case len(p.rules) > 0:
			ignored.By = append(ignored.By, p.Key())
		case len(p.from) > 0:
			ignored.Policies = append(ignored.Policies, p.Key())
			for _, e := range p.from {
				ignored.entries = append(ignored.entries, Entry{p.Key(), e.index})
			}
		}
	}
	if k.Policy.Permission && m.proxy.identity != (kuma.Key{}) {
		ignored.Identity, ignored.By = true, []kuma.Key{m.proxy.identity}
	}
	if k.Policy.Permission && m.proxy.mesh.matching.fromBesideRules {
		return nil
	}
	if k.Policy.FromAsRules || len(ignored.Policies) == 0 || len(ignored.By) == 0 {
		return nil
	}
	return &ignored
}

// String describes what is ignored, and why, as a sentence.
func (f IgnoredFrom) String() string { return "The proxy " + f.Clause() + "." }

// Clause is the same without the proxy: "ignores `from` of allow-all because of …".
func (f IgnoredFrom) Clause() string {
	return fmt.Sprintf("ignores `from` of %s because of %s", namesOf(f.Policies), f.Reason())
}

// Reason describes why, as a noun: "the rules of deny-b".
func (f IgnoredFrom) Reason() string {
	if f.Identity {
		return "the MeshIdentity " + namesOf(f.By)
	}
	return "the `rules` of " + namesOf(f.By)
}

// Remarks are sentences about what the proxy ignores on the inbound, except for what
// other entries override.
func (i Incoming) Remarks() []string {
	var out []string
	if i.Ignored != nil {
		out = append(out, i.Ignored.String())
	}
	if len(i.Admitted) > 0 {
		clients := phrase.Each(i.Admitted, func(r Rule) string { return Peers(r.Matchers) })
		policies := phrase.Each(i.Admitted, Rule.Denier)
		out = append(out,
			fmt.Sprintf("The proxy allows clients with %s, although `from` of %s denies them: "+
				"other rules computed from the same entries allow them.",
				phrase.Some(clients, maxIgnored, ""), namesOf(policies)))
	}
	return append(out, i.otherProtocol()...)
}

// Denier returns the policy that decides the action of a rule of permissions.
func (r Rule) Denier() kuma.Key { return r.decisive().Policy }

// decisive returns the entry with the highest precedence.
func (r Rule) decisive() (last Entry) {
	for e := range r.Entries() {
		last = e
	}
	return last
}

// Peers describes the peers that meet the matchers. It is empty for all.
func Peers(matchers []Matcher) string {
	return strings.Join(phrase.Each(matchers, Matcher.String), ", ")
}

// String returns the condition.
func (m Matcher) String() string {
	is := "="
	if m.Not {
		is = "≠"
	}
	return m.Key + is + m.Value
}

func namesOf(keys []kuma.Key) string { return phrase.Some(sortedNames(keys), maxIgnored, "") }

func sortedNames(keys []kuma.Key) []string {
	return phrase.Sorted(phrase.Each(keys, func(key kuma.Key) string { return key.Name }))
}

// For returns the rule that applies to requests with a match, if any.
func (i Incoming) For(match any) (IncomingRule, bool) {
	n := slices.IndexFunc(i.Rules, func(r IncomingRule) bool { return Covers(r.Match, match) })
	if n < 0 {
		return IncomingRule{}, false
	}
	return i.Rules[n], true
}

// ForSome reports whether the rules are for some requests or clients only.
func (i Incoming) ForSome() bool {
	_, all := i.For(nil)
	return !all && len(i.Rules) > 0
}

// Merge returns the conf.
func (r IncomingRule) Merge() any { return r.kind.merge(r.layers, nil)[0] }
