package impact

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Limits of a summary. The changes contain everything.
const (
	maxNames    = 10
	maxPlaces   = 4
	maxGroups   = 20
	maxBlocks   = 30 // per group
	maxValue    = 120
	maxElements = 3 // of a list
	maxSwaps    = 10
)

// Summary describes the impact as text that is readable both as it is and rendered
// as Markdown: proxies that can no longer be configured; who gains or loses access to services; which requests go elsewhere; the
// groups of dataplanes that change, the largest first, with each value before and after; the
// dataplanes that do not change; and the changed policies without effect. It ends with a line
// break. Long lists are shortened, with the number of omitted items.
func (i Impact) Summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Mesh %s%s.\n", phrase.Printable(i.Mesh), i.verdict())
	for _, note := range i.notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	i.writeFrozen(&b)
	i.writeRehearsal(&b)
	i.writeAccess(&b)
	i.writeRequests(&b)
	i.writeLost(&b)
	i.writeGroups(&b)
	if n := len(i.assumed); n > 0 {
		fmt.Fprintf(&b, "\n%s neither outbounds nor transparent proxying: %s. "+
			"This assumes that kuma-dp redirects their traffic; without that, they reach no service.\n",
			phrase.Count(n, "of these dataplanes has", "of these dataplanes have"), phrase.Some(i.assumed, maxPlaces, ""))
	}
	i.writeSwaps(&b)
	i.writeOthers(&b)
	return b.String()
}

func (i Impact) verdict() string {
	changed, unchanged := len(i.Changed()), len(i.Unchanged)
	switch {
	case changed == 0 && unchanged+len(i.Added)+len(i.Removed) == 0:
		return " has no dataplanes"
	case changed == 0 && i.IsUncertain():
		return ": it is not known whether dataplanes change" + i.addedAndRemoved()
	case changed == 0:
		return ": no dataplane changes" + i.addedAndRemoved()
	case unchanged == 0:
		return ": every dataplane changes" + i.addedAndRemoved()
	default:
		return fmt.Sprintf(": %d of %d dataplanes change%s", changed, changed+unchanged, i.addedAndRemoved())
	}
}

// writeRehearsal says how to try out that proxies reach less because of the release.
func (i Impact) writeRehearsal(b *strings.Builder) {
	lost := func(c *Change) bool { return c.Path == ReachablePath && c.After.JSON == notReachable }
	if i.restricts && slices.ContainsFunc(i.Groups, func(g Group) bool { return slices.ContainsFunc(g.Changes, lost) }) {
		b.WriteString("\nProxies reach only the services that they list, and the outside of the mesh only by a MeshPassthrough. " +
			"On Kuma 2.14.6 or later, defaults.restrictOutbound: true of a control plane rehearses this with the real traffic.\n")
	}
}

// addedAndRemoved counts the dataplanes that exist on one side only, for the end of
// a sentence.
func (i Impact) addedAndRemoved() string {
	var parts []string
	if n := len(i.Added); n > 0 {
		parts = append(parts, phrase.Count(n, "is added", "are added"))
	}
	if n := len(i.Removed); n > 0 {
		parts = append(parts, phrase.Count(n, "is removed", "are removed"))
	}
	if parts == nil {
		return ""
	}
	return ", " + phrase.And(parts...)
}

// writeFirst writes a line for each of the first elements, and how many things it left out.
func writeFirst[E any](b *strings.Builder, elements []E, most int, before, things string, line func(E) string) {
	for n, e := range elements {
		if n == most {
			fmt.Fprintf(b, "%s%s\n", before, phrase.More(len(elements)-n, things))
			return
		}
		fmt.Fprintf(b, "%s%s\n", before, line(e))
	}
}

func changing(n int) string { return phrase.Count(n, "dataplane changes", "dataplanes change") }

