package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// dynamic turns a decoded JSON tree into a Terraform value of the same shape.
func dynamic(ctx context.Context, v any) attr.Value {
	switch v := v.(type) {
	case map[string]any:
		values, valueTypes := make(map[string]attr.Value, len(v)), make(map[string]attr.Type, len(v))
		for k, e := range v {
			values[k] = dynamic(ctx, e)
			valueTypes[k] = values[k].Type(ctx)
		}
		return types.ObjectValueMust(valueTypes, values)
	case []any:
		values, valueTypes := make([]attr.Value, len(v)), make([]attr.Type, len(v))
		for i, e := range v {
			values[i] = dynamic(ctx, e)
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
