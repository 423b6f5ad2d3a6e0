package impact

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// inbound compares the entries for incoming requests one by one.
func (d *ruleComparison) inbound() {
	key := func(i rules.InboundRules) rules.Inbound { return i.Inbound }
	for _, in := range pairs(d.before.rules.InboundRules, d.after.rules.InboundRules, key) {
		before, after := d.entries(d.before, in.before.Rules), d.entries(d.after, in.after.Rules)
		if sameEntries(before, after) {
			continue
		}
		count := len(d.changes)
		keys := map[string]incoming{}
		for _, e := range slices.Concat(before, after) {
			keys[e.key] = e
		}
		for key, e := range keys {
			d.difference(Change{Direction: Rules, Destination: in.name + e.suffix(), about: in.about + e.suffix()}, find(before, key), find(after, key))
		}
		if len(d.changes) == count || reordered(before, after) {
			d.addOrder(Change{Direction: Rules, Destination: in.name, about: in.about}, before, after)
		}
	}
}

// sameEntries reports whether two lists of entries have the same meaning.
func sameEntries(before, after []incoming) bool {
	return slices.EqualFunc(before, after, func(a, b incoming) bool {
		return a.match == b.match && tree.Equal(a.rule.Conf, b.rule.Conf)
	})
}

// reordered reports whether entries that are on both sides swap places with others
// that have a different meaning.
func reordered(before, after []incoming) bool {
	kept, now := common(before, after), common(after, before)
	return !sameKeys(kept, now) && !sameEntries(kept, now)
}

func sameKeys(before, after []incoming) bool {
	return slices.EqualFunc(before, after, func(a, b incoming) bool { return a.key == b.key })
}

// addOrder adds a change of the order of the entries.
func (d *ruleComparison) addOrder(c Change, before, after []incoming) {
	c.Before, c.After, c.Cause = order(before), order(after), CauseSettings
	changed := func(e incoming) bool { return d.changed[e.rule.Origin[0].ResourceMeta.Key()] }
	kept, now := common(before, after), common(after, before)
	if !sameKeys(slices.DeleteFunc(kept, changed), slices.DeleteFunc(now, changed)) {
		c.Cause = CauseOrder
	}
	d.add(c)
	for _, e := range slices.Concat(before, after) {
		d.causes[e.rule.Origin[0].ResourceMeta.Key()] = true
	}
}

// common returns the elements of entries that are also in others.
func common(entries, others []incoming) []incoming {
	keys := map[string]bool{}
	for _, e := range others {
		keys[e.key] = true
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e incoming) bool { return !keys[e.key] })
}

// incoming is one entry for incoming requests.
type incoming struct {
	rule  rules.InboundRule
	match string // JSON; empty if it matches all requests
	key   string // identifies the entry on both sides
}

// entries returns the entries of the `rules` of policies. Entries of `from` are
// compared as legacy rules.
func (d *ruleComparison) entries(e effectiveRules, list []rules.InboundRule) []incoming {
	var out []incoming
	seen := map[string]int{}
	for _, r := range list {
		by := r.Origin[0].ResourceMeta
		written := tree.List(e.Resource(by.Key()).Spec()["rules"])
		if d.kind.Policy.From && len(written) == 0 {
			continue
		}
		entry := incoming{rule: r}
		if r.Match != nil {
			entry.match = phrase.JSON(r.Match)
		}
		key := fmt.Sprintf("%q %s", by.Name, entry.match)
		entry.key = fmt.Sprintf("%s %d", key, seen[key])
		seen[key]++
		out = append(out, entry)
	}
	return out
}

func (e incoming) suffix() string {
	if e.match == "" {
		return ""
	}
	return ", " + e.match
}

func find(entries []incoming, key string) *settings {
	i := slices.IndexFunc(entries, func(e incoming) bool { return e.key == key })
	if i < 0 {
		return nil
	}
	return inboundSettings(entries[i].rule)
}

// order returns the value that represents the order of the entries, set by the
// one with the highest precedence.
func order(entries []incoming) *Value {
	names := []any{}
	var last rules.Origin
	for _, e := range entries {
		last = e.rule.Origin[0]
		names = append(names, last.ResourceMeta.Name)
	}
	if len(names) == 0 {
		return nil
	}
	return &Value{phrase.JSON(names), entryOf(last)}
}

// pair is an inbound before and after the change.
type pair[T any] struct {
	name, about   string
	before, after T
}

// pairs combines the items of both sides for the same port. If several inbounds
// share a port, they are paired in order of appearance.
func pairs[T any](before, after []T, inbound func(T) rules.Inbound) []pair[T] {
	type key struct{ port, nth int }
	var order []key
	found := map[key]*pair[T]{}
	collect := func(list []T, put func(*pair[T], T)) {
		seen := map[int]int{}
		for _, item := range list {
			in := inbound(item)
			k := key{in.Port, seen[in.Port]}
			seen[in.Port]++
			p, ok := found[k]
			if !ok {
				p = &pair[T]{}
				found[k] = p
				order = append(order, k)
			}
			p.name, p.about = fmt.Sprintf("port %d", in.Port), in.String()
			put(p, item)
		}
	}
	collect(before, func(p *pair[T], item T) { p.before = item })
	collect(after, func(p *pair[T], item T) { p.after = item })
	slices.SortFunc(order, func(a, b key) int { return cmp.Or(cmp.Compare(a.port, b.port), cmp.Compare(a.nth, b.nth)) })
	var out []pair[T]
	for _, k := range order {
		out = append(out, *found[k])
	}
	return out
}
