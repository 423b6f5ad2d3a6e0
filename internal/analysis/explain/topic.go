package explain

import (
	"fmt"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// topic is one thing that a proxy has settings for.
type topic struct {
	about  string // "to MeshService backend, port http"
	leaves func() []rules.Leaf
}

// topicsOf lists what the policies of one type are about. Rules by tag that say
// what the rule for a resource says are left out: where a service has both
// forms, they are the same settings once more.
func topicsOf(p rules.PolicyRules) []topic {
	var out []topic
	said := map[string]bool{}
	for _, r := range p.ToResourceRules {
		about := "to " + r.ResourceMeta.Type + " " + r.ResourceMeta.Name
		if r.ResourceSectionName != "" {
			about += ", port " + r.ResourceSectionName
		}
		for i, conf := range r.Conf {
			said[compact(conf)] = true
			out = append(out, topic{about, func() []rules.Leaf { return r.Explain()[i] }})
		}
	}
	for _, r := range p.ToRules {
		if !said[compact(r.Conf)] {
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
		at := inbound(in.Inbound)
		for _, r := range in.Rules {
			about := at
			if r.Match != nil {
				about += ", " + compact(r.Match)
			}
			for i, conf := range r.Conf {
				said[at+compact(conf)] = true
				out = append(out, topic{about, func() []rules.Leaf { return r.Explain()[i] }})
			}
		}
	}
	for _, in := range p.FromRules {
		at := inbound(in.Inbound)
		for _, r := range in.Rules {
			if !said[at+compact(r.Conf)] {
				out = append(out, topic{at + ", from " + peers(r.Matchers, "any client"), r.Explain})
			}
		}
	}
	return out
}

func inbound(i rules.Inbound) string {
	if i.Name != "" {
		return fmt.Sprintf("inbound %s (port %d)", i.Name, i.Port)
	}
	return fmt.Sprintf("inbound %d", i.Port)
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
		return value(s.Value, most)
	}
	return s.Path.String() + " = " + value(s.Value, most)
}

// value writes a value in at most so many characters: a text as it is, all else
// as JSON.
func value(v any, most int) string {
	text, ok := v.(string)
	if !ok || text == "" {
		text = compact(v)
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// compact writes a value as JSON.
func compact(v any) string {
	text, err := tree.EncodeJSON(v)
	if err != nil {
		return err.Error()
	}
	return text
}

// by names an entry of a policy: the policy, and which entry if not the first.
func by(o rules.Origin) string {
	if o.RuleIndex == 0 {
		return o.ResourceMeta.Name
	}
	return fmt.Sprintf("%s[%d]", o.ResourceMeta.Name, o.RuleIndex)
}
