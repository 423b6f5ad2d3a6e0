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

// suspect is a changed policy that no change comes from, with what it does on
// the side on which it exists.
type suspect struct {
	difference
	selects    bool            // some dataplane
	used       bool            // some rule is made of one of its entries
	sets       bool            // some value of a rule
	matters    bool            // to a dataplane that only this side has
	overriders map[string]bool // the policies that override its other values
	unapplied  map[string]bool // the routes of its rules that its dataplanes do not have
}

// idle finds the changed policies that do nothing, and why.
func (c *comparison) idle(outcomes [][]*outcome) ([]Idle, error) {
	causes := map[kuma.Key]bool{}
	for _, list := range outcomes {
		for _, o := range list {
			maps.Copy(causes, o.causes)
		}
	}
	var out []Idle
	before, after := inquiry{side: c.before, other: c.after}, inquiry{side: c.after, other: c.before}
	for _, d := range c.differences {
		if !d.inBody || causes[d.key] || !slices.Contains(c.types, d.key.Type) {
			continue
		}
		q := &after
		if d.operation == Removed {
			q = &before
		}
		q.suspects = append(q.suspects, &suspect{difference: d, overriders: map[string]bool{}, unapplied: map[string]bool{}})
	}
	for _, q := range []*inquiry{&before, &after} {
		if err := q.run(c.routes); err != nil {
			return nil, err
		}
		for _, s := range q.suspects {
			if !s.matters {
				r := q.side.resources[s.key]
				out = append(out, Idle{s.key.Type, s.key.Name, kinds.KRI(r.ID()), s.operation, q.reason(s)})
			}
		}
	}
	slices.SortFunc(out, func(a, b Idle) int { return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Name, b.Name)) })
	return out, nil
}

// inquiry looks at what suspects do on one side.
type inquiry struct {
	side, other *side
	suspects    []*suspect
	mu          sync.Mutex // of the suspects
}

func (q *inquiry) run(routes map[string][]string) error {
	byType := map[string]map[kuma.Key]*suspect{}
	for _, s := range q.suspects {
		if byType[s.key.Type] == nil {
			byType[s.key.Type] = map[kuma.Key]*suspect{}
		}
		byType[s.key.Type][s.key] = s
	}
	var selecting, seen sync.Map
	return inParallel(len(q.side.dataplanes), func(i int) error {
		name := q.side.dataplanes[i]
		_, common := slices.BinarySearch(q.other.dataplanes, name)
		for policyType, suspects := range byType {
			m, err := q.side.Match(q.side.mesh, name, policyType)
			if err != nil {
				return err
			}
			type selection struct {
				policyType string
				profile    rules.Profile
			}
			at := selection{policyType, m.Profile()}
			some, again := selecting.Load(at)
			if !again {
				some = q.selected(m.Policies(), suspects)
				selecting.Store(at, some)
			}
			if some != true {
				continue
			}
			applied, err := q.side.profiles(name, routes[policyType])
			if err != nil {
				return err
			}
			type seenAs struct {
				selection
				routes string
				common bool
			}
			if _, again := seen.LoadOrStore(seenAs{at, applied, common}, true); again {
				continue
			}
			v, err := q.side.view(name, policyType, routes[policyType])
			if err != nil {
				return err
			}
			q.look(v, suspects, !common)
		}
		return nil
	})
}

// selected notes whom a dataplane is selected by, and reports whether there is one.
func (q *inquiry) selected(policies []kuma.Key, suspects map[kuma.Key]*suspect) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	found := false
	for _, key := range policies {
		if s, ok := suspects[key]; ok {
			s.selects, found = true, true
		}
	}
	return found
}

// look notes what suspects do to one dataplane.
func (q *inquiry) look(v view, suspects map[kuma.Key]*suspect, alone bool) {
	for place, r := range v.places {
		q.lookAt(resourceSettings(r), suspects, alone, func(s *suspect) bool {
			if place.isRoute() && !v.applied[place.id] {
				s.unapplied[v.describe(place)] = true
				return false
			}
			return true
		})
	}
	always := func(*suspect) bool { return true }
	for i := range v.rules.ToRules {
		q.lookAt(tagSettings(v.rules.ToRules[i:i+1]), suspects, alone, always)
	}
	for _, in := range v.rules.FromRules {
		for i := range in.Rules {
			q.lookAt(tagSettings(in.Rules[i:i+1]), suspects, alone, always)
		}
	}
	for _, in := range v.rules.InboundRules {
		for _, r := range in.Rules {
			q.lookAt(inboundSettings(r), suspects, alone, always)
		}
	}
	if p := proxySettings(v.rules.ProxyRule); p != nil {
		q.lookAt(p, suspects, alone, always)
	}
}

// lookAt notes what suspects do to one rule, if it counts for them.
func (q *inquiry) lookAt(rule *settings, suspects map[kuma.Key]*suspect, alone bool, counts func(*suspect) bool) {
	if !slices.ContainsFunc(rule.origins(), func(key kuma.Key) bool { return suspects[key] != nil }) {
		return
	}
	leaves := slices.Concat(rule.leaves()...)
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, key := range rule.origins() {
		s := suspects[key]
		if s == nil {
			continue
		}
		s.used = true
		if !counts(s) {
			continue
		}
		for _, l := range leaves {
			winner := l.SetBy.ResourceMeta.Key()
			if winner == key {
				s.sets = true
				s.matters = s.matters || alone
				continue
			}
			if slices.ContainsFunc(l.Overridden, func(o rules.Setting) bool { return o.SetBy.ResourceMeta.Key() == key }) {
				s.overriders[winner.Name] = true
			}
		}
	}
}

// reason says why a suspect does nothing, as a clause about it.
func (q *inquiry) reason(s *suspect) string {
	r := q.side.resources[s.key]
	nothing := "gives the dataplanes it selects no value that they did not have before"
	if s.operation == Removed {
		nothing = "gave the dataplanes it selected no value that they do not have without it"
	}
	overriders := slices.Sorted(maps.Keys(s.overriders))
	switch {
	case r.OnTrial():
		return "is on trial (" + kuma.LabelEffect + ": shadow)"
	case !s.selects:
		return "selects no dataplane"
	case !s.used:
		return q.unused(s)
	case s.sets:
		return nothing
	case len(overriders) > 0:
		return "is overridden in every value by " + phrase.And(overriders...)
	case len(s.unapplied) > 0:
		return "is about " + phrase.And(slices.Sorted(maps.Keys(s.unapplied))...) + ", which is not applied to the dataplanes it selects"
	default:
		return nothing
	}
}

// unused tells why a suspect that selects dataplanes is part of no rule.
func (q *inquiry) unused(s *suspect) string {
	var missing []string
	policy := q.side.resources[s.key]
	for _, ref := range policy.ToRefs() {
		if q.side.LeadsNowhere(policy, ref) {
			missing = append(missing, kuma.Reference(ref))
		}
	}
	if len(missing) > 0 {
		return "refers to nothing that exists: " + strings.Join(slices.Compact(missing), ", ")
	}
	return "has no entry that the dataplanes it selects have a use for"
}
