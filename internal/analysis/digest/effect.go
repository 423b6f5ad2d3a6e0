package digest

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// effect is the effect of the rules of one type on a proxy.
type effect struct {
	Type         string
	To           []peerRule // by tags
	Destinations []destinationRule
	From         []inbound
	Requests     []inbound
	Proxy        []any // at most one conf
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

// requestRule is the conf for requests that match.
type requestRule struct {
	Match any
	Conf  []any
}

// inbound is a port on which the proxy accepts traffic, and its rules as JSON.
type inbound struct{ Section, Rules string }

func newEffect(p rules.PolicyRules, routes map[kuma.Key]bool) (effect, error) {
	e := effect{Type: p.Type, To: peerRules(p.ToRules)}
	for _, r := range p.ToResourceRules {
		if key := r.ResourceMeta.Key(); !rules.IsRoute(key.Type) || routes[key] {
			e.Destinations = append(e.Destinations, destinationRule{kinds.KRI(r.ResourceMeta.ID()) + r.ResourceSectionName, r.Conf})
		}
	}
	for _, f := range p.FromRules {
		in, err := newInbound(f.Inbound, peerRules(f.Rules))
		if err != nil {
			return effect{}, err
		}
		e.From = append(e.From, in)
	}
	for _, i := range p.InboundRules {
		list := make([]requestRule, 0, len(i.Rules))
		for _, r := range i.Rules {
			list = append(list, requestRule{r.Match, r.Conf})
		}
		in, err := newInbound(i.Inbound, list)
		if err != nil {
			return effect{}, err
		}
		e.Requests = append(e.Requests, in)
	}
	slices.SortFunc(e.From, compareInbounds)
	slices.SortFunc(e.Requests, compareInbounds)
	if p.ProxyRule != nil {
		e.Proxy = []any{p.ProxyRule.Conf}
	}
	return e, nil
}

func (e effect) empty() bool {
	return len(e.To)+len(e.Destinations)+len(e.From)+len(e.Requests)+len(e.Proxy) == 0
}

func peerRules(list []rules.Rule) []peerRule {
	var out []peerRule
	for _, r := range list {
		out = append(out, peerRule{r.Matchers, r.Conf})
	}
	return out
}

// newInbound identifies a port by its section name.
func newInbound(in rules.Inbound, list any) (inbound, error) {
	text, err := tree.EncodeJSON(list)
	return inbound{cmp.Or(in.Name, strconv.Itoa(in.Port)), text}, err
}

// compareInbounds compares section names, as the digest must not depend on ports and
// addresses.
func compareInbounds(a, b inbound) int {
	return cmp.Or(cmp.Compare(a.Section, b.Section), cmp.Compare(a.Rules, b.Rules))
}
