package provider

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// manifestResource is one document of any kind that the provider describes.
type manifestResource struct{ cp *connection }

var (
	_ resource.Resource                   = (*manifestResource)(nil)
	_ resource.ResourceWithConfigure      = (*manifestResource)(nil)
	_ resource.ResourceWithIdentity       = (*manifestResource)(nil)
	_ resource.ResourceWithImportState    = (*manifestResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*manifestResource)(nil)
	_ resource.ResourceWithValidateConfig = (*manifestResource)(nil)
)

func (r *manifestResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "kuma_manifest"
}

func (r *manifestResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	text := func(doc string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: doc}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages one document, for YAML that exists already or is generated. It is checked like the typed resource of its kind when planning; " +
			"a member that the kind does not have is an error, where the control plane would drop it silently. " +
			"Kinds that only the control plane knows are passed through, and only it checks them.",
		Attributes: map[string]schema.Attribute{
			"manifest": schema.DynamicAttribute{Required: true, MarkdownDescription: "The document as an object, such as `yamldecode(file(\"timeout.yaml\"))`, in universal or Kubernetes format. " +
				"Another kind, mesh or name creates a new resource."},
			"type": text(tfschema.TypeDescription), "mesh": text("Mesh that the resource belongs to; null for kinds that belong to none."), "name": text("Name of the resource."),
			"kri": text(tfschema.KRIDescription + " Known when planning."),
		},
	}
}

func (r *manifestResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"type": identityschema.StringAttribute{RequiredForImport: true, Description: "Kind of the resource."},
		"mesh": identityschema.StringAttribute{OptionalForImport: true, Description: "Mesh that the resource belongs to, for kinds that belong to one."},
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "Name of the resource."},
	}}
}

func (r *manifestResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.cp, _ = req.ProviderData.(*connection)
}

func (r *manifestResource) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	doc, err := manifestTree(req.Config.Raw)
	switch {
	case err != nil:
		resp.Diagnostics.AddAttributeError(path.Root("manifest"), "Not a document", phrase.Sentence(err))
	case doc != nil:
		read := manifestReader().Value(doc)
		reportReading(&resp.Diagnostics, path.Root("manifest"), read)
		warnOfSecrets(&resp.Diagnostics, read.Documents)
	}
}

// warnOfSecrets points out secrets in a manifest, of which Terraform shows all.
func warnOfSecrets(diags *diag.Diagnostics, documents []document.Document) {
	for _, d := range documents {
		if len(d.Kind.Secrets(d.Resource.Document())) > 0 {
			diags.AddAttributeWarning(path.Root("manifest"), "Manifest contains a secret",
				fmt.Sprintf("Terraform shows the whole manifest in plans and keeps it in the state, including the sensitive values of the %s. Use %s, which marks them as sensitive, or wrap the manifest in sensitive().", d.Kind.Name, tfschema.TypeName(d.Kind.Name)))
		}
	}
}

