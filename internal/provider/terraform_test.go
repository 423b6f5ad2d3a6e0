package provider

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// Terraform calls the provider in process as Terraform does, over the plugin protocol.
type Terraform struct {
	server  tfprotov6.ProviderServer
	schemas *tfprotov6.GetProviderSchemaResponse
}

// schemas are those of the provider, requested once.
var schemas = sync.OnceValues(func() (*tfprotov6.GetProviderSchemaResponse, error) {
	return NewServer("test", Impatient)().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
})

// NewTerraform returns a Terraform whose provider is not configured.
func NewTerraform(tb testing.TB) Terraform {
	tb.Helper()
	s, err := schemas()
	if err != nil {
		tb.Fatal(err)
	}
	return Terraform{server: NewServer("test", Impatient)(), schemas: s}
}

// StartRun resets the state of the run of a server: Terraform starts a server for each plan
// and for each apply.
func StartRun(s tfprotov6.ProviderServer) {
	s.(interface{ StartRun() }).StartRun()
}

// Server returns the provider.
func (f Terraform) Server() tfprotov6.ProviderServer { return f.server }

// Schemas returns the schemas of the provider.
func (f Terraform) Schemas() *tfprotov6.GetProviderSchemaResponse { return f.schemas }

// instance is a resource in the state. The zero value is a missing one.
type instance struct {
	value    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

// change is a planned step from one state of a resource to the next. For a
// replacement, it is the creation that follows the deletion.
type change struct {
	typeName string
	config   tftypes.Value
	prior    instance
	planned  instance
	replaced bool
}

// empty reports whether the change does nothing.
func (c change) empty() bool {
	return c.prior.value.Type() != nil && !c.replaced && c.planned.value.Equal(c.prior.value)
}

// Plan plans a configuration in its own run. A resource that must be replaced
// is planned a second time, without prior state.
func (f Terraform) Plan(tb testing.TB, typeName string, config tftypes.Value, prior instance, replace bool) (change, []*tfprotov6.Diagnostic) {
	tb.Helper()
	StartRun(f.server)
	f.readState(tb, typeName, prior)
	planned := change{typeName: typeName, config: config, prior: prior}
	resp := f.propose(tb, planned, prior)
	diags := resp.Diagnostics
	if !HasErrors(diags) && prior.value.Type() != nil && !config.IsNull() && (replace || len(resp.RequiresReplace) > 0) {
		planned.replaced = true
		resp = f.propose(tb, planned, instance{private: resp.PlannedPrivate})
		diags = append(diags, resp.Diagnostics...)
	}
	if resp.PlannedState != nil {
		planned.planned = instance{unpack(tb, resp.PlannedState, f.schemas.ResourceSchemas[typeName].Block), resp.PlannedPrivate, resp.PlannedIdentity}
	}
	return planned, diags
}

// Apply applies a plan in its own run, in which Terraform plans again, and
// checks that the result is what was planned. The configuration is that of the
// plan, with all values known. After errors, it returns what is then in the
// state.
func (f Terraform) Apply(tb testing.TB, planned change) (instance, []*tfprotov6.Diagnostic) {
	tb.Helper()
	StartRun(f.server)
	f.readState(tb, planned.typeName, planned.prior)
	if planned.replaced {
		none := tftypes.NewValue(planned.config.Type(), nil)
		after, diags := f.carryOut(tb, change{typeName: planned.typeName, config: none, prior: planned.prior, planned: instance{value: none}})
		if HasErrors(diags) {
			return after, diags
		}
		planned.prior = instance{}
	}
	if !planned.planned.value.IsNull() {
		again, diags := f.planAgain(tb, planned)
		if HasErrors(diags) {
			return planned.prior, diags
		}
		planned.planned = again
	}
	return f.carryOut(tb, planned)
}

// planAgain plans as Terraform does before it applies a change: the plan must
// be the same, except for what was unknown.
func (f Terraform) planAgain(tb testing.TB, planned change) (instance, []*tfprotov6.Diagnostic) {
	tb.Helper()
	resp := f.propose(tb, planned, planned.prior)
	if HasErrors(resp.Diagnostics) {
		return instance{}, resp.Diagnostics
	}
	again := instance{unpack(tb, resp.PlannedState, f.schemas.ResourceSchemas[planned.typeName].Block), resp.PlannedPrivate, resp.PlannedIdentity}
	if planned.planned.value.IsFullyKnown() && !again.value.Equal(planned.planned.value) {
		diffs, _ := planned.planned.value.Diff(again.value)
		tb.Fatalf("the plan of the apply is another one: %v", diffs)
	}
	return again, nil
}

func (f Terraform) carryOut(tb testing.TB, planned change) (instance, []*tfprotov6.Diagnostic) {
	tb.Helper()
	block := f.schemas.ResourceSchemas[planned.typeName].Block
	before := planned.prior.value
	if before.Type() == nil {
		before = tftypes.NewValue(block.ValueType(), nil)
	}
	resp, err := f.server.ApplyResourceChange(tb.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: planned.typeName, Config: pack(tb, planned.config), PriorState: pack(tb, before), PlannedState: pack(tb, planned.planned.value),
		PlannedPrivate: planned.planned.private, PlannedIdentity: planned.planned.identity,
	})
	if err != nil {
		tb.Fatal(err)
	}
	after := unpack(tb, resp.NewState, block)
	if !HasErrors(resp.Diagnostics) && planned.planned.value.IsFullyKnown() && !after.Equal(planned.planned.value) {
		diffs, _ := planned.planned.value.Diff(after)
		tb.Fatalf("the result of the apply is not what was planned: %v", diffs)
	}
	if after.IsNull() {
		return instance{}, resp.Diagnostics
	}
	return instance{after, resp.Private, resp.NewIdentity}, resp.Diagnostics
}

