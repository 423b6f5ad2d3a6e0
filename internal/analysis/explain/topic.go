package explain

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// topic is what a group of settings applies to, such as a destination or an inbound.
type topic struct {
	about  string // to MeshService "backend", port http
	leaves func() []rules.Leaf
}

// topicsOf returns the topics of the policies of one type. It omits rules by tag
// that repeat the rule for a resource: if a service has both forms, they are the
// same settings.
func topicsOf(p rules.PolicyRules) []topic {
	var out []topic
	said := map[string]bool{}
	for _, r := range p.ToResourceRules {
		about := "to " + kuma.Describe(r.ResourceMeta.Type, r.ResourceMeta.Name, r.ResourceSectionName)
		for i, conf := range r.Conf {
			said[phrase.JSON(conf)] = true
			out = append(out, topic{about, func() []rules.Leaf { return r.Explain()[i] }})
		}
	}
	for _, r := range p.ToRules {
		if !said[phrase.JSON(r.Conf)] {
			out = append(out, topic{"to " + peers(r.Matchers, "any service"), r.Explain})
		}
	}
	out = append(out, incoming(p)...)
	if p.ProxyRule != nil {
		out = append(out, topic{"the proxy", p.ProxyRule.Explain})
	}
	return out
}

// incoming returns the topics of inbounds. It omits legacy rules that repeat a rule
// of the same inbound.
func incoming(p rules.PolicyRules) []topic {
	var out []topic
	said := map[string]bool{}
	for _, in := range p.InboundRules {
		at := "inbound " + in.Inbound.String()
		for _, r := range in.Rules {
			about := at
			if r.Match != nil {
				about += ", " + phrase.JSON(r.Match)
			}
			for i, conf := range r.Conf {
				said[at+phrase.JSON(conf)] = true
				out = append(out, topic{about, func() []rules.Leaf { return r.Explain()[i] }})
			}
		}
	}
	for _, in := range p.FromRules {
		at := "inbound " + in.Inbound.String()
		for _, r := range in.Rules {
			if !said[at+phrase.JSON(r.Conf)] {
				out = append(out, topic{at + ", from " + peers(r.Matchers, "any client"), r.Explain})
			}
		}
	}
	return out
}

// peers describes the peers that match. If there are no matchers, it returns all.
func peers(matchers []rules.Matcher, all string) string {
	var conditions []string
	for _, m := range matchers {
		is := "="
		if m.Not {
			is = "≠"
		}
		conditions = append(conditions, m.Key+is+m.Value)
	}
	if len(conditions) == 0 {
		return all
	}
	return strings.Join(conditions, ", ")
}

// setting formats the path of a setting and its value. most is the maximum length of
// the value in characters.
func setting(s rules.Setting, most int) string {
	if len(s.Path) == 0 {
		return phrase.Value(s.Value, most)
	}
	return s.Path.String() + " = " + phrase.Value(s.Value, most)
}

// by names the policy of an entry, and the position of the entry unless it is the
// first one.
func by(o rules.Origin) string {
	if o.RuleIndex == 0 {
		return o.ResourceMeta.Name
	}
	return fmt.Sprintf("%s[%d]", o.ResourceMeta.Name, o.RuleIndex)
}