func (r *manifestResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var before kuma.Key
	if !req.State.Raw.IsNull() {
		before = manifestKey(ctx, req.State, &resp.Diagnostics)
	}
	if req.Plan.Raw.IsNull() {
		r.at(before).plans(before, actionDelete, manifestBlock(before), &resp.Diagnostics)
		return
	}
	planned, known := r.document(req.Plan.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || r.cp == nil || r.cp.client == nil {
		return // the computed attributes stay unknown
	}
	if !known {
		r.planUnknown(ctx, before, req, resp)
		return
	}
	target := r.at(planned.Key())
	var stored kuma.Resource
	switch {
	case req.State.Raw.IsNull():
	case before != planned.Key():
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("manifest"))
		target.plans(before, actionRename, manifestBlock(before), &resp.Diagnostics)
		markKeyChange(ctx, resp.Private, &resp.Diagnostics)
	default:
		target.plans(before, actionKeep, manifestBlock(before), &resp.Diagnostics)
		state, ok := r.document(req.State.Raw, &resp.Diagnostics)
		if !ok {
			return
		}
		if replaced := immutableChanges(state.Labels, planned.Labels, nil); replaced == nil && target.same(planned, state) {
			resp.Plan.Raw = req.State.Raw // another spelling
			return
		}
		stored, _ = target.refresh(ctx, before, &resp.Diagnostics)
		if !target.asSeen(ctx, stored, req.Private, &resp.Diagnostics) {
			return
		}
		if replaced := immutableChanges(state.Labels, planned.Labels, stored.Labels); replaced != nil {
			resp.RequiresReplace = append(resp.RequiresReplace, path.Root("manifest"))
		} else if described(target.kind) && target.same(state, stored) && target.same(planned, stored) {
			resp.Plan.Raw = req.State.Raw // an import shows less than a configuration may spell out
			return
		}
	}
	reportDocument(&resp.Diagnostics, path.Root("manifest"), r.cp.problems(target.kind, planned.Document(), req.State.Raw.IsNull()))
	if resp.Diagnostics.HasError() {
		return
	}
	labelled, _ := target.completed(planned, stored)
	labelled.Labels = target.kind.Labels(labelled, r.cp.about)
	setComputed(ctx, &resp.Plan, labelled, target.kind, &resp.Diagnostics)
	if !described(target.kind) {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("kri"), types.StringUnknown())...)
		resp.Diagnostics.AddAttributeWarning(path.Root("manifest"), "Only the control plane checks this kind",
			fmt.Sprintf("The control plane lists %s, and this provider knows nothing else about it. Mistakes show when it is applied.", planned.Type))
	}
	if req.State.Raw.IsNull() {
		target.checkMesh(ctx, planned.Key(), path.Root("manifest"), &resp.Diagnostics)
		how := creationOf(ctx, req.Private, &resp.Diagnostics)
		target.planCreate(ctx, planned.Key(), &planned, manifestBlock(planned.Key()), how, &resp.Diagnostics)
	}
}

// planUnknown plans a document of which the plan does not know all, as far as it
// knows what names it. The computed attributes stay unknown.
func (r *manifestResource) planUnknown(ctx context.Context, before kuma.Key, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	doc, err := manifestTree(req.Plan.Raw)
	key, ok := r.reader().Key(doc)
	switch {
	case err != nil, !ok, r.find(key.Type).Path == "": // a kind that is not listed is reported when all is known
		return
	case req.State.Raw.IsNull():
		r.at(key).planCreate(ctx, key, nil, manifestBlock(key), creationOf(ctx, req.Private, &resp.Diagnostics), &resp.Diagnostics)
	case before != key:
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("manifest"))
		r.at(before).plans(before, actionRename, manifestBlock(before), &resp.Diagnostics)
		markKeyChange(ctx, resp.Private, &resp.Diagnostics)
	default:
		r.at(key).plans(key, actionKeep, manifestBlock(key), &resp.Diagnostics)
	}
}

// manifestBlock is how the configuration manages the resource with a key.
func manifestBlock(key kuma.Key) configBlock {
	return configBlock{"kuma_manifest", manifestID(key), path.Root("manifest")}
}

func (r *manifestResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	planned, ok := r.document(req.Plan.Raw, &resp.Diagnostics)
	if !ok {
		return
	}
	target := r.at(planned.Key())
	stored, ok := target.create(ctx, planned, manifestBlock(planned.Key()), &resp.Diagnostics)
	if ok {
		r.publish(ctx, req.Plan.Raw, stored, &resp.State, resp.Identity, &resp.Diagnostics)
		r.remember(ctx, resp.Private, stored, &resp.Diagnostics)
		target.see(ctx, resp.Private, stored, &resp.Diagnostics)
	}
}

