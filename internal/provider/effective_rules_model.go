package provider

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

type effectiveRulesModel struct {
	Mesh      types.String       `tfsdk:"mesh"`
	Dataplane types.String       `tfsdk:"dataplane"`
	Planned   types.Dynamic      `tfsdk:"planned"`
	Types     types.Set          `tfsdk:"types"`
	Removed   types.List         `tfsdk:"removed"`
	Documents types.List         `tfsdk:"documents"`
	Rules     []policyRulesModel `tfsdk:"rules"`
	Conf      types.Dynamic      `tfsdk:"conf"`
	Explain   []explainModel     `tfsdk:"explain"`
	Digest    types.String       `tfsdk:"digest"`
	JSON      types.String       `tfsdk:"json"`
}

type policyRulesModel struct {
	Type            string              `tfsdk:"type"`
	ToRules         []ruleModel         `tfsdk:"to_rules"`
	ToResourceRules []resourceRuleModel `tfsdk:"to_resource_rules"`
	FromRules       []fromRulesModel    `tfsdk:"from_rules"`
	InboundRules    []inboundRulesModel `tfsdk:"inbound_rules"`
	ProxyRule       *proxyRuleModel     `tfsdk:"proxy_rule"`
	Warnings        []string            `tfsdk:"warnings"`
}

type ruleModel struct {
	Matchers []matcherModel `tfsdk:"matchers"`
	Conf     string         `tfsdk:"conf"`
	Origin   []metaModel    `tfsdk:"origin"`
}

type matcherModel struct {
	Key   string `tfsdk:"key"`
	Value string `tfsdk:"value"`
	Not   bool   `tfsdk:"not"`
}

type resourceRuleModel struct {
	ResourceMeta        metaModel     `tfsdk:"resource_meta"`
	ResourceSectionName string        `tfsdk:"resource_section_name"`
	KRI                 string        `tfsdk:"kri"`
	Conf                []string      `tfsdk:"conf"`
	Origin              []originModel `tfsdk:"origin"`
}

type fromRulesModel struct {
	Inbound inboundModel `tfsdk:"inbound"`
	Rules   []ruleModel  `tfsdk:"rules"`
}

type inboundRulesModel struct {
	Inbound inboundModel       `tfsdk:"inbound"`
	Rules   []inboundRuleModel `tfsdk:"rules"`
}

type inboundRuleModel struct {
	Match  types.String  `tfsdk:"match"`
	Conf   []string      `tfsdk:"conf"`
	Origin []originModel `tfsdk:"origin"`
}

type proxyRuleModel struct {
	Conf   string      `tfsdk:"conf"`
	Origin []metaModel `tfsdk:"origin"`
}

type inboundModel struct {
	Name types.String      `tfsdk:"name"`
	Port int64             `tfsdk:"port"`
	Tags map[string]string `tfsdk:"tags"`
}

type originModel struct {
	ResourceMeta metaModel `tfsdk:"resource_meta"`
	RuleIndex    int64     `tfsdk:"rule_index"`
}

type metaModel struct {
	Type   string            `tfsdk:"type"`
	Mesh   string            `tfsdk:"mesh"`
	Name   string            `tfsdk:"name"`
	Labels map[string]string `tfsdk:"labels"`
	KRI    string            `tfsdk:"kri"`
}

// show fills the computed part of the model.
func (m *effectiveRulesModel) show(ctx context.Context, a rules.Answer) error {
	v := view{}
	m.Rules = make([]policyRulesModel, 0, len(a.Rules))
	conf := map[string]any{}
	for _, p := range a.Rules {
		m.Rules = append(m.Rules, v.policyRules(p))
		conf[p.Type] = confByKRI(a.Resource, p)
	}
	m.Conf = types.DynamicValue(dynamic(ctx, conf))
	m.Explain = v.explain(a)
	m.Digest = types.StringValue(v.digest(a))
	m.JSON = types.StringValue(v.text(a))
	return v.err
}

// confByKRI returns the conf of each destination, and that of the proxy.
func confByKRI(dataplane rules.Meta, p rules.PolicyRules) map[string]any {
	out := map[string]any{}
	for _, r := range p.ToResourceRules {
		key := kri(r.ResourceMeta) + r.ResourceSectionName
		if len(r.Conf) == 1 {
			out[key] = r.Conf[0]
			continue
		}
		out[key] = r.Conf
	}
	if p.ProxyRule != nil {
		out[kri(dataplane)] = p.ProxyRule.Conf
	}
	return out
}

func kri(m rules.Meta) string {
	k, _ := kinds.Find(m.Type)
	return m.ID().KRI(k.ShortName)
}

// view turns an answer into the model. The first error sticks.
type view struct{ err error }

