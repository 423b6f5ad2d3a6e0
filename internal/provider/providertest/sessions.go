package providertest

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
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
