package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
)

// session manages one resource step by step.
type session struct {
	terraform provider.Terraform
	typeName  string
	typ       tftypes.Type
	instance  provider.Instance // of the state
}

func newSession(t *testing.T, typeName string, config map[string]any) *session {
	t.Helper()
	s := &session{terraform: provider.NewTerraform(t), typeName: typeName}
	if ok, said := configureServer(t, s.terraform.Server(), config); !ok {
		t.Fatal(said)
	}
	s.typ = s.terraform.Schemas().ResourceSchemas[typeName].ValueType()
	return s
}

// apply plans and applies a configuration, nil for none. before is called in
// between.
func (s *session) apply(t *testing.T, config map[string]any, before func()) []*tfprotov6.Diagnostic {
	t.Helper()
	wanted := tftypes.NewValue(s.typ, nil)
	if config != nil {
		wanted = valueOf(t, s.typ, config)
	}
	planned, diags := s.terraform.Plan(t, s.typeName, wanted, s.instance, false)
	if provider.HasErrors(diags) {
		return diags
	}
	if before != nil {
		before()
	}
	s.instance, diags = s.terraform.Apply(t, planned)
	return diags
}

// refresh reads the resource of the state.
func (s *session) refresh(t *testing.T) []*tfprotov6.Diagnostic {
	t.Helper()
	var diags []*tfprotov6.Diagnostic
	s.instance, diags = s.terraform.Refresh(t, s.typeName, s.instance)
	return diags
}

// state returns the state of the resource, null when there is none.
func (s *session) state() tftypes.Value {
	if v := s.instance.Value(); v.Type() != nil {
		return v
	}
	return tftypes.NewValue(s.typ, nil)
}

// read reads a data source.
func (s *session) read(t *testing.T, typeName string, config map[string]any) (tftypes.Value, []*tfprotov6.Diagnostic) {
	t.Helper()
	return s.terraform.ReadData(t, typeName, valueOf(t, s.terraform.Schemas().DataSourceSchemas[typeName].ValueType(), config))
}
