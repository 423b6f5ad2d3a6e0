package explain

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// topic is one thing that a proxy has settings for.
type topic struct {
	about  string // to MeshService "backend", port http
	leaves func() []rules.Leaf
}

// topicsOf lists what the policies of one type are about. Rules by tag that say
// what the rule for a resource says are left out: where a service has both
// forms, they are the same settings once more.
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

// incoming lists the rules for inbounds. Those of the older form are left out
// where the newer ones of the same inbound say the same.
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

// peers describes who fits matchers.
func peers(matchers []rules.Matcher, anybody string) string {
	var conditions []string
	for _, m := range matchers {
		is := "="
		if m.Not {
			is = "≠"
		}
		conditions = append(conditions, m.Key+is+m.Value)
	}
	if len(conditions) == 0 {
		return anybody
	}
	return strings.Join(conditions, ", ")
}

// setting writes a place in a conf and its value.
func setting(s rules.Setting, most int) string {
	if len(s.Path) == 0 {
		return phrase.Value(s.Value, most)
	}
	return s.Path.String() + " = " + phrase.Value(s.Value, most)
}

// by names an entry of a policy: the policy, and which entry if not the first.
func by(o rules.Origin) string {
	if o.RuleIndex == 0 {
		return o.ResourceMeta.Name
	}
	return fmt.Sprintf("%s[%d]", o.ResourceMeta.Name, o.RuleIndex)
}
