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
	Doc: "Proxies ignore the entries of `from` of a MeshTrafficPermission or MeshFaultInjection on inbounds that a policy of the same kind with `rules` selects. A proxy with a MeshIdentity ignores those of all MeshTrafficPermissions. The control plane lists both in its `_rules`. A client that only `from` allows is then denied, and one that only `from` denies may be allowed. Kuma 2.14.3 behaves in this way.",
}

// ignored is where proxies ignore the `from` of a policy.
type ignored struct {
	reasons map[string]bool
	proxies []string
}

func findFromIgnored(m *mesh) []Finding {
	found := map[kuma.Key]*ignored{}
	for _, k := range kinds.Policies() {
		if !k.Policy.From || k.Policy.FromAsRules {
			continue
		}
		for _, g := range m.Groups(m.name, k.Name) {
			r, err := m.Outline(m.name, g.Dataplanes[0], k.Name)
			if err != nil {
				continue // its policies would exhaust a control plane
			}
			for _, in := range r.Incoming() {
				if in.Ignored != nil {
					addIgnored(found, *in.Ignored, g.Dataplanes)
				}
			}
		}
	}
	var findings []Finding
	for key, of := range found {
		slices.Sort(of.proxies)
		names := slices.Compact(of.proxies)
		findings = append(findings, fromIgnored.at(m.Resource(key), []any{"spec", "from"},
			fmt.Sprintf("These entries have no effect on %s, because of %s.", proxies(names), phrase.And(slices.Sorted(maps.Keys(of.reasons))...)),
			"Replace the entries with \"rules\" that match the SPIFFE IDs of the clients.").on(len(names)))
	}
	return findings
}

func addIgnored(found map[kuma.Key]*ignored, by rules.IgnoredFrom, dataplanes []string) {
	for _, key := range by.Policies {
		if found[key] == nil {
			found[key] = &ignored{reasons: map[string]bool{}}
		}
		found[key].reasons[by.Reason()] = true
		found[key].proxies = append(found[key].proxies, dataplanes...)
	}
}
