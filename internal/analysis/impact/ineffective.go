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
func (c *comparison) withoutEffect() (out []PolicyChange) {
	for i, side := range c.before.sides {
		s := &effectSearch{
			snapshot: side, other: c.before.sides[1-i], policies: map[kuma.Key]*policyEffect{}, recorded: map[recordedRule]bool{},
		}
		for _, d := range c.differences {
			isHere := (d.operation == Removed) == (side == c.before)
			if isHere && d.inBody && !c.causes[d.key] && slices.Contains(c.types, d.key.Type) {
				s.policies[d.key] = &policyEffect{difference: d, overriders: map[string]bool{}}
			}
		}
		s.run(c.routes)
		for key, p := range s.policies {
			if !p.matters {
				out = append(out, PolicyChange{key.Type, key.Name, kinds.KRI(s.Resource(key).ID()), p.operation, s.reason(p)})
			}
		}
	}
	slices.SortFunc(out, func(a, b PolicyChange) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// effectSearch determines the effects of policies in one snapshot.
type effectSearch struct {
	*snapshot
	other    *snapshot
	policies map[kuma.Key]*policyEffect
	mu       sync.Mutex // guards the effects and recorded
	recorded map[recordedRule]bool
}

// run records one dataplane of each set with equal input.
func (s *effectSearch) run(routes map[string][]string) {
	type question struct {
		matches
		policyType string
		alone      bool // only this snapshot contains the dataplane
	}
	dataplanes, types := map[question]string{}, map[string]bool{}
	for key := range s.policies {
		types[key.Type] = true
	}
	for policyType := range types {
		for _, g := range s.Groups(s.mesh, policyType) {
			if !s.selects(g) {
				continue
			}
			for _, name := range g.Dataplanes {
				dataplanes[question{s.matches(name, policyType, routes[policyType]), policyType, !has(s.other.dataplanes, name)}] = name
			}
		}
	}
	questions := slices.Collect(maps.Keys(dataplanes))
	inParallel(len(questions), func(i int) {
		q := questions[i]
		s.recordDataplane(s.effectiveRules(dataplanes[q], q.policyType, q.matches), q.alone)
	})
}

// selects records which policies select the dataplanes of a group, and reports whether any of them does.
func (s *effectSearch) selects(g rules.Group) (found bool) {
	for _, key := range g.Policies() {
		if p := s.policies[key]; p != nil {
			p.selects, found = true, true
		}
	}
	return found
}

// recordDataplane records the effects of policies on one dataplane.
func (s *effectSearch) recordDataplane(e effectiveRules, alone bool) {
	record := func(rule *settings) { s.recordRule(e.rules.Type, rule, alone) }
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
		if s.recordIgnored(in, e.rules.Type); in.Access == rules.AccessUnchecked {
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
func (s *effectSearch) recordIgnored(in rules.Incoming, policyType string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, p := range s.policies {
		switch {
		case key.Type != policyType:
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
func (s *effectSearch) recordRule(policyType string, rule *settings, alone bool) {
	origins := rule.policies()
	if !s.concerned(recordedRule{policyType, rule.input, alone}, origins) {
		return
	}
	leaves := slices.Concat(rule.leaves()...)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range origins {
		p := s.policies[key]
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
func (s *effectSearch) concerned(rule recordedRule, origins []kuma.Key) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	again := s.recorded[rule] && rule.input != (rules.Input{})
	s.recorded[rule] = true
	return !again && slices.ContainsFunc(origins, func(key kuma.Key) bool {
		p := s.policies[key]
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
