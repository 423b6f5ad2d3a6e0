package analysis

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

func explainAttributes() map[string]schema.Attribute {
	text, setBy := tfschema.ComputedText, computedEntry("The policy that set the value.")
	return map[string]schema.Attribute{
		"type":   text("Kind of policy."),
		"kri":    text("Identifier of the destination including its section, or of the Dataplane for settings of the proxy itself."),
		"path":   text("Path of the value in the conf, such as `http.requestTimeout`."),
		"value":  text("The value as JSON."),
		"set_by": setBy,
		"overridden": tfschema.ComputedList("Values of lower-precedence policies, lowest precedence first.", map[string]schema.Attribute{
			"value": text("The value as JSON."), "set_by": setBy,
		}),
	}
}

// explain returns for every value of the resource rules and of the proxy rule which
// policy set it.
func (e *Encoder) explain(a rules.Answer) []any {
	out := []any{}
	for _, p := range a.Rules {
		for _, r := range p.ToResourceRules {
			for _, conf := range r.Explain() {
				out = append(out, e.leaves(p.Type, KRI(r.ResourceMeta)+r.ResourceSectionName, conf)...)
			}
		}
		if p.ProxyRule != nil {
			out = append(out, e.leaves(p.Type, KRI(a.Resource), p.ProxyRule.Explain())...)
		}
	}
	return out
}

func (e *Encoder) leaves(kind, destination string, leaves []rules.Leaf) []any {
	return each(leaves, func(l rules.Leaf) any {
		return map[string]any{
			"type": kind, "kri": destination, "path": l.Path.String(), "value": e.JSON(l.Value), "set_by": setBy(l.SetBy),
			"overridden": each(l.Overridden, func(s rules.Setting) any {
				return map[string]any{"value": e.JSON(s.Value), "set_by": setBy(s.SetBy)}
			}),
		}
	})
}

func setBy(o rules.Origin) any {
	return map[string]any{"name": o.ResourceMeta.Name, "kri": KRI(o.ResourceMeta), "rule_index": o.RuleIndex}
}
