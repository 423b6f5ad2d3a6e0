package provider

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func explainAttributes() map[string]schema.Attribute {
	text, setBy := computedText, computedEntry("The policy that set it.")
	return map[string]schema.Attribute{
		"type":   text("Kind of policy."),
		"kri":    text("Identifier of the destination, its section included; that of the Dataplane for settings of the proxy itself."),
		"path":   text("Place of the value in the conf, such as `http.requestTimeout`."),
		"value":  text("The value as JSON."),
		"set_by": setBy,
		"overridden": computedList("What weaker policies say, weakest first.", map[string]schema.Attribute{
			"value": text("The value as JSON."), "set_by": setBy,
		}),
	}
}

// explain tells for every value of the resource rules and of the proxy rule
// which policy set it.
func (v *view) explain(a rules.Answer) []any {
	out := []any{}
	for _, p := range a.Rules {
		for _, r := range p.ToResourceRules {
			for _, conf := range r.Explain() {
				out = append(out, v.leaves(p.Type, kri(r.ResourceMeta)+r.ResourceSectionName, conf)...)
			}
		}
		if p.ProxyRule != nil {
			out = append(out, v.leaves(p.Type, kri(a.Resource), p.ProxyRule.Explain())...)
		}
	}
	return out
}

func (v *view) leaves(kind, destination string, leaves []rules.Leaf) []any {
	return each(leaves, func(l rules.Leaf) any {
		return object{
			"type": kind, "kri": destination, "path": l.Path.String(), "value": v.text(l.Value), "set_by": setBy(l.SetBy),
			"overridden": each(l.Overridden, func(s rules.Setting) any {
				return object{"value": v.text(s.Value), "set_by": setBy(s.SetBy)}
			}),
		}
	})
}

func setBy(o rules.Origin) any {
	return object{"name": o.ResourceMeta.Name, "kri": kri(o.ResourceMeta), "rule_index": o.RuleIndex}
}

// digest hashes what the rules do: all of the answer but who says so.
func (v *view) digest(a rules.Answer) string {
	decoded, err := tree.DecodeJSON([]byte(v.text(anonymous(a))))
	if err != nil && v.err == nil {
		v.err = err
	}
	sum := sha256.Sum256([]byte(v.text(withoutLabels(decoded))))
	return hex.EncodeToString(sum[:])
}

// anonymous takes out of an answer whom it comes from, and the warnings. It may
// be most of the answer, so it goes before that is turned into JSON.
func anonymous(a rules.Answer) rules.Answer {
	a.Rules = each(a.Rules, func(p rules.PolicyRules) rules.PolicyRules {
		p.Warnings = nil
		nobody := func(r rules.Rule) rules.Rule {
			r.Origin = nil
			return r
		}
		p.ToRules = each(p.ToRules, nobody)
		p.ToResourceRules = each(p.ToResourceRules, func(r rules.ResourceRule) rules.ResourceRule {
			r.Origin = nil
			return r
		})
		p.FromRules = each(p.FromRules, func(f rules.FromRules) rules.FromRules {
			f.Rules = each(f.Rules, nobody)
			return f
		})
		p.InboundRules = each(p.InboundRules, func(i rules.InboundRules) rules.InboundRules {
			i.Rules = each(i.Rules, func(r rules.InboundRule) rules.InboundRule {
				r.Origin = nil
				return r
			})
			return i
		})
		if p.ProxyRule != nil {
			p.ProxyRule = &rules.ProxyRule{Conf: p.ProxyRule.Conf}
		}
		return p
	})
	return a
}

// withoutLabels takes out of an answer the labels of what it is about. Confs are
// left alone.
func withoutLabels(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, e := range v {
			switch key {
			case "labels":
			case "conf", "match":
				out[key] = e
			default:
				out[key] = withoutLabels(e)
			}
		}
		return out
	case []any:
		return each(v, withoutLabels)
	default:
		return v
	}
}
