package impact

import (
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ruleComparison collects the changes for one type of policy on one dataplane.
type ruleComparison struct {
	of            *comparison
	kind          def.Kind
	lists         routeLists
	before, after effectiveRules
	byTag         []rules.Rule // before the change

	result
}

func newRuleComparison(policyType string, before, after effectiveRules, c *comparison) *ruleComparison {
	k, _ := kinds.Find(policyType)
	byTag := before.rules.ToRules
	if !c.before.Release().Kuma3() && c.after.Release().Kuma3() {
		// The rule for the mesh takes the place of the one for services without a rule by tag.
		before.rules.ToRules = slices.DeleteFunc(slices.Clone(before.rules.ToRules), requiresNoTag)
	}
	d := &ruleComparison{of: c, kind: k, lists: routeListsOf(k), before: before, after: after, byTag: byTag}
	d.causes = map[kuma.Key]bool{}
	return d
}

func requiresNoTag(r rules.Rule) bool {
	return !slices.ContainsFunc(r.Matchers, func(m rules.Matcher) bool { return !m.Not })
}

func (d *ruleComparison) compare() {
	d.resources()
	d.renamed()
	d.peers(Change{Direction: To}, "", d.before.rules.ToRules, d.after.rules.ToRules)
	d.listeners()
	d.incoming()
	d.difference(Change{Direction: Proxy, Destination: "proxy", about: "the proxy"},
		proxySettings(d.before.rules.ProxyRule), proxySettings(d.after.rules.ProxyRule))
	d.changes = sorted(d.changes)
}

// resources compares the rules for resources, in each section for which either side
// has a rule.
func (d *ruleComparison) resources() {
	for at := range d.after.sections {
		d.section(at)
	}
	for at := range d.before.sections {
		if d.after.sections[at] == nil {
			d.section(at)
		}
	}
}

// section compares the rules for a section.
func (d *ruleComparison) section(at section) {
	if d.unchanged(at) {
		return
	}
	about := Change{
		Direction: To, Destination: kinds.KRI(at.id) + at.name, about: d.describe(at),
		target: target{section: at, implied: !at.isRoute()},
	}
	_, remains := d.after.ids[at.id]
	about.gone = !remains
	if !at.isRoute() {
		to := rules.Destination{Resource: at.id, Section: at.name}
		d.difference(about, d.before.settings(to, nil), d.after.settings(to, nil))
		return
	}
	if !d.before.applied[at.id] && !d.after.applied[at.id] {
		return
	}
	for _, to := range append(d.before.destinations(at.id), d.after.destinations(at.id)...) {
		d.difference(about, d.before.settings(to, &at), d.after.settings(to, &at))
	}
}

// unchanged reports whether both sides have a rule for the section, with the same
// entries, that counts on both sides.
func (d *ruleComparison) unchanged(at section) bool {
	before, after := d.before.sections[at], d.after.sections[at]
	counts := !at.isRoute() || d.before.applied[at.id] && d.after.applied[at.id]
	return before != nil && after != nil && counts && before.SameInput(after)
}

// describe describes a section with the snapshot that contains it.
func (d *ruleComparison) describe(at section) string {
	if _, ok := d.after.ids[at.id]; ok {
		return d.after.describe(at)
	}
	return d.before.describe(at)
}

// listeners compares the rules of the listeners of a builtin gateway.
func (d *ruleComparison) listeners() {
	names := maps.Clone(d.before.listeners)
	maps.Copy(names, d.after.listeners)
	for name, l := range names {
		list := Change{Direction: To, Destination: name + ", "}
		d.peers(list, " through "+l.about, d.before.listeners[name].rules, d.after.listeners[name].rules)
	}
}

// peers compares the legacy rules of one list, for each group of peers, whose text is added to what a change is about. A builtin
// gateway has one list for traffic through each of its listeners.
func (d *ruleComparison) peers(list Change, through string, before, after []rules.Rule) {
	b, a := indexPeers(before), indexPeers(after)
	known := maps.Clone(b.tags)
	maps.Copy(known, a.tags)
	who := map[Direction]string{To: "service", From: "client"}[list.Direction]
	for text, tags := range known {
		c := list
		c.Destination, c.about = list.Destination+text, list.about+text
		was, is := b.settings(text, tags), a.settings(text, tags)
		if list.Direction == To && through == "" {
			side := d.after
			if a.tags[text] == nil {
				side = d.before
			}
			c.target.tags, c.target.implied, c.about = tags, true, side.rules.Requests(positive(tags))
			c.target.unruled = was == nil || is == nil
		}
		if len(tags) == 0 {
			c.Destination, c.about = list.Destination+"any", list.about+"any "+who
		}
		if through != "" {
			c.about += through
			c.target.listener, c.target.service = true, tags[kuma.TagService]
		}
		d.difference(c, was, is)
		if d.kind.Name == kinds.MeshTimeout.Name && c.target.unruled && !d.after.Release().Kuma3() {
			d.defaults(c, was, is)
		}
	}
}

// defaults adds the timeouts of requests that neither side sets, and that change because a MeshTimeout has a rule for what
// outbounds by tags reach on one side only.
func (d *ruleComparison) defaults(c Change, before, after *settings) {
	flat := func(s *settings) flatConf {
		if s == nil {
			return flatConf{}
		}
		return d.lists.flatten(s, s.confs())
	}
	b, a := flat(before), flat(after)
	was, is := request.OutgoingTimeouts(before != nil), request.OutgoingTimeouts(after != nil)
	for path, value := range is {
		_, set := b.values[path]
		if _, setAfter := a.values[path]; set || setAfter || value == was[path] {
			continue
		}
		c.Path, c.place, c.target.path, c.Cause = path, place{text: phrase.CodeSpan(path)}, tree.ParsePath(path), CauseSettings
		c.Before, c.After = &Value{JSON: phrase.JSON(was[path].String())}, &Value{JSON: phrase.JSON(value.String())}
		d.add(c)
	}
}

// positive returns matchers that require tags.
func positive(tags map[string]string) []rules.Matcher {
	return phrase.Each(slices.Sorted(maps.Keys(tags)), func(key string) rules.Matcher { return rules.Matcher{Key: key, Value: tags[key]} })
}

// peers indexes the legacy rules of one list by the tags that they require. A rule
// that also excludes tags is for the peers that have none of those.
type peers struct {
	rules []rules.Rule
	tags  map[string]map[string]string
	first map[string]int
}

func indexPeers(list []rules.Rule) peers {
	p := peers{rules: list, tags: map[string]map[string]string{}, first: map[string]int{}}
	for i, r := range list {
		tags := map[string]string{}
		var text []string
		for _, m := range r.Matchers {
			if !m.Not {
				tags[m.Key] = m.Value
				text = append(text, m.Key+"="+m.Value)
			}
		}
		key := strings.Join(text, ",")
		if _, ok := p.first[key]; !ok {
			p.first[key], p.tags[key] = i, tags
		}
	}
	return p
}

// settings returns the confs of the first rule for peers with the tags. A rule with
// exactly these tags precedes all others that contain them, because rules with more
// tags come first.
func (p peers) settings(text string, tags map[string]string) *settings {
	i, ok := p.first[text]
	if !ok {
		i = slices.IndexFunc(p.rules, func(r rules.Rule) bool { return r.Contains(tags) })
		if i < 0 {
			return nil
		}
	}
	end := i + 1
	for end < len(p.rules) && slices.Equal(p.rules[end].Matchers, p.rules[i].Matchers) {
		end++
	}
	return tagSettings(p.rules[i:end])
}
