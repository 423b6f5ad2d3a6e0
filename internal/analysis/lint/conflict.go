package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

const shortValue = 40 // characters of a value in a message

// decision is what decides that an entry overrides another one.
type decision byte

const (
	unknown   decision = iota
	byEntries          // their own precedence
	byOthers           // other policies can reverse it
	byNames            // only the names of the policies
)

// conflict is a field that two entries set to different values, where only the names
// of the policies or other policies decide which of them takes precedence.
type conflict struct {
	overridden, winner policyEntry
	decided            decision
	fields             []contestedField
	about              string // the first destination or traffic, empty for the proxy
	on                 proxyGroups
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
	decided decision
}

// decision returns what decides between two entries of a rule.
func (p *typePrecedence) decision(rule mergedRule, at numbers) decision {
	switch onlyNames, others := p.Decided(p.entries[position(at.winner)], p.entries[position(at.overridden)], rule.list == inTo); {
	case others:
		return byOthers
	case onlyNames:
		return byNames
	default:
		return byEntries
	}
}

// conflict returns the conflict between two entries of a rule.
func (p *typePrecedence) conflict(rule mergedRule, at numbers, decided decision) *conflict {
	id := conflictID{numbers{oneOrder(at.overridden), oneOrder(at.winner)}, decided}
	c := p.conflicts[id]
	if c == nil {
		c = &conflict{overridden: p.entryAt(at.overridden), winner: p.entryAt(at.winner), decided: decided, about: rule.about()}
		p.conflicts[id] = c
	}
	return c
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
		if c.decided == byNames {
			report(m.report(decidedByName, c, "Only the names of the policies decide this.",
				"Set the field in only one of the policies"+
					m.narrower(", or make the one that should take precedence more specific: ", c.overridden)+"."))
		}
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
		if c.decided == byOthers {
			report(m.report(unstableOrder, c, "Adding, renaming or removing another policy that selects these proxies can reverse this.",
				"In a targetRef without name and labels, use kind Mesh or add labels. The order then no longer depends on other policies."))
		}
	}
}

// report returns a finding about a conflict. It concerns the overridden
// entry, unless the control plane creates its policy with the mesh.
func (m *mesh) report(code Code, c *conflict, why, suggestion string) Finding {
	changed, other, format := c.overridden, c.winner, "%s %s %s here but %s in %s, which takes precedence"
	fields := slices.SortedFunc(slices.Values(c.fields), func(a, b contestedField) int { return strings.Compare(a.path, b.path) })
	first, value, otherValue := fields[0], fields[0].overridden, fields[0].winner
	if m.initial[c.overridden.policy] {
		changed, other, format = c.winner, c.overridden, "%s %s %s here, which takes precedence over %s in %s"
		value, otherValue = otherValue, value
	}
	where := fmt.Sprintf("on %s", c.on)
	if c.about != "" {
		where = fmt.Sprintf("for %s on %s", c.about, c.on)
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
		suggestion).on(c.on.count())
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
