package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// core does with the provider what Terraform does, in process: it reads
// configurations as HCL, with the parser and the decoder of Terraform, and talks
// plugin protocol. Thousands of plans take seconds.
type core struct {
	server  tfprotov6.ProviderServer
	schemas *tfprotov6.GetProviderSchemaResponse
	client  *controlplane.Client // of the embedded control plane that the provider writes to

	controlPlane http.Handler
}

// schemas are those of the provider, asked for once.
var schemas = sync.OnceValues(func() (*tfprotov6.GetProviderSchemaResponse, error) {
	return NewServer("test")().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
})

// newCore returns a core whose provider has an embedded control plane with the
// given meshes, which come without policies. What a control plane stores and
// Kuma's design does not want is a warning.
func newCore(tb testing.TB, meshes ...string) core {
	tb.Helper()
	c := core{server: NewServer("test")()}
	var err error
	if c.schemas, err = schemas(); err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	body, diags := hclsyntax.ParseConfig(fmt.Appendf(nil, "policy_checks = \"warning\"\nembedded {\n directory = %q\n zone = \"zone-1\"\n}\n", dir), "provider.tf", hcl.InitialPos)
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	config, diags := decodeBody(tb, body.Body, c.schemas.Provider.Block)
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	resp, err := c.server.ConfigureProvider(tb.Context(), &tfprotov6.ConfigureProviderRequest{Config: pack(tb, config)})
	if err != nil || len(resp.Diagnostics) > 0 {
		tb.Fatal(err, messages(resp.Diagnostics))
	}
	server, err := embedded.New(embedded.Config{Directory: dir, Zone: "zone-1"})
	if err != nil {
		tb.Fatal(err)
	}
	c.controlPlane = server
	if c.client, err = controlplane.New(controlplane.Config{Endpoint: "http://embedded", Transport: server.Transport()}); err != nil {
		tb.Fatal(err)
	}
	for _, name := range meshes {
		c.put(tb, kuma.Resource{Type: "Mesh", Name: name, Body: map[string]any{"skipCreatingInitialPolicies": []any{"*"}}})
	}
	return c
}

// put writes a resource past the provider, like somebody else.
func (c core) put(tb testing.TB, r kuma.Resource) {
	tb.Helper()
	k, _ := kinds.Find(r.Type)
	if _, _, err := c.client.Put(tb.Context(), k, r); err != nil {
		tb.Fatal(err)
	}
}

// stored returns what the control plane has.
func (c core) stored(tb testing.TB, key kuma.Key) kuma.Resource {
	tb.Helper()
	k, _ := kinds.Find(key.Type)
	r, err := c.client.Get(tb.Context(), k, key.Mesh, key.Name)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// config reads the first resource block of a text. The diagnostics are what
// Terraform itself says about it.
func (c core) config(tb testing.TB, text string) (typeName string, config tftypes.Value, diags hcl.Diagnostics) {
	tb.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		tb.Fatalf("%s in\n%s", diags, text)
	}
	block := file.Body.(*hclsyntax.Body).Blocks[0]
	config, diags = c.body(tb, block.Labels[0], block.Body)
	return block.Labels[0], config, diags
}

func (c core) body(tb testing.TB, typeName string, body hcl.Body) (tftypes.Value, hcl.Diagnostics) {
	tb.Helper()
	return decodeBody(tb, body, c.schemas.ResourceSchemas[typeName].Block)
}

// decodeBody does what Terraform does with the body of a block.
func decodeBody(tb testing.TB, body hcl.Body, schema *tfprotov6.SchemaBlock) (tftypes.Value, hcl.Diagnostics) {
	tb.Helper()
	decoder := decoderOf(tb, schema)
	v, diags := hcldec.Decode(body, decoder, &hcl.EvalContext{Functions: map[string]function.Function{"jsonencode": stdlib.JSONEncodeFunc}})
	if diags.HasErrors() {
		return tftypes.Value{}, diags
	}
	data, err := msgpack.Marshal(v, hcldec.ImpliedType(decoder))
	if err != nil {
		tb.Fatal(err)
	}
	value, err := tfprotov6.DynamicValue{MsgPack: data}.Unmarshal(schema.ValueType())
	if err != nil {
		tb.Fatal(err)
	}
	return value, diags
}

