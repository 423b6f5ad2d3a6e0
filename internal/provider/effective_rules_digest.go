package provider

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// digest hashes what the rules do: all of the answer but who says so.
func (e *answerEncoder) digest(a rules.Answer) string {
	decoded, err := tree.DecodeJSON([]byte(e.json(anonymous(a))))
	if err != nil && e.err == nil {
		e.err = err
	}
	sum := sha256.Sum256([]byte(e.json(withoutLabels(decoded))))
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
