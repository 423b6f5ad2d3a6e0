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

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// Session manages one resource step by step.
type Session struct {
	terraform Terraform
	typeName  string
	typ       tftypes.Type
	Instance  Instance // of the state
}

// NewSession returns a session for one resource, with a configured provider.
func NewSession(t *testing.T, typeName string, config map[string]any) *Session {
	t.Helper()
	s := &Session{terraform: NewTerraform(t), typeName: typeName}
	if ok, said := ConfigureServer(t, s.terraform.Server, config); !ok {
		t.Fatal(said)
	}
	s.typ = s.terraform.Schemas.ResourceSchemas[typeName].ValueType()
	return s
}

// Apply plans and applies a configuration, nil for none. before is called in
// between.
func (s *Session) Apply(t *testing.T, config map[string]any, before func()) []*tfprotov6.Diagnostic {
	t.Helper()
	planned, diags := s.Plan(t, config)
	if HasErrors(diags) {
		return diags
	}
	if before != nil {
		before()
	}
	s.Instance, diags = s.terraform.Apply(t, planned)
	return diags
}

// Plan plans a configuration, nil for none.
func (s *Session) Plan(t *testing.T, config map[string]any) (Change, []*tfprotov6.Diagnostic) {
	t.Helper()
	wanted := tftypes.NewValue(s.typ, nil)
	if config != nil {
		wanted = ValueOf(t, s.typ, config)
	}
	return s.terraform.Plan(t, s.typeName, wanted, s.Instance, false)
}

// Refresh reads the resource of the state.
func (s *Session) Refresh(t *testing.T) []*tfprotov6.Diagnostic {
	t.Helper()
	var diags []*tfprotov6.Diagnostic
	s.Instance, diags = s.terraform.Refresh(t, s.typeName, s.Instance)
	return diags
}

// State returns the state of the resource, null when there is none.
func (s *Session) State() tftypes.Value {
	if v := s.Instance.Value; v.Type() != nil {
		return v
	}
	return tftypes.NewValue(s.typ, nil)
}

// Read reads a data source.
func (s *Session) Read(t *testing.T, typeName string, config map[string]any) (tftypes.Value, []*tfprotov6.Diagnostic) {
	t.Helper()
	return s.terraform.ReadData(t, typeName, ValueOf(t, s.terraform.Schemas.DataSourceSchemas[typeName].ValueType(), config))
}

// ConfigureServer configures a provider on its protocol, and reports whether it
// can be used.
func ConfigureServer(t *testing.T, server tfprotov6.ProviderServer, values map[string]any) (ok bool, said []string) {
	t.Helper()
	schemas, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	testworld.NoError(t, err)
	typ := schemas.Provider.ValueType()
	config, err := tfprotov6.NewDynamicValue(typ, ValueOf(t, typ, values))
	testworld.NoError(t, err)
	resp, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.11.4", Config: &config})
	testworld.NoError(t, err)
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

func valuesOf(t *testing.T, list []any, typ func(i int) tftypes.Type) []tftypes.Value {
	t.Helper()
	var values []tftypes.Value
	for i, e := range list {
		values = append(values, ValueOf(t, typ(i), e))
	}
	return values
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
		return tftypes.NewValue(typ, valuesOf(t, v.([]any), func(int) tftypes.Type { return typ.ElementType }))
	case tftypes.Set:
		return tftypes.NewValue(typ, valuesOf(t, v.([]any), func(int) tftypes.Type { return typ.ElementType }))
	case tftypes.Tuple:
		return tftypes.NewValue(typ, valuesOf(t, v.([]any), func(i int) tftypes.Type { return typ.ElementTypes[i] }))
	case tftypes.Map:
		values := map[string]tftypes.Value{}
		for key, e := range v.(map[string]any) {
			values[key] = ValueOf(t, typ.ElementType, e)
		}
		return tftypes.NewValue(typ, values)
	default:
		if number, ok := v.(json.Number); ok {
			f, _, err := big.ParseFloat(number.String(), 10, 512, big.ToNearestEven)
			testworld.NoError(t, err)
			v = f
		}
		return tftypes.NewValue(typ, v)
	}
}
