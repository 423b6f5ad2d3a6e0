package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

const shortValue = 40 // characters of a value in a message

// decision is what decides that an entry overrides another one.
type decision byte

const (
	unknown          decision = iota
	byEntries                 // their own precedence, on every proxy
	byEntriesOrCycle          // their own precedence, except on proxies where they are in a cycle
	byOthers                  // other policies can reverse it, see [rules.Snapshot.Reversible]
	byNames                   // the names of the policies; other policies can possibly reverse it
)

// conflict is a field that two entries set to different values, where only the names
// of the policies or other policies decide which of them takes precedence.
type conflict struct {
	at                 numbers
	overridden, winner policyEntry
	tied               bool // equal precedence except for the names of the policies
	fields             []contestedField
	about              string      // the first destination or traffic, empty for the proxy
	reversible         bool        // see [rules.Snapshot.Reversible]
	cycle              []kuma.Key  // the first cycle that contains both policies; nil if there is none
	inCycle            proxyGroups // those on which a cycle contains both policies
	elsewhere          proxyGroups
	last               int // the last order for which proxies were added
}

// contestedField is a field of the conf that two entries set to different values.
type contestedField struct {
	path               string
	field              def.Field
	overridden, winner any
}

// set records the values of a field; of several destinations the last one counts.
func (c *conflict) set(f contestedField) {
	at := slices.IndexFunc(c.fields, func(known contestedField) bool { return known.path == f.path })
	if at < 0 {
		c.fields = append(c.fields, f)
		return
	}
	c.fields[at] = f
}

// conflictID identifies a conflict by the numbers of its entries, in which both kinds
// of order of a list count as one.
type conflictID struct {
	numbers
	tied bool
}

// decision returns what decides between two entries of a rule.
func (p *typePrecedence) decision(rule mergedRule, at numbers) decision {
	overridden, winner := p.entries[position(at.overridden)], p.entries[position(at.winner)]
	tied := p.TiedEntries(overridden, winner)
	if rule.list != inTo {
		tied = p.TiedPolicies(overridden.Policy, winner.Policy)
	}
	switch {
	case overridden.Policy == winner.Policy:
		return byEntries
	case tied:
		return byNames
	case !p.CanCycle(overridden.Policy, winner.Policy):
		return byEntries
	case p.Reversible(winner.Policy, overridden.Policy):
		return byOthers
	default:
		return byEntriesOrCycle
	}
}

// conflict returns the conflict between two entries of a rule.
func (p *typePrecedence) conflict(rule mergedRule, at numbers, decided decision) *conflict {
	id := conflictID{numbers{oneOrder(at.overridden), oneOrder(at.winner)}, decided == byNames}
	c := p.conflicts[id]
	if c == nil {
		c = &conflict{at: at, overridden: p.entryAt(at.overridden), winner: p.entryAt(at.winner), tied: decided == byNames, about: rule.about()}
		c.reversible = p.Reversible(c.winner.policy, c.overridden.policy)
		p.conflicts[id] = c
	}
	return c
}

