package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// kindResource is the resource of one kind. It works on raw values and the
// description of the kind.
type kindResource struct{ remote }

var (
	_ resource.Resource                   = (*kindResource)(nil)
	_ resource.ResourceWithConfigure      = (*kindResource)(nil)
	_ resource.ResourceWithIdentity       = (*kindResource)(nil)
	_ resource.ResourceWithImportState    = (*kindResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*kindResource)(nil)
	_ resource.ResourceWithValidateConfig = (*kindResource)(nil)
)

func (r *kindResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = TypeName(r.kind.Name)
}

func (r *kindResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchema(r.kind)
}

func (r *kindResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identitySchema(r.kind)
}

func (r *kindResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.connect(req.ProviderData)
}

func (r *kindResource) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	doc, err := encodeDocument(r.kind, req.Config.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Unreadable configuration", sentence(err))
		return
	}
	report(&resp.Diagnostics, r.kind, r.kind.Validate(doc))
	checkSecrets(r.kind, req.Config.Raw, &resp.Diagnostics)
}

// ModifyPlan keeps the state's spelling, predicts the identifier, and refuses
// to plan a resource that exists already.
func (r *kindResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	plan, err := members(req.Plan.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Unreadable plan", sentence(err))
		return
	}
	state, err := members(req.State.Raw)
	if err == nil && state != nil {
		plan, err = r.settle(plan, state, resp)
	}
	if err != nil {
		resp.Diagnostics.AddError("Unreadable state", sentence(err))
		return
	}
	plan["kri"] = state["kri"]
	if state == nil || !tftypes.NewValue(req.Plan.Raw.Type(), plan).Equal(req.State.Raw) {
		plan["kri"] = r.predictKRI(req.Plan)
		r.checkWrite(req.Plan.Raw, &resp.Diagnostics)
	}
	resp.Plan.Raw = tftypes.NewValue(req.Plan.Raw.Type(), plan)
	if state == nil && !r.cp.isUnknown() {
		r.refuseExisting(ctx, r.get, req.Plan.Raw, &resp.Diagnostics)
	}
}

func (r *kindResource) settle(plan, state map[string]tftypes.Value, resp *resource.ModifyPlanResponse) (map[string]tftypes.Value, error) {
	fields := r.kind.Fields
	if !r.kind.Flat {
		fields = spec.Object{{Name: "spec", Type: r.kind.Fields}}
	}
	before, err := members(state["labels"])
	if err != nil {
		return nil, err
	}
	after, err := members(plan["labels"])
	if err != nil {
		return nil, err
	}
	if plan["labels"].IsKnown() {
		for _, key := range spec.ImmutableLabels() {
			if old, ok := before[key]; ok && !old.Equal(orNull(after[key], tftypes.String)) {
				resp.RequiresReplace = append(resp.RequiresReplace, path.Root("labels").AtMapKey(key))
			}
		}
	}
	return settle(fields, plan, state)
}

// checkWrite reports what this control plane cannot do of what is to be written,
// and what it would store and should not be planned. The provider's
// configuration decides, so validating cannot.
func (r *kindResource) checkWrite(plan tftypes.Value, diags *diag.Diagnostics) {
	if r.cp == nil || r.cp.client == nil {
		return
	}
	if doc, err := encodeDocument(r.kind, plan); err == nil {
		report(diags, r.kind, r.cp.limits(r.kind, doc))
		report(diags, r.kind, r.cp.checks.apply(r.kind, doc))
	}
}

// predictKRI returns the identifier that the control plane will give, unknown
// while that depends on values that are.
func (r *kindResource) predictKRI(plan tfsdk.Plan) tftypes.Value {
	doc, err := encodeDocument(r.kind, plan.Raw)
	if err != nil || r.cp == nil || r.cp.client == nil {
		return tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	}
	for _, part := range []string{"name", "mesh", "labels"} {
		if !fullyKnown(doc[part]) {
			return tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
		}
	}
	res, err := mesh.FromDocument(doc, kinds.Form)
	if err != nil {
		return tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	}
	res.Labels = r.kind.Labels(res, r.cp.about)
	return textOrNull(r.kind.KRI(res))
}

// refuseExisting reports a planned resource that the control plane has already,
// as far as the plan knows what it is called.
func (r *kindResource) refuseExisting(ctx context.Context, read reader, plan tftypes.Value, diags *diag.Diagnostics) bool {
	key, err := r.key(plan)
	if err != nil {
		return false // not known yet; creating it looks again
	}
	return r.exists(ctx, read, key, path.Root("name"), TypeName(r.kind.Name), importID(r.kind, key.Mesh, key.Name), diags)
}

