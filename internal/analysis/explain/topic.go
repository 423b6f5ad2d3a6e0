package explain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// topic is what a group of settings applies to, such as a destination or an inbound.
type topic struct {
	kind   def.Kind
	about  string // to MeshService "backend", port http
	conf   any
	values func() []rules.Leaf
	notes  []string // sentences about it
}

// leaves returns the values, except for those that describe the requests of others.
func (t topic) leaves() []rules.Leaf {
	if t.values == nil {
		return nil
	}
	return slices.DeleteFunc(t.values(), func(l rules.Leaf) bool { return t.kind.SelectsRequests(l.Path) })
}

// topicsOf returns the topics of the policies of one type. It omits rules by tag
// that repeat the rule for a resource: if a service has both forms, they are the
// same settings.
func topicsOf(p rules.PolicyRules) []topic {
	var out []topic
	k, _ := kinds.Find(p.Type)
	said := map[string]bool{}
	for _, o := range p.Outgoing() {
		if o.Listener != nil {
			out = append(out, onListener(k, o)...)
			continue
		}
		for _, r := range o.Resources {
			about := "to " + kuma.Describe(r.ResourceMeta.Type, r.ResourceMeta.Name, r.ResourceSectionName)
			for i, conf := range r.Merge() {
				said[phrase.JSON(conf)] = true
				out = append(out, topic{kind: k, about: about, conf: conf, values: func() []rules.Leaf { return r.Explain()[i] }})
			}
		}
		for _, r := range o.Rules {
			if conf := r.Merge(); !said[phrase.JSON(conf)] {
				out = append(out, topic{kind: k, about: "to " + cmp.Or(p.Requests(r.Matchers), "any service"), conf: conf, values: r.Explain})
			}
		}
	}
	out = append(out, incoming(k, p)...)
	if p.ProxyRule != nil {
		out = append(out, topic{kind: k, about: "the proxy", conf: p.ProxyRule.Conf, values: p.ProxyRule.Explain})
	}
	return out
}

// onListener returns the topics of a listener of a builtin gateway. The settings of connections are
// those to backends by tags: those to other backends follow, for all listeners.
func onListener(k def.Kind, o rules.Outgoing) []topic {
	var out []topic
	for _, r := range o.Rules {
		to := cmp.Or(rules.Peers(r.Matchers), "any service")
		var requests, connections []rules.Leaf
		for _, l := range r.Explain() {
			switch {
			case !o.Uses(k, l.Path):
			case k.Policy.Gateway.OfRequests(l.Path):
				requests = append(requests, l)
			default:
				connections = append(connections, l)
			}
		}
		if len(requests) > 0 {
			out = append(out, topic{
				kind: k, about: fmt.Sprintf("%s, to %s", o.Listener, to), conf: r.Merge(),
				values: func() []rules.Leaf { return requests },
			})
		}
		if len(connections) > 0 {
			about := fmt.Sprintf("%s, connections by tags to %s", o.Listener, to)
			out = append(out, topic{kind: k, about: about, conf: r.Merge(), values: func() []rules.Leaf { return connections }})
		}
	}
	return out
}

// incoming returns the topics of inbounds: what the proxy does with the rules.
func incoming(k def.Kind, p rules.PolicyRules) []topic {
	var out []topic
	unchecked := false
	for _, in := range p.Incoming() {
		at := "inbound " + in.Inbound.String()
		first := len(out)
		for _, r := range in.Rules {
			about := at
			if r.Match != nil {
				about += ", " + k.MatchWords(r.Match)
			}
			out = append(out, topic{kind: k, about: about, conf: r.Merge(), values: r.Explain})
		}
		for _, r := range in.From {
			about := at + ", from " + cmp.Or(rules.Peers(r.Matchers), "any client")
			out = append(out, topic{kind: k, about: about, conf: r.Merge(), values: r.Explain})
		}
		unchecked = unchecked || in.Access == rules.AccessUnchecked && len(out) > first
		notes := notes(in)
		switch {
		case len(notes) == 0:
		case len(out) == first+1 && out[first].about == at:
			out[first].notes = notes
		default:
			out = append(out, topic{kind: k, about: at, notes: notes})
		}
	}
	if unchecked {
		out = append(out, topic{kind: k, about: "the proxy", notes: []string{rules.NoCertificate}})
	}
	return out
}

// notes returns sentences about an inbound: what the proxy ignores, and which
// clients may connect if that does not follow from the settings.
func notes(in rules.Incoming) []string {
	out := in.Remarks()
	switch {
	case in.Access == rules.AccessNone:
		out = append(out, "No client with a certificate may connect.")
	case in.Access == rules.AccessAll && len(out) > 0:
		out = append(out, "Every client with a certificate may connect.")
	}
	return out
}

// by names the policy of an entry, and the position of the entry unless it is the
// first one.
func by(o rules.Origin) string {
	if o.RuleIndex == 0 {
		return o.ResourceMeta.Name
	}
	return fmt.Sprintf("%s[%d]", o.ResourceMeta.Name, o.RuleIndex)
}
