package lint

import (
	"maps"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// precedence records which entries override which others, for all policies and
// proxies.
type precedence struct {
	effective    map[policyEntry]bool              // whether it sets a field for any destination of any proxy
	overriddenBy map[policyEntry]map[kuma.Key]bool // by which policies, for any destination of any proxy
	conflicts    []*conflict
	lostOnRoute  map[lostSetting]bool
}

// policyEntry is an element of a list of a policy, or its single conf.
type policyEntry struct {
	policy kuma.Key
	list   string // "to", "from", or "default" for the single conf
	index  int
}

func (e policyEntry) path() tree.Path {
	if e.list == "default" {
		return tree.Path{"spec", "default"}
	}
	return tree.Path{"spec", e.list, e.index}
}

// mergedRule is a rule whose conf is merged from entries.
type mergedRule struct {
	mergedFrom
	order    *rules.Order
	nthOrder int // number of the order, from 1
	contests func() [][]rules.Contest
	about    func() string // see conflict.about
}

// mergedFrom is equal for rules of one type that are merged from the same entries and
// report the same conflicts.
type mergedFrom struct {
	list   string // of the policies
	byTags bool
	counts bool // whether conflicts are reported
	input  rules.Input
}

// newPrecedence computes the rules of each group of dataplanes. It processes the types
// in parallel, because they are independent.
func newPrecedence(m *mesh) precedence {
	types := kinds.Policies()
	parts := make([]precedence, len(types))
	var wg sync.WaitGroup
	for i, k := range types {
		wg.Go(func() { parts[i] = precedenceOf(m, k) })
	}
	wg.Wait()
	all := emptyPrecedence()
	for _, p := range parts {
		maps.Copy(all.effective, p.effective)
		maps.Copy(all.overriddenBy, p.overriddenBy)
		all.conflicts = append(all.conflicts, p.conflicts...)
		maps.Copy(all.lostOnRoute, p.lostOnRoute)
	}
	return all
}

func emptyPrecedence() precedence {
	return precedence{map[policyEntry]bool{}, map[policyEntry]map[kuma.Key]bool{}, nil, map[lostSetting]bool{}}
}

// typePrecedence collects the precedence of one type. Entries are numbers for entryAt,
// because a large mesh requires millions of lookups.
type typePrecedence struct {
	*mesh
	entries   []rules.Entry // see [rules.Snapshot.Entries]
	effective map[int32]bool
	overrides map[numbers]*conflict
	conflicts map[conflictID]*conflict
	none      *conflict // represents no conflict in overrides
}

// numbers identifies two entries in rules that are merged in the same kind of order.
type numbers struct{ overridden, winner int32 }

// lists returns the lists of policies, whose entries share positions. It contains `to`
// twice, because rules by tags are merged in a different order.
func lists() [4]string { return [...]string{"to", "from", "default", "to"} }

func (p *typePrecedence) number(rule mergedRule, position int) int32 {
	names := lists()
	list := slices.Index(names[:], rule.list)
	if rule.byTags && rule.list == "to" {
		list = len(names) - 1
	}
	return int32(position*len(names) + list) //nolint:gosec // fewer than 1<<31 entries
}

// oneOrder returns the number of an entry as if its list had only one kind of order.
func oneOrder(number int32) int32 {
	names := lists()
	list := int(number) % len(names)
	return number - int32(list-slices.Index(names[:], names[list])) //nolint:gosec // a position in names
}

func (p *typePrecedence) entryAt(number int32) policyEntry {
	names := lists()
	e := p.entries[int(number)/len(names)]
	return policyEntry{e.Policy, names[int(number)%len(names)], e.Index}
}

// precedenceOf computes the precedence of one type. Equal rules of several groups are
// processed once.
func precedenceOf(m *mesh, k def.Kind) precedence {
	out := emptyPrecedence()
	p := typePrecedence{m, m.Entries(m.name, k.Name), map[int32]bool{}, map[numbers]*conflict{}, map[conflictID]*conflict{}, &conflict{}}
	known := map[mergedFrom][]*conflict{}
	groups, nthOrder := m.Groups(m.name, k.Name), 0
	for at, g := range groups {
		if len(g.Policies()) == 0 {
			continue
		}
		r, err := m.Outline(m.name, g.Dataplanes[0], k.Name)
		if err != nil {
			continue // its policies would exhaust a control plane
		}
		var order *rules.Order
		for _, rule := range m.mergedRules(r) {
			if rule.order != order {
				order = rule.order
				nthOrder++
			}
			rule.nthOrder = nthOrder
			conflicts, again := known[rule.mergedFrom]
			if !again {
				conflicts = p.add(rule)
				known[rule.mergedFrom] = conflicts
			}
			for _, c := range conflicts {
				c.addProxies(groups, at, rule)
			}
		}
		m.lostOnRoutes(k, g, r, out.lostOnRoute)
	}
	out.conflicts = slices.Collect(maps.Values(p.conflicts))
	for e := range p.effective {
		out.effective[p.entryAt(e)] = true
	}
	for o := range p.overrides {
		overridden := p.entryAt(o.overridden)
		if out.overriddenBy[overridden] == nil {
			out.overriddenBy[overridden] = map[kuma.Key]bool{}
		}
		out.overriddenBy[overridden][p.entryAt(o.winner).policy] = true
	}
	return out
}

// mergedRules returns the rules that are merged from entries. Inbound rules are not,
// because the request decides which of them applies.
func (m *mesh) mergedRules(r rules.PolicyRules) []mergedRule {
	text := func(text string) func() string { return func() string { return text } }
	out := make([]mergedRule, 0, len(r.ToResourceRules)+len(r.ToRules))
	alone := func(contests func() []rules.Contest) func() [][]rules.Contest {
		return func() [][]rules.Contest { return [][]rules.Contest{contests()} }
	}
	for _, rule := range r.ToResourceRules {
		about := func() string { return rule.ResourceMeta.Key().Local() }
		if rule.ResourceMeta.Type == kuma.KindMesh {
			about = text("any destination")
		}
		out = append(out, mergedRule{mergedFrom{"to", false, true, rule.Input()}, rule.Order(), 0, rule.Contests, about})
	}
	for _, rule := range r.ToRules {
		merged := mergedRule{mergedFrom{"to", true, false, rule.Input()}, rule.Order(), 0, alone(rule.Contests), text("")}
		if name := m.onlyByTag(rule); name != "" {
			merged.counts, merged.about = true, text(kuma.TagService+"="+name)
		}
		out = append(out, merged)
	}
	for _, from := range r.FromRules {
		for _, rule := range from.Rules {
			out = append(out, mergedRule{mergedFrom{"from", true, true, rule.Input()}, rule.Order(), 0, alone(rule.Contests), text("incoming traffic")})
		}
	}
	if r.ProxyRule != nil {
		out = append(out, mergedRule{mergedFrom{"default", false, true, r.ProxyRule.Input()}, r.ProxyRule.Order(), 0, alone(r.ProxyRule.Contests), text("")})
	}
	return out
}

// onlyByTag returns the service of a rule by tag if the tag is in use and there is no
// MeshService with that name. Proxies only use the rule in this case.
func (m *mesh) onlyByTag(r rules.Rule) string {
	for _, matcher := range r.Matchers {
		if matcher.Key == kuma.TagService && !matcher.Not && m.HasServiceTag(m.name, matcher.Value) && !m.services[matcher.Value] {
			return matcher.Value
		}
	}
	return ""
}

// add records which entry sets each leaf of a rule and which entries it overrides. It
// returns the conflicts between them.
func (p *typePrecedence) add(rule mergedRule) []*conflict {
	var conflicts []*conflict
	for _, contests := range rule.contests() {
		for _, c := range contests {
			conflicts = append(conflicts, p.addContest(rule, c)...)
		}
	}
	return conflicts
}

func (p *typePrecedence) addContest(rule mergedRule, contest rules.Contest) []*conflict {
	var conflicts []*conflict
	var path string // of the conflicts
	last := contest.Claims[len(contest.Claims)-1]
	winner := p.number(rule, last.Entry)
	p.effective[winner] = true
	for _, claim := range contest.Claims[:len(contest.Claims)-1] {
		at := numbers{p.number(rule, claim.Entry), winner}
		c := p.overrides[at]
		contested := rule.counts && !tree.Equal(claim.Value, last.Value)
		if contested && c == nil {
			c = p.conflict(rule, at)
		}
		p.overrides[at] = c
		if !contested || c == p.none {
			continue
		}
		if path == "" {
			path = contest.Path.String()
		}
		c.set(contestedField{path, claim.Value, last.Value})
		conflicts = append(conflicts, c)
	}
	return conflicts
}
