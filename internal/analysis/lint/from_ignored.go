package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

var fromIgnored = Code{
	Code: "from-ignored", Severity: Error, Title: "Entries of `from` that proxies ignore",
	Fix: "Move the entries to `rules`",
	Doc: "Proxies ignore `from` of a MeshTrafficPermission or MeshFaultInjection on inbounds that a policy of the same kind with `rules` " +
		"selects, and a proxy with a MeshIdentity ignores `from` of all MeshTrafficPermissions, although `_rules` of the control plane lists " +
		"them. A client that only `from` allows is then denied, and one that only `from` denies may be allowed. " +
		"A denial in `from` is also ignored if another rule that the control plane computes from the same entries allows the client, as when " +
		"entries deny two values of one tag. Measured on 2.14.3.",
}

// ignored is where proxies ignore the `from` of a policy, or clients that it denies.
type ignored struct {
	reasons map[string]bool
	proxies []string
}

func findFromIgnored(m *mesh, report func(Finding)) {
	found, denied := map[kuma.Key]*ignored{}, map[kuma.Key]*ignored{}
	for _, k := range kinds.Policies() {
		if !k.Policy.From || k.Policy.FromAsRules || !m.uses(k.Name, "from") {
			continue
		}
		for _, g := range m.Groups(m.name, k.Name) {
			r, _ := m.Outline(m.name, g.Dataplanes[0], k.Name) // empty if its policies would exhaust a control plane
			for _, in := range r.Incoming() {
				if in.Ignored != nil {
					for _, key := range in.Ignored.Policies {
						addIgnored(found, key, in.Ignored.Reason(), g.Dataplanes)
					}
				}
				for _, rule := range in.Admitted {
					addIgnored(denied, rule.Denier(), rules.Peers(rule.Matchers), g.Dataplanes)
				}
			}
		}
	}
	for key, of := range found {
		report(of.finding(m.Resource(key), "These entries have no effect on %s, because of %s.",
			"Replace the entries with \"rules\" that match the SPIFFE IDs of the clients."))
	}
	for key, of := range denied {
		report(of.finding(m.Resource(key),
			"Clients that these entries deny may connect to %s: %s. Other rules that the control plane computes from the same entries allow them.",
			"Allow only the clients that may connect, or replace the entries with \"rules\" that match SPIFFE IDs."))
	}
}

// finding returns a finding with a message about the proxies and the reasons.
func (i ignored) finding(policy *kuma.Resource, message, suggestion string) Finding {
	names := phrase.Sorted(i.proxies)
	return fromIgnored.at(policy, []any{"spec", "from"},
		fmt.Sprintf(message, proxies(names), phrase.And(slices.Sorted(maps.Keys(i.reasons))...)), suggestion).on(len(names))
}

func addIgnored(found map[kuma.Key]*ignored, policy kuma.Key, reason string, dataplanes []string) {
	if found[policy] == nil {
		found[policy] = &ignored{reasons: map[string]bool{}}
	}
	found[policy].reasons[reason] = true
	found[policy].proxies = append(found[policy].proxies, dataplanes...)
}
