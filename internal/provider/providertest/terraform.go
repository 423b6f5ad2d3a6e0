package providertest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// Terraform calls the provider in process as Terraform does, over the plugin protocol.
type Terraform struct {
	Server  tfprotov6.ProviderServer
	Schemas *tfprotov6.GetProviderSchemaResponse
}

// schemas are the schemas of the provider, requested once.
var schemas = sync.OnceValues(func() (*tfprotov6.GetProviderSchemaResponse, error) {
	return provider.NewServer("test", Impatient)().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
})

// NewTerraform returns a Terraform whose provider is not configured.
func NewTerraform(tb testing.TB) Terraform {
	tb.Helper()
	s, err := schemas()
	testworld.NoError(tb, err)
	return Terraform{Server: provider.NewServer("test", Impatient)(), Schemas: s}
}

// StartRun resets the state of the run of a server: Terraform starts a server for each plan
// and for each apply.
func StartRun(s tfprotov6.ProviderServer) {
	s.(interface{ StartRun() }).StartRun()
}

// Instance is a resource in the state. The zero value is a missing one.
type Instance struct {
	Value    tftypes.Value
	Private  []byte
	Identity *tfprotov6.ResourceIdentityData
}

// Change is a planned step from one state of a resource to the next. For a
// replacement, it is the creation that follows the deletion.
type Change struct {
	TypeName string
	Config   tftypes.Value
	Prior    Instance
	Planned  Instance
	Replaced bool
}

// Empty reports whether the change does nothing.
func (c Change) Empty() bool {
	return c.Prior.Value.Type() != nil && !c.Replaced && c.Planned.Value.Equal(c.Prior.Value)
}

// Plan plans a configuration in its own run. A resource that must be replaced
// is planned a second time, without prior state.
func (f Terraform) Plan(tb testing.TB, typeName string, config tftypes.Value, prior Instance,
	replace bool,
) (Change, []*tfprotov6.Diagnostic) {
	tb.Helper()
	StartRun(f.Server)
	f.ReadState(tb, typeName, prior)
	planned := Change{TypeName: typeName, Config: config, Prior: prior}
	resp := f.Propose(tb, planned, prior)
	diags := resp.Diagnostics
	if !HasErrors(diags) && prior.Value.Type() != nil && !config.IsNull() && (replace || len(resp.RequiresReplace) > 0) {
		planned.Replaced = true
		resp = f.Propose(tb, planned, Instance{Private: resp.PlannedPrivate})
		diags = append(diags, resp.Diagnostics...)
	}
	if resp.PlannedState != nil {
		planned.Planned = f.planned(tb, typeName, resp)
	}
	return planned, diags
}

// Apply applies a plan in its own run, in which Terraform plans again, and
// checks that the result is what was planned. The configuration is the one
// of the plan, with all values known. After errors, it returns what is then in the
// state.
func (f Terraform) Apply(tb testing.TB, planned Change) (Instance, []*tfprotov6.Diagnostic) {
	tb.Helper()
	StartRun(f.Server)
	f.ReadState(tb, planned.TypeName, planned.Prior)
	if planned.Replaced {
		none := tftypes.NewValue(planned.Config.Type(), nil)
		after, diags := f.CarryOut(tb, Change{TypeName: planned.TypeName, Config: none, Prior: planned.Prior, Planned: Instance{Value: none}})
		if HasErrors(diags) {
			return after, diags
		}
		planned.Prior = Instance{}
	}
	if !planned.Planned.Value.IsNull() {
		again, diags := f.planAgain(tb, planned)
		if HasErrors(diags) {
			return planned.Prior, diags
		}
		planned.Planned = again
	}
	return f.CarryOut(tb, planned)
}

// planAgain plans as Terraform does before it applies a change: the plan must
// be the same, except for what was unknown.
func (f Terraform) planAgain(tb testing.TB, planned Change) (Instance, []*tfprotov6.Diagnostic) {
	tb.Helper()
	resp := f.Propose(tb, planned, planned.Prior)
	if HasErrors(resp.Diagnostics) {
		return Instance{}, resp.Diagnostics
	}
	again := f.planned(tb, planned.TypeName, resp)
	if planned.Planned.Value.IsFullyKnown() && !again.Value.Equal(planned.Planned.Value) {
		diffs, _ := planned.Planned.Value.Diff(again.Value)
		tb.Fatalf("the plan of the apply is another one: %v", diffs)
	}
	return again, nil
}

// planned is the resource that a plan leads to.
func (f Terraform) planned(tb testing.TB, typeName string, resp *tfprotov6.PlanResourceChangeResponse) Instance {
	tb.Helper()
	value := Unpack(tb, resp.PlannedState, f.Schemas.ResourceSchemas[typeName].Block)
	return Instance{value, resp.PlannedPrivate, resp.PlannedIdentity}
}

// CarryOut applies a planned change.
func (f Terraform) CarryOut(tb testing.TB, planned Change) (Instance, []*tfprotov6.Diagnostic) {
	tb.Helper()
	block := f.Schemas.ResourceSchemas[planned.TypeName].Block
	before := planned.Prior.Value
	if before.Type() == nil {
		before = tftypes.NewValue(block.ValueType(), nil)
	}
	resp, err := f.Server.ApplyResourceChange(tb.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: planned.TypeName, Config: Pack(tb, planned.Config), PriorState: Pack(tb, before), PlannedState: Pack(tb, planned.Planned.Value),
		PlannedPrivate: planned.Planned.Private, PlannedIdentity: planned.Planned.Identity,
	})
	testworld.NoError(tb, err)
	after := Unpack(tb, resp.NewState, block)
	if !HasErrors(resp.Diagnostics) && planned.Planned.Value.IsFullyKnown() && !after.Equal(planned.Planned.Value) {
		diffs, _ := planned.Planned.Value.Diff(after)
		tb.Fatalf("the result of the apply is not what was planned: %v", diffs)
	}
	if after.IsNull() {
		return Instance{}, resp.Diagnostics
	}
	return Instance{after, resp.Private, resp.NewIdentity}, resp.Diagnostics
}

