package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

const shortValue = 40 // characters of a value in a message

// sides are two entries of which one overrides the other.
type sides struct {
	overridden, winner policyEntry
	tied               bool // in everything but the names of the policies
}

// conflict is between two entries that set something to different values, while names
// or other policies decide which of them wins.
type conflict struct {
	sides
	byPath     map[string][2]any // by path in the conf, the overridden value first
	about      string            // the first destination
	reversible bool              // see [rules.Snapshot.Reversible]
	cycle      []kuma.Key        // the first one that both policies are part of; nil if none
	inCycle    proxyGroups       // on which they are part of one
	elsewhere  proxyGroups
	last       int // of the orders for which proxies were added
}

// conflict returns the conflict between two entries; p.none when their own strength
// decides it on every proxy.
func (p *typePrecedence) conflict(rule mergedRule, at numbers) *conflict {
	of := sides{overridden: p.entryAt(at.overridden), winner: p.entryAt(at.winner)}
	if rule.byTags || rule.list != "to" {
		of.tied = p.TiedPolicies(of.overridden.policy, of.winner.policy)
	} else {
		of.tied = p.TiedEntries(of.overridden.entry(), of.winner.entry())
	}
	if !of.tied && !p.selectDataplanes(of) {
		return p.none
	}
	c := p.conflicts[of]
	if c == nil {
		c = &conflict{
			sides: of, byPath: map[string][2]any{}, about: rule.about(),
			reversible: p.Reversible(of.winner.policy, of.overridden.policy),
		}
		p.conflicts[of] = c
	}
	return c
}

// selectDataplanes reports whether both policies select proxies by a reference to
// Dataplane: the order of others is stable unless they tie.
func (m *mesh) selectDataplanes(of sides) bool {
	for _, e := range []policyEntry{of.overridden, of.winner} {
		if m.Resource(e.policy).TopRef().Kind != kuma.KindDataplane {
			return false
		}
	}
	return true
}

// addProxies notes that there is a conflict on the proxies of a group, where the rule
// is merged in one of the orders of the group.
func (c *conflict) addProxies(groups []rules.Group, at int, rule mergedRule) {
	if c.last == rule.nthOrder {
		return
	}
	c.last = rule.nthOrder
	cycle := rule.order.Cycle(c.overridden.entry(), c.winner.entry())
	switch {
	case cycle != nil:
		c.inCycle.add(groups, at)
		if c.cycle == nil {
			c.cycle = cycle
		}
	case c.tied, c.reversible:
		c.elsewhere.add(groups, at)
	}
}

func (e policyEntry) entry() rules.Entry { return rules.Entry{Policy: e.policy, Index: e.index} }

var decidedByName = Code{
	Code: "decided-by-name", Severity: Warning, Title: "Conflict that the names decide",
	Doc: "Two policies of a kind set the same field to different values for the same proxy and destination, and are equal in everything that makes a policy stronger than another: kind of reference, origin, role. The name that comes first in the alphabet wins, so renaming a policy changes traffic. Entries in `rules` are not judged.",
}

func findDecidedByName(m *mesh) []Finding {
	var findings []Finding
	for _, c := range m.precedence().conflicts {
		if !c.tied || c.reversible || len(c.elsewhere.at) == 0 {
			continue
		}
		findings = append(findings, m.report(decidedByName, c, c.elsewhere, "Only the order of their names decides this.",
			"Set it in one of them only, or make the one that should win stronger: let it select fewer proxies, or name the destination."))
	}
	return findings
}

var unstableOrder = Code{
	Code: "unstable-order", Severity: Warning, Title: "Order that other policies can reverse",
	Doc: "Two policies of a kind set the same field to different values for the same proxy and destination, and which of them wins depends on other policies. " +
		"Among references of kind Dataplane, a name is stronger than labels, but a reference with neither ties with both. So policies can override each other in a cycle, and the control plane sorts such a cycle in an order that depends on every policy that selects the proxy: adding, renaming or removing one policy can reverse the order of two others. " +
		"A conflict between two policies is also reported if one more policy is enough to form a cycle with them. The order is stable if no policy selects proxies by kind Dataplane with neither name nor labels: use kind Mesh there, which is weaker than all others, or add labels. Entries in `rules` are not judged.",
}