func (r *manifestResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	key := manifestKey(ctx, req.State, &resp.Diagnostics)
	identifyManifest(ctx, key, resp.Identity, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || r.cp.isUnknown() {
		return
	}
	target := r.at(key)
	stored, ok := target.refresh(ctx, key, &resp.Diagnostics)
	switch {
	case resp.Diagnostics.HasError():
		return
	case !ok:
		resp.State.RemoveResource(ctx)
		return
	}
	prior, known := r.document(req.State.Raw, &resp.Diagnostics)
	unchanged := known && target.same(prior, stored)
	if known && !described(target.kind) {
		unchanged = r.remembers(ctx, req.Private, prior, stored, &resp.Diagnostics)
	}
	r.remember(ctx, resp.Private, stored, &resp.Diagnostics)
	target.see(ctx, resp.Private, stored, &resp.Diagnostics)
	if !unchanged {
		shown := target.shown(stored, prior)
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("manifest"), types.DynamicValue(tfvalue.FromTree(ctx, shown.Document())))...)
	}
	setComputed(ctx, &resp.State, stored, target.kind, &resp.Diagnostics)
	if unknown := target.unknownMembers(stored); len(unknown) > 0 {
		resp.Diagnostics.AddWarning("Fields unknown to this version of the provider", unknownDetail(key, unknown))
	}
}

// shown returns what the state shows of a stored document: without the labels
// that the control plane computes, what it writes by itself, and the secrets,
// unless prior sets them, and without what only a later release knows.
func (r remote) shown(stored, prior kuma.Resource) kuma.Resource {
	if !described(r.kind) {
		return stored
	}
	shown := r.kind.WithoutServerOwned(stored)
	r.kind.KeepServerOwned(&shown, prior)
	maps.DeleteFunc(shown.Labels, func(label, _ string) bool {
		_, mine := prior.Labels[label]
		return tfvalue.HiddenLabel(label) && !mine
	})
	for label := range prior.Labels {
		if value, ok := stored.Labels[label]; ok {
			shown.Labels = withDefault(shown.Labels, label, value)
		}
	}
	for _, f := range r.kind.SecretFields() {
		if prior.Body[f.Name] == nil {
			delete(shown.Body, f.Name)
		}
	}
	r.kind.DropUnknown(&shown)
	return shown
}

func (r *manifestResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	planned, ok := r.document(req.Plan.Raw, &resp.Diagnostics)
	if !ok {
		return
	}
	target := r.at(planned.Key())
	stored, ok := target.replace(ctx, planned, manifestBlock(planned.Key()), seen(ctx, req.Private, &resp.Diagnostics), nil, &resp.Diagnostics)
	if ok {
		target.see(ctx, resp.Private, stored, &resp.Diagnostics)
		r.publish(ctx, req.Plan.Raw, stored, &resp.State, resp.Identity, &resp.Diagnostics)
		r.remember(ctx, resp.Private, stored, &resp.Diagnostics)
	}
}

func (r *manifestResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	if key := manifestKey(ctx, req.State, &resp.Diagnostics); !resp.Diagnostics.HasError() {
		r.at(key).delete(ctx, key, seen(ctx, req.Private, &resp.Diagnostics), &resp.Diagnostics)
	}
}

func (r *manifestResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var key kuma.Key
	if req.ID != "" {
		var err error
		if key, err = r.parseID(req.ID); err != nil {
			resp.Diagnostics.AddError("Invalid import ID", phrase.Sentence(err))
			return
		}
	} else {
		for name, field := range map[string]*string{"type": &key.Type, "mesh": &key.Mesh, "name": &key.Name} {
			var v types.String
			resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(name), &v)...)
			*field = v.ValueString()
		}
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("type"), key.Type)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("mesh"), textOf(key.Mesh))...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), key.Name)...)
	identifyManifest(ctx, key, resp.Identity, &resp.Diagnostics)
}

