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

// OfType converts a decoded JSON tree, which may contain [tree.Unknown], to a value of a type.
// Attributes that the tree lacks are null. It fails if the tree has another structure.
func OfType(ctx context.Context, t tftypes.Type, v any) (tftypes.Value, error) {
	switch v {
	case nil:
		return tftypes.NewValue(t, nil), nil
	case tree.Unknown:
		return tftypes.NewValue(t, tftypes.UnknownValue), nil
	}
	converted, err := v, error(nil)
	switch t := t.(type) {
	case tftypes.Object:
		object, out := tree.Object(v), map[string]tftypes.Value{}
		for name, of := range t.AttributeTypes {
			if out[name], err = OfType(ctx, of, object[name]); err != nil {
				return tftypes.Value{}, fmt.Errorf("%s: %w", name, err)
			}
		}
		if object != nil {
			converted = out
		}
	case tftypes.Map:
		object, out := tree.Object(v), map[string]tftypes.Value{}
		for key, e := range object {
			if out[key], err = OfType(ctx, t.ElementType, e); err != nil {
				return tftypes.Value{}, fmt.Errorf("%s: %w", key, err)
			}
		}
		if object != nil {
			converted = out
		}
	case tftypes.List:
		converted, err = elementsOf(ctx, t.ElementType, v)
	case tftypes.Set:
		converted, err = elementsOf(ctx, t.ElementType, v)
	}
	if t.Is(tftypes.DynamicPseudoType) {
		return FromTree(ctx, v).ToTerraformValue(ctx)
	}
	if n, ok := v.(json.Number); ok {
		converted, _ = tree.ParseNumber(n)
	}
	if err != nil {
		return tftypes.Value{}, err
	}
	if tftypes.ValidateValue(t, converted) != nil { // its error contains the value
		return tftypes.Value{}, fmt.Errorf("must be of type %s", t)
	}
	return tftypes.NewValue(t, converted), nil
}

func elementsOf(ctx context.Context, t tftypes.Type, v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return v, nil
	}
	out := make([]tftypes.Value, len(list))
	for i, e := range list {
		var err error
		if out[i], err = OfType(ctx, t, e); err != nil {
			return nil, fmt.Errorf("%d: %w", i, err)
		}
	}
	return out, nil
}
