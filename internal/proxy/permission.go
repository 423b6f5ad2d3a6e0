package proxy

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// permission decides on the clients of an inbound.
type permission struct {
	rules               bool      // the lists decide, even if they are empty
	deny, shadow, allow listIndex // allow includes shadow
	from                tagIndex
	fromShadow          bool // an entry of `from` denies in the shadow
	byServerName        bool // a list compares the name that clients ask for
	ignored             *rules.IgnoredFrom
}

func (m *Mesh) newPermission(in rules.Incoming) *permission {
	p := &permission{ignored: in.Ignored}
	for _, r := range slices.Concat(in.From, in.Admitted) {
		p.from.add(m.tagRule(r))
		p.fromShadow = p.fromShadow || r.Action() == rules.ActionShadowDeny
	}
	if len(in.Rules) == 0 {
		return p
	}
	p.rules = true
	for _, c := range in.Rules[0].Clients() {
		p.byServerName = p.byServerName || c.ServerName != ""
		switch c.List {
		case rules.DenyList:
			p.deny.add(c)
		case rules.ShadowDenyList:
			p.shadow.add(c)
			p.allow.add(c)
		default:
			p.allow.add(c)
		}
	}
	return p
}

// tagRule returns a rule by tags, which the last of its entries decides.
func (m *Mesh) tagRule(r rules.Rule) tagRule {
	out := tagRule{action: r.Action()}
	for e := range r.Entries() {
		out.by = e
	}
	for _, by := range r.Matchers {
		name := tagName(by.Key, by.Value)
		if by.Key == kuma.TagService {
			name = m.serviceID(by.Value)
		}
		if by.Not {
			out.hasNot = append(out.hasNot, name)
		} else {
			out.has = append(out.has, name)
		}
	}
	return out
}

// decide returns the decision on a client with a certificate that asks for a server name. If `from`
// applies beside `rules`, a client is denied if one of them denies it, or if none of them allows it
// (matching.md §7.5, not measured).
func (p *permission) decide(c Client, serverName string) Decision {
	d := Decision{Ignored: p.ignored}
	if !p.rules {
		p.byFrom(&d, c)
		return d
	}
	p.byRules(&d, c, serverName)
	if len(p.from.rules) == 0 || d.Verdict == Denied && !d.ByDefault() {
		return d
	}
	beside := Decision{}
	if p.byFrom(&beside, c); !beside.ByDefault() && (d.ByDefault() || beside.Verdict == Denied) {
		return beside
	}
	return d
}

// byRules evaluates the lists: deny overrides the others. If one of them denies in the shadow,
// all clients are denied there. Kuma 2.14.7 and 3.0.1 are stated to allow those of `allow` there.
func (p *permission) byRules(d *Decision, c Client, serverName string) {
	shadow := p.shadow.first(c, serverName)
	d.Verdict = Denied
	d.decide(Allowed, p.allow.first(c, serverName))
	d.decide(Denied, p.deny.first(c, serverName))
	if len(p.shadow.list) > 0 {
		d.Shadow = &Decision{Verdict: Denied}
		d.Shadow.decide(Denied, shadow)
	}
}

// decide sets what an element of a list decides, if there is one.
func (d *Decision) decide(v Verdict, by *rules.ListedClients) {
	if by != nil {
		d.Verdict, d.By, d.List, d.Match = v, by.Entry, by.List, describe(*by)
	}
}

// byFrom evaluates the rules by tags. One rule that allows the client is enough, even if others deny
// it. One rule that denies it in the shadow is enough, too.
func (p *permission) byFrom(d *Decision, c Client) {
	d.Verdict = Denied
	if p.fromShadow {
		d.Shadow = &Decision{Verdict: Allowed}
	}
	meeting := p.from.meeting(c)
	allows := func(r tagRule) bool { return r.action != rules.ActionDeny }
	denied := slices.IndexFunc(meeting, func(r tagRule) bool { return !allows(r) })
	if denied >= 0 {
		d.By, d.List = meeting[denied].by, listFrom
	}
	if i := slices.IndexFunc(meeting, allows); i >= 0 {
		d.Overruled = d.By
		d.Verdict, d.By, d.List = Allowed, meeting[i].by, listFrom
	}
	if i := slices.IndexFunc(meeting, func(r tagRule) bool { return r.action == rules.ActionShadowDeny }); i >= 0 {
		d.Shadow = &Decision{Verdict: Denied, By: meeting[i].by, List: listFrom}
	}
}
