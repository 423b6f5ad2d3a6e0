package analysis

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Encoder converts an answer into trees with the structure of the attributes. It
// keeps the first error.
type Encoder struct{ Err error }

// ConfByKRI returns the conf of each destination, and of the proxy under the given
// name.
func ConfByKRI(proxy string, p rules.PolicyRules) map[string]any {
	out := map[string]any{}
	for _, r := range p.ToResourceRules {
		out[KRI(r.ResourceMeta)+r.ResourceSectionName] = oneOrAll(r.Conf)
	}
	if p.ProxyRule != nil {
		out[proxy] = p.ProxyRule.Conf
	}
	return out
}

// oneOrAll returns the only conf, or the list of confs of a route with hostnames.
func oneOrAll(confs []any) any {
	if len(confs) == 1 {
		return confs[0]
	}
	return confs
}

// KRI returns the identifier of a resource.
func KRI(m rules.Meta) string { return kinds.KRI(m.ID()) }

// JSON encodes a value as the inspect API does.
func (e *Encoder) JSON(value any) string {
	text, err := tree.EncodeJSON(value)
	if err != nil && e.Err == nil {
		e.Err = err
	}
	return text
}

func (e *Encoder) jsonTexts(values []any) []any {
	return each(values, func(value any) any { return e.JSON(value) })
}

func (e *Encoder) policyRules(p rules.PolicyRules) any {
	out := map[string]any{
		"type":              p.Type,
		"to_rules":          each(p.ToRules, e.rule),
		"to_resource_rules": each(p.ToResourceRules, e.resourceRule),
		"from_rules": each(p.FromRules, func(f rules.FromRules) any {
			return map[string]any{"inbound": inbound(f.Inbound), "rules": each(f.Rules, e.rule)}
		}),
		"inbound_rules": each(p.InboundRules, func(i rules.InboundRules) any {
			return map[string]any{"inbound": inbound(i.Inbound), "rules": each(i.Rules, e.inboundRule)}
		}),
		"warnings": each(p.Warnings, func(w string) any { return w }),
	}
	if p.ProxyRule != nil {
		out["proxy_rule"] = map[string]any{"conf": e.JSON(p.ProxyRule.Conf), "origin": each(p.ProxyRule.Origin, meta)}
	}
	return out
}

func (e *Encoder) rule(r rules.Rule) any {
	return map[string]any{
		"matchers": each(r.Matchers, func(m rules.Matcher) any { return map[string]any{"key": m.Key, "value": m.Value, "not": m.Not} }),
		"conf":     e.JSON(r.Conf),
		"origin":   each(r.Origin, meta),
	}
}

func (e *Encoder) resourceRule(r rules.ResourceRule) any {
	return map[string]any{
		"resource_meta":         meta(r.ResourceMeta),
		"resource_section_name": r.ResourceSectionName,
		"kri":                   KRI(r.ResourceMeta) + r.ResourceSectionName,
		"conf":                  e.jsonTexts(r.Conf),
		"origin":                each(r.Origin, origin),
	}
}

func (e *Encoder) inboundRule(r rules.InboundRule) any {
	out := map[string]any{"conf": e.jsonTexts(r.Conf), "origin": each(r.Origin, origin)}
	if r.Match != nil {
		out["match"] = e.JSON(r.Match)
	}
	return out
}

func inbound(i rules.Inbound) any {
	out := map[string]any{"port": i.Port}
	if i.Name != "" {
		out["name"] = i.Name
	}
	if i.Tags != nil {
		out["tags"] = i.Tags
	}
	return out
}

func origin(o rules.Origin) any {
	return map[string]any{"resource_meta": meta(o.ResourceMeta), "rule_index": o.RuleIndex}
}

func meta(m rules.Meta) any {
	return map[string]any{"type": m.Type, "mesh": m.Mesh, "name": m.Name, "labels": m.Labels, "kri": KRI(m)}
}

func each[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = f(a)
	}
	return out
}
