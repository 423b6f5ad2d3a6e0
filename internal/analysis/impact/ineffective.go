package impact

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// policyEffect describes what a changed policy that causes no change does in its
// snapshot.
type policyEffect struct {
	difference
	selects    bool            // selects a dataplane
	sets       bool            // sets a value of a rule
	matters    bool            // sets a value for a dataplane that only this snapshot contains
	overriders map[string]bool // policies that override its other values
	ignored    string          // why proxies ignore its permissions or its `from`
}

// withoutEffect returns the changed policies that have no effect, with the reason.
func (c *comparison) withoutEffect() []PolicyChange {
	search := func(of, other *snapshot) *effectSearch {
		return &effectSearch{snapshot: of, other: other, byType: map[string]effects{}, recorded: map[recordedRule]bool{}}
	}
	before, after := search(c.before, c.after), search(c.after, c.before)
	for _, d := range c.differences {
		if !d.inBody || c.causes[d.key] || !slices.Contains(c.types, d.key.Type) {
			continue
		}
		if d.operation == Removed {
			before.add(d)
		} else {
			after.add(d)
		}
	}
	var out []PolicyChange
	for _, s := range []*effectSearch{before, after} {
		s.run(c.routes)
		for _, ofType := range s.byType {
			for _, p := range ofType {
				if !p.matters {
					r := s.Resource(p.key)
					out = append(out, PolicyChange{p.key.Type, p.key.Name, kinds.KRI(r.ID()), p.operation, s.reason(p)})
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b PolicyChange) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// effects contains the effects of policies.
type effects map[kuma.Key]*policyEffect

// effectSearch determines the effects of policies in one snapshot.
type effectSearch struct {
	*snapshot
	other    *snapshot
	byType   map[string]effects
	mu       sync.Mutex // guards the effects and recorded
	recorded map[recordedRule]bool
}

func (s *effectSearch) add(d difference) {
	if s.byType[d.key.Type] == nil {
		s.byType[d.key.Type] = effects{}
	}
	s.byType[d.key.Type][d.key] = &policyEffect{difference: d, overriders: map[string]bool{}}
}

// run records one dataplane of each set with equal input.
func (s *effectSearch) run(routes map[string][]string) {
	type question struct {
		matches
		alone bool // only this snapshot contains the dataplane
	}
	type dataplane struct {
		question
		name, policyType string
	}
	var dataplanes []dataplane
	for policyType, policies := range s.byType {
		known := map[question]bool{}
		for _, g := range s.Groups(s.mesh, policyType) {
			if !policies.selectedIn(g) {
				continue
			}
			for _, name := range g.Dataplanes {
				q := question{s.matches(name, policyType, routes[policyType]), !has(s.other.dataplanes, name)}
				if !known[q] {
					known[q] = true
					dataplanes = append(dataplanes, dataplane{q, name, policyType})
				}
			}
		}
	}
	inParallel(len(dataplanes), func(i int) {
		dp := dataplanes[i]
		s.recordDataplane(s.effectiveRules(dp.name, dp.policyType, dp.matches), s.byType[dp.policyType], dp.alone)
	})
}

// selectedIn records which policies select the dataplanes of a group, and reports
// whether any of them does.
func (policies effects) selectedIn(g rules.Group) bool {
	found := false
	for _, key := range g.Policies() {
		if p, ok := policies[key]; ok {
			p.selects, found = true, true
		}
	}
	return found
}

// recordDataplane records the effects of policies on one dataplane.
func (s *effectSearch) recordDataplane(e effectiveRules, policies effects, alone bool) {
	record := func(rule *settings) { s.recordRule(e.rules.Type, rule, policies, alone) }
	for at, r := range e.sections {
		if !at.isRoute() || e.applied[at.id] {
			record(resourceSettings(r))
		}
	}
	tagged := slices.Clone(e.rules.ToRules)
	for _, l := range e.listeners {
		tagged = append(tagged, l.rules...)
	}
	for i := range tagged {
		record(tagSettings(tagged[i : i+1]))
	}
	for _, in := range e.rules.Incoming() {
		if s.recordIgnored(in, policies); in.Access == rules.AccessUnchecked {
			continue
		}
		for i := range in.From {
			record(tagSettings(in.From[i : i+1]))
		}
		for _, r := range in.Rules {
			record(incomingSettings(r))
		}
	}
	if rule := proxySettings(e.rules.ProxyRule); rule != nil {
		record(rule)
	}
}

// recordIgnored records why a proxy ignores policies on an inbound.
func (s *effectSearch) recordIgnored(in rules.Incoming, policies effects) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, p := range policies {
		switch {
		case in.Access == rules.AccessUnchecked:
			p.ignored = "sets permissions, and the dataplanes it selects have no certificate, so they check no client"
		case in.Ignored != nil && slices.Contains(in.Ignored.Policies, key):
			p.ignored = "sets only `from`, which the dataplanes it selects ignore because of " + in.Ignored.Reason()
		}
	}
}

// recordedRule is everything that the effect of a rule depends on.
type recordedRule struct {
	policyType string
	input      rules.Input
	alone      bool
}

// recordRule records the effects of policies on one rule, once for equal rules.
func (s *effectSearch) recordRule(policyType string, rule *settings, policies effects, alone bool) {
	origins := rule.policies()
	if !s.concerned(recordedRule{policyType, rule.input, alone}, origins, policies) {
		return
	}
	leaves := slices.Concat(rule.leaves()...)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range origins {
		p := policies[key]
		if p == nil {
			continue
		}
		for _, l := range leaves {
			winner := l.SetBy.ResourceMeta.Key()
			if winner == key {
				p.sets = true
				p.matters = p.matters || alone
				continue
			}
			if slices.ContainsFunc(l.Overridden, func(o rules.Setting) bool { return o.SetBy.ResourceMeta.Key() == key }) {
				p.overriders[winner.Name] = true
			}
		}
	}
}

// concerned reports whether recording a rule with these policies can still change
// their effects: it was not recorded before.
func (s *effectSearch) concerned(rule recordedRule, origins []kuma.Key, policies effects) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	again := s.recorded[rule] && rule.input != (rules.Input{})
	s.recorded[rule] = true
	return !again && slices.ContainsFunc(origins, func(key kuma.Key) bool {
		p := policies[key]
		return p != nil && (!p.sets || rule.alone && !p.matters)
	})
}

// reason returns why a policy has no effect, as a clause whose subject is the policy. Findings of the linter say more.
func (s *effectSearch) reason(p *policyEffect) string {
	policy, missing := s.Resource(p.key), []string(nil)
	for _, ref := range policy.ToRefs() {
		if s.IsDangling(*policy, ref) {
			missing = append(missing, ref.String())
		}
	}
	switch {
	case policy.IsShadow():
		return "is a shadow policy (label " + kuma.LabelEffect + ": shadow)"
	case !p.selects:
		return "selects no dataplane"
	case !p.sets && len(missing) > 0:
		return "targets resources that do not exist: " + strings.Join(slices.Compact(missing), ", ")
	case !p.sets && len(p.overriders) > 0:
		return "is fully overridden by " + phrase.And(slices.Sorted(maps.Keys(p.overriders))...)
	case !p.sets && p.ignored != "":
		return p.ignored
	case p.operation == Removed:
		return "set only values that the dataplanes it selected keep or did not use"
	default:
		return "sets only values that the dataplanes it selects already have or do not use"
	}
}