// text writes JSON as the inspect API does: "<", ">" and "&" as they are.
func (v *view) text(value any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil && v.err == nil {
		v.err = err
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func (v *view) texts(values []any) []string {
	return each(values, v.text)
}

func (v *view) policyRules(p rules.PolicyRules) policyRulesModel {
	out := policyRulesModel{
		Type:            p.Type,
		ToRules:         each(p.ToRules, v.rule),
		ToResourceRules: each(p.ToResourceRules, v.resourceRule),
		FromRules: each(p.FromRules, func(f rules.FromRules) fromRulesModel {
			return fromRulesModel{Inbound: inbound(f.Inbound), Rules: each(f.Rules, v.rule)}
		}),
		InboundRules: each(p.InboundRules, func(i rules.InboundRules) inboundRulesModel {
			return inboundRulesModel{Inbound: inbound(i.Inbound), Rules: each(i.Rules, v.inboundRule)}
		}),
		Warnings: p.Warnings,
	}
	if p.ProxyRule != nil {
		out.ProxyRule = &proxyRuleModel{Conf: v.text(p.ProxyRule.Conf), Origin: each(p.ProxyRule.Origin, meta)}
	}
	return out
}

func (v *view) rule(r rules.Rule) ruleModel {
	return ruleModel{
		Matchers: each(r.Matchers, func(m rules.Matcher) matcherModel { return matcherModel(m) }),
		Conf:     v.text(r.Conf),
		Origin:   each(r.Origin, meta),
	}
}

func (v *view) resourceRule(r rules.ResourceRule) resourceRuleModel {
	return resourceRuleModel{
		ResourceMeta: meta(r.ResourceMeta), ResourceSectionName: r.ResourceSectionName,
		KRI:  kri(r.ResourceMeta) + r.ResourceSectionName,
		Conf: v.texts(r.Conf), Origin: each(r.Origin, origin),
	}
}

func (v *view) inboundRule(r rules.InboundRule) inboundRuleModel {
	out := inboundRuleModel{Conf: v.texts(r.Conf), Origin: each(r.Origin, origin)}
	if r.Match != nil {
		out.Match = types.StringValue(v.text(r.Match))
	}
	return out
}

func inbound(i rules.Inbound) inboundModel {
	out := inboundModel{Port: int64(i.Port), Tags: i.Tags}
	if i.Name != "" {
		out.Name = types.StringValue(i.Name)
	}
	return out
}

func origin(o rules.Origin) originModel {
	return originModel{ResourceMeta: meta(o.ResourceMeta), RuleIndex: int64(o.RuleIndex)}
}

func meta(m rules.Meta) metaModel {
	return metaModel{Type: m.Type, Mesh: m.Mesh, Name: m.Name, Labels: m.Labels, KRI: kri(m)}
}

func each[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = f(a)
	}
	return out
}

func policyRulesAttributes() map[string]schema.Attribute {
	text := func(doc string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: doc}
	}
	texts := func(doc string) schema.Attribute {
		return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: doc}
	}
	list := func(doc string, attributes map[string]schema.Attribute) schema.Attribute {
		return schema.ListNestedAttribute{Computed: true, MarkdownDescription: doc, NestedObject: schema.NestedAttributeObject{Attributes: attributes}}
	}
	object := func(doc string, attributes map[string]schema.Attribute) schema.Attribute {
		return schema.SingleNestedAttribute{Computed: true, MarkdownDescription: doc, Attributes: attributes}
	}
	meta := func() map[string]schema.Attribute {
		return map[string]schema.Attribute{
			"type": text("Kind of the resource."), "mesh": text("Mesh of the resource."), "name": text("Name of the resource."),
			"labels": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Labels of the resource."},
			"kri":    text("Identifier of the resource."),
		}
	}
	const originDoc = "The policies that the conf was merged from, weakest first."
	metas := func() schema.Attribute { return list(originDoc, meta()) }
	origins := func() schema.Attribute {
		return list(originDoc, map[string]schema.Attribute{
			"resource_meta": object("The policy.", meta()),
			"rule_index":    schema.Int64Attribute{Computed: true, MarkdownDescription: "Position of the entry in the policy."},
		})
	}
	rule := func() map[string]schema.Attribute {
		return map[string]schema.Attribute{
			"matchers": list("Conditions on the tags of the peer; all of them must hold. Empty: any peer.", map[string]schema.Attribute{
				"key": text("Name of the tag."), "value": text("Value of the tag."),
				"not": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the tag must not have the value."},
			}),
			"conf": text("Merged conf as JSON."), "origin": metas(),
		}
	}
	inbound := func() schema.Attribute {
		return object("The port on which the proxy accepts the traffic.", map[string]schema.Attribute{
			"name": text("Name of the inbound, if it has one."),
			"port": schema.Int64Attribute{Computed: true, MarkdownDescription: "Port of the inbound."},
			"tags": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Tags of the inbound."},
		})
	}
	return map[string]schema.Attribute{
		"type": text("Kind of policy."),
		"to_rules": list("Rules for outgoing traffic to `kuma.io/service` destinations, most tags first. Empty for a mesh whose services are used exclusively as MeshService.",
			rule()),
		"to_resource_rules": list("Rules for outgoing traffic to real destinations (services, their ports, routes, the mesh).", map[string]schema.Attribute{
			"resource_meta": object("The destination.", meta()), "resource_section_name": text("Port of the destination, empty for all."),
			"kri":  text("Identifier of the destination, its section included."),
			"conf": texts("Merged conf as JSON: one element, except for routes with hostnames."), "origin": origins(),
		}),
		"from_rules": list("Rules for incoming traffic in the old form, per inbound.", map[string]schema.Attribute{
			"inbound": inbound(), "rules": list("Rules, most tags first.", rule()),
		}),
		"inbound_rules": list("Rules for incoming traffic, per inbound.", map[string]schema.Attribute{
			"inbound": inbound(),
			"rules": list("Rules, most specific match first. They are not merged.", map[string]schema.Attribute{
				"match": text("Condition as JSON; null when the rule is for all traffic."), "conf": texts("Conf as JSON."), "origin": origins(),
			}),
		}),
		"proxy_rule": object("Settings of the proxy itself.", map[string]schema.Attribute{"conf": text("Merged conf as JSON."), "origin": metas()}),
		"warnings":   texts("What the control plane warns about."),
	}
}
