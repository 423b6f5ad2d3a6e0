package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// precedence is which entries of all policies override which, on all proxies.
type precedence struct {
	effective    map[policyEntry]bool              // it sets something, somewhere
	overriddenBy map[policyEntry]map[kuma.Key]bool // by which policies, whether everywhere or not
	conflicts    map[conflict]*values
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

// conflict is between two entries that set something to different values, while
// nothing but names decides between them.
type conflict struct{ overridden, winner policyEntry }

// values are what the two sides of a conflict set.
type values struct {
	byPath  map[string][2]any // by path in the conf, the overridden one first
	about   string            // the first destination
	proxies map[string]bool
}

// mergedRule is a rule whose conf several entries contribute to.
type mergedRule struct {
	identity string // the same for equal rules of several groups; empty when that is not known
	leaves   func() [][]rules.Leaf
	list     string
	about    string
	tied     func(a, b rules.Origin) bool
}

// newPrecedence computes the rules of each group of dataplanes.
func newPrecedence(m *mesh) precedence {
	p := precedence{map[policyEntry]bool{}, map[policyEntry]map[kuma.Key]bool{}, map[conflict]*values{}, map[lostSetting]bool{}}
	for _, k := range kinds.Policies() {
		known := map[string][]*values{}
		for _, g := range m.Groups(m.name, k.Name) {
			if len(g.Policies()) == 0 {
				continue
			}
			r, err := m.Rules(m.name, g.Dataplanes[0], k.Name)
			if err != nil {
				continue // of policies that would exhaust a control plane
			}
			for _, rule := range m.mergedRules(r) {
				conflicts, again := known[rule.identity]
				if !again {
					conflicts = p.add(rule)
				}
				if rule.identity != "" {
					known[rule.identity] = conflicts
				}
				for _, c := range conflicts {
					c.addProxies(g.Dataplanes)
				}
			}
			m.lostOnRoutes(k, g, r, p.lostOnRoute)
		}
	}
	return p
}

// mergedRules lists the rules that are merged from entries. Inbound rules are not:
// which of them holds is decided for each request.
func (m *mesh) mergedRules(r rules.PolicyRules) []mergedRule {
	byPolicy := func(a, b rules.Origin) bool {
		return m.TiedPolicies(a.ResourceMeta.Key(), b.ResourceMeta.Key())
	}
	never := func(a, b rules.Origin) bool { return false }
	var out []mergedRule
	alone := func(explain func() []rules.Leaf) func() [][]rules.Leaf {
		return func() [][]rules.Leaf { return [][]rules.Leaf{explain()} }
	}
	for _, rule := range r.ToResourceRules {
		about := rule.ResourceMeta.Key().Local()
		if rule.ResourceMeta.Type == kuma.KindMesh {
			about = "any destination"
		}
		out = append(out, mergedRule{identityOf(rule), rule.Explain, "to", about, m.TiedEntries})
	}
	for _, rule := range r.ToRules {
		merged := mergedRule{"", alone(rule.Explain), "to", "", never}
		if name := m.onlyByTag(rule); name != "" {
			merged.about, merged.tied = kuma.TagService+"="+name, byPolicy
		}
		out = append(out, merged)
	}
	for _, from := range r.FromRules {
		for _, rule := range from.Rules {
			out = append(out, mergedRule{"", alone(rule.Explain), "from", "incoming traffic", byPolicy})
		}
	}
	if r.ProxyRule != nil {
		out = append(out, mergedRule{"", alone(r.ProxyRule.Explain), "default", "the proxy", byPolicy})
	}
	return out
}

// identityOf is the same for rules that are about the same and were made of the
// same entries: they do not differ then.
func identityOf(r rules.ResourceRule) string {
	text := fmt.Appendf(nil, "%s %s %s", r.ResourceMeta.Type, r.ResourceMeta.Name, r.ResourceSectionName)
	for _, o := range r.Origin {
		text = fmt.Appendf(text, " %s/%d", o.ResourceMeta.Name, o.RuleIndex)
	}
	return string(text)
}

// onlyByTag returns the service of a rule by tag that is in use and that no
// MeshService stands for: only then the rule is the one that counts.
func (m *mesh) onlyByTag(r rules.Rule) string {
	for _, matcher := range r.Matchers {
		isService := func(s *kuma.Resource) bool { return s.DisplayName() == matcher.Value }
		if matcher.Key == kuma.TagService && !matcher.Not && m.HasServiceTag(m.name, matcher.Value) &&
			!slices.ContainsFunc(m.ofKind(kuma.KindMeshService), isService) {
			return matcher.Value
		}
	}
	return ""
}

// add notes which entry sets each leaf of a rule and which it overrides, and
// returns the conflicts among them.
func (p precedence) add(rule mergedRule) []*values {
	var conflicts []*values
	for _, leaf := range slices.Concat(rule.leaves()...) {
		winner := policyEntry{leaf.SetBy.ResourceMeta.Key(), rule.list, leaf.SetBy.RuleIndex}
		p.effective[winner] = true
		for _, o := range leaf.Overridden {
			overridden := policyEntry{o.SetBy.ResourceMeta.Key(), rule.list, o.SetBy.RuleIndex}
			if p.overriddenBy[overridden] == nil {
				p.overriddenBy[overridden] = map[kuma.Key]bool{}
			}
			p.overriddenBy[overridden][winner.policy] = true
			if tree.Equal(o.Value, leaf.Value) || !rule.tied(o.SetBy, leaf.SetBy) {
				continue
			}
			c := conflict{overridden, winner}
			if p.conflicts[c] == nil {
				p.conflicts[c] = &values{byPath: map[string][2]any{}, about: rule.about, proxies: map[string]bool{}}
			}
			p.conflicts[c].byPath[leaf.Path.String()] = [2]any{o.Value, leaf.Value}
			conflicts = append(conflicts, p.conflicts[c])
		}
	}
	return conflicts
}

// addProxies notes that a conflict is one on some proxies.
func (v *values) addProxies(dataplanes []string) {
	for _, name := range dataplanes {
		v.proxies[name] = true
	}
}