// Refresh reads a resource again; the zero instance when it is gone.
func (f Terraform) Refresh(tb testing.TB, typeName string, i instance) (instance, []*tfprotov6.Diagnostic) {
	tb.Helper()
	resp, err := f.server.ReadResource(tb.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: typeName, CurrentState: pack(tb, i.value), Private: i.private, CurrentIdentity: i.identity,
	})
	if err != nil {
		tb.Fatal(err)
	}
	if HasErrors(resp.Diagnostics) {
		return i, resp.Diagnostics
	}
	value := unpack(tb, resp.NewState, f.schemas.ResourceSchemas[typeName].Block)
	if value.IsNull() {
		return instance{}, resp.Diagnostics
	}
	return instance{value, resp.Private, resp.NewIdentity}, resp.Diagnostics
}

// ReadData reads a data source.
func (f Terraform) ReadData(tb testing.TB, typeName string, config tftypes.Value) (tftypes.Value, []*tfprotov6.Diagnostic) {
	tb.Helper()
	resp, err := f.server.ReadDataSource(tb.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: typeName, Config: pack(tb, config)})
	if err != nil {
		tb.Fatal(err)
	}
	return unpack(tb, resp.State, f.schemas.DataSourceSchemas[typeName].Block), resp.Diagnostics
}

// readState sends a resource of the state to the provider, as Terraform does
// before any other request about it.
func (f Terraform) readState(tb testing.TB, typeName string, i instance) {
	tb.Helper()
	if i.value.Type() == nil {
		return
	}
	raw := rawState(tb, f.schemas.ResourceSchemas[typeName].Block, i.value)
	resp, err := f.server.UpgradeResourceState(tb.Context(), &tfprotov6.UpgradeResourceStateRequest{TypeName: typeName, RawState: raw})
	if err != nil || len(resp.Diagnostics) > 0 {
		tb.Fatal(err, messages(resp.Diagnostics))
	}
}

