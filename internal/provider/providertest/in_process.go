package providertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

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
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// Core is [Terraform] with an embedded control plane, for configurations in HCL,
// which it reads with the parser and the decoder of Terraform. Thousands of plans
// take seconds.
type Core struct {
	Terraform
	Client *controlplane.Client // of the embedded control plane that the provider writes to

	ControlPlane http.Handler
}

// NewCore returns a core whose provider has an embedded control plane with the
// given meshes, which come without policies. Violations of Kuma's design that a
// control plane stores are warnings.
func NewCore(tb testing.TB, meshes ...string) Core {
	tb.Helper()
	c := Core{Terraform: NewTerraform(tb)}
	dir := tb.TempDir()
	body, diags := hclsyntax.ParseConfig(fmt.Appendf(nil,
		"policy_checks = \"warning\"\nembedded {\n directory = %q\n zone = \"zone-1\"\n kuma_version = \"2.14\"\n}\n", dir), "provider.tf",
		hcl.InitialPos)
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	config, diags := DecodeBody(tb, body.Body, c.Schemas.Provider.Block)
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	if _, err := c.Server.ValidateProviderConfig(tb.Context(),
		&tfprotov6.ValidateProviderConfigRequest{Config: Pack(tb, config)}); err != nil {
		tb.Fatal(err)
	}
	resp, err := c.Server.ConfigureProvider(tb.Context(), &tfprotov6.ConfigureProviderRequest{Config: Pack(tb, config)})
	if err != nil || len(resp.Diagnostics) > 0 {
		tb.Fatal(err, Messages(resp.Diagnostics))
	}
	server := newServer(tb, dir, kuma.Newest2())
	c.ControlPlane, c.Client = server, ClientOf(tb, server)
	for _, name := range meshes {
		Put(tb, c.Client, kuma.Resource{Type: "Mesh", Name: name, Body: map[string]any{"skipCreatingInitialPolicies": []any{"*"}}})
	}
	return c
}

// Put writes resources as another client.
func Put(tb testing.TB, client *controlplane.Client, resources ...kuma.Resource) {
	tb.Helper()
	for _, r := range resources {
		k, _ := kinds.Find(r.Type)
		_, _, err := client.Put(tb.Context(), k, r)
		testworld.NoError(tb, err)
	}
}

// Stored returns what the control plane stores.
func (c Core) Stored(tb testing.TB, key kuma.Key) kuma.Resource {
	tb.Helper()
	k, _ := kinds.Find(key.Type)
	r, err := c.Client.Get(tb.Context(), k, key.Mesh, key.Name)
	testworld.NoError(tb, err)
	return r
}

// Config reads the first resource block of a text. It returns the
// diagnostics of Terraform itself.
func (c Core) Config(tb testing.TB, text string) (typeName string, config tftypes.Value, diags hcl.Diagnostics) {
	tb.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		tb.Fatalf("%s in\n%s", diags, text)
	}
	block := file.Body.(*hclsyntax.Body).Blocks[0]
	config, diags = c.Body(tb, block.Labels[0], block.Body)
	return block.Labels[0], config, diags
}

// Body decodes the body of a resource block.
func (c Core) Body(tb testing.TB, typeName string, body hcl.Body) (tftypes.Value, hcl.Diagnostics) {
	tb.Helper()
	return DecodeBody(tb, body, c.Schemas.ResourceSchemas[typeName].Block)
}

// DecodeBody does what Terraform does with the body of a block.
func DecodeBody(tb testing.TB, body hcl.Body, schema *tfprotov6.SchemaBlock) (tftypes.Value, hcl.Diagnostics) {
	tb.Helper()
	decoder := decoderOf(tb, schema)
	v, diags := hcldec.Decode(body, decoder, &hcl.EvalContext{Functions: map[string]function.Function{"jsonencode": stdlib.JSONEncodeFunc}})
	if diags.HasErrors() {
		return tftypes.Value{}, diags
	}
	data, err := msgpack.Marshal(v, hcldec.ImpliedType(decoder))
	testworld.NoError(tb, err)
	value, err := tfprotov6.DynamicValue{MsgPack: data}.Unmarshal(schema.ValueType())
	testworld.NoError(tb, err)
	return value, diags
}

