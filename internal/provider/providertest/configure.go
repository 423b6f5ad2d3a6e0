package providertest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// ConfigureServer configures a provider on its protocol, and reports whether it
// can be used.
func ConfigureServer(t *testing.T, server tfprotov6.ProviderServer, values map[string]any) (ok bool, said []string) {
	t.Helper()
	schemas, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	typ := schemas.Provider.ValueType()
	config, err := tfprotov6.NewDynamicValue(typ, ValueOf(t, typ, values))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.11.4", Config: &config})
	if err != nil {
		t.Fatal(err)
	}
	return !HasErrors(resp.Diagnostics), Told(resp.Diagnostics)
}

// Told formats diagnostics, one per line.
func Told(diags []*tfprotov6.Diagnostic) []string {
	var out []string
	for _, d := range diags {
		var at []string
		for _, step := range d.Attribute.Steps() {
			if name, ok := step.(tftypes.AttributeName); ok {
				at = append(at, string(name))
			}
		}
		out = append(out, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s: %s", d.Severity, strings.Join(at, "."), d.Summary, d.Detail)), " "))
	}
	return out
}

// typeOf returns the type that Terraform gives an expression.
func typeOf(v any) tftypes.Type {
	switch v := v.(type) {
	case map[string]any:
		types := map[string]tftypes.Type{}
		for name, e := range v {
			types[name] = typeOf(e)
		}
		return tftypes.Object{AttributeTypes: types}
	case []any:
		types := make([]tftypes.Type, len(v))
		for i, e := range v {
			types[i] = typeOf(e)
		}
		return tftypes.Tuple{ElementTypes: types}
	case json.Number: // of a decoded document
		return tftypes.Number
	default:
		return tftypes.String
	}
}

// ValueOf converts Go values to a Terraform value; missing attributes are null.
func ValueOf(t *testing.T, typ tftypes.Type, v any) tftypes.Value {
	t.Helper()
	if v == nil || v == tftypes.UnknownValue {
		return tftypes.NewValue(typ, v)
	}
	if typ.Is(tftypes.DynamicPseudoType) {
		typ = typeOf(v)
	}
	switch typ := typ.(type) {
	case tftypes.Object:
		fields, _ := v.(map[string]any)
		values := map[string]tftypes.Value{}
		for name, attributeType := range typ.AttributeTypes {
			values[name] = ValueOf(t, attributeType, fields[name])
			if list, ok := attributeType.(tftypes.List); ok && fields[name] == nil {
				if _, block := list.ElementType.(tftypes.Object); block { // an absent block list is empty
					values[name] = tftypes.NewValue(attributeType, []tftypes.Value{})
				}
			}
		}
		return tftypes.NewValue(typ, values)
	case tftypes.List:
		var values []tftypes.Value
		for _, e := range v.([]any) {
			values = append(values, ValueOf(t, typ.ElementType, e))
		}
		return tftypes.NewValue(typ, values)
	case tftypes.Set:
		var values []tftypes.Value
		for _, e := range v.([]any) {
			values = append(values, ValueOf(t, typ.ElementType, e))
		}
		return tftypes.NewValue(typ, values)
	case tftypes.Tuple:
		var values []tftypes.Value
		for i, e := range v.([]any) {
			values = append(values, ValueOf(t, typ.ElementTypes[i], e))
		}
		return tftypes.NewValue(typ, values)
	case tftypes.Map:
		values := map[string]tftypes.Value{}
		for key, e := range v.(map[string]any) {
			values[key] = ValueOf(t, typ.ElementType, e)
		}
		return tftypes.NewValue(typ, values)
	default:
		if number, ok := v.(json.Number); ok {
			f, _, err := big.ParseFloat(number.String(), 10, 512, big.ToNearestEven)
			if err != nil {
				t.Fatal(err)
			}
			v = f
		}
		return tftypes.NewValue(typ, v)
	}
}