// decoderOf returns how Terraform decodes a block of a provider's schema.
func decoderOf(tb testing.TB, b *tfprotov6.SchemaBlock) hcldec.ObjectSpec {
	tb.Helper()
	out := hcldec.ObjectSpec{}
	for _, a := range b.Attributes {
		out[a.Name] = &hcldec.AttrSpec{Name: a.Name, Type: ctyType(tb, a.Type), Required: a.Required}
	}
	for _, n := range b.BlockTypes {
		switch n.Nesting {
		case tfprotov6.SchemaNestedBlockNestingModeSingle:
			out[n.TypeName] = &hcldec.BlockSpec{TypeName: n.TypeName, Nested: decoderOf(tb, n.Block)}
		case tfprotov6.SchemaNestedBlockNestingModeList:
			out[n.TypeName] = &hcldec.BlockListSpec{TypeName: n.TypeName, Nested: decoderOf(tb, n.Block)}
		default:
			tb.Fatalf("blocks of %s nest in a way that kinds do not use", n.TypeName)
		}
	}
	return out
}

func ctyType(tb testing.TB, typ tftypes.Type) cty.Type {
	tb.Helper()
	switch typ := typ.(type) {
	case tftypes.List:
		return cty.List(ctyType(tb, typ.ElementType))
	case tftypes.Set:
		return cty.Set(ctyType(tb, typ.ElementType))
	case tftypes.Map:
		return cty.Map(ctyType(tb, typ.ElementType))
	}
	switch {
	case typ.Is(tftypes.String):
		return cty.String
	case typ.Is(tftypes.Number):
		return cty.Number
	case typ.Is(tftypes.Bool):
		return cty.Bool
	case typ.Is(tftypes.DynamicPseudoType):
		return cty.DynamicPseudoType
	default:
		tb.Fatalf("attributes of kinds have no type %s", typ)
		return cty.NilType
	}
}

