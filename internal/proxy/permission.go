package proxy

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// permission decides on the clients of an inbound.
type permission struct {
	rules               bool                  // the lists decide, even if they are empty
	deny, shadow, allow []rules.ListedClients // allow includes shadow
	from                []tagRule
	fromShadow          bool // an entry of `from` denies in the shadow
	byServerName        bool // a list compares the name that clients ask for
	ignored             *rules.IgnoredFrom
}

func (m *Mesh) newPermission(in rules.Incoming) *permission {
	p := &permission{ignored: in.Ignored}
	for _, r := range slices.Concat(in.From, in.Admitted) {
		p.from = append(p.from, m.tagRule(r))
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
			p.deny = append(p.deny, c)
		case rules.ShadowDenyList:
			p.shadow = append(p.shadow, c)
			p.allow = append(p.allow, c)
		default:
			p.allow = append(p.allow, c)
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
	if len(p.from) == 0 || d.Verdict == Denied && !d.ByDefault() {
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
	shadow := first(p.shadow, c, serverName)
	d.Verdict = Denied
	d.decide(Allowed, first(p.allow, c, serverName))
	d.decide(Denied, first(p.deny, c, serverName))
	if len(p.shadow) > 0 {
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
	meeting := slices.DeleteFunc(slices.Clone(p.from), func(r tagRule) bool { return !r.meets(c) })
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

// first returns the first element of a list that matches a client that asks for a server name, nil if none does.
func first(list []rules.ListedClients, c Client, serverName string) *rules.ListedClients {
	i := slices.IndexFunc(list, func(l rules.ListedClients) bool {
		return (l.ID == "" || c.IsNamed(l.ID, l.Prefix)) && (l.ServerName == "" || l.ServerName == serverName)
	})
	if i < 0 {
		return nil
	}
	return &list[i]
}

// tagRule is a rule by tags, with its conditions as names in a certificate.
type tagRule struct {
	has, hasNot []string
	action      string
	by          rules.Entry
}

// meets reports whether the certificate of a client has the names that a rule requires. Only
// certificates of the mesh have names for tags.
func (r tagRule) meets(c Client) bool {
	has := func(name string) bool { return slices.Contains(c.Names, name) }
	return !slices.ContainsFunc(r.has, func(name string) bool { return !has(name) }) && !slices.ContainsFunc(r.hasNot, has)
}

// describe returns what an element of a list matches: "spiffe://shop/web*".
func describe(c rules.ListedClients) string {
	var parts []string
	if c.ID != "" {
		id := c.ID
		if c.Prefix {
			id += "*"
		}
		parts = append(parts, id)
	}
	if c.ServerName != "" {
		parts = append(parts, "SNI "+c.ServerName)
	}
	return strings.Join(parts, " with ")
}
