package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

var overridden = Code{
	Code: "overridden-everywhere", Severity: Warning, Title: "Entry that is overridden everywhere",
	Doc: "All that an entry sets is overridden for every proxy and every destination that it applies to, by stronger policies or by later entries of the same policy. It can be removed without affecting traffic. Entries in `rules` are not judged: which of them holds depends on the request. Note that as long as a policy has an entry for a route, its other entries take no part in the rules by tag, so removing the last one changes those rules.",
}

func findOverridden(m *mesh) []Finding {
	var findings []Finding
	precedence := m.precedence()
	for e, by := range precedence.overriddenBy {
		if precedence.effective[e] || m.initial[e.policy] {
			continue
		}
		verb := "override"
		if len(by) == 1 {
			verb = "overrides"
		}
		var names []string
		for _, winner := range slices.SortedFunc(maps.Keys(by), kuma.CompareKeys) {
			names = append(names, winner.Local())
		}
		findings = append(findings, overridden.at(m.Resource(e.policy), e.path(),
			fmt.Sprintf("Nothing that this entry sets has an effect: on every proxy it selects (%s), %s %s all of it.", proxies(m.Selected(e.policy)), phrase.And(names...), verb),
			"Remove the entry, or make its policy stronger: select fewer proxies, or name the destination.").on(len(m.Selected(e.policy))))
	}
	return findings
}

// proxies lists dataplanes, the first few of many.
func proxies(names []string) string {
	const few = 3
	return phrase.Some(names, few, "proxies")
}
