package report

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// Arguments reads the arguments of everything that is not a kind into a model, and reports
// whether they are valid. A null element of a collection, which the framework would call an
// error of the provider, is one of the configuration. In the root attributes omissible, which
// are maps, it is the same as no element.
func Arguments(ctx context.Context, config tfsdk.Config, into any, diags *diag.Diagnostics, omissible ...string) bool {
	for _, name := range omissible {
		config.Raw = withoutNulls(config.Raw, name)
	}
	before := diags.ErrorsCount()
	reportNulls(config.Schema.Type().TerraformType(ctx), config.Raw, path.Empty(), diags)
	if diags.ErrorsCount() == before {
		diags.Append(config.Get(ctx, into)...)
	}
	return diags.ErrorsCount() == before
}

// withoutNulls returns a configuration without the null elements of the map in an attribute.
func withoutNulls(config tftypes.Value, name string) tftypes.Value {
	attributes, err := tfvalue.Attributes(config)
	if err != nil || !attributes[name].IsKnown() || attributes[name].IsNull() {
		return config
	}
	elements, err := tfvalue.Attributes(attributes[name])
	if err != nil {
		return config
	}
	maps.DeleteFunc(elements, func(_ string, e tftypes.Value) bool { return e.IsNull() })
	attributes[name] = tftypes.NewValue(attributes[name].Type(), elements)
	return tftypes.NewValue(config.Type(), attributes)
}

// reportNulls reports each null element of a collection of a value. The value of a dynamic
// attribute has rules of its own.
func reportNulls(typ tftypes.Type, v tftypes.Value, at path.Path, diags *diag.Diagnostics) {
	var list []tftypes.Value
	var fields map[string]tftypes.Value
	_, _ = v.As(&list), v.As(&fields) // which stay empty if the value is unknown or has another type
	element := func(typ tftypes.Type, e tftypes.Value, place path.Path, which string) {
		if !e.IsNull() {
			reportNulls(typ, e, place, diags)
			return
		}
		diags.AddAttributeError(place, "Null element", fmt.Sprintf("%s of %s is null. Set it to a value, or remove it. The expression "+
			"[for v in X : v if v != null] omits what is null from a list or set X, and { for k, v in X : k => v if v != null } from a map.", which,
			at))
	}
	switch typ := typ.(type) {
	case tftypes.Object:
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			reportNulls(typ.AttributeTypes[name], fields[name], at.AtName(name), diags)
		}
	case tftypes.Map:
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			element(typ.ElementType, fields[key], at.AtMapKey(key), fmt.Sprintf("The element %q", key))
		}
	case tftypes.List:
		for i, e := range list {
			element(typ.ElementType, e, at.AtListIndex(i), fmt.Sprintf("The element with index %d", i))
		}
	case tftypes.Set:
		for _, e := range list { // which have no position
			element(typ.ElementType, e, at, "An element")
		}
	}
}