// writeSwaps writes about unchanged policies that override each other in a different
// order.
func (i Impact) writeSwaps(b *strings.Builder) {
	swaps := i.Swaps()
	if len(swaps) == 0 {
		return
	}
	fmt.Fprintf(b, "\nUnchanged policies that other policies put in a different order (see unstable-order of kuma_mesh_lint):\n")
	writeFirst(b, swaps, maxSwaps, "- ", "", func(s Swap) string {
		return fmt.Sprintf("%s %s now overrides %s on %s", s.Type, s.Winner, s.Overridden, phrase.Some(s.Dataplanes, maxPlaces, ""))
	})
}

// writeOthers writes about the dataplanes that are unchanged, added or removed, and
// about policies without effect.
func (i Impact) writeOthers(b *strings.Builder) {
	otherwise := ""
	if i.IsUncertain() {
		otherwise = " otherwise"
	}
	for _, part := range []struct {
		names     []string
		one, many string
	}{
		{i.Unchanged, "dataplane does not change" + otherwise, "dataplanes do not change" + otherwise},
		{i.Added, "dataplane is added", "dataplanes are added"},
		{i.Removed, "dataplane is removed", "dataplanes are removed"},
	} {
		if len(part.names) > 0 {
			fmt.Fprintf(b, "\n%s: %s\n", phrase.Count(len(part.names), part.one, part.many),
				phrase.Some(part.names, maxNames, ""))
		}
	}
	if len(i.WithoutEffect) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", phrase.Count(len(i.WithoutEffect), "policy change has no effect", "policy changes have no effect"))
	groups := phrase.Grouped(i.WithoutEffect, func(p PolicyChange) PolicyChange {
		return PolicyChange{Type: p.Type, Operation: p.Operation, Reason: p.Reason}
	})
	writeFirst(b, groups, maxBlocks, "- ", "groups of policies", func(same []PolicyChange) string {
		names := phrase.Each(same, func(p PolicyChange) string { return p.Name })
		return fmt.Sprintf("%s %s (%s): %s", same[0].Type, phrase.Some(names, maxNames, ""), same[0].Operation, same[0].Reason)
	})
}

// writeGroups writes about the groups, the largest first. If these are too many, it writes each change once, with all of its dataplanes.
func (i Impact) writeGroups(b *strings.Builder) {
	groups := slices.Clone(i.Groups)
	if len(groups) > maxGroups {
		groups = nil
		for _, rows := range phrase.Grouped(i.Rows(), func(r Row) string { return fmt.Sprint(r.Dataplanes) }) {
			groups = append(groups, Group{rows[0].Dataplanes, phrase.Each(rows, func(r Row) *Change { return r.Change })})
		}
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(len(b.Dataplanes)-len(a.Dataplanes), slices.Compare(a.Dataplanes, b.Dataplanes))
	})
	for n, g := range groups {
		if n == maxGroups {
			left := phrase.Sorted(slices.Concat(phrase.Each(groups[n:], func(g Group) []string { return g.Dataplanes })...))
			fmt.Fprintf(b, "\n%s in %d other ways.\n", changing(len(left)), len(groups)-n)
			break
		}
		g.write(b)
	}
}

// write writes about one group: a list item for each destination, or for several
// destinations with the same changes.
func (g Group) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s: %s\n", changing(len(g.Dataplanes)), phrase.Some(g.Dataplanes, maxNames, ""))
	writeFirst(b, g.blocks(), maxBlocks, "- ", "changes", func(block block) string {
		lines := phrase.Each(block.lines, func(line string) string { return "\n  - " + phrase.Printable(line) })
		return fmt.Sprintf("%s, %s %s%s", block.policyType, preposition(block.direction), phrase.Some(block.places, maxPlaces, ""),
			strings.Join(lines, ""))
	})
}

// block is a set of destinations with the same changes.
type block struct {
	policyType string
	direction  Direction
	places     []string
	lines      []string
}

func (g Group) blocks() []block {
	var single []block
	gone := map[string]bool{}
	for _, c := range g.Changes {
		last := len(single) - 1
		if c.gone {
			if gone[c.Type+c.about] {
				continue
			}
			gone[c.Type+c.about] = true
		}
		if last < 0 || single[last].policyType != c.Type || single[last].direction != c.Direction || single[last].places[0] != c.about {
			single = append(single, block{c.Type, c.Direction, []string{c.about}, nil})
			last++
		}
		single[last].lines = append(single[last].lines, c.line())
	}
	var out []block
	for _, same := range phrase.Grouped(single, func(s block) string {
		return fmt.Sprintf("%q", append([]string{s.policyType, string(s.direction)}, s.lines...))
	}) {
		same[0].places = slices.Concat(phrase.Each(same, func(s block) []string { return s.places })...)
		out = append(out, same[0])
	}
	return out
}

