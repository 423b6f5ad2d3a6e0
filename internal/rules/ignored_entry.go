package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
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
// entries of which other ones override all values (matching.md §7.4, §7.5). They
// are sorted by policy and position.
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
	var inputs []mergeInput
	for _, r := range slices.Concat(i.From, i.Admitted) {
		inputs = append(inputs, r.mergeInput)
	}
	for _, r := range i.Rules {
		inputs = append(inputs, r.mergeInput)
	}
	for _, in := range inputs {
		for e := range in.Entries() {
			if _, ok := found[e]; !ok {
				found[e] = NoCertificate
			}
		}
	}
}

// overridden adds the entries that set no value of any rule.
func (i Incoming) overridden(found map[Entry]string) {
	wins, loses := map[Entry]bool{}, map[Entry]map[kuma.Key]bool{}
	for _, r := range i.Rules {
		for _, l := range r.Explain() {
			winner := l.SetBy.entry()
			wins[winner] = true
			for _, o := range l.Overridden {
				loser := o.SetBy.entry()
				if loses[loser] == nil {
					loses[loser] = map[kuma.Key]bool{}
				}
				loses[loser][winner.Policy] = true
			}
		}
	}
	for e, by := range loses {
		if _, ok := found[e]; !ok && !wins[e] {
			found[e] = fmt.Sprintf("All values of the entry are overridden by %s.", namesOf(slices.Collect(maps.Keys(by))))
		}
	}
}

func (o Origin) entry() Entry { return Entry{o.ResourceMeta.Key(), o.RuleIndex} }
