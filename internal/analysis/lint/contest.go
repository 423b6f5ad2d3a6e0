package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// contest is how the entries of all policies fare against each other on all
// proxies.
type contest struct {
	wins   map[entry]bool              // it sets something, somewhere
	losses map[entry]map[kuma.Key]bool // it is overridden, and by whom
	ties   map[pair]*tie
	lost   map[loss]bool
}

// entry is an element of a list of a policy, or its only conf.
type entry struct {
	policy kuma.Key
	list   string // "to", "from", or "default" for the only conf
	index  int
}

func (e entry) path() tree.Path {
	if e.list == "default" {
		return tree.Path{"spec", "default"}
	}
	return tree.Path{"spec", e.list, e.index}
}

type pair struct{ loser, winner entry }

// tie is what two entries set to different values, while nothing but names
// decides between them.
type tie struct {
	values  map[string][2]any // by path in the conf, the loser's first
	about   string            // the first destination
	proxies map[string]bool
}

// weighed is the outcome for one rule.
type weighed struct {
	identity string // the same for equal rules of several groups; empty when that is not known
	leaves   func() [][]rules.Leaf
	list     string
	about    string
	tied     func(a, b rules.Origin) bool
}

// hold computes the rules for each set of proxies to which the same policies
// apply, and keeps the score.
func (v *view) hold() contest {
	c := contest{map[entry]bool{}, map[entry]map[kuma.Key]bool{}, map[pair]*tie{}, map[loss]bool{}}
	for _, k := range kinds.Policies() {
		scored := map[string][]*tie{}
		for _, g := range v.groups[k.Name] {
			if len(g.policies) == 0 {
				continue
			}
			r, err := v.snapshot.Rules(v.mesh, g.dataplanes[0], k.Name)
			if err != nil {
				continue // of policies that would exhaust a control plane
			}
			for _, w := range v.weigh(r) {
				ties, again := scored[w.identity]
				if !again {
					ties = c.score(w)
				}
				if w.identity != "" {
					scored[w.identity] = ties
				}
				for _, t := range ties {
					t.hold(g.dataplanes)
				}
			}
			v.routesOfServices(k, g, r, c.lost)
		}
	}
	return c
}

// weigh lists the rules that are merged from entries. Inbound rules are not:
// which of them holds is decided for each request.
func (v *view) weigh(r rules.PolicyRules) []weighed {
	byPolicy := func(a, b rules.Origin) bool {
		return v.snapshot.TiedPolicies(a.ResourceMeta.Key(), b.ResourceMeta.Key())
	}
	never := func(a, b rules.Origin) bool { return false }
	var out []weighed
	alone := func(explain func() []rules.Leaf) func() [][]rules.Leaf {
		return func() [][]rules.Leaf { return [][]rules.Leaf{explain()} }
	}
	for _, rule := range r.ToResourceRules {
		about := named(rule.ResourceMeta.Key())
		if rule.ResourceMeta.Type == kuma.KindMesh {
			about = "any destination"
		}
		out = append(out, weighed{identityOf(rule), rule.Explain, "to", about, v.snapshot.TiedEntries})
	}
	for _, rule := range r.ToRules {
		w := weighed{"", alone(rule.Explain), "to", "", never}
		if name := v.onlyByTag(rule); name != "" {
			w.about, w.tied = kuma.TagService+"="+name, byPolicy
		}
		out = append(out, w)
	}
	for _, from := range r.FromRules {
		for _, rule := range from.Rules {
			out = append(out, weighed{"", alone(rule.Explain), "from", "incoming traffic", byPolicy})
		}
	}
	if r.ProxyRule != nil {
		out = append(out, weighed{"", alone(r.ProxyRule.Explain), "default", "the proxy", byPolicy})
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
func (v *view) onlyByTag(r rules.Rule) string {
	for _, m := range r.Matchers {
		isService := func(s *kuma.Resource) bool { return s.DisplayName() == m.Value }
		if m.Key == kuma.TagService && !m.Not && v.tags[m.Value] && !slices.ContainsFunc(v.byType[kuma.KindMeshService], isService) {
			return m.Value
		}
	}
	return ""
}

// score notes who won and who lost each leaf of a rule, and returns the ties.
func (c contest) score(w weighed) []*tie {
	var ties []*tie
	for _, leaf := range slices.Concat(w.leaves()...) {
		winner := entry{leaf.SetBy.ResourceMeta.Key(), w.list, leaf.SetBy.RuleIndex}
		c.wins[winner] = true
		for _, o := range leaf.Overridden {
			loser := entry{o.SetBy.ResourceMeta.Key(), w.list, o.SetBy.RuleIndex}
			if c.losses[loser] == nil {
				c.losses[loser] = map[kuma.Key]bool{}
			}
			c.losses[loser][winner.policy] = true
			if tree.Equal(o.Value, leaf.Value) || !w.tied(o.SetBy, leaf.SetBy) {
				continue
			}
			t := c.ties[pair{loser, winner}]
			if t == nil {
				t = &tie{values: map[string][2]any{}, about: w.about, proxies: map[string]bool{}}
				c.ties[pair{loser, winner}] = t
			}
			t.values[leaf.Path.String()] = [2]any{o.Value, leaf.Value}
			ties = append(ties, t)
		}
	}
	return ties
}

// hold notes that a tie is one on some proxies.
func (t *tie) hold(dataplanes []string) {
	for _, name := range dataplanes {
		t.proxies[name] = true
	}
}
