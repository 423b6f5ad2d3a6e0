package tfvalue_test

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestOfType checks values of all types, and that what the tree lacks is null.
func TestOfType(t *testing.T) {
	t.Parallel()
	element := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.String, "port": tftypes.Number}}
	whole := tftypes.Object{AttributeTypes: map[string]tftypes.Type{
		"list": tftypes.List{ElementType: element}, "map": tftypes.Map{ElementType: tftypes.Bool}, "any": tftypes.DynamicPseudoType, "set": tftypes.Set{ElementType: tftypes.String}, "later": tftypes.String, "none": tftypes.DynamicPseudoType,
	}}
	got, err := tfvalue.OfType(t.Context(), whole, map[string]any{
		"list": []any{map[string]any{"port": json.Number("0.5")}}, "map": map[string]any{"a": true}, "any": map[string]any{"x": "y"}, "set": []any{"a"}, "later": tree.Unknown,
	})
	testworld.NoError(t, err)
	want := tftypes.NewValue(whole, map[string]tftypes.Value{
		"list": tftypes.NewValue(whole.AttributeTypes["list"], []tftypes.Value{
			tftypes.NewValue(element, map[string]tftypes.Value{"name": tftypes.NewValue(tftypes.String, nil), "port": tftypes.NewValue(tftypes.Number, big.NewFloat(0.5))}),
		}),
		"map":   tftypes.NewValue(whole.AttributeTypes["map"], map[string]tftypes.Value{"a": tftypes.NewValue(tftypes.Bool, true)}),
		"any":   tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"x": tftypes.String}}, map[string]tftypes.Value{"x": tftypes.NewValue(tftypes.String, "y")}),
		"set":   tftypes.NewValue(whole.AttributeTypes["set"], []tftypes.Value{tftypes.NewValue(tftypes.String, "a")}),
		"later": tftypes.NewValue(tftypes.String, tftypes.UnknownValue),
		"none":  tftypes.NewValue(tftypes.DynamicPseudoType, nil),
	})
	if !got.Equal(want) {
		t.Errorf("got %s, want %s", got, want)
	}
	for field, v := range map[string]any{"list": "a", "map": []any{}, "set": map[string]any{}, "later": true} {
		if got, err := tfvalue.OfType(t.Context(), whole, map[string]any{field: v}); err == nil {
			t.Errorf("%s = %v is accepted: %s", field, v, got)
		}
	}
}
