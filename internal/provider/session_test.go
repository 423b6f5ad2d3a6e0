package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
)

// session drives one resource through the protocol, as Terraform would, where a
// test has to look at each step.
type session struct {
	server   tfprotov6.ProviderServer
	typeName string
	typ      tftypes.Type
	computed map[string]bool         // attributes that the provider computes
	data     map[string]tftypes.Type // of the data sources

	state   tftypes.Value // null when there is none
	private []byte
}

func newSession(t *testing.T, typeName string, config map[string]any) *session {
	t.Helper()
	s := &session{server: provider.NewServer("test")(), typeName: typeName, data: map[string]tftypes.Type{}}
	if ok, said := configureServer(t, s.server, config); !ok {
		t.Fatal(said)
	}
	schemas, err := s.server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	s.typ = schemas.ResourceSchemas[typeName].ValueType()
	s.computed = map[string]bool{}
	for _, a := range schemas.ResourceSchemas[typeName].Block.Attributes {
		s.computed[a.Name] = a.Computed
	}
	for name, schema := range schemas.DataSourceSchemas {
		s.data[name] = schema.ValueType()
	}
	s.state = tftypes.NewValue(s.typ, nil)
	return s
}

// apply plans and applies a configuration, nil for none. before is called in
// between.
func (s *session) apply(t *testing.T, config map[string]any, before func()) []*tfprotov6.Diagnostic {
	t.Helper()
	wanted := tftypes.NewValue(s.typ, nil)
	proposed := wanted
	if config != nil {
		wanted = valueOf(t, s.typ, config)
		proposed = s.withComputed(t, wanted)
	}
	provider.StartRun(s.server)
	plan, err := s.server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: s.typeName, PriorState: s.pack(t, s.state), Config: s.pack(t, wanted), ProposedNewState: s.pack(t, proposed), PriorPrivate: s.private,
	})
	if err != nil {
		t.Fatal(err)
	}
	if hasErrors(plan.Diagnostics) {
		return plan.Diagnostics
	}
	if before != nil {
		before()
	}
	provider.StartRun(s.server)
	done, err := s.server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: s.typeName, PriorState: s.pack(t, s.state), Config: s.pack(t, wanted), PlannedState: plan.PlannedState,
		PlannedPrivate: plan.PlannedPrivate, PlannedIdentity: plan.PlannedIdentity,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.take(t, done.NewState, done.Private)
	return done.Diagnostics
}

// refresh reads the resource of the state.
func (s *session) refresh(t *testing.T) []*tfprotov6.Diagnostic {
	t.Helper()
	read, err := s.server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: s.typeName, CurrentState: s.pack(t, s.state), Private: s.private})
	if err != nil {
		t.Fatal(err)
	}
	s.take(t, read.NewState, read.Private)
	return read.Diagnostics
}

// read reads a data source.
func (s *session) read(t *testing.T, typeName string, config map[string]any) (tftypes.Value, []*tfprotov6.Diagnostic) {
	t.Helper()
	typ := s.data[typeName]
	packed, err := tfprotov6.NewDynamicValue(typ, valueOf(t, typ, config))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: typeName, Config: &packed})
	if err != nil {
		t.Fatal(err)
	}
	v, err := resp.State.Unmarshal(typ)
	if err != nil {
		t.Fatal(err)
	}
	return v, resp.Diagnostics
}

func (s *session) take(t *testing.T, state *tfprotov6.DynamicValue, private []byte) {
	t.Helper()
	v, err := state.Unmarshal(s.typ)
	if err != nil {
		t.Fatal(err)
	}
	s.state, s.private = v, private
}

func (s *session) pack(t *testing.T, v tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	packed, err := tfprotov6.NewDynamicValue(s.typ, v)
	if err != nil {
		t.Fatal(err)
	}
	return &packed
}

// withComputed is what Terraform proposes: the configuration, with what it does
// not set taken from the state.
func (s *session) withComputed(t *testing.T, config tftypes.Value) tftypes.Value {
	t.Helper()
	var wanted, is map[string]tftypes.Value
	if err := config.As(&wanted); err != nil {
		t.Fatal(err)
	}
	if s.state.IsNull() {
		return config
	}
	if err := s.state.As(&is); err != nil {
		t.Fatal(err)
	}
	proposed := map[string]tftypes.Value{}
	for name, v := range wanted {
		proposed[name] = v
		if s.computed[name] && v.IsNull() {
			proposed[name] = is[name]
		}
	}
	return tftypes.NewValue(config.Type(), proposed)
}
