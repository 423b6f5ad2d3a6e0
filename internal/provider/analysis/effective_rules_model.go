package analysis

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/digest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

type effectiveRulesModel struct {
	analysisArguments
	Dataplane       types.String               `tfsdk:"dataplane"`
	Proxy           types.Dynamic              `tfsdk:"proxy"`
	Dataplanes      *DataplanesModel           `tfsdk:"dataplanes"`
	Types           types.Set                  `tfsdk:"types"`
	Include         types.Set                  `tfsdk:"include"`
	Defaults        types.Bool                 `tfsdk:"defaults"`
	Destination     *destinationModel          `tfsdk:"destination"`
	Rules           types.List                 `tfsdk:"rules"` // written by [effectiveRulesModel.write]
	Conf            types.Dynamic              `tfsdk:"conf"`
	DestinationConf types.Dynamic              `tfsdk:"destination_conf"`
	Explain         types.List                 `tfsdk:"explain"`          // written by [effectiveRulesModel.write]
	IgnoredRules    types.List                 `tfsdk:"ignored_rules"`    // written by [effectiveRulesModel.write]
	DefaultSettings types.List                 `tfsdk:"default_settings"` // written by [effectiveRulesModel.write]
	Explanation     types.String               `tfsdk:"explanation"`
	Diagram         types.String               `tfsdk:"diagram"`
	Warnings        []string                   `tfsdk:"warnings"`
	Digest          types.String               `tfsdk:"digest"`
	JSON            types.String               `tfsdk:"json"`
	GroupCount      types.Int64                `tfsdk:"group_count"`
	Groups          []effectiveRulesGroupModel `tfsdk:"groups"`

	long map[string][]any // lists of objects, as trees
}

// show sets the attributes that contain the answer itself, the long ones only if they
// are included.
func (m *effectiveRulesModel) show(ctx context.Context, s *rules.Snapshot, a rules.Answer, include []string) error {
	sum, err := digest.Of(s, a)
	if err != nil {
		return err
	}
	m.Digest = types.StringValue(sum)
	e := Encoder{}
	conf := map[string]any{}
	for _, p := range a.Rules {
		conf[p.Type] = ConfByKRI(KRI(a.Resource), p)
	}
	m.Conf = types.DynamicValue(tfvalue.FromTree(ctx, conf))
	m.long = map[string][]any{"ignored_rules": IgnoredRules(s, a)}
	if slices.Contains(include, "rules") {
		m.long["rules"] = each(a.Rules, e.policyRules)
	}
	if slices.Contains(include, "explain") {
		m.long["explain"] = e.explain(a)
	}
	if slices.Contains(include, "json") {
		m.JSON = types.StringValue(e.JSON(a))
	}
	return e.Err
}

// write puts the model into the state. It writes the long attributes as raw
// values: the time in which the framework converts nested structures grows with
// the square of their size, which took minutes for a mesh of a few hundred
// policies.
func (m *effectiveRulesModel) write(ctx context.Context, state *tfsdk.State, diags *diag.Diagnostics) {
	t, isObject := state.Schema.Type().TerraformType(ctx).(tftypes.Object)
	if !isObject {
		panic("provider: the schema must be an object")
	}
	diags.Append(state.Set(ctx, m)...)
	root, err := tfvalue.Attributes(state.Raw)
	if err != nil || diags.HasError() {
		return
	}
	for name, decoded := range m.long {
		root[name] = valueOf(t.AttributeTypes[name], decoded)
	}
	state.Raw = tftypes.NewValue(state.Raw.Type(), root)
}

// valueOf converts a tree of maps, lists and single values into a value of a type. The
// tree must contain all attributes of the type.
func valueOf(t tftypes.Type, v any) tftypes.Value {
	if v == nil {
		return tftypes.NewValue(t, nil)
	}
	switch t := t.(type) {
	case tftypes.Object:
		decoded, _ := v.(map[string]any)
		out := make(map[string]tftypes.Value, len(t.AttributeTypes))
		for name, field := range t.AttributeTypes {
			out[name] = valueOf(field, decoded[name])
		}
		return tftypes.NewValue(t, out)
	case tftypes.Map:
		decoded, _ := v.(map[string]string)
		out := make(map[string]tftypes.Value, len(decoded))
		for key, e := range decoded {
			out[key] = valueOf(t.ElementType, e)
		}
		return tftypes.NewValue(t, out)
	case tftypes.List:
		decoded, ok := v.([]any)
		if !ok {
			panic(fmt.Sprintf("provider: %T is not a list", v))
		}
		return tftypes.NewValue(t, each(decoded, func(e any) tftypes.Value { return valueOf(t.ElementType, e) }))
	default:
		return tftypes.NewValue(t, v)
	}
}
