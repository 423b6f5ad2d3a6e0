package managed

import (
	"context"
	_ "embed"
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
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// Resources returns the constructors of the resources: of each kind, and of manifests.
func Resources() []func() resource.Resource {
	out := []func() resource.Resource{
		func() resource.Resource { return &manifestResource{} },
	}
	for _, k := range kinds.All() {
		out = append(out, func() resource.Resource { return New(k) })
	}
	return out
}

// Resource is the resource of one kind. It works on raw values and the
// description of the kind.
type Resource struct{ resourceClient }

// New returns the resource of a kind.
func New(k def.Kind) *Resource { return &Resource{resourceClient{kind: k}} }

var (
	_ resource.Resource                   = (*Resource)(nil)
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithMoveState      = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// Metadata implements [resource.Resource].
func (r *Resource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = tfschema.TypeName(r.kind.Name)
}

// Schema implements [resource.Resource].
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = tfschema.Resource(r.kind)
}

// IdentitySchema implements [resource.ResourceWithIdentity].
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = tfschema.Identity(r.kind)
}

// Configure implements [resource.ResourceWithConfigure].
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.Connect(req.ProviderData)
}

// ValidateConfig implements [resource.ResourceWithValidateConfig].
func (r *Resource) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	doc, err := tfvalue.Encode(r.kind, req.Config.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the configuration", phrase.Sentence(err))
		return
	}
	report.Configuration(&resp.Diagnostics, r.kind, r.kind.WithUnknownSecrets(doc), r.cp)
	checkSecrets(r.kind, req.Config.Raw, &resp.Diagnostics)
}

// Create implements [resource.Resource].
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
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

// IsImport reports whether a state comes from an import, which only identifies the
// resource.
func IsImport(state tftypes.Value) bool {
	values, err := tfvalue.Attributes(state)
	return err == nil && values["type"].IsNull()
}

// Read implements [resource.Resource].
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	key, err := r.Key(req.State.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the state", phrase.Sentence(err))
		return
	}
	r.identify(ctx, key, resp.Identity, &resp.Diagnostics)
	if r.cp.IsUnknown() {
		return // the state stays as it is
	}
	stored, ok := r.Refresh(ctx, key, &resp.Diagnostics)
	switch {
	case resp.Diagnostics.HasError():
		return
	case !ok:
		resp.State.RemoveResource(ctx)
		return
	}
	t, ok := req.State.Raw.Type().(tftypes.Object)
	if !ok {
		resp.Diagnostics.AddError("Cannot read the state",
			"The state of a resource is always an object. This is a bug in the provider; please report it.")
		return
	}
	values, err := r.StateValues(stored, t, req.State.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Invalid response from the control plane", phrase.Sentence(err))
		return
	}
	resp.State.Raw = tftypes.NewValue(t, values)
	r.saveFingerprint(ctx, resp.Private, stored, &resp.Diagnostics)
	r.warnOfUnknownFields(stored, &resp.Diagnostics)
	if IsImport(req.State.Raw) {
		r.warnOfImport(ctx, stored, &resp.Diagnostics)
	}
}

// StateValues returns the attributes of a stored resource for the state. prior
// is the previous state, which is null, or only identifies the resource, for an
// import.
func (r *Resource) StateValues(stored kuma.Resource, t tftypes.Object, prior tftypes.Value) (map[string]tftypes.Value, error) {
	release := r.cp.Capabilities().ControlPlane.Release
	if release.Kuma3() { // it may still show what an older release stored, although writes do not change that
		stored = stored.Clone()
		r.kind.DropUnsupported(stored.Body, release)
	}
	values, err := tfvalue.Decode(r.kind, stored, release, t, prior, false)
	if err != nil {
		return nil, err
	}
	if err := tfvalue.HideSecrets(r.kind, values, prior); err != nil {
		return nil, err
	}
	if IsImport(prior) && values["labels"].IsNull() {
		values["labels"] = tftypes.NewValue(values["labels"].Type(), map[string]tftypes.Value{})
	}
	return values, nil
}

// Update implements [resource.Resource].
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	planned, _ := r.planned(req.Plan.Raw, req.Config.Raw, &resp.Diagnostics)
	if r.CheckInstallation(ctx, planned.Key(), req.Private, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	kept := tfvalue.WrittenSecrets(r.kind, req.Plan.Raw, req.State.Raw)
	stored, ok := r.replace(ctx, planned, r.block(planned.Key()), SavedFingerprint(ctx, req.Private, &resp.Diagnostics), kept,
		&resp.Diagnostics)
	if !ok {
		return
	}
	r.publish(ctx, req.Plan.Raw, stored, &resp.State, resp.Identity, &resp.Diagnostics)
	r.saveFingerprint(ctx, resp.Private, stored, &resp.Diagnostics)
}

// Delete implements [resource.Resource].
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	key, err := r.Key(req.State.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the state", phrase.Sentence(err))
		return
	}
	r.Remove(ctx, key, forcesDestroy(req.State.Raw), resp.Private, &resp.Diagnostics)
}

// plannedDocument returns the document to write, write-only values of the configuration
// included; nil with an error.
func (r *Resource) plannedDocument(plan, config tftypes.Value, diags *diag.Diagnostics) map[string]any {
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
func (r *Resource) planned(plan, config tftypes.Value, diags *diag.Diagnostics) (kuma.Resource, bool) {
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
func (r *Resource) publish(ctx context.Context, plan tftypes.Value, stored kuma.Resource, state *tfsdk.State,
	identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics,
) {
	values, err := tfvalue.Attributes(plan)
	if err != nil {
		diags.AddError("Cannot read the plan", phrase.Sentence(err))
		return
	}
	values["kri"] = tfvalue.StringOrNull(r.kind.KRI(stored))
	state.Raw = tftypes.NewValue(plan.Type(), values)
	r.identify(ctx, stored.Key(), identity, diags)
}

func (r *Resource) identify(ctx context.Context, key kuma.Key, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	if identity == nil {
		return
	}
	diags.Append(identity.SetAttribute(ctx, path.Root("name"), key.Name)...)
	if r.kind.Scope == def.InMesh {
		diags.Append(identity.SetAttribute(ctx, path.Root("mesh"), key.Mesh)...)
	}
}

// Key reads the key of the resource from its state or plan; the error says what
// is not known.
func (r *Resource) Key(state tftypes.Value) (kuma.Key, error) {
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

//go:embed texts.md
var markdown string

// describe returns a description that is longer than a line.
var describe = tfschema.Texts(markdown)