// addProxies records that the conflict affects the proxies of a group, in which the
// rule is merged in one of the orders of the group.
func (c *conflict) addProxies(groups []rules.Group, at int, rule mergedRule) {
	if c.last == rule.nthOrder {
		return
	}
	c.last = rule.nthOrder
	cycle := rule.order.Cycle(position(c.at.overridden), position(c.at.winner))
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

var decidedByName = Code{
	Code: "decided-by-name", Severity: Warning, Title: "Conflict that only policy names decide",
	Fix: "Set the field in one of the policies only, or make one more specific",
	Doc: "Two policies of one kind set the same field to different values for the same proxy and destination, and have the same precedence: " +
		"kind of reference, origin and role are equal. The name that comes first alphabetically wins, so renaming a policy changes traffic. " +
		"`rules` are not checked.",
}

func findDecidedByName(m *mesh, report func(Finding)) {
	for _, c := range m.precedence().conflicts {
		if !c.tied || c.reversible || len(c.elsewhere.at) == 0 {
			continue
		}
		report(m.report(decidedByName, c, c.elsewhere, "Only the names of the policies decide this.",
			"Set the field in only one of the policies, or make the one that should take precedence more specific: "+m.narrower(c.overridden)+"."))
	}
}

var unstableOrder = Code{
	Code: "unstable-order", Severity: Warning, Title: "Precedence that other policies can reverse",
	Fix: "Select the proxies with kind `Mesh` or with labels",
	Doc: "Two policies conflict as in [`decided-by-name`](#decided-by-name), and a third one decides which wins, or would if it were " +
		"created: [When the order is not stable](how-policies-combine.md#when-the-order-is-not-stable). " +
		"The order is stable if no policy selects kind Dataplane without name and labels.",
}

func findUnstableOrder(m *mesh, report func(Finding)) {
	for _, c := range m.precedence().conflicts {
		switch {
		case c.cycle != nil:
			report(m.report(unstableOrder, c, c.inCycle,
				fmt.Sprintf(
					"Adding, renaming or removing any policy can reverse this, because these policies override each other in a cycle "+
						"or tie completely: %s.", m.policyNames(c.cycle)),
				m.breakCycle(c.cycle)))
		case c.reversible:
			report(m.report(unstableOrder, c, c.elsewhere,
				fmt.Sprintf("Another policy that selects these proxies %s can reverse this.", m.missingSelector(c)),
				m.breakCycle([]kuma.Key{c.overridden.policy, c.winner.policy})))
		}
	}
}

// missingSelector returns how a third policy must select proxies to complete a cycle
// with the two policies of a reversible conflict, one of which has neither name nor
// labels.
func (m *mesh) missingSelector(c *conflict) string {
	for _, e := range []policyEntry{c.overridden, c.winner} {
		if ref := m.Resource(e.policy).TopRef(); ref.Labels != nil {
			return "by name"
		}
	}
	return "by labels"
}

// breakCycle returns a suggestion that makes the order of policies stable.
func (m *mesh) breakCycle(policies []kuma.Key) string {
	var change []kuma.Key
	for _, p := range policies {
		if ref := m.Resource(p).TopRef(); ref.Kind == kuma.KindDataplane && ref.Name == "" && ref.Labels == nil {
			change = append(change, p)
		}
	}
	if len(change) == 0 {
		return "Give the policies different display names."
	}
	return fmt.Sprintf("In the targetRef of %s, use kind Mesh or add labels. The order then no longer depends on other policies.",
		m.policyNames(change))
}

// policyNames lists policies of one type, or the first few of them.
func (m *mesh) policyNames(policies []kuma.Key) string {
	const few = 4
	names := phrase.Each(policies, func(p kuma.Key) string { return fmt.Sprintf("%q", p.Name) })
	return policies[0].Type + " " + phrase.Some(names, few, "")
}

// report returns a finding about a conflict on some proxies. It concerns the overridden
// entry, unless the control plane creates its policy with the mesh.
func (m *mesh) report(code Code, c *conflict, on proxyGroups, why, suggestion string) Finding {
	changed, other, format := c.overridden, c.winner, "%s %s %s here but %s in %s, which takes precedence"
	// In a new slice: two findings can be about the same conflict.
	fields := slices.SortedFunc(slices.Values(c.fields), func(a, b contestedField) int { return strings.Compare(a.path, b.path) })
	first, value, otherValue := fields[0], fields[0].overridden, fields[0].winner
	if m.initial[c.overridden.policy] {
		changed, other, format = c.winner, c.overridden, "%s %s %s here, which takes precedence over %s in %s"
		value, otherValue = otherValue, value
	}
	where := fmt.Sprintf("on %s", on)
	if c.about != "" {
		where = fmt.Sprintf("for %s on %s", c.about, on)
	}
	are := "is"
	if first.field.Elements != nil { // which the path names
		are = "are"
	}
	values := first.field.Texts(shortValue, value, otherValue)
	more := ""
	if len(fields) > 1 {
		more = fmt.Sprintf(" The same applies to %s.", phrase.And(phrase.Each(fields[1:], func(f contestedField) string { return f.path })...))
	}
	return code.at(m.Resource(changed.policy), changed.path(),
		fmt.Sprintf(format+" %s.%s %s", first.path, are, values[0], values[1], other.policy.Local(), where, more, why),
		suggestion).on(on.count())
}

// proxyGroups is a selection of groups of dataplanes.
type proxyGroups struct {
	of []rules.Group
	at []int32 // ascending indexes
}

// add adds a group unless it is the last one already.
func (g *proxyGroups) add(of []rules.Group, at int) {
	g.of = of
	if last := len(g.at) - 1; last < 0 || g.at[last] != int32(at) { //nolint:gosec // fewer than 1<<31 groups
		g.at = append(g.at, int32(at)) //nolint:gosec // fewer than 1<<31 groups
	}
}

func (g proxyGroups) count() int {
	n := 0
	for _, at := range g.at {
		n += len(g.of[at].Dataplanes)
	}
	return n
}

// String lists the dataplanes, or the first few of them.
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
