package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

const shortValue = 40 // characters of a value in a message

var overridden = Code{
	Code: "overridden-everywhere", Severity: Warning, Title: "Entry that is overridden everywhere",
	Doc: "All that an entry sets is overridden, by stronger policies or by later entries of its own, for every proxy and every destination that it is for. It can go without any change to traffic. Entries in `rules` are not judged: which of them holds depends on the request. One thing is left to you: as long as a policy has an entry for a route, its other entries take no part in the rules by tag, so that removing the last one brings them in.",
}

func findOverridden(m *mesh) []Finding {
	var findings []Finding
	for e, by := range m.precedence.overriddenBy {
		if m.precedence.effective[e] || m.initial[e.policy] {
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
			"Remove the entry, or make its policy stronger: select fewer proxies, or name the destination."))
	}
	return findings
}

var decidedByName = Code{
	Code: "decided-by-name", Severity: Warning, Title: "Conflict that the names decide",
	Doc: "Two policies of a kind set the same field to different values for the same proxy and destination, and are equal in everything that makes a policy stronger than another: kind of reference, origin, role. The name that comes first in the alphabet wins, so that renaming a policy changes traffic. Entries in `rules` are not judged.",
}

func findDecidedByName(m *mesh) []Finding {
	var findings []Finding
	for c, set := range m.precedence.conflicts {
		changed, verb, other := c.overridden, "loses to", c.winner
		if m.initial[c.overridden.policy] { // nobody wrote it
			changed, verb, other = c.winner, "wins over", c.overridden
		}
		fields := slices.Sorted(maps.Keys(set.byPath))
		values := set.byPath[fields[0]]
		if changed == c.winner {
			values[0], values[1] = values[1], values[0]
		}
		more := ""
		if len(fields) > 1 {
			more = fmt.Sprintf(" So does %s.", phrase.And(fields[1:]...))
		}
		findings = append(findings, decidedByName.at(m.Resource(changed.policy), changed.path(),
			fmt.Sprintf("%s of %s %s %s of %s, for %s on %s, by nothing but the order of their names.%s",
				fields[0], phrase.Value(values[0], shortValue), verb, phrase.Value(values[1], shortValue), other.policy.Local(), set.about, proxies(slices.Sorted(maps.Keys(set.proxies))), more),
			"Set it in one of them only, or make the one that should win stronger: let it select fewer proxies, or name the destination."))
	}
	return findings
}

// proxies lists dataplanes, the first few of many.
func proxies(names []string) string {
	const few = 3
	return phrase.Some(names, few, "proxies")
}
