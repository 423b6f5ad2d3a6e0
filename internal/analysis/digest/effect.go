package digest

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// effect is the effect of the rules of one type on a proxy.
type effect struct {
	Type         string
	Listeners    []listener `json:",omitempty"` // of a builtin gateway
	To           []peerRule // by tags
	Destinations []destinationRule
	Incoming     []inbound
	Proxy        []any // at most one conf

	routes []kuma.Key // of the destinations
}

// listener is what a builtin gateway does with requests that a listener takes.
type listener struct {
	Port     int
	Hostname string
	To       []peerRule
}

// peerRule is the conf for peers whose tags match.
type peerRule struct {
	Matchers []rules.Matcher
	Conf     any
}

// destinationRule is the conf for a destination, identified by its KRI with the
// section.
type destinationRule struct {
	KRI  string
	Conf []any
}

// incoming is what a proxy does with incoming traffic.
type incoming struct {
	Rules  []requestRule
	From   []peerRule
	Access rules.Access
}

// requestRule is the conf for requests that match.
type requestRule struct{ Match, Conf any }

// inbound is a port on which the proxy accepts traffic, and its rules as JSON,
// empty if there are none.
type inbound struct{ Section, Rules string }

func newEffect(p rules.PolicyRules, routes map[kuma.Key]bool) effect {
	e := effect{Type: p.Type}
	for _, o := range p.Outgoing() {
		switch l := o.Listener; {
		case l == nil:
			e.To = peerRules(o.Rules)
		case len(o.Rules) > 0:
			e.Listeners = append(e.Listeners, listener{l.Port, l.Hostname, peerRules(o.Rules)})
		}
		for _, r := range o.Resources {
			key := r.ResourceMeta.Key()
			if rules.IsRoute(key.Type) && routes[key] {
				e.routes = append(e.routes, key)
			}
			if !rules.IsRoute(key.Type) || routes[key] {
				e.Destinations = append(e.Destinations, destinationRule{kinds.KRI(r.ResourceMeta.ID()) + r.ResourceSectionName, r.Merge()})
			}
		}
	}
	k, _ := kinds.Find(p.Type)
	for _, i := range p.Incoming() {
		if in := newInbound(i, k.Policy.Additive); in.Rules != "" {
			e.Incoming = append(e.Incoming, in)
		}
	}
	slices.SortFunc(e.Incoming, compareInbounds)
	if p.ProxyRule != nil {
		e.Proxy = []any{p.ProxyRule.Conf}
	}
	return e
}

func (e effect) empty() bool {
	return len(e.Listeners)+len(e.To)+len(e.Destinations)+len(e.Incoming)+len(e.Proxy) == 0
}

func peerRules(list []rules.Rule) []peerRule {
	var out []peerRule
	for _, r := range list {
		out = append(out, peerRule{r.Matchers, r.Merge()})
	}
	return out
}

// newInbound identifies a port by its section name. The order of rules that all
// apply has no effect.
func newInbound(in rules.Incoming, additive bool) inbound {
	of := incoming{From: peerRules(in.From), Access: in.Access}
	if of.Access == rules.AccessUnchecked {
		of.Access = ""
	}
	for _, r := range in.Rules {
		of.Rules = append(of.Rules, requestRule{r.Match, r.Merge()})
	}
	if additive {
		slices.SortStableFunc(of.Rules, func(a, b requestRule) int { return cmp.Compare(phrase.JSON(a.Conf), phrase.JSON(b.Conf)) })
	}
	out := inbound{Section: cmp.Or(in.Inbound.Name, strconv.Itoa(in.Inbound.Port))}
	if len(of.Rules)+len(of.From) > 0 || of.Access != "" {
		out.Rules = phrase.JSON(of)
	}
	return out
}

// compareInbounds compares section names, as the digest must not depend on ports and
// addresses.
func compareInbounds(a, b inbound) int {
	return cmp.Or(cmp.Compare(a.Section, b.Section), cmp.Compare(a.Rules, b.Rules))
}