// String describes the change as in a summary.
func (c Change) String() string {
	return fmt.Sprintf("%s, %s %s: %s", c.Type, preposition(c.Direction), c.about, c.line())
}

// Words describes what changes, and its value before and after, each empty if it is not set or not a
// value of a policy.
func (c Change) Words() (setting, before, after string) {
	setting = fmt.Sprintf("%s, %s %s", c.Type, preposition(c.Direction), c.about)
	if c.gone || c.place.text == "" {
		return setting, "", c.line()
	}
	if c.Before != nil {
		before = c.place.value(c.Before)
	}
	if c.After != nil {
		after = c.place.value(c.After)
	}
	return setting + ": " + c.place.text, before, after
}

func preposition(d Direction) string {
	switch d {
	case To:
		return "to"
	case Proxy:
		return "for"
	default:
		return "on"
	}
}

// line describes one value: before, after, and the entries that set it.
func (c Change) line() string {
	switch {
	case c.gone:
		return "the destination is removed, and all settings for it"
	case c.Path == AccessPath:
		return strings.TrimSpace(fmt.Sprintf("access: %s. %s", c.place.change(c.Before, c.After), c.why))
	case c.Path == ReachablePath:
		return c.reachableLine()
	case c.Path == ConfigurationPath:
		reason, _ := strconv.Unquote(c.Before.JSON)
		return "the proxy can be configured again; before, it could not, because " + reason
	case c.Path == CertificatePath && c.Before == nil:
		return fmt.Sprintf("the proxy gets a certificate of %s %s", c.After.SetBy.Type, c.After.SetBy.Name)
	case c.Path == CertificatePath && c.After == nil:
		return fmt.Sprintf("the proxy loses its certificate of %s %s", c.Before.SetBy.Type, c.Before.SetBy.Name)
	case c.Path == CertificatePath:
		before, _ := strconv.Unquote(c.Before.JSON)
		after, _ := strconv.Unquote(c.After.JSON)
		return fmt.Sprintf("the proxy gets another certificate, %s; before: %s", phrase.CodeSpan(after), phrase.CodeSpan(before))
	case c.place.text == "":
		return c.serviceLine()
	case c.place.element && c.Before == nil:
		return fmt.Sprintf("%s: + %s, set by %s", c.place.text, c.place.value(c.After), c.After.SetBy.in(c.Direction))
	case c.place.element && c.After == nil:
		return fmt.Sprintf("%s: − %s, previously set by %s", c.place.text, c.place.value(c.Before), c.Before.SetBy.in(c.Direction))
	case c.Before == nil:
		return fmt.Sprintf("%s: unset → %s, set by %s", c.place.text, c.place.value(c.After), c.After.SetBy.in(c.Direction))
	case c.After == nil:
		return fmt.Sprintf("%s: %s → unset, previously set by %s", c.place.text, c.place.value(c.Before), c.Before.SetBy.in(c.Direction))
	}
	if c.After.SetBy == (Source{}) {
		return fmt.Sprintf("%s: %s, the default", c.place.text, c.place.change(c.Before, c.After))
	}
	line := fmt.Sprintf("%s: %s, set by %s", c.place.text, c.place.change(c.Before, c.After), c.After.SetBy.in(c.Direction))
	if c.Before.SetBy != c.After.SetBy {
		line += ", previously set by " + c.Before.SetBy.in(c.Direction)
	}
	if c.Cause == CauseOrder {
		line += ", because their order changes"
	}
	return line
}

// in returns the name of the policy and the entry of its list.
func (e Source) in(d Direction) string {
	if d == Proxy {
		return e.Name
	}
	return fmt.Sprintf("%s %s[%d]", e.Name, d, e.Index)
}
