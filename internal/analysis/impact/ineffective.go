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
	gateways   bool            // selects a builtin gateway
	used       bool            // an entry of it is part of a rule
	ignored    map[string]bool // why proxies ignore its `from`
	unchecked  bool            // selects a dataplane that has no certificate, and checks no client
	sets       bool            // sets a value of a rule
	matters    bool            // sets a value for a dataplane that only this snapshot contains
	overriders map[string]bool // policies that override its other values
	unapplied  map[string]bool // routes of its rules that do not apply to the dataplanes
}

// withoutEffect returns the changed policies that have no effect, with the reason.
func (c *comparison) withoutEffect() []PolicyChange {
	search := func(of, other *snapshot) *effectSearch {
		return &effectSearch{
			snapshot: of, other: other, byType: map[string]effects{}, recorded: map[recordedRule]bool{},
			unusedPolicies: c.unused,
		}
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

	unusedPolicies *sync.Map
}

func (s *effectSearch) add(d difference) {
	if s.byType[d.key.Type] == nil {
		s.byType[d.key.Type] = effects{}
	}
	s.byType[d.key.Type][d.key] = &policyEffect{
		difference: d, ignored: map[string]bool{}, overriders: map[string]bool{},
		unapplied: map[string]bool{},
	}
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
			if !policies.selectedIn(g, len(s.Listeners(s.mesh, g.Dataplanes[0])) > 0) {
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
func (policies effects) selectedIn(g rules.Group, areGateways bool) bool {
	found := false
	for _, key := range g.Policies() {
		if p, ok := policies[key]; ok {
			p.selects, p.gateways, found = true, p.gateways || areGateways, true
		}
	}
	return found
}

// recordDataplane records the effects of policies on one dataplane.
func (s *effectSearch) recordDataplane(e effectiveRules, policies effects, alone bool) {
	for at, r := range e.sections {
		unapplied := ""
		if at.isRoute() && !e.applied[at.id] {
			unapplied = e.describe(at)
		}
		s.recordRule(e.rules.Type, resourceSettings(r), policies, alone, unapplied)
	}
	record := func(rule *settings) { s.recordRule(e.rules.Type, rule, policies, alone, "") }
	tagged := slices.Clone(e.rules.ToRules)
	for _, l := range e.listeners {
		tagged = append(tagged, l.rules...)
	}
	for i := range tagged {
		record(tagSettings(tagged[i : i+1]))
	}
	for _, in := range e.rules.Incoming() {
		if in.Access == rules.AccessUnchecked {
			s.recordUnchecked(policies)
			continue
		}
		for i := range in.From {
			record(tagSettings(in.From[i : i+1]))
		}
		for _, r := range in.Rules {
			record(incomingSettings(r))
		}
		s.recordIgnored(in, policies)
	}
	if rule := proxySettings(e.rules.ProxyRule); rule != nil {
		record(rule)
	}
}

// recordUnchecked records that a proxy ignores permissions.
func (s *effectSearch) recordUnchecked(permissions effects) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range permissions {
		p.unchecked = true
	}
}

// recordIgnored records the policies whose `from` the proxy ignores on an inbound.
func (s *effectSearch) recordIgnored(in rules.Incoming, policies effects) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ignore := func(key kuma.Key, reason string) {
		if p := policies[key]; p != nil {
			p.ignored[reason] = true
		}
	}
	if in.Ignored != nil {
		for _, key := range in.Ignored.Policies {
			ignore(key, in.Ignored.Reason())
		}
	}
	for _, r := range in.Admitted {
		ignore(r.Denier(), "other rules that allow the same clients")
	}
}

// recordedRule is everything that the effect of a rule depends on.
type recordedRule struct {
	policyType string
	input      rules.Input
	alone      bool
	unapplied  string
}

// recordRule records the effects of policies on one rule, once for equal rules. For
// a rule for a route that does not apply, it only records the route.
func (s *effectSearch) recordRule(policyType string, rule *settings, policies effects, alone bool, unapplied string) {
	origins := rule.policies()
	if !s.concerned(recordedRule{policyType, rule.input, alone, unapplied}, origins, policies) {
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
		p.used = true
		if unapplied != "" {
			p.unapplied[unapplied] = true
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

// reason returns why a policy has no effect, as a clause whose subject is the
// policy.
func (s *effectSearch) reason(p *policyEffect) string {
	nothing := "sets only values that the dataplanes it selects already had"
	if p.operation == Removed {
		nothing = "set only values that the dataplanes it selected keep"
	}
	overriders := slices.Sorted(maps.Keys(p.overriders))
	switch {
	case s.Resource(p.key).IsShadow():
		return "is a shadow policy (label " + kuma.LabelEffect + ": shadow)"
	case !p.selects:
		return "selects no dataplane"
	case !p.used && len(p.ignored) > 0:
		return "sets only `from`, which the dataplanes it selects ignore because of " +
			phrase.Some(slices.Sorted(maps.Keys(p.ignored)), maxPlaces, "")
	case !p.used && p.unchecked:
		return "sets permissions, and the dataplanes it selects have no certificate, so they check no client"
	case !p.used:
		return s.unused(p)
	case p.sets:
		if unused, _ := s.unusedPolicies.Load(p.key); unused == true {
			return "sets only what no proxy uses: none has a listener for the destination, routes send the requests elsewhere, " +
				"or the port, or the entry for a route, does not use the setting"
		}
		return cmp.Or(s.lostByTags(p), nothing)
	case len(overriders) > 0:
		return "is fully overridden by " + phrase.And(overriders...)
	case len(p.unapplied) > 0:
		reason := "targets " + phrase.And(slices.Sorted(maps.Keys(p.unapplied))...) + ", which does not apply to the dataplanes it selects"
		if p.gateways {
			reason += ", except for builtin gateways, which ignore entries for routes"
		}
		return reason
	default:
		return nothing
	}
}

// lostByTags returns why a policy has no effect on requests that proxies send by tags: all of its
// entries are for routes, or beside such an entry. It is empty if the policy has other entries.
func (s *effectSearch) lostByTags(p *policyEffect) string {
	policy := s.Resource(p.key)
	entries, lost, beside := s.proxies.RouteEntries(policy), map[int]bool{}, false
	senders := map[string]bool{}
	for _, name := range s.Selected(p.key) {
		ofRoutes, others := entries.LostByTags(name)
		if len(ofRoutes) == 0 {
			continue
		}
		for _, i := range slices.Concat(ofRoutes, others) {
			lost[i] = true
		}
		beside = beside || len(others) > 0
		if s.proxies.IsBuiltinGateway(name) {
			senders["requests through builtin gateways"] = true
		} else {
			senders["what the dataplanes it selects send by the tag "+kuma.TagService] = true
		}
	}
	if len(lost) == 0 || len(lost) < len(policy.ToRefs()) {
		return ""
	}
	reason := "has entries for routes, which have no effect on " + phrase.And(slices.Sorted(maps.Keys(senders))...)
	if beside {
		reason += ", and because of which its other entries do not apply there"
	}
	return reason
}

// unused returns why a policy that selects dataplanes is not part of any rule.
func (s *effectSearch) unused(p *policyEffect) string {
	var missing []string
	policy := s.Resource(p.key)
	for _, ref := range policy.ToRefs() {
		if s.IsDangling(*policy, ref) {
			missing = append(missing, ref.String())
		}
	}
	if len(missing) > 0 {
		return "targets resources that do not exist: " + strings.Join(slices.Compact(missing), ", ")
	}
	return "has no entry that applies to the dataplanes it selects"
}