// validate returns what the provider has against a configuration.
func (c core) validate(tb testing.TB, typeName string, config tftypes.Value) []*tfprotov6.Diagnostic {
	tb.Helper()
	resp, err := c.server.ValidateResourceConfig(tb.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: typeName, Config: pack(tb, config), ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return resp.Diagnostics
}

// instance is a resource as the state remembers it. The zero value is one that
// is not there.
type instance struct {
	value    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

// change is a planned step from one state of a resource to the next. Of a
// replacement it is the creation that follows the deletion of what is replaced.
type change struct {
	typeName string
	config   tftypes.Value
	prior    instance
	planned  instance
	replaced bool
}

// empty reports whether nothing would be done.
func (c change) empty() bool {
	return c.prior.value.Type() != nil && !c.replaced && c.planned.value.Equal(c.prior.value)
}

// plan plans a configuration as Terraform does in a run of its own. What has to
// be replaced is planned a second time, without prior state.
func (c core) plan(tb testing.TB, typeName string, config tftypes.Value, prior instance) (change, []*tfprotov6.Diagnostic) {
	tb.Helper()
	return c.planChange(tb, typeName, config, prior, false)
}

// replace is plan with the -replace option.
func (c core) replace(tb testing.TB, typeName string, config tftypes.Value, prior instance) (change, []*tfprotov6.Diagnostic) {
	tb.Helper()
	return c.planChange(tb, typeName, config, prior, true)
}

func (c core) planChange(tb testing.TB, typeName string, config tftypes.Value, prior instance, replace bool) (change, []*tfprotov6.Diagnostic) {
	tb.Helper()
	StartRun(c.server)
	c.readState(tb, typeName, prior)
	planned := change{typeName: typeName, config: config, prior: prior}
	resp := c.propose(tb, planned, prior)
	diags := resp.Diagnostics
	if !hasErrors(diags) && prior.value.Type() != nil && (replace || len(resp.RequiresReplace) > 0) {
		planned.replaced = true
		resp = c.propose(tb, planned, instance{private: resp.PlannedPrivate})
		diags = append(diags, resp.Diagnostics...)
	}
	if resp.PlannedState != nil {
		planned.planned = instance{unpack(tb, resp.PlannedState, c.schemas.ResourceSchemas[typeName].Block), resp.PlannedPrivate, resp.PlannedIdentity}
	}
	return planned, diags
}

// readState shows the provider a resource of the state, as Terraform does before
// it asks for anything else about it.
func (c core) readState(tb testing.TB, typeName string, i instance) {
	tb.Helper()
	if i.value.Type() == nil {
		return
	}
	typ := hcldec.ImpliedType(decoderOf(tb, c.schemas.ResourceSchemas[typeName].Block))
	v, err := msgpack.Unmarshal(pack(tb, i.value).MsgPack, typ)
	if err != nil {
		tb.Fatal(err)
	}
	raw, err := ctyjson.Marshal(v, typ)
	if err != nil {
		tb.Fatal(err)
	}
	resp, err := c.server.UpgradeResourceState(tb.Context(), &tfprotov6.UpgradeResourceStateRequest{TypeName: typeName, RawState: &tfprotov6.RawState{JSON: raw}})
	if err != nil || len(resp.Diagnostics) > 0 {
		tb.Fatal(err, messages(resp.Diagnostics))
	}
}

// propose asks for a plan. What the configuration does not say and the provider
// computes is proposed as it was.
func (c core) propose(tb testing.TB, planned change, prior instance) *tfprotov6.PlanResourceChangeResponse {
	tb.Helper()
	block := c.schemas.ResourceSchemas[planned.typeName].Block
	before := prior.value
	if before.Type() == nil {
		before = tftypes.NewValue(block.ValueType(), nil)
	}
	proposed, err := tfvalue.Attributes(planned.config)
	if err != nil {
		tb.Fatal(err)
	}
	was, err := tfvalue.Attributes(before)
	if err != nil {
		tb.Fatal(err)
	}
	for _, a := range block.Attributes {
		if v := proposed[a.Name]; a.WriteOnly || a.Computed && v.IsNull() {
			proposed[a.Name] = tfvalue.OrNull(was[a.Name], a.Type)
		}
	}
	resp, err := c.server.PlanResourceChange(tb.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: planned.typeName, Config: pack(tb, planned.config), PriorState: pack(tb, before), PriorPrivate: prior.private, PriorIdentity: prior.identity,
		ProposedNewState: pack(tb, tftypes.NewValue(block.ValueType(), proposed)),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return resp
}

// apply carries out a plan in a run of its own, in which Terraform plans again, and
// checks that the result is what was planned. The configuration is the one of the plan, except that all is known.
func (c core) apply(tb testing.TB, planned change) instance {
	tb.Helper()
	StartRun(c.server)
	c.readState(tb, planned.typeName, planned.prior)
	if planned.replaced {
		none := tftypes.NewValue(planned.config.Type(), nil)
		c.carryOut(tb, change{typeName: planned.typeName, config: none, prior: planned.prior, planned: instance{value: none}})
		planned.prior = instance{}
	}
	if !planned.planned.value.IsNull() {
		planned.planned = c.planAgain(tb, planned)
	}
	return c.carryOut(tb, planned)
}

// planAgain is what Terraform does before it applies a change: the plan has to be
// the same, except for what was unknown.
func (c core) planAgain(tb testing.TB, planned change) instance {
	tb.Helper()
	resp := c.propose(tb, planned, planned.prior)
	if hasErrors(resp.Diagnostics) {
		tb.Fatalf("plan of the apply: %s", messages(resp.Diagnostics))
	}
	again := instance{unpack(tb, resp.PlannedState, c.schemas.ResourceSchemas[planned.typeName].Block), resp.PlannedPrivate, resp.PlannedIdentity}
	if planned.planned.value.IsFullyKnown() && !again.value.Equal(planned.planned.value) {
		diffs, _ := planned.planned.value.Diff(again.value)
		tb.Fatalf("the plan of the apply is another one: %v", diffs)
	}
	return again
}

func (c core) carryOut(tb testing.TB, planned change) instance {
	tb.Helper()
	block := c.schemas.ResourceSchemas[planned.typeName].Block
	before := planned.prior.value
	if before.Type() == nil {
		before = tftypes.NewValue(block.ValueType(), nil)
	}
	resp, err := c.server.ApplyResourceChange(tb.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: planned.typeName, Config: pack(tb, planned.config), PriorState: pack(tb, before), PlannedState: pack(tb, planned.planned.value),
		PlannedPrivate: planned.planned.private, PlannedIdentity: planned.planned.identity,
	})
	if err != nil {
		tb.Fatal(err)
	}
	if hasErrors(resp.Diagnostics) {
		tb.Fatalf("apply: %s", messages(resp.Diagnostics))
	}
	after := unpack(tb, resp.NewState, block)
	if planned.planned.value.IsFullyKnown() && !after.Equal(planned.planned.value) {
		diffs, _ := planned.planned.value.Diff(after)
		tb.Fatalf("the result of the apply is not what was planned: %v", diffs)
	}
	return instance{after, resp.Private, resp.NewIdentity}
}

// refresh reads a resource again; the zero instance when it is gone.
func (c core) refresh(tb testing.TB, typeName string, i instance) instance {
	tb.Helper()
	resp, err := c.server.ReadResource(tb.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: typeName, CurrentState: pack(tb, i.value), Private: i.private, CurrentIdentity: i.identity,
	})
	if err != nil || hasErrors(resp.Diagnostics) {
		tb.Fatal(err, messages(resp.Diagnostics))
	}
	value := unpack(tb, resp.NewState, c.schemas.ResourceSchemas[typeName].Block)
	if value.IsNull() {
		return instance{}
	}
	return instance{value, resp.Private, resp.NewIdentity}
}

// imports returns what an import reads: by identifier, or by identity when that
// is empty.
func (c core) imports(tb testing.TB, typeName, id string, identity *tfprotov6.ResourceIdentityData) instance {
	tb.Helper()
	req := &tfprotov6.ImportResourceStateRequest{TypeName: typeName, ID: id}
	if id == "" {
		req.Identity = identity
	}
	resp, err := c.server.ImportResourceState(tb.Context(), req)
	if err != nil || hasErrors(resp.Diagnostics) || len(resp.ImportedResources) != 1 {
		tb.Fatal(err, messages(resp.Diagnostics))
	}
	imported := resp.ImportedResources[0]
	state := unpack(tb, imported.State, c.schemas.ResourceSchemas[typeName].Block)
	return c.refresh(tb, typeName, instance{state, imported.Private, imported.Identity})
}

// destroy deletes a resource.
func (c core) destroy(tb testing.TB, typeName string, i instance) {
	tb.Helper()
	none := tftypes.NewValue(i.value.Type(), nil)
	c.apply(tb, change{typeName: typeName, config: none, prior: i, planned: instance{value: none}})
}

// create plans and applies a configuration that nothing is wrong with.
func (c core) create(tb testing.TB, typeName string, config tftypes.Value) instance {
	tb.Helper()
	if diags := c.validate(tb, typeName, config); hasErrors(diags) {
		tb.Fatalf("validate: %s", messages(diags))
	}
	return c.update(tb, typeName, config, instance{})
}

// update does the same from a prior state, and checks that the next plan after a
// refresh is empty.
func (c core) update(tb testing.TB, typeName string, config tftypes.Value, prior instance) instance {
	tb.Helper()
	planned, diags := c.plan(tb, typeName, config, prior)
	if hasErrors(diags) {
		tb.Fatalf("plan: %s", messages(diags))
	}
	written := c.apply(tb, planned)
	after := c.refresh(tb, typeName, written)
	if after.value.Type() == nil {
		tb.Fatal("the resource is gone after the apply")
	}
	if before, now := fingerprintIn(tb, written.private), fingerprintIn(tb, after.private); before != now {
		tb.Fatalf("the apply noted fingerprint %s, the refresh after it reads %s", before, now)
	}
	again, diags := c.plan(tb, typeName, config, after)
	if hasErrors(diags) || !again.empty() {
		diffs, _ := after.value.Diff(again.planned.value)
		tb.Fatalf("the next plan is not empty: %v %s", diffs, messages(diags))
	}
	return after
}

// fingerprintIn returns what a resource keeps beside its state to notice changes by
// others.
func fingerprintIn(tb testing.TB, private []byte) string {
	tb.Helper()
	var keys map[string][]byte
	if err := json.Unmarshal(private, &keys); err != nil || len(keys[fingerprintKey]) == 0 {
		tb.Fatalf("the private state %q has no fingerprint: %v", private, err)
	}
	return string(keys[fingerprintKey])
}

// holds checks that the control plane has what it stores when the document is
// written by itself, and nothing else but what it wrote of its own accord.
func (c core) holds(tb testing.TB, k def.Kind, r kuma.Resource) {
	tb.Helper()
	got := c.stored(tb, r.Key())
	circumstances := def.Circumstances{ControlPlane: kuma.ControlPlane{Mode: kuma.ModeZone, Zone: "zone-1"}}
	if k.Scope == def.InMesh {
		circumstances.Mesh = c.stored(tb, kuma.Key{Type: "Mesh", Name: r.Mesh})
	}
	want := r.Clone()
	k.KeepServerOwned(&want, got)
	leftAlone(k, &want, got)
	want = k.Store(want, circumstances)
	if diff := cmp.Diff(canonical(k, want.Document()), canonical(k, got.Document())); diff != "" {
		tb.Fatalf("the control plane does not hold what the configuration says (-configured +stored):\n%s", diff)
	}
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

func hasErrors(diags []*tfprotov6.Diagnostic) bool {
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