func findUnstableOrder(m *mesh) []Finding {
	var findings []Finding
	for _, c := range m.precedence().conflicts {
		switch {
		case c.cycle != nil:
			findings = append(findings, m.report(unstableOrder, c, c.inCycle,
				fmt.Sprintf("Adding, renaming or removing any policy may reverse this, because these policies override each other in a cycle or tie completely: %s.", m.members(c.cycle)),
				m.breakCycle(c.cycle)))
		case c.reversible:
			findings = append(findings, m.report(unstableOrder, c, c.elsewhere,
				fmt.Sprintf("A policy that selects these proxies %s may reverse this.", m.missingSelector(c)),
				m.breakCycle([]kuma.Key{c.overridden.policy, c.winner.policy})))
		}
	}
	return findings
}

// missingSelector returns how a third policy selects proxies that forms a cycle with
// the two of a reversible conflict, one of which has neither name nor labels.
func (m *mesh) missingSelector(c *conflict) string {
	for _, e := range []policyEntry{c.overridden, c.winner} {
		if ref := m.Resource(e.policy).TopRef(); ref.Labels != nil {
			return "by name"
		}
	}
	return "by labels"
}

// breakCycle says how the order of policies becomes stable.
func (m *mesh) breakCycle(policies []kuma.Key) string {
	var change []kuma.Key
	for _, p := range policies {
		if ref := m.Resource(p).TopRef(); ref.Kind == kuma.KindDataplane && ref.Name == "" && ref.Labels == nil {
			change = append(change, p)
		}
	}
	if len(change) == 0 {
		return "Give the policies different names."
	}
	return fmt.Sprintf("Use kind Mesh in the targetRef of %s, or add labels to it: then this order depends on no other policy.", m.members(change))
}

// members lists policies of one type, the first few of many.
func (m *mesh) members(policies []kuma.Key) string {
	const few = 4
	names := make([]string, len(policies))
	for i, p := range policies {
		names[i] = fmt.Sprintf("%q", p.Name)
	}
	return policies[0].Type + " " + phrase.Some(names, few, "")
}

// report writes a finding about a conflict on some proxies: at the entry that loses,
// unless it came with the mesh.
func (m *mesh) report(code Code, c *conflict, on proxyGroups, why, suggestion string) Finding {
	changed, verb, other := c.overridden, "loses to", c.winner
	fields := slices.Sorted(maps.Keys(c.byPath))
	values := c.byPath[fields[0]]
	if m.initial[c.overridden.policy] {
		changed, verb, other = c.winner, "wins over", c.overridden
		values[0], values[1] = values[1], values[0]
	}
	more := ""
	if len(fields) > 1 {
		more = fmt.Sprintf(" The same applies to %s.", phrase.And(fields[1:]...))
	}
	return code.at(m.Resource(changed.policy), changed.path(),
		fmt.Sprintf("%s of %s %s %s of %s, for %s on %s.%s %s",
			fields[0], phrase.Value(values[0], shortValue), verb, phrase.Value(values[1], shortValue), other.policy.Local(), c.about, on, more, why),
		suggestion).on(on.count())
}

// proxyGroups are groups of dataplanes.
type proxyGroups struct {
	of []rules.Group
	at []int32 // positions, ascending
}

// add adds a group, unless it was the last one that was added.
func (g *proxyGroups) add(of []rules.Group, at int) {
	g.of = of
	if last := len(g.at) - 1; last < 0 || g.at[last] != int32(at) { //nolint:gosec // far fewer
		g.at = append(g.at, int32(at)) //nolint:gosec // far fewer
	}
}

func (g proxyGroups) count() int {
	n := 0
	for _, at := range g.at {
		n += len(g.of[at].Dataplanes)
	}
	return n
}

// String lists the dataplanes, the first few of many.
func (g proxyGroups) String() string {
	const few = 3
	var first []string
	for _, at := range g.at {
		dataplanes := g.of[at].Dataplanes
		first = append(first, dataplanes[:min(len(dataplanes), few+1)]...)
	}
	slices.Sort(first)
	return phrase.SomeOf(first, g.count(), few, "proxies")
}
