package managed

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

func (r *manifestResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	planned, ok := r.document(req.Plan.Raw, &resp.Diagnostics)
	if !ok {
		return
	}
	client := r.client(planned.Key())
	var replaced types.String
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root(tfschema.ReplacedVersion), &replaced)...)
	stored, ok := client.create(ctx, planned, replaced.ValueString(), manifestBlock(planned.Key()), &resp.Diagnostics)
	if ok {
		r.publish(ctx, req.Plan.Raw, stored, &resp.State, resp.Identity, &resp.Diagnostics)
		r.saveDocument(ctx, resp.Private, planned, stored, &resp.Diagnostics)
		client.saveFingerprint(ctx, resp.Private, stored, &resp.Diagnostics)
	}
}

func (r *manifestResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	key := manifestKey(ctx, req.State, &resp.Diagnostics)
	identifyManifest(ctx, key, resp.Identity, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || r.cp.IsUnknown() {
		return
	}
	if !isManifestImport(req.State.Raw) {
		r.cp.Run.RecordRead(key, configuration.ManifestType)
	}
	client := r.client(key)
	stored, ok := client.Refresh(ctx, key, &resp.Diagnostics)
	switch {
	case resp.Diagnostics.HasError():
		return
	case !ok:
		resp.State.RemoveResource(ctx)
		return
	}
	prior, known := r.document(req.State.Raw, &resp.Diagnostics)
	unchanged := known && client.Resources().UpToDate(prior, stored)
	if known && !store.Described(client.kind) {
		unchanged = r.matchesSavedDocument(ctx, req.Private, prior, stored, &resp.Diagnostics)
	}
	r.saveDocument(ctx, resp.Private, prior, stored, &resp.Diagnostics)
	client.saveFingerprint(ctx, resp.Private, stored, &resp.Diagnostics)
	if !unchanged {
		shown := configuration.Manifest(client.kind, stored, prior)
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("manifest"), types.DynamicValue(tfvalue.FromTree(ctx, shown.Document())))...)
	}
	setComputed(ctx, &resp.State, stored, client.kind, &resp.Diagnostics)
	client.warnOfUnknownFields(stored, &resp.Diagnostics)
	if isManifestImport(req.State.Raw) {
		client.warnOfImport(ctx, stored, &resp.Diagnostics)
	}
}

func (r *manifestResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	planned, ok := r.document(req.Plan.Raw, &resp.Diagnostics)
	if !ok {
		return
	}
	client := r.client(planned.Key())
	stored, ok := client.replace(ctx, planned, manifestBlock(planned.Key()), SavedFingerprint(ctx, req.Private, &resp.Diagnostics), nil, &resp.Diagnostics)
	if ok {
		client.saveFingerprint(ctx, resp.Private, stored, &resp.Diagnostics)
		r.publish(ctx, req.Plan.Raw, stored, &resp.State, resp.Identity, &resp.Diagnostics)
		r.saveDocument(ctx, resp.Private, planned, stored, &resp.Diagnostics)
	}
}

func (r *manifestResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	key := manifestKey(ctx, req.State, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		r.client(key).Remove(ctx, key, forcesDestroy(req.State.Raw), resp.Private, &resp.Diagnostics)
	}
}

func (r *manifestResource) publish(ctx context.Context, plan tftypes.Value, stored kuma.Resource, state *tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	state.Raw = plan
	setComputed(ctx, state, stored, r.find(stored.Type), diags)
	identifyManifest(ctx, stored.Key(), identity, diags)
}

// attributes is implemented by plans and states.
type attributes interface {
	SetAttribute(ctx context.Context, p path.Path, value any) diag.Diagnostics
}

func setComputed(ctx context.Context, to attributes, res kuma.Resource, k def.Kind, diags *diag.Diagnostics) {
	diags.Append(to.SetAttribute(ctx, path.Root("type"), res.Type)...)
	diags.Append(to.SetAttribute(ctx, path.Root("mesh"), tfvalue.OptionalString(res.Mesh))...)
	diags.Append(to.SetAttribute(ctx, path.Root("name"), res.Name)...)
	diags.Append(to.SetAttribute(ctx, path.Root("kri"), tfvalue.OptionalString(k.KRI(res)))...)
}
