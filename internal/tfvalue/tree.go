package tfvalue

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// FromTree converts a decoded JSON tree to a Terraform value with the same
// structure.
func FromTree(ctx context.Context, v any) attr.Value {
	switch v := v.(type) {
	case map[string]any:
		values, valueTypes := make(map[string]attr.Value, len(v)), make(map[string]attr.Type, len(v))
		for k, e := range v {
			values[k] = FromTree(ctx, e)
			valueTypes[k] = values[k].Type(ctx)
		}
		return types.ObjectValueMust(valueTypes, values)
	case []any:
		values, valueTypes := make([]attr.Value, len(v)), make([]attr.Type, len(v))
		for i, e := range v {
			values[i] = FromTree(ctx, e)
			valueTypes[i] = values[i].Type(ctx)
		}
		return types.TupleValueMust(valueTypes, values)
	case string:
		return types.StringValue(v)
	case bool:
		return types.BoolValue(v)
	case json.Number:
		n, ok := tree.ParseNumber(v)
		if !ok {
			return types.StringValue(v.String())
		}
		return types.NumberValue(n)
	default:
		return types.StringNull()
	}
}

// ToTree converts any Terraform value to a decoded JSON tree that may contain
// [tree.Unknown]. Null attributes are omitted.
func ToTree(v tftypes.Value) (any, error) {
	switch {
	case v.Type() == nil || v.IsKnown() && v.IsNull():
		return nil, nil
	case !v.IsKnown():
		return tree.Unknown, nil
	}
	switch v.Type().(type) {
	case tftypes.Object, tftypes.Map:
		values, err := Attributes(v)
		if err != nil {
			return nil, err
		}
		out := make(map[string]any, len(values))
		for name, e := range values {
			decoded, err := ToTree(e)
			if err != nil {
				return nil, err
			}
			if decoded != nil {
				out[name] = decoded
			}
		}
		return out, nil
	case tftypes.Tuple, tftypes.List, tftypes.Set:
		var elems []tftypes.Value
		if err := v.As(&elems); err != nil {
			return nil, err
		}
		out := make([]any, len(elems))
		for i, e := range elems {
			var err error
			if out[i], err = ToTree(e); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return scalarOf(v)
}

// scalarOf returns a known single value.
func scalarOf(v tftypes.Value) (any, error) {
	switch {
	case v.Type().Is(tftypes.String):
		var text string
		err := v.As(&text)
		return text, err
	case v.Type().Is(tftypes.Number):
		var n big.Float
		err := v.As(&n)
		return number(&n), err
	case v.Type().Is(tftypes.Bool):
		var b bool
		err := v.As(&b)
		return b, err
	default:
		return nil, fmt.Errorf("must be a single value, not %s", v.Type())
	}
}

// OfType converts a decoded JSON tree to a value of a type. Attributes that the tree lacks are
// null.
func OfType(ctx context.Context, t tftypes.Type, v any) tftypes.Value {
	if v == nil {
		return tftypes.NewValue(t, nil)
	}
	switch t := t.(type) {
	case tftypes.Object:
		object, out := tree.Object(v), map[string]tftypes.Value{}
		for name, of := range t.AttributeTypes {
			out[name] = OfType(ctx, of, object[name])
		}
		return tftypes.NewValue(t, out)
	case tftypes.Map:
		out := map[string]tftypes.Value{}
		for key, e := range tree.Object(v) {
			out[key] = OfType(ctx, t.ElementType, e)
		}
		return tftypes.NewValue(t, out)
	case tftypes.List:
		list := tree.List(v)
		out := make([]tftypes.Value, len(list))
		for i, e := range list {
			out[i] = OfType(ctx, t.ElementType, e)
		}
		return tftypes.NewValue(t, out)
	}
	if t.Is(tftypes.DynamicPseudoType) {
		value, err := FromTree(ctx, v).ToTerraformValue(ctx)
		if err != nil {
			panic(err) // values of trees have no other types
		}
		return value
	}
	if n, ok := v.(json.Number); ok {
		v, _ = tree.ParseNumber(n)
	}
	return tftypes.NewValue(t, v)
}