// Refresh reads a resource again; the zero instance when it is gone.
func (f Terraform) Refresh(tb testing.TB, typeName string, i Instance) (Instance, []*tfprotov6.Diagnostic) {
	tb.Helper()
	resp, err := f.Server.ReadResource(tb.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: typeName, CurrentState: Pack(tb, i.Value), Private: i.Private, CurrentIdentity: i.Identity,
	})
	testworld.NoError(tb, err)
	if HasErrors(resp.Diagnostics) {
		return i, resp.Diagnostics
	}
	value := Unpack(tb, resp.NewState, f.Schemas.ResourceSchemas[typeName].Block)
	if value.IsNull() {
		return Instance{}, resp.Diagnostics
	}
	return Instance{value, resp.Private, resp.NewIdentity}, resp.Diagnostics
}

// ReadData reads a data source.
func (f Terraform) ReadData(tb testing.TB, typeName string, config tftypes.Value) (tftypes.Value, []*tfprotov6.Diagnostic) {
	tb.Helper()
	resp, err := f.Server.ReadDataSource(tb.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: typeName, Config: Pack(tb, config)})
	testworld.NoError(tb, err)
	return Unpack(tb, resp.State, f.Schemas.DataSourceSchemas[typeName].Block), resp.Diagnostics
}

// ReadState sends a resource of the state to the provider, as Terraform does
// before any other request about it.
func (f Terraform) ReadState(tb testing.TB, typeName string, i Instance) {
	tb.Helper()
	if i.Value.Type() == nil {
		return
	}
	raw := RawState(tb, f.Schemas.ResourceSchemas[typeName].Block, i.Value)
	resp, err := f.Server.UpgradeResourceState(tb.Context(), &tfprotov6.UpgradeResourceStateRequest{TypeName: typeName, RawState: raw})
	if err != nil || len(resp.Diagnostics) > 0 {
		tb.Fatal(err, Messages(resp.Diagnostics))
	}
}

// RawState is a value as it is in the state file.
func RawState(tb testing.TB, block *tfprotov6.SchemaBlock, value tftypes.Value) *tfprotov6.RawState {
	tb.Helper()
	typ := hcldec.ImpliedType(decoderOf(tb, block))
	v, err := msgpack.Unmarshal(Pack(tb, value).MsgPack, typ)
	testworld.NoError(tb, err)
	raw, err := ctyjson.Marshal(v, typ)
	testworld.NoError(tb, err)
	return &tfprotov6.RawState{JSON: raw}
}

// Propose requests a plan.
func (f Terraform) Propose(tb testing.TB, planned Change, prior Instance) *tfprotov6.PlanResourceChangeResponse {
	tb.Helper()
	block := f.Schemas.ResourceSchemas[planned.TypeName].Block
	before := prior.Value
	if before.Type() == nil {
		before = tftypes.NewValue(block.ValueType(), nil)
	}
	resp, err := f.Server.PlanResourceChange(tb.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: planned.TypeName, Config: Pack(tb, planned.Config), PriorState: Pack(tb, before), PriorPrivate: prior.Private,
		PriorIdentity:    prior.Identity,
		ProposedNewState: Pack(tb, ProposedState(tb, block, planned.Config, before)),
	})
	testworld.NoError(tb, err)
	return resp
}

// ProposedState is the configuration, with the computed values that it does not
// set taken from the state. A block of a list takes them from the block of the
// state at the same position.
func ProposedState(tb testing.TB, block *tfprotov6.SchemaBlock, config, state tftypes.Value) tftypes.Value {
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
			proposed[b.TypeName] = ProposedState(tb, b.Block, proposed[b.TypeName], tfvalue.OrNull(was[b.TypeName], typ))
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
			elements[i] = ProposedState(tb, b.Block, elements[i], prior)
		}
		proposed[b.TypeName] = tftypes.NewValue(list.Type(), elements)
	}
	return tftypes.NewValue(block.ValueType(), proposed)
}

func elementsOf(tb testing.TB, list tftypes.Value) []tftypes.Value {
	tb.Helper()
	var elements []tftypes.Value
	testworld.NoError(tb, list.As(&elements))
	return slices.Clone(elements)
}

// Pack encodes a value for the protocol.
func Pack(tb testing.TB, v tftypes.Value) *tfprotov6.DynamicValue {
	tb.Helper()
	packed, err := tfprotov6.NewDynamicValue(v.Type(), v)
	testworld.NoError(tb, err)
	return &packed
}

// Unpack decodes a value of a block.
func Unpack(tb testing.TB, v *tfprotov6.DynamicValue, b *tfprotov6.SchemaBlock) tftypes.Value {
	tb.Helper()
	value, err := v.Unmarshal(b.ValueType())
	testworld.NoError(tb, err)
	return value
}

// HasErrors reports whether one of the diagnostics is an error.
func HasErrors(diags []*tfprotov6.Diagnostic) bool {
	return slices.ContainsFunc(diags, func(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError })
}

// Messages formats diagnostics with their attributes, one per line.
func Messages(diags []*tfprotov6.Diagnostic) string {
	var out strings.Builder
	for _, d := range diags {
		fmt.Fprintf(&out, "%s: %s %s (%s)\n", d.Severity, d.Summary, d.Detail, d.Attribute)
	}
	return out.String()
}
