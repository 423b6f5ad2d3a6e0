package lint

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// precedence records which entries override which others, for all policies and
// proxies.
type precedence struct {
	overridden     []overriddenEntry
	conflicts      []*conflict
	contradictions map[string]Finding // by resource and path
	lostOnRoute    map[lostSetting]map[string]bool
}

// overriddenEntry is an entry that sets no field for any destination of any proxy.
type overriddenEntry struct {
	policyEntry
	by []string // names of policies, in ascending order
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
	contests func() [][]rules.Contest
	about    func() string // see conflict.about
}

// mergedFrom is equal for rules of one type that are merged from the same entries and
// report the same conflicts.
type mergedFrom struct {
	list   policyList // of the policies
	counts bool       // whether conflicts are reported
	input  rules.Input
}

// newPrecedence computes the rules of each group of dataplanes. It processes the types
// in parallel, because they are independent.
func newPrecedence(m *mesh) precedence {
	types := kinds.Policies()
	parts := make([]precedence, len(types))
	inParallel(len(types), func(i int) { parts[i] = precedenceOf(m, types[i]) })
	all := emptyPrecedence()
	for _, p := range parts {
		all.overridden = append(all.overridden, p.overridden...)
		all.conflicts = append(all.conflicts, p.conflicts...)
		maps.Copy(all.contradictions, p.contradictions)
		maps.Copy(all.lostOnRoute, p.lostOnRoute)
	}
	return all
}

func emptyPrecedence() precedence {
	return precedence{contradictions: map[string]Finding{}, lostOnRoute: map[lostSetting]map[string]bool{}}
}

// typePrecedence collects the precedence of one type. Entries are numbers for entryAt,
// because a large mesh requires millions of lookups.
type typePrecedence struct {
	*mesh
	entries   []rules.Entry // see [rules.Snapshot.Entries]
	effective map[int32]bool
	overrides map[numbers]decision
	conflicts map[conflictID]*conflict
}

// numbers identifies two entries in rules that are merged in the same kind of order.
type numbers struct{ overridden, winner int32 }

// policyList is a list of policies. Entries of several lists share positions. Rules by tags are merged from
// `to` in a different order.
type policyList uint8

const (
	inTo policyList = iota
	inFrom
	inDefault // the single conf
	inToByTags
	numberOfLists
)

func (l policyList) String() string { return [...]string{"to", "from", "default", "to"}[l] }

func (r mergedRule) number(position int) int32 {
	return int32(position*int(numberOfLists) + int(r.list)) //nolint:gosec // fewer than 1<<31 entries
}

// oneOrder returns the number of an entry as if its list had only one kind of order.
func oneOrder(number int32) int32 {
	if listOf(number) == inToByTags {
		return number - int32(inToByTags-inTo)
	}
	return number
}

func listOf(number int32) policyList { return policyList(number % int32(numberOfLists)) } //nolint:gosec // a list

// position returns the position of an entry in [rules.Snapshot.Entries].
func position(number int32) int { return int(number) / int(numberOfLists) }

func (p *typePrecedence) entryAt(number int32) policyEntry {
	e := p.entries[position(number)]
	return policyEntry{e.Policy, listOf(number).String(), e.Index}
}

// precedenceOf computes the precedence of one type. Equal rules of several groups are
// processed once.
func precedenceOf(m *mesh, k def.Kind) precedence {
	out := emptyPrecedence()
	if !m.uses(k.Name, "to", "from", "default") {
		return out
	}
	p := typePrecedence{m, m.Entries(m.name, k.Name), map[int32]bool{}, map[numbers]decision{}, map[conflictID]*conflict{}}
	known := map[mergedFrom][]*conflict{} // nil for most
	groups := m.Groups(m.name, k.Name)
	for at, g := range groups {
		if len(g.Policies()) == 0 {
			continue
		}
		r, _ := m.Outline(m.name, g.Dataplanes[0], k.Name) // empty if its policies would exhaust a control plane
		for _, rule := range m.mergedRules(r) {
			conflicts, again := known[rule.mergedFrom]
			if !again {
				conflicts = p.add(rule)
				known[rule.mergedFrom] = conflicts
				p.addContradictions(k, rule, out.contradictions)
			}
			for _, c := range conflicts {
				c.on.add(groups, at)
			}
		}
		m.lostOnRoutes(k, g, r, out.lostOnRoute)
	}
	out.conflicts = slices.Collect(maps.Values(p.conflicts))
	out.overridden = p.overridden()
	return out
}