func (r *kindResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	if r.refuseExisting(ctx, r.current, req.Plan.Raw, &resp.Diagnostics) {
		return
	}
	planned, ok := r.planned(req.Plan.Raw, req.Config.Raw, &resp.Diagnostics)
	if !ok {
		return
	}
	stored, ok := r.put(ctx, planned, &resp.Diagnostics)
	if !ok {
		return
	}
	r.publish(ctx, req.Plan.Raw, stored, &resp.State, resp.Identity, &resp.Diagnostics)
}

func (r *kindResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	key, err := r.key(req.State.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Unreadable state", sentence(err))
		return
	}
	r.identify(ctx, key, resp.Identity, &resp.Diagnostics)
	if r.cp.isUnknown() {
		return // the state stays as it is
	}
	stored, ok := r.refresh(ctx, key, &resp.Diagnostics)
	switch {
	case resp.Diagnostics.HasError():
		return
	case !ok:
		resp.State.RemoveResource(ctx)
		return
	}
	t, ok := req.State.Raw.Type().(tftypes.Object)
	if !ok {
		resp.Diagnostics.AddError("Unreadable state", "The state of a resource is always an object. This is a bug in the provider; please report it.")
		return
	}
	values, err := decodeResource(r.kind, stored, t, req.State.Raw, false)
	if err != nil {
		resp.Diagnostics.AddError("Unreadable answer of the control plane", sentence(err))
		return
	}
	resp.State.Raw = tftypes.NewValue(t, values)
	r.see(ctx, resp.Private, stored, &resp.Diagnostics)
}

func (r *kindResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	planned, ok := r.planned(req.Plan.Raw, req.Config.Raw, &resp.Diagnostics)
	if !ok {
		return
	}
	kept := writtenSecrets(r.kind, req.Plan.Raw, req.State.Raw)
	stored, ok := r.replace(ctx, planned, seen(ctx, req.Private, &resp.Diagnostics), kept, &resp.Diagnostics)
	if !ok {
		return
	}
	r.publish(ctx, req.Plan.Raw, stored, &resp.State, resp.Identity, &resp.Diagnostics)
	unsee(ctx, resp.Private, &resp.Diagnostics)
}

func (r *kindResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	key, err := r.key(req.State.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Unreadable state", sentence(err))
		return
	}
	r.delete(ctx, key, seen(ctx, req.Private, &resp.Diagnostics), &resp.Diagnostics)
}

// planned returns the resource to write, write-only values of the configuration
// included.
func (r *kindResource) planned(plan, config tftypes.Value, diags *diag.Diagnostics) (mesh.Resource, bool) {
	plan, err := withWriteOnly(r.kind, plan, config)
	if err != nil {
		diags.AddError("Unreadable configuration", sentence(err))
		return mesh.Resource{}, false
	}
	doc, err := encodeDocument(r.kind, plan)
	if err != nil {
		diags.AddError("Unreadable plan", sentence(err))
		return mesh.Resource{}, false
	}
	res, err := mesh.FromDocument(doc, kinds.Form)
	if err != nil {
		diags.AddError("Unreadable plan", sentence(err))
		return mesh.Resource{}, false
	}
	return res, true
}

// publish writes state and identity after a write: the plan, with the computed
// values taken from what was stored.
func (r *kindResource) publish(ctx context.Context, plan tftypes.Value, stored mesh.Resource, state *tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	values, err := members(plan)
	if err != nil {
		diags.AddError("Unreadable plan", sentence(err))
		return
	}
	values["kri"] = textOrNull(r.kind.KRI(stored))
	state.Raw = tftypes.NewValue(plan.Type(), values)
	r.identify(ctx, stored.Key(), identity, diags)
}

func (r *kindResource) identify(ctx context.Context, key mesh.Key, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	if identity == nil {
		return
	}
	diags.Append(identity.SetAttribute(ctx, path.Root("name"), key.Name)...)
	if r.kind.Scope == spec.InMesh {
		diags.Append(identity.SetAttribute(ctx, path.Root("mesh"), key.Mesh)...)
	}
}

// key reads what names the resource from its state or plan; the error says what
// is not known.
func (r *kindResource) key(state tftypes.Value) (mesh.Key, error) {
	values, err := members(state)
	if err != nil {
		return mesh.Key{}, err
	}
	key := mesh.Key{Type: r.kind.Name}
	if err := values["name"].As(&key.Name); err != nil {
		return mesh.Key{}, fmt.Errorf("name: %w", err)
	}
	if r.kind.Scope == spec.InMesh {
		if err := values["mesh"].As(&key.Mesh); err != nil {
			return mesh.Key{}, fmt.Errorf("mesh: %w", err)
		}
	}
	return key, nil
}
