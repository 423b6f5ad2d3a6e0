package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// managedResources returns the constructors of the resources: of each kind, and of manifests.
func managedResources() []func() resource.Resource {
	out := []func() resource.Resource{
		func() resource.Resource { return &manifestResource{} },
	}
	for _, k := range kinds.All() {
		out = append(out, func() resource.Resource { return newResource(k) })
	}
	return out
}

// kindResource is the resource of one kind. It works on raw values and the
// description of the kind.
type kindResource struct{ resourceClient }

// newResource returns the resource of a kind.
func newResource(k def.Kind) *kindResource { return &kindResource{resourceClient{kind: k}} }

var (
	_ resource.Resource                   = (*kindResource)(nil)
	_ resource.ResourceWithConfigure      = (*kindResource)(nil)
	_ resource.ResourceWithIdentity       = (*kindResource)(nil)
	_ resource.ResourceWithImportState    = (*kindResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*kindResource)(nil)
	_ resource.ResourceWithMoveState      = (*kindResource)(nil)
	_ resource.ResourceWithValidateConfig = (*kindResource)(nil)
)

func (r *kindResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = tfschema.TypeName(r.kind.Name)
}

func (r *kindResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = tfschema.Resource(r.kind)
}

func (r *kindResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = tfschema.Identity(r.kind)
}

func (r *kindResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.connect(req.ProviderData)
}

func (r *kindResource) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	doc, err := tfvalue.Encode(r.kind, req.Config.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the configuration", phrase.Sentence(err))
		return
	}
	reportConfiguration(&resp.Diagnostics, r.kind, r.kind.WithUnknownSecrets(doc), r.cp != nil)
	checkSecrets(r.kind, req.Config.Raw, &resp.Diagnostics)
}

func (r *kindResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	planned, ok := r.planned(req.Plan.Raw, req.Config.Raw, &resp.Diagnostics)
	if !ok {
		return
	}
	var replaced types.String
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root(tfschema.ReplacedVersion), &replaced)...)
	stored, ok := r.create(ctx, planned, replaced.ValueString(), r.block(planned.Key()), &resp.Diagnostics)
	if !ok {
		return
	}
	r.publish(ctx, req.Plan.Raw, stored, &resp.State, resp.Identity, &resp.Diagnostics)
	r.saveFingerprint(ctx, resp.Private, stored, &resp.Diagnostics)
}

// isImport reports whether a state is that of an import, which only identifies the
// resource.
func isImport(state tftypes.Value) bool {
	values, err := tfvalue.Attributes(state)
	return err == nil && values["type"].IsNull()
}

func (r *kindResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	key, err := r.key(req.State.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the state", phrase.Sentence(err))
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
		resp.Diagnostics.AddError("Cannot read the state", "The state of a resource is always an object. This is a bug in the provider; please report it.")
		return
	}
	values, err := r.stateValues(stored, t, req.State.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Invalid response from the control plane", phrase.Sentence(err))
		return
	}
	resp.State.Raw = tftypes.NewValue(t, values)
	r.saveFingerprint(ctx, resp.Private, stored, &resp.Diagnostics)
	r.warnOfUnknownFields(stored, &resp.Diagnostics)
	if isImport(req.State.Raw) {
		r.warnOfImport(ctx, stored, &resp.Diagnostics)
	}
}

// stateValues returns the attributes of a stored resource for the state. prior
// is the previous state, which is null, or only identifies the resource, for an
// import.
func (r *kindResource) stateValues(stored kuma.Resource, t tftypes.Object, prior tftypes.Value) (map[string]tftypes.Value, error) {
	values, err := tfvalue.Decode(r.kind, stored, t, prior, false)
	if err != nil {
		return nil, err
	}
	if err := tfvalue.HideSecrets(r.kind, values, prior); err != nil {
		return nil, err
	}
	if isImport(prior) && values["labels"].IsNull() {
		values["labels"] = tftypes.NewValue(values["labels"].Type(), map[string]tftypes.Value{})
	}
	return values, nil
}

