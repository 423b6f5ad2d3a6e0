package policy

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// FromIsDeprecated warns about entries in `from`, which are for all clients.
var FromIsDeprecated = deprecatedFrom("2.10", "Move each entry to \"rules\", without matches, so that it applies to all clients.")

// FromOfClientsIsDeprecated is [FromIsDeprecated] for a kind whose entries select clients, which has
// rules since a release, and whose `from` proxies ignore beside rules (matching.md §7.4, §7.5).
func FromOfClientsIsDeprecated(since string) def.Check {
	return deprecatedFrom(since,
		"Use \"rules\", which select clients by SPIFFE ID instead of tags. "+
			"Where \"rules\" of a policy apply, proxies ignore the \"from\" of all policies: rewrite those for one inbound together.")
}

func deprecatedFrom(since, instead string) def.Check {
	return def.Check{Test: func(n tree.Node) []def.Problem {
		from := n.Get("from")
		if len(from.Items()) == 0 {
			return nil
		}
		return []def.Problem{def.WarningAt(from, "from is deprecated", "Settings for incoming traffic in \"from\" are deprecated. "+
			instead).About(def.Deprecation).From(since)}
	}}
}

// SomeEntries checks that at least one of the lists has an entry.
func SomeEntries(lists ...string) def.Check {
	return def.Check{
		Doc: fmt.Sprintf("At least one of %s must have an entry.", phrase.Or(phrase.Code(lists)...)),
		Test: func(n tree.Node) []def.Problem {
			if slices.ContainsFunc(lists, func(l string) bool { return !n.Get(l).Empty() }) {
				return nil
			}
			add := "Add"
			if n.Absent() {
				add = fmt.Sprintf("Add a %s block with", n.Path[len(n.Path)-1])
			}
			return []def.Problem{def.ErrorAt(n, "Missing entries", fmt.Sprintf("%s at least one %s block.", add, phrase.Or(phrase.Quote(lists)...)))}
		},
	}
}

// RulesExclude checks that `rules` is not combined with other lists.
func RulesExclude(sections ...string) def.Check {
	return def.Check{
		Doc: fmt.Sprintf("`rules` conflicts with %s.", phrase.And(phrase.Code(sections)...)),
		Test: func(n tree.Node) []def.Problem {
			if len(n.Get("rules").Items()) == 0 {
				return nil
			}
			for _, s := range sections {
				if len(n.Get(s).Items()) > 0 {
					return []def.Problem{def.ErrorAt(n, "rules conflicts with "+phrase.And(sections...),
						fmt.Sprintf("A policy with \"rules\" cannot set %s. Move %q to a separate policy.", phrase.Or(phrase.Quote(sections)...), s))}
				}
			}
			return nil
		},
	}
}

// ToIsForGateways checks that a policy which selects gateways has none of the
// sections for incoming traffic, and any other policy no `to`.
func ToIsForGateways(inbound ...string) def.Check {
	return def.Check{
		Doc: fmt.Sprintf(
			"`to` applies to gateways only: the top-level reference must include them (MeshGateway, or Mesh without `proxyTypes` or with "+
				"Gateway), and %s must be empty then.", phrase.And(phrase.Code(inbound)...)),
		Test: func(n tree.Node) []def.Problem {
			gateways, known := selectsGateways(n.Get("targetRef"))
			switch {
			case !known:
				return nil
			case !gateways:
				return def.RejectedUnread(n.Get("to"),
					"\"to\" applies to gateways only, but the policy selects none. Use \"rules\", or select a MeshGateway.")
			}
			var problems []def.Problem
			for _, section := range inbound {
				sidecars := "the kind Dataplane, without labels for all of them"
				if section == "from" { // which Kuma 3.0 does not have, as proxyTypes
					sidecars = "the kind Mesh with proxyTypes Sidecar"
				}
				problems = append(problems, def.RejectedUnread(n.Get(section),
					fmt.Sprintf("The policy selects gateways, as every policy for the whole mesh does, and %q does not apply to them. "+
						"To select only sidecars, set targetRef to %s. For gateways, use \"to\".", section, sidecars))...)
			}
			return problems
		},
	}
}

// EmptyDefaults warns about entries in lists that have no settings; without
// lists, about a policy as a whole (validation.md §10).
func EmptyDefaults(lists ...string) def.Check {
	return def.Check{Test: func(n tree.Node) []def.Problem {
		var entries []tree.Node
		for _, l := range lists {
			entries = append(entries, n.Get(l).Items()...)
		}
		if len(lists) == 0 {
			entries = []tree.Node{n}
		}
		var problems []def.Problem
		for _, e := range entries {
			if conf := e.Get("default"); conf.Empty() {
				problems = append(problems, def.WarningAt(conf, "Missing settings",
					"Without settings in \"default\" this has no effect. Add settings, or remove it."))
			}
		}
		return problems
	}}
}

// destinationsOnce warns about entries for the destination of an earlier one.
var destinationsOnce = def.Check{Test: func(n tree.Node) []def.Problem {
	destination := func(entry tree.Node) (string, bool) {
		return phrase.JSON(entry.Get("targetRef").Value()), entry.Get("targetRef").Complete()
	}
	return def.Repeated(n.Items(), destination, func(entry tree.Node, _ string) def.Problem {
		return def.WarningAt(entry.Get("targetRef"), "Duplicate destination",
			"An earlier entry has the same destination. The two are merged, and the later one takes precedence. Combine them into one entry.")
	})
}}

// catchAllOnce warns about rules for all traffic after another such rule.
var catchAllOnce = def.Check{Test: func(n tree.Node) []def.Problem {
	isForAll := func(rule tree.Node) (struct{}, bool) { return struct{}{}, rule.Known() && rule.Get("matches").Empty() }
	return def.Repeated(n.Items(), isForAll, func(rule tree.Node, _ struct{}) def.Problem {
		return def.WarningAt(rule, "Duplicate rule",
			"Neither this nor an earlier rule has matches, so both apply to all traffic. Combine them into one rule, or add matches.")
	})
}}
