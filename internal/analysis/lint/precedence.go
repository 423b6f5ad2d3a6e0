package lint

import (
	"maps"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// precedence is which entries of all policies override which, on all proxies.
type precedence struct {
	effective    map[policyEntry]bool              // it sets something, somewhere
	overriddenBy map[policyEntry]map[kuma.Key]bool // by which policies, whether everywhere or not
	conflicts    map[sides]*conflict               // nil when the strength of both decides
	lostOnRoute  map[lostSetting]bool
}

// policyEntry is an element of a list of a policy, or its only conf.
type policyEntry struct {
	policy kuma.Key
	list   string // "to", "from", or "default" for the only conf
	index  int
}

func (e policyEntry) path() tree.Path {
	if e.list == "default" {
		return tree.Path{"spec", "default"}
	}
	return tree.Path{"spec", e.list, e.index}
}

// mergedRule is a rule whose conf several entries contribute to.
type mergedRule struct {
	mergedFrom
	order  *rules.Order
	leaves func() [][]rules.Leaf
	about  func() string
	tied   func(a, b rules.Origin) bool
}

// mergedFrom is the same for rules of one type in which the same entries override each
// other, and that count in the same way.
type mergedFrom struct {
	list   string // of the policies
	byTags bool
	counts bool // conflicts in it are worth telling
	input  rules.Input
}

// newPrecedence computes the rules of each group of dataplanes. Types have nothing in
// common, so they are looked at side by side.
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
		maps.Copy(all.conflicts, p.conflicts)
		maps.Copy(all.lostOnRoute, p.lostOnRoute)
	}
	return all
}

func emptyPrecedence() precedence {
	return precedence{map[policyEntry]bool{}, map[policyEntry]map[kuma.Key]bool{}, map[sides]*conflict{}, map[lostSetting]bool{}}
}

// precedenceOf looks at one type. Rules are looked at once for all groups.
func precedenceOf(m *mesh, k def.Kind) precedence {
	p := emptyPrecedence()
	known := map[mergedFrom][]*conflict{}
	for _, g := range m.Groups(m.name, k.Name) {
		if len(g.Policies()) == 0 {
			continue
		}
		r, err := m.Outline(m.name, g.Dataplanes[0], k.Name)
		if err != nil {
			continue // of policies that would exhaust a control plane
		}
		for _, rule := range m.mergedRules(r) {
			conflicts, again := known[rule.mergedFrom]
			if !again {
				conflicts = p.add(m, rule)
				known[rule.mergedFrom] = conflicts
			}
			for _, c := range conflicts {
				c.addProxies(g.Dataplanes, rule.order)
			}
		}
		m.lostOnRoutes(k, g, r, p.lostOnRoute)
	}
	return p
}

// mergedRules lists the rules that are merged from entries. Inbound rules are not:
// which of them holds is decided for each request.
func (m *mesh) mergedRules(r rules.PolicyRules) []mergedRule {
	byPolicy := func(a, b rules.Origin) bool {
		return m.TiedPolicies(a.ResourceMeta.Key(), b.ResourceMeta.Key())
	}
	text := func(text string) func() string { return func() string { return text } }
	out := make([]mergedRule, 0, len(r.ToResourceRules)+len(r.ToRules))
	alone := func(explain func() []rules.Leaf) func() [][]rules.Leaf {
		return func() [][]rules.Leaf { return [][]rules.Leaf{explain()} }
	}
	for _, rule := range r.ToResourceRules {
		about := func() string { return rule.ResourceMeta.Key().Local() }
		if rule.ResourceMeta.Type == kuma.KindMesh {
			about = text("any destination")
		}
		out = append(out, mergedRule{mergedFrom{"to", false, true, rule.Input()}, rule.Order(), rule.Explain, about, m.TiedEntries})
	}
	for _, rule := range r.ToRules {
		merged := mergedRule{mergedFrom{"to", true, false, rule.Input()}, rule.Order(), alone(rule.Explain), text(""), byPolicy}
		if name := m.onlyByTag(rule); name != "" {
			merged.counts, merged.about = true, text(kuma.TagService+"="+name)
		}
		out = append(out, merged)
	}
	for _, from := range r.FromRules {
		for _, rule := range from.Rules {
			out = append(out, mergedRule{mergedFrom{"from", true, true, rule.Input()}, rule.Order(), alone(rule.Explain), text("incoming traffic"), byPolicy})
		}
	}
	if r.ProxyRule != nil {
		out = append(out, mergedRule{mergedFrom{"default", false, true, r.ProxyRule.Input()}, r.ProxyRule.Order(), alone(r.ProxyRule.Explain), text("the proxy"), byPolicy})
	}
	return out
}

// onlyByTag returns the service of a rule by tag that is in use and that no
// MeshService stands for: only then the rule is the one that counts.
func (m *mesh) onlyByTag(r rules.Rule) string {
	for _, matcher := range r.Matchers {
		if matcher.Key == kuma.TagService && !matcher.Not && m.HasServiceTag(m.name, matcher.Value) && !m.services[matcher.Value] {
			return matcher.Value
		}
	}
	return ""
}

// add notes which entry sets each leaf of a rule and which it overrides, and
// returns the conflicts among them.
func (p precedence) add(m *mesh, rule mergedRule) []*conflict {
	var conflicts []*conflict
	for _, leaves := range rule.leaves() {
		for _, leaf := range leaves {
			conflicts = append(conflicts, p.addLeaf(m, rule, leaf)...)
		}
	}
	return conflicts
}

func (p precedence) addLeaf(m *mesh, rule mergedRule, leaf rules.Leaf) []*conflict {
	var conflicts []*conflict
	var path string // of conflicts
	winner := policyEntry{leaf.SetBy.ResourceMeta.Key(), rule.list, leaf.SetBy.RuleIndex}
	p.effective[winner] = true
	for _, o := range leaf.Overridden {
		overridden := policyEntry{o.SetBy.ResourceMeta.Key(), rule.list, o.SetBy.RuleIndex}
		by := p.overriddenBy[overridden]
		if by == nil {
			by = map[kuma.Key]bool{}
			p.overriddenBy[overridden] = by
		}
		by[winner.policy] = true
		if !rule.counts || tree.Equal(o.Value, leaf.Value) {
			continue
		}
		c := p.conflict(m, rule, sides{overridden, winner, rule.tied(o.SetBy, leaf.SetBy)})
		if c == nil {
			continue
		}
		if path == "" {
			path = leaf.Path.String()
		}
		c.byPath[path] = [2]any{o.Value, leaf.Value}
		conflicts = append(conflicts, c)
	}
	return conflicts
}
