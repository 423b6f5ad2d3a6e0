package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var overridden = Code{
	Code: "overridden-everywhere", Severity: Warning, Title: "Entry that is overridden everywhere",
	Doc: "All that an entry sets is overridden, by stronger policies or by later entries of its own, for every proxy and every destination that it is for. It can go without any change to traffic. Entries in `rules` are not judged: which of them holds depends on the request. One thing is left to you: as long as a policy has an entry for a route, its other entries take no part in the rules by tag, so that removing the last one brings them in.",
}

func findOverridden(v *view) []Finding {
	var findings []Finding
	for e, by := range v.contest.losses {
		if v.contest.wins[e] || v.initial[e.policy] {
			continue
		}
		var names []string
		for _, winner := range slices.SortedFunc(maps.Keys(by), kuma.CompareKeys) {
			names = append(names, named(winner))
		}
		findings = append(findings, overridden.at(v.byKey[e.policy], e.path(),
			fmt.Sprintf("Nothing that this entry sets has an effect: on every proxy it selects (%s), %s %s all of it.", proxies(v.selected[e.policy]), phrase.And(names...), plural(len(names), "overrides", "override")),
			"Remove the entry, or make its policy stronger: select fewer proxies, or name the destination."))
	}
	return findings
}

var decidedByName = Code{
	Code: "decided-by-name", Severity: Warning, Title: "Conflict that the names decide",
	Doc: "Two policies of a kind set the same field to different values for the same proxy and destination, and are equal in everything that makes a policy stronger than another: kind of reference, origin, role. The name that comes first in the alphabet wins, so that renaming a policy changes traffic. Entries in `rules` are not judged.",
}

func findDecidedByName(v *view) []Finding {
	var findings []Finding
	for p, t := range v.contest.ties {
		changed, verb, other := p.loser, "loses to", p.winner
		if v.initial[p.loser.policy] { // nobody wrote it
			changed, verb, other = p.winner, "wins over", p.loser
		}
		fields := slices.Sorted(maps.Keys(t.values))
		values := t.values[fields[0]]
		if changed == p.winner {
			values[0], values[1] = values[1], values[0]
		}
		more := ""
		if len(fields) > 1 {
			more = fmt.Sprintf(" So does %s.", phrase.And(fields[1:]...))
		}
		findings = append(findings, decidedByName.at(v.byKey[changed.policy], changed.path(),
			fmt.Sprintf("%s of %s %s %s of %s, for %s on %s, by nothing but the order of their names.%s",
				fields[0], short(values[0]), verb, short(values[1]), named(other.policy), t.about, proxies(slices.Sorted(maps.Keys(t.proxies))), more),
			"Set it in one of them only, or make the one that should win stronger: let it select fewer proxies, or name the destination."))
	}
	return findings
}

// short writes a value into a message.
func short(value any) string {
	const most = 40
	switch v := value.(type) {
	case map[string]any, []any:
		return tree.Describe(value)
	case string:
		if len(v) > most {
			return tree.Describe(value)
		}
		return v
	default:
		return fmt.Sprint(value)
	}
}
