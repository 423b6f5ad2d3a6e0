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
	Fix: "Remove the entry, or narrow the policies that override it",
	Doc: "Policies with higher precedence, or later entries of the same policy, override all settings of an entry for every proxy and destination. Removing the entry does not affect traffic, unless it is the last one for a route: without such an entry, the other entries of the policy become part of the rules by tag. `rules` are not checked.",
}

func findOverridden(m *mesh, report func(Finding)) {
	for e, by := range m.precedence().overridden {
		if m.initial[e.policy] {
			continue
		}
		verb := "override"
		if len(by) == 1 {
			verb = "overrides"
		}
		names := phrase.Each(slices.SortedFunc(maps.Keys(by), kuma.CompareKeys), kuma.Key.Local)
		report(overridden.at(m.Resource(e.policy), e.path(),
			fmt.Sprintf("This entry has no effect: on every proxy that its policy selects (%s), %s %s all of its settings.", proxies(m.Selected(e.policy)), phrase.And(names...), verb),
			"Remove the entry, or make it more specific so that it takes effect: "+m.narrower(e)+".").on(len(m.Selected(e.policy))))
	}
}

// narrower returns how to make an entry more specific than others.
func (m *mesh) narrower(e policyEntry) string {
	refs := m.Resource(e.policy).ToRefs()
	if e.list != "to" || e.index >= len(refs) || refs[e.index].Kind != kuma.KindMesh {
		return "select fewer proxies"
	}
	return "select fewer proxies, or name the destination"
}

// proxies lists dataplanes, or the first few of them.
func proxies(names []string) string {
	const few = 3
	return phrase.Some(names, few, "proxies")
}