// rawState is a value as it is in the state file.
func rawState(tb testing.TB, block *tfprotov6.SchemaBlock, value tftypes.Value) *tfprotov6.RawState {
	tb.Helper()
	typ := hcldec.ImpliedType(decoderOf(tb, block))
	v, err := msgpack.Unmarshal(pack(tb, value).MsgPack, typ)
	if err != nil {
		tb.Fatal(err)
	}
	raw, err := ctyjson.Marshal(v, typ)
	if err != nil {
		tb.Fatal(err)
	}
	return &tfprotov6.RawState{JSON: raw}
}

// propose requests a plan.
func (f Terraform) propose(tb testing.TB, planned change, prior instance) *tfprotov6.PlanResourceChangeResponse {
	tb.Helper()
	block := f.schemas.ResourceSchemas[planned.typeName].Block
	before := prior.value
	if before.Type() == nil {
		before = tftypes.NewValue(block.ValueType(), nil)
	}
	resp, err := f.server.PlanResourceChange(tb.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: planned.typeName, Config: pack(tb, planned.config), PriorState: pack(tb, before), PriorPrivate: prior.private, PriorIdentity: prior.identity,
		ProposedNewState: pack(tb, proposedState(tb, block, planned.config, before)),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return resp
}

// proposedState is the configuration, with the computed values that it does not
// set taken from the state. The blocks of a list are those of the state at the
// same positions.
func proposedState(tb testing.TB, block *tfprotov6.SchemaBlock, config, state tftypes.Value) tftypes.Value {
	tb.Helper()
	if config.IsNull() || !config.IsKnown() {
		return config
	}
	proposed, errConfig := tfvalue.Attributes(config)
	was, errState := tfvalue.Attributes(state)
	if errConfig != nil || errState != nil {
		tb.Fatal(errConfig, errState)
	}
	for _, a := range block.Attributes {
		if v := proposed[a.Name]; a.WriteOnly || a.Computed && v.IsNull() {
			proposed[a.Name] = tfvalue.OrNull(was[a.Name], a.Type)
		}
	}
	for _, b := range block.BlockTypes {
		typ := b.Block.ValueType()
		if b.Nesting == tfprotov6.SchemaNestedBlockNestingModeSingle {
			proposed[b.TypeName] = proposedState(tb, b.Block, proposed[b.TypeName], tfvalue.OrNull(was[b.TypeName], typ))
			continue
		}
		list := proposed[b.TypeName]
		if list.IsNull() || !list.IsKnown() {
			continue
		}
		elements, before := elementsOf(tb, list), elementsOf(tb, tfvalue.OrNull(was[b.TypeName], list.Type()))
		for i := range elements {
			prior := tftypes.NewValue(typ, nil)
			if i < len(before) {
				prior = before[i]
			}
			elements[i] = proposedState(tb, b.Block, elements[i], prior)
		}
		proposed[b.TypeName] = tftypes.NewValue(list.Type(), elements)
	}
	return tftypes.NewValue(block.ValueType(), proposed)
}

func elementsOf(tb testing.TB, list tftypes.Value) []tftypes.Value {
	tb.Helper()
	var elements []tftypes.Value
	if err := list.As(&elements); err != nil {
		tb.Fatal(err)
	}
	return slices.Clone(elements)
}

func pack(tb testing.TB, v tftypes.Value) *tfprotov6.DynamicValue {
	tb.Helper()
	packed, err := tfprotov6.NewDynamicValue(v.Type(), v)
	if err != nil {
		tb.Fatal(err)
	}
	return &packed
}

func unpack(tb testing.TB, v *tfprotov6.DynamicValue, b *tfprotov6.SchemaBlock) tftypes.Value {
	tb.Helper()
	value, err := v.Unmarshal(b.ValueType())
	if err != nil {
		tb.Fatal(err)
	}
	return value
}

// HasErrors reports whether one of the diagnostics is an error.
func HasErrors(diags []*tfprotov6.Diagnostic) bool {
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return true
		}
	}
	return false
}

func messages(diags []*tfprotov6.Diagnostic) string {
	var out string
	for _, d := range diags {
		out += fmt.Sprintf("%s: %s %s (%s)\n", d.Severity, d.Summary, d.Detail, d.Attribute)
	}
	return out
}
