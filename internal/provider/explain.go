package provider

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// explainModel tells where one value of a conf comes from.
type explainModel struct {
	Type       string         `tfsdk:"type"`
	KRI        string         `tfsdk:"kri"`
	Path       string         `tfsdk:"path"`
	Value      string         `tfsdk:"value"`
	SetBy      setByModel     `tfsdk:"set_by"`
	Overridden []settingModel `tfsdk:"overridden"`
}

type settingModel struct {
	Value string     `tfsdk:"value"`
	SetBy setByModel `tfsdk:"set_by"`
}

type setByModel struct {
	Name      string `tfsdk:"name"`
	KRI       string `tfsdk:"kri"`
	RuleIndex int64  `tfsdk:"rule_index"`
}

func explainAttributes() map[string]schema.Attribute {
	text := func(doc string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: doc}
	}
	setBy := schema.SingleNestedAttribute{Computed: true, MarkdownDescription: "The policy that set it.", Attributes: map[string]schema.Attribute{
		"name": text("Name of the policy."), "kri": text("Identifier of the policy."),
		"rule_index": schema.Int64Attribute{Computed: true, MarkdownDescription: "Position of the entry in the policy."},
	}}
	return map[string]schema.Attribute{
		"type":   text("Kind of policy."),
		"kri":    text("Identifier of the destination, its section included; that of the Dataplane for settings of the proxy itself."),
		"path":   text("Place of the value in the conf, such as `http.requestTimeout`."),
		"value":  text("The value as JSON."),
		"set_by": setBy,
		"overridden": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "What weaker policies say, weakest first.", NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"value": text("The value as JSON."), "set_by": setBy,
		}}},
	}
}

// explain tells for every value of the resource rules and of the proxy rule
// which policy set it.
func (v *view) explain(a rules.Answer) []explainModel {
	out := []explainModel{}
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

func (v *view) leaves(kind, destination string, leaves []rules.Leaf) []explainModel {
	return each(leaves, func(l rules.Leaf) explainModel {
		return explainModel{
			Type: kind, KRI: destination, Path: l.Path.String(), Value: v.text(l.Value), SetBy: setBy(l.SetBy),
			Overridden: each(l.Overridden, func(s rules.Setting) settingModel {
				return settingModel{Value: v.text(s.Value), SetBy: setBy(s.SetBy)}
			}),
		}
	})
}

func setBy(o rules.Origin) setByModel {
	return setByModel{Name: o.ResourceMeta.Name, KRI: kri(o.ResourceMeta), RuleIndex: int64(o.RuleIndex)}
}

// digest hashes what the rules do: all of the answer but who says so.
func (v *view) digest(a rules.Answer) string {
	tree, err := mesh.DecodeJSON([]byte(v.text(a)))
	if err != nil && v.err == nil {
		v.err = err
	}
	sum := sha256.Sum256([]byte(v.text(withoutOrigins(tree))))
	return hex.EncodeToString(sum[:])
}

// withoutOrigins takes out of an answer whom it comes from, and the labels of
// what it is about. Confs are left alone.
func withoutOrigins(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, e := range v {
			switch key {
			case "origin", "labels", "warnings":
			case "conf", "match":
				out[key] = e
			default:
				out[key] = withoutOrigins(e)
			}
		}
		return out
	case []any:
		return each(v, withoutOrigins)
	default:
		return v
	}
}