func (r *kindResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	planned, ok := r.planned(req.Plan.Raw, req.Config.Raw, &resp.Diagnostics)
	if !ok {
		return
	}
	kept := tfvalue.WrittenSecrets(r.kind, req.Plan.Raw, req.State.Raw)
	stored, ok := r.replace(ctx, planned, r.block(planned.Key()), savedFingerprint(ctx, req.Private, &resp.Diagnostics), kept, &resp.Diagnostics)
	if !ok {
		return
	}
	r.publish(ctx, req.Plan.Raw, stored, &resp.State, resp.Identity, &resp.Diagnostics)
	r.saveFingerprint(ctx, resp.Private, stored, &resp.Diagnostics)
}

func (r *kindResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	key, err := r.key(req.State.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the state", phrase.Sentence(err))
		return
	}
	if !r.checkContents(ctx, key, forcesDestroy(req.State.Raw), req.Private, &resp.Diagnostics) {
		return
	}
	r.remove(ctx, key, req.Private, &resp.Diagnostics)
}

// plannedDocument returns the document to write, write-only values of the configuration
// included; nil with an error.
func (r *kindResource) plannedDocument(plan, config tftypes.Value, diags *diag.Diagnostics) map[string]any {
	if tfschema.SecretNames(r.kind) != nil {
		var err error
		if plan, err = tfvalue.WithWriteOnly(r.kind, plan, config); err != nil {
			diags.AddError("Cannot read the configuration", phrase.Sentence(err))
			return nil
		}
	}
	doc, err := tfvalue.Encode(r.kind, plan)
	if err != nil {
		diags.AddError("Cannot read the plan", phrase.Sentence(err))
		return nil
	}
	return doc
}

// planned returns the resource of the planned document.
func (r *kindResource) planned(plan, config tftypes.Value, diags *diag.Diagnostics) (kuma.Resource, bool) {
	doc := r.plannedDocument(plan, config, diags)
	if doc == nil {
		return kuma.Resource{}, false
	}
	res, err := kuma.FromDocument(doc, kinds.Form)
	if err != nil {
		diags.AddError("Cannot read the plan", phrase.Sentence(err))
		return kuma.Resource{}, false
	}
	return res, true
}

// publish writes state and identity after a write: the plan, with the computed
// values taken from what was stored.
func (r *kindResource) publish(ctx context.Context, plan tftypes.Value, stored kuma.Resource, state *tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	values, err := tfvalue.Attributes(plan)
	if err != nil {
		diags.AddError("Cannot read the plan", phrase.Sentence(err))
		return
	}
	values["kri"] = tfvalue.StringOrNull(r.kind.KRI(stored))
	state.Raw = tftypes.NewValue(plan.Type(), values)
	r.identify(ctx, stored.Key(), identity, diags)
}

func (r *kindResource) identify(ctx context.Context, key kuma.Key, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	if identity == nil {
		return
	}
	diags.Append(identity.SetAttribute(ctx, path.Root("name"), key.Name)...)
	if r.kind.Scope == def.InMesh {
		diags.Append(identity.SetAttribute(ctx, path.Root("mesh"), key.Mesh)...)
	}
}

// key reads the key of the resource from its state or plan; the error says what
// is not known.
func (r *kindResource) key(state tftypes.Value) (kuma.Key, error) {
	values, err := tfvalue.Attributes(state)
	if err != nil {
		return kuma.Key{}, err
	}
	key := kuma.Key{Type: r.kind.Name}
	if err := values["name"].As(&key.Name); err != nil {
		return kuma.Key{}, fmt.Errorf("name: %w", err)
	}
	if r.kind.Scope == def.InMesh {
		if err := values["mesh"].As(&key.Mesh); err != nil {
			return kuma.Key{}, fmt.Errorf("mesh: %w", err)
		}
	}
	return key, nil
}