// decoderOf returns how Terraform decodes a block of a provider's schema.
func decoderOf(tb testing.TB, b *tfprotov6.SchemaBlock) hcldec.ObjectSpec {
	tb.Helper()
	out := hcldec.ObjectSpec{}
	for _, a := range b.Attributes {
		out[a.Name] = &hcldec.AttrSpec{Name: a.Name, Type: CtyType(tb, a.Type), Required: a.Required}
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

// CtyType returns the type of values in configurations for a type of the protocol.
func CtyType(tb testing.TB, typ tftypes.Type) cty.Type {
	tb.Helper()
	text, err := typ.MarshalJSON() //nolint:staticcheck // the form of types that both libraries know
	testworld.NoError(tb, err)
	out, err := ctyjson.UnmarshalType(text)
	testworld.NoError(tb, err)
	return out
}

// PlanChange plans a configuration.
func (c Core) PlanChange(tb testing.TB, typeName string, config tftypes.Value, prior Instance) (Change, []*tfprotov6.Diagnostic) {
	tb.Helper()
	return c.Plan(tb, typeName, config, prior, false)
}

// MustApply applies a plan that must be valid.
func (c Core) MustApply(tb testing.TB, planned Change) Instance {
	tb.Helper()
	after, diags := c.Apply(tb, planned)
	if HasErrors(diags) {
		tb.Fatalf("apply: %s", Messages(diags))
	}
	return after
}

// MustRefresh reads a resource again; the zero instance when it is gone.
func (c Core) MustRefresh(tb testing.TB, typeName string, i Instance) Instance {
	tb.Helper()
	after, diags := c.Refresh(tb, typeName, i)
	if HasErrors(diags) {
		tb.Fatal(Messages(diags))
	}
	return after
}

// Validate returns the diagnostics of the provider about a configuration.
func (c Core) Validate(tb testing.TB, typeName string, config tftypes.Value) []*tfprotov6.Diagnostic {
	tb.Helper()
	resp, err := c.Server.ValidateResourceConfig(tb.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: typeName, Config: Pack(tb, config),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	testworld.NoError(tb, err)
	return resp.Diagnostics
}

// Imports returns what an import reads: by identifier, or by identity when that
// is empty.
func (c Core) Imports(tb testing.TB, typeName, id string, identity *tfprotov6.ResourceIdentityData) Instance {
	tb.Helper()
	req := &tfprotov6.ImportResourceStateRequest{TypeName: typeName, ID: id}
	if id == "" {
		req.Identity = identity
	}
	resp, err := c.Server.ImportResourceState(tb.Context(), req)
	if err != nil || HasErrors(resp.Diagnostics) || len(resp.ImportedResources) != 1 {
		tb.Fatal(err, Messages(resp.Diagnostics))
	}
	imported := resp.ImportedResources[0]
	state := Unpack(tb, imported.State, c.Schemas.ResourceSchemas[typeName].Block)
	return c.MustRefresh(tb, typeName, Instance{state, imported.Private, imported.Identity})
}

// Destroy deletes a resource.
func (c Core) Destroy(tb testing.TB, typeName string, i Instance) {
	tb.Helper()
	none := tftypes.NewValue(i.Value.Type(), nil)
	c.MustApply(tb, Change{TypeName: typeName, Config: none, Prior: i, Planned: Instance{Value: none}})
}

// Create plans and applies a configuration that must be valid.
func (c Core) Create(tb testing.TB, typeName string, config tftypes.Value) Instance {
	tb.Helper()
	if diags := c.Validate(tb, typeName, config); HasErrors(diags) {
		tb.Fatalf("validate: %s", Messages(diags))
	}
	return c.Update(tb, typeName, config, Instance{})
}

// Update does the same from a prior state, and checks that the next plan after a
// refresh is empty.
func (c Core) Update(tb testing.TB, typeName string, config tftypes.Value, prior Instance) Instance {
	tb.Helper()
	planned, diags := c.PlanChange(tb, typeName, config, prior)
	if HasErrors(diags) {
		tb.Fatalf("plan: %s", Messages(diags))
	}
	written := c.MustApply(tb, planned)
	after := c.MustRefresh(tb, typeName, written)
	if after.Value.Type() == nil {
		tb.Fatal("the resource is gone after the apply")
	}
	if before, now := fingerprintIn(tb, written.Private), fingerprintIn(tb, after.Private); before != now {
		tb.Fatalf("the apply noted fingerprint %s, the refresh after it reads %s", before, now)
	}
	again, diags := c.PlanChange(tb, typeName, config, after)
	if HasErrors(diags) || !again.Empty() {
		diffs, _ := after.Value.Diff(again.Planned.Value)
		tb.Fatalf("the next plan is not empty: %v %s", diffs, Messages(diags))
	}
	return after
}

// fingerprintIn returns the fingerprint in the private state of a resource,
// which detects changes by other clients.
func fingerprintIn(tb testing.TB, private []byte) string {
	tb.Helper()
	var keys map[string][]byte
	if err := json.Unmarshal(private, &keys); err != nil || len(keys["seen"]) == 0 {
		tb.Fatalf("the private state %q has no fingerprint: %v", private, err)
	}
	return string(keys["seen"])
}