// overridden returns the entries that are never in effect.
func (p *typePrecedence) overridden() []overriddenEntry {
	effective, winners := map[int32]bool{}, map[int32][]int32{} // in both kinds of order
	for e := range p.effective {
		effective[oneOrder(e)] = true
	}
	for o := range p.overrides {
		if e := oneOrder(o.overridden); !effective[e] {
			winners[e] = append(winners[e], o.winner)
		}
	}
	var out []overriddenEntry
	for e, all := range winners {
		slices.Sort(all) // by policy in order of name
		names := phrase.Each(all, func(winner int32) string { return p.entryAt(winner).policy.Name })
		out = append(out, overriddenEntry{p.entryAt(e), slices.Compact(names)})
	}
	return out
}

func text(text string) func() string { return func() string { return text } }

func alone(contests func() []rules.Contest) func() [][]rules.Contest {
	return func() [][]rules.Contest { return [][]rules.Contest{contests()} }
}

// mergedRules returns the rules that are merged from entries. Inbound rules are not,
// because the request decides which of them applies.
func (m *mesh) mergedRules(r rules.PolicyRules) []mergedRule {
	out := make([]mergedRule, 0, len(r.ToResourceRules)+len(r.ToRules))
	for _, o := range r.Outgoing() {
		if r.OfGateway() && (r.Type == kinds.MeshLoadBalancingStrategy.Name || r.Type == kinds.MeshHealthCheck.Name) {
			o.Resources = nil // policies of different listeners do not override each other (matching.md §18.4)
		}
		for _, rule := range o.Resources {
			about := func() string { return rule.ResourceMeta.Key().Local() }
			if rule.ResourceMeta.Type == kuma.KindMesh {
				about = text("any destination")
			}
			out = append(out, mergedRule{mergedFrom{inTo, true, rule.Input()}, rule.Contests, about})
		}
		for _, rule := range o.Rules {
			merged := mergedRule{mergedFrom{inToByTags, o.Listener != nil, rule.Input()}, alone(rule.Contests), text("")}
			if name := m.onlyByTag(rule); name != "" {
				merged.counts, merged.about = true, text(kuma.TagService+"="+name)
			} else if o.Listener != nil {
				merged.about = text(o.Listener.String())
			}
			out = append(out, merged)
		}
	}
	for _, from := range r.FromRules {
		for _, rule := range from.Rules {
			out = append(out, mergedRule{mergedFrom{inFrom, true, rule.Input()}, alone(rule.Contests), text("incoming traffic")})
		}
	}
	if r.ProxyRule != nil {
		out = append(out, mergedRule{mergedFrom{inDefault, true, r.ProxyRule.Input()}, alone(r.ProxyRule.Contests), text("")})
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
func (p *typePrecedence) add(rule mergedRule) (conflicts []*conflict) {
	for _, contests := range rule.contests() {
		for _, c := range contests {
			conflicts = append(conflicts, p.addContest(rule, contests, c)...)
		}
	}
	return conflicts
}

func (p *typePrecedence) addContest(rule mergedRule, all []rules.Contest, contest rules.Contest) (conflicts []*conflict) {
	var path string // of the conflicts
	var field def.Field
	last := contest.Claims[len(contest.Claims)-1]
	winner := rule.number(last.Entry)
	p.effective[winner] = true
	for _, claim := range contest.Claims[:len(contest.Claims)-1] {
		at := numbers{rule.number(claim.Entry), winner}
		decided := p.overrides[at]
		contested := rule.counts && !tree.Equal(claim.Value, last.Value)
		if contested && decided == unknown {
			decided = p.decision(rule, at)
		}
		p.overrides[at] = decided
		if !contested || decided == byEntries {
			continue
		}
		if path == "" {
			path, field = p.words(all, contest.Path)
		}
		c := p.conflict(rule, at, decided)
		c.set(contestedField{path, field, claim.Value, last.Value})
		conflicts = append(conflicts, c)
	}
	return conflicts
}

// words describes the path of one of the values of a conf.
func (p *typePrecedence) words(of []rules.Contest, path tree.Path) (string, def.Field) {
	k, _ := kinds.Find(p.entries[0].Policy.Type)
	conf := map[string]any{}
	if keyed, _ := k.RouteLists(); keyed != "" && path[0] == keyed {
		var matches []any
		for _, c := range of {
			if k.SelectsRequests(c.Path) {
				at, _ := c.Path[1].(int)
				matches = append(matches, make([]any, max(0, at+1-len(matches)))...)
				matches[at] = map[string]any{def.MatchesField: c.Claims[0].Value}
			}
		}
		conf[keyed] = matches
	}
	requests, rest, field := k.Words(conf, path)
	if field.Elements != nil {
		rest = field.Elements.Noun
	}
	if requests != "" {
		rest = requests + ": " + rest
	}
	return rest, field
}

var overridden = Code{
	Code: "overridden-everywhere", Severity: Warning, Title: "Entry that is overridden everywhere",
	Fix: "Remove the entry, or narrow the policies that override it",
	Doc: "Policies with higher precedence, or later entries of the same policy, override all settings of an entry for every proxy and " +
		"destination. Removing the entry does not affect traffic, unless it is the last one for a route: " +
		"without such an entry, the other entries of the policy become part of the rules by tag. A MeshHTTPRoute overrides MeshTCPRoutes. " +
		"`rules` are not checked.",
}

func findOverridden(m *mesh, report func(Finding)) {
	for _, e := range m.precedence().overridden {
		if m.initial[e.policy] {
			continue
		}
		names := phrase.Each(e.by, func(name string) string { return kuma.Describe(e.policy.Type, name, "") })
		by := phrase.And(names...) + phrase.Form(len(names), " overrides", " override")
		otherwise := m.narrower(", or make it more specific so that it takes effect: ", e.policyEntry)
		if slices.Equal(e.by, []string{e.policy.Name}) {
			by, otherwise = "later entries of the policy override", ", or move it behind them"
		}
		report(overridden.at(m.Resource(e.policy), e.path(),
			fmt.Sprintf("This entry has no effect: on every proxy that its policy selects (%s), %s all of its settings.",
				proxies(m.Selected(e.policy)), by),
			"Remove the entry"+otherwise+".").on(len(m.Selected(e.policy))))
	}
	findReplacedTCP(m, report)
}

// findReplacedTCP finds entries of MeshTCPRoutes only for HTTP ports with a MeshHTTPRoute, which replaces them (matching.md §17.1).
func findReplacedTCP(m *mesh, report func(Finding)) {
	if !m.uses(kuma.KindMeshHTTPRoute, "to") {
		return
	}
	for _, p := range m.policies {
		for i, ref := range p.ToRefs() {
			if p.Type != kuma.KindMeshTCPRoute || !rules.IsDestination(ref.Kind) {
				continue
			}
			targets, effective := m.Resolve(*p, ref, 0), false
			var replaced []string
			for _, dataplane := range m.Selected(p.Key()) {
				o := m.outbounds(dataplane)
				if effective = effective || o.HasTags(); effective {
					break
				}
				routes, _ := m.Outline(m.name, dataplane, kuma.KindMeshHTTPRoute) // empty if its policies would exhaust a control plane
				for _, l := range o.All {
					if m.isFor(targets, l) {
						found, ok := routes.Lookup(rules.Destination{Resource: l.Port.Resource, Section: l.Section})
						effective = effective || !ok || found.Resource.ResourceMeta.Type == kuma.KindMesh || !kuma.IsHTTP(l.Port.Protocol)
						replaced = append(replaced, dataplane)
					}
				}
			}
			if len(replaced) > 0 && !effective {
				replaced = phrase.Sorted(replaced)
				report(overridden.at(p, tree.Path{"spec", "to", i},
					fmt.Sprintf("This entry has no effect: the proxies of %s have a MeshHTTPRoute for the same HTTP port, which replaces it.",
						some(replaced)), "Remove the entry, or the one of the MeshHTTPRoute.").on(len(replaced)))
			}
		}
	}
}

// narrower returns words that end with how an entry can take precedence, none if there is no way.
func (m *mesh) narrower(words string, e policyEntry) string {
	policy := m.Resource(e.policy)
	refs, top := policy.ToRefs(), policy.TopRef()
	forAll := e.list == "to" && e.index < len(refs) && refs[e.index].Kind == kuma.KindMesh
	switch selected := m.Selected(e.policy); {
	case !slices.ContainsFunc(selected, func(name string) bool { return !m.isBuiltinGateway(name) }):
		return words + "select fewer gateways, or fewer of their listeners by tags" // which do not use every entry for a destination
	case forAll && top.Kind == kuma.KindDataplane && top.Name != "":
		return words + "name the destination"
	case forAll:
		return words + "select fewer proxies, or name the destination"
	case top.Kind == kuma.KindDataplane && top.Name != "":
		return ""
	default:
		return words + "select fewer proxies"
	}
}

// proxies lists dataplanes, or the first few of them.
func proxies(names []string) string {
	const few = 3
	return phrase.Some(names, few, "proxies")
}
