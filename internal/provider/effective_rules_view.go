package provider

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// object is an object in the shape of the attributes.
type object = map[string]any

// view turns an answer into trees. The first error sticks.
type view struct{ err error }

// confByKRI returns the conf of each destination, and that of the proxy.
func confByKRI(dataplane rules.Meta, p rules.PolicyRules) object {
	out := object{}
	for _, r := range p.ToResourceRules {
		out[kri(r.ResourceMeta)+r.ResourceSectionName] = oneOrAll(r.Conf)
	}
	if p.ProxyRule != nil {
		out[kri(dataplane)] = p.ProxyRule.Conf
	}
	return out
}

// oneOrAll returns the only conf, or the list of those of a route with hostnames.
func oneOrAll(confs []any) any {
	if len(confs) == 1 {
		return confs[0]
	}
	return confs
}

func kri(m rules.Meta) string { return kinds.KRI(m.ID()) }

// text writes JSON as the inspect API does.
func (v *view) text(value any) string {
	text, err := tree.EncodeJSON(value)
	if err != nil && v.err == nil {
		v.err = err
	}
	return text
}

func (v *view) texts(values []any) []any {
	return each(values, func(value any) any { return v.text(value) })
}

func (v *view) policyRules(p rules.PolicyRules) any {
	out := object{
		"type":              p.Type,
		"to_rules":          each(p.ToRules, v.rule),
		"to_resource_rules": each(p.ToResourceRules, v.resourceRule),
		"from_rules": each(p.FromRules, func(f rules.FromRules) any {
			return object{"inbound": inbound(f.Inbound), "rules": each(f.Rules, v.rule)}
		}),
		"inbound_rules": each(p.InboundRules, func(i rules.InboundRules) any {
			return object{"inbound": inbound(i.Inbound), "rules": each(i.Rules, v.inboundRule)}
		}),
		"warnings": each(p.Warnings, func(w string) any { return w }),
	}
	if p.ProxyRule != nil {
		out["proxy_rule"] = object{"conf": v.text(p.ProxyRule.Conf), "origin": each(p.ProxyRule.Origin, meta)}
	}
	return out
}

func (v *view) rule(r rules.Rule) any {
	return object{
		"matchers": each(r.Matchers, func(m rules.Matcher) any { return object{"key": m.Key, "value": m.Value, "not": m.Not} }),
		"conf":     v.text(r.Conf),
		"origin":   each(r.Origin, meta),
	}
}

func (v *view) resourceRule(r rules.ResourceRule) any {
	return object{
		"resource_meta":         meta(r.ResourceMeta),
		"resource_section_name": r.ResourceSectionName,
		"kri":                   kri(r.ResourceMeta) + r.ResourceSectionName,
		"conf":                  v.texts(r.Conf),
		"origin":                each(r.Origin, origin),
	}
}

func (v *view) inboundRule(r rules.InboundRule) any {
	out := object{"conf": v.texts(r.Conf), "origin": each(r.Origin, origin)}
	if r.Match != nil {
		out["match"] = v.text(r.Match)
	}
	return out
}

func inbound(i rules.Inbound) any {
	out := object{"port": i.Port}
	if i.Name != "" {
		out["name"] = i.Name
	}
	if i.Tags != nil {
		out["tags"] = i.Tags
	}
	return out
}

func origin(o rules.Origin) any {
	return object{"resource_meta": meta(o.ResourceMeta), "rule_index": o.RuleIndex}
}

func meta(m rules.Meta) any {
	return object{"type": m.Type, "mesh": m.Mesh, "name": m.Name, "labels": m.Labels, "kri": kri(m)}
}

func each[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = f(a)
	}
	return out
}