// document reads the manifest; false when there is none, or not all is known.
func (r *manifestResource) document(raw tftypes.Value, diags *diag.Diagnostics) (kuma.Resource, bool) {
	doc, err := manifestTree(raw)
	if err == nil && (doc == nil || !tree.FullyKnown(doc)) {
		return kuma.Resource{}, false
	}
	var d document.Document
	if err == nil {
		d, err = r.reader().Value(doc).Only()
	}
	if err != nil {
		diags.AddAttributeError(path.Root("manifest"), "Not a document", phrase.Sentence(err))
		return kuma.Resource{}, false
	}
	return d.Resource, true
}

// find returns a kind; one that nobody knows when it is called like that.
func (r *manifestResource) find(name string) def.Kind {
	var can capabilities
	if r.cp != nil {
		can = r.cp.capabilities
	}
	k, ok := can.find(name)
	if !ok {
		k.Name = name
	}
	return k
}

// reader reads documents of the kinds that the control plane lists, too. Whether
// it lists a kind is reported in the plan.
func (r *manifestResource) reader() *document.Reader {
	return &document.Reader{Find: func(name string) (def.Kind, bool) { return r.find(name), true }}
}

// at returns the place where the resource with a key lives.
func (r *manifestResource) at(key kuma.Key) remote {
	return remote{kind: r.find(key.Type), cp: r.cp, document: true}
}

func (r *manifestResource) publish(ctx context.Context, plan tftypes.Value, stored kuma.Resource, state *tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	state.Raw = plan
	setComputed(ctx, state, stored, r.find(stored.Type), diags)
	identifyManifest(ctx, stored.Key(), identity, diags)
}

// attributes is what a plan and a state have in common.
type attributes interface {
	SetAttribute(ctx context.Context, p path.Path, value any) diag.Diagnostics
}

func setComputed(ctx context.Context, to attributes, res kuma.Resource, k def.Kind, diags *diag.Diagnostics) {
	diags.Append(to.SetAttribute(ctx, path.Root("type"), res.Type)...)
	diags.Append(to.SetAttribute(ctx, path.Root("mesh"), textOf(res.Mesh))...)
	diags.Append(to.SetAttribute(ctx, path.Root("name"), res.Name)...)
	diags.Append(to.SetAttribute(ctx, path.Root("kri"), textOf(k.KRI(res)))...)
}

func identifyManifest(ctx context.Context, key kuma.Key, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	if identity == nil {
		return
	}
	diags.Append(identity.SetAttribute(ctx, path.Root("type"), key.Type)...)
	diags.Append(identity.SetAttribute(ctx, path.Root("mesh"), textOf(key.Mesh))...)
	diags.Append(identity.SetAttribute(ctx, path.Root("name"), key.Name)...)
}

// manifestKey reads what names the resource from the computed attributes, which
// an import sets before there is a manifest.
func manifestKey(ctx context.Context, state tfsdk.State, diags *diag.Diagnostics) kuma.Key {
	var kind, meshName, name types.String
	diags.Append(state.GetAttribute(ctx, path.Root("type"), &kind)...)
	diags.Append(state.GetAttribute(ctx, path.Root("mesh"), &meshName)...)
	diags.Append(state.GetAttribute(ctx, path.Root("name"), &name)...)
	return kuma.Key{Type: kind.ValueString(), Mesh: meshName.ValueString(), Name: name.ValueString()}
}

func textOf(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// manifestID returns what `terraform import` takes: TYPE/MESH/NAME, or
// TYPE/NAME for kinds that belong to no mesh.
func manifestID(key kuma.Key) string {
	if key.Mesh == "" {
		return key.Type + "/" + key.Name
	}
	return strings.Join([]string{key.Type, key.Mesh, key.Name}, "/")
}

// parseID reads what [manifestID] writes.
func (r *manifestResource) parseID(id string) (kuma.Key, error) {
	kind, rest, _ := strings.Cut(id, "/")
	k := r.find(kind)
	if k.Path == "" {
		return kuma.Key{}, fmt.Errorf("%q is no import ID: write TYPE/MESH/NAME, such as MeshService/default/web.%s", id, phrase.Suggest(kind, capabilities{}.names()))
	}
	return parseImportID(k, rest)
}
