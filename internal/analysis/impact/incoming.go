package impact

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// AccessPath is the path of a [Change] of which clients may connect.
const AccessPath = "access"

// incoming compares what the proxy does with the rules for incoming traffic.
func (d *ruleComparison) incoming() {
	for _, in := range pairs(d.before.rules.Incoming(), d.after.rules.Incoming()) {
		if in.sameForAll() {
			continue
		}
		d.access(in)
		if slices.Contains([]rules.Access{in.before.Access, in.after.Access}, rules.AccessUnchecked) {
			continue // permissions have no effect on that side, and access shows what the others do
		}
		from := Change{Direction: From, Destination: in.name + ", ", about: in.about + ", ", target: target{protocol: in.protocol()}}
		d.peers(from, "", in.before.From, in.after.From)
		if d.kind.Policy.Additive {
			d.entries(in)
		} else {
			d.requests(in)
		}
	}
}

// sameForAll reports whether both sides have the same single conf for all requests, one side in `from`
// and the other in `rules`.
func (p inboundPair) sameForAll() bool {
	var confs [2]any
	for i, in := range []rules.Incoming{p.before, p.after} {
		switch {
		case in.Access != "" || len(in.From)+len(in.Rules) != 1:
			return false
		case len(in.From) == 1 && len(in.From[0].Matchers) == 0:
			confs[i] = in.From[0].Merge()
		case len(in.Rules) == 1 && len(tree.Object(in.Rules[0].Match)) == 0:
			confs[i] = in.Rules[0].Merge()
		default:
			return false
		}
	}
	return tree.Equal(confs[0], confs[1])
}

// requests compares the rules that apply to the requests with each match.
func (d *ruleComparison) requests(in inboundPair) {
	seen := map[string]bool{}
	for _, r := range slices.Concat(in.before.Rules, in.after.Rules) {
		c := in.change(d.kind, r.Match)
		if !seen[c.Destination] {
			seen[c.Destination] = true
			d.difference(c, requestSettings(in.before, r.Match), requestSettings(in.after, r.Match))
		}
	}
}

func requestSettings(in rules.Incoming, match any) *settings {
	r, ok := in.For(match)
	if !ok {
		return nil
	}
	return incomingSettings(r)
}

// entries compares rules that all apply. Rules that are on both sides have not
// changed, whichever policies they come from.
func (d *ruleComparison) entries(in inboundPair) {
	before := remaining(in.before.Rules, in.after.Rules)
	after := remaining(in.after.Rules, in.before.Rules)
	now := policyKeys(after)
	for i, key := range policyKeys(before) {
		var s *settings
		if n := slices.Index(now, key); n >= 0 {
			s, now[n] = incomingSettings(after[n]), ""
		}
		d.difference(in.change(d.kind, before[i].Match), incomingSettings(before[i]), s)
	}
	for i, key := range now {
		if key != "" {
			d.difference(in.change(d.kind, after[i].Match), nil, incomingSettings(after[i]))
		}
	}
}

// remaining returns the rules that others does not contain.
func remaining(list, others []rules.IncomingRule) []rules.IncomingRule {
	text := func(r rules.IncomingRule) string { return phrase.JSON(r.Match) + phrase.JSON(r.Merge()) }
	have := map[string]int{}
	for _, r := range others {
		have[text(r)]++
	}
	return slices.DeleteFunc(slices.Clone(list), func(r rules.IncomingRule) bool {
		have[text(r)]--
		return have[text(r)] >= 0
	})
}

// policyKeys identifies each rule by its policy and match.
func policyKeys(list []rules.IncomingRule) []string {
	seen := map[string]int{}
	keys := make([]string, len(list))
	for i, r := range list {
		for e := range r.Entries() {
			keys[i] = fmt.Sprintf("%q %s", e.Policy.Name, phrase.JSON(r.Match))
		}
		seen[keys[i]]++
		keys[i] += fmt.Sprint(seen[keys[i]])
	}
	return keys
}

// access compares which clients may connect.
func (d *ruleComparison) access(in inboundPair) {
	before, after := in.before.Access, in.after.Access
	if before == after || before == "" || after == "" { // the proxy has the inbound only on one side
		return
	}
	c := in.change(d.kind, nil)
	c.Path, c.Cause = AccessPath, CauseSettings
	c.Before, c.After = &Value{JSON: phrase.JSON(string(before))}, &Value{JSON: phrase.JSON(string(after))}
	c.why = whyAccess(in.after)
	d.add(c)
	for _, side := range []rules.Incoming{in.before, in.after} {
		for _, r := range side.Rules {
			d.blame(incomingSettings(r))
		}
		if len(side.From) > 0 {
			d.blame(tagSettings(side.From))
		}
	}
	if before == rules.AccessSome { // a second Deny can admit the clients of the first
		for _, r := range in.after.Admitted {
			d.causes[r.Denier()] = true
		}
	}
	for _, ignored := range []*rules.IgnoredFrom{in.before.Ignored, in.after.Ignored} {
		if ignored != nil {
			for _, key := range slices.Concat(ignored.Policies, ignored.By) {
				d.causes[key] = true
			}
		}
	}
}

// whyAccess explains which clients may connect, as a sentence.
func whyAccess(in rules.Incoming) string {
	switch {
	case in.Access == rules.AccessUnchecked:
		return "The proxy has no certificate, so permissions have no effect."
	case in.Access == rules.AccessNone && in.Ignored == nil:
		return "No permission allows a client."
	default:
		return strings.Join(in.Remarks(), " ")
	}
}

// inboundPair is an inbound before and after the change.
type inboundPair struct {
	name, about   string
	before, after rules.Incoming
}

// protocol returns the protocol of the inbound, nothing if it is another one on each side: both count.
func (p inboundPair) protocol() string {
	was, is := p.before.Protocol(), p.after.Protocol()
	switch {
	case p.before.Inbound.Port == 0 || was == is:
		return is
	case p.after.Inbound.Port == 0:
		return was
	default:
		return ""
	}
}

// change returns a change for requests with a match.
func (p inboundPair) change(k def.Kind, match any) Change {
	c := Change{Direction: Rules, Destination: p.name, about: p.about, target: target{protocol: p.protocol()}}
	c.target.implied = match == nil && !p.before.ForSome() && !p.after.ForSome()
	if match != nil {
		c.Destination += ", " + phrase.JSON(match)
		c.about += ", " + k.MatchWords(match)
	}
	return c
}

// pairs combines the inbounds of both sides for the same port. If several inbounds
// share a port, they are paired in order of appearance.
func pairs(before, after []rules.Incoming) []inboundPair {
	found := map[[2]int]inboundPair{} // by port and the number of earlier inbounds with the same
	for side, list := range [][]rules.Incoming{before, after} {
		seen := map[int]int{}
		for _, in := range list {
			port := in.Inbound.Port
			key := [2]int{port, seen[port]}
			seen[port]++
			p := found[key]
			p.name, p.about = fmt.Sprintf("port %d", port), in.Inbound.String()
			if side == 0 {
				p.before = in
			} else {
				p.after = in
			}
			found[key] = p
		}
	}
	order := slices.SortedFunc(maps.Keys(found), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return phrase.Each(order, func(key [2]int) inboundPair { return found[key] })
}
