package managed

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

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
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
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
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("manifest"),
			types.DynamicValue(tfvalue.FromTree(ctx, shown.Document())))...)
	}
	setComputed(ctx, &resp.State, stored, client.kind, &resp.Diagnostics)
	client.warnOfUnknownFields(stored, &resp.Diagnostics)
	if isManifestImport(req.State.Raw) {
		client.warnOfImport(ctx, stored, &resp.Diagnostics)
	}
}

func (r *manifestResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	planned, _ := r.document(req.Plan.Raw, &resp.Diagnostics)
	client := r.client(planned.Key())
	if client.CheckInstallation(ctx, planned.Key(), req.Private, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	stored, ok := client.replace(ctx, planned, manifestBlock(planned.Key()), SavedFingerprint(ctx, req.Private, &resp.Diagnostics), nil,
		&resp.Diagnostics)
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

func (r *manifestResource) publish(ctx context.Context, plan tftypes.Value, stored kuma.Resource, state *tfsdk.State,
	identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics,
) {
	state.Raw = plan
	setComputed(ctx, state, stored, r.find(stored.Type), diags)
	identifyManifest(ctx, stored.Key(), identity, diags)
}

// attributes is implemented by plans, states and identities.
type attributes interface {
	SetAttribute(ctx context.Context, p path.Path, value any) diag.Diagnostics
}

func setKeyOf(ctx context.Context, to attributes, key kuma.Key, diags *diag.Diagnostics) {
	diags.Append(to.SetAttribute(ctx, path.Root("type"), key.Type)...)
	diags.Append(to.SetAttribute(ctx, path.Root("mesh"), tfvalue.OptionalString(key.Mesh))...)
	diags.Append(to.SetAttribute(ctx, path.Root("name"), key.Name)...)
}

func setComputed(ctx context.Context, to attributes, res kuma.Resource, k def.Kind, diags *diag.Diagnostics) {
	setKeyOf(ctx, to, res.Key(), diags)
	diags.Append(to.SetAttribute(ctx, path.Root("kri"), tfvalue.OptionalString(k.KRI(res)))...)
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
	setManifestKey(ctx, key, &resp.State, resp.Identity, &resp.Diagnostics)
}

// setManifestKey sets a state that contains only the key of a resource, and its
// identity. The refresh that follows reads the rest.
func setManifestKey(ctx context.Context, key kuma.Key, state attributes, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	setKeyOf(ctx, state, key, diags)
	identifyManifest(ctx, key, identity, diags)
}

// isManifestImport reports whether a state comes from an import, which only identifies
// the resource.
func isManifestImport(state tftypes.Value) bool {
	values, err := tfvalue.Attributes(state)
	return err == nil && values["manifest"].IsNull()
}

// parseID parses the result of [configuration.ManifestImportID].
func (r *manifestResource) parseID(id string) (kuma.Key, error) {
	kind, rest, _ := strings.Cut(id, "/")
	k := r.find(kind)
	if k.Path == "" {
		return kuma.Key{}, fmt.Errorf("%q is not a valid import ID. Use TYPE/MESH/NAME, such as MeshService/default/web.%s", id,
			phrase.Suggest(kind, store.Capabilities{}.KindNames()))
	}
	key, err := parseImportID(k, rest)
	if err != nil {
		example := kuma.Key{Type: k.Name, Mesh: kuma.DefaultMesh, Name: cmp.Or(rest[strings.LastIndex(rest, "/")+1:], "NAME")}
		if k.Scope == def.Global {
			example.Mesh = ""
		}
		return kuma.Key{}, fmt.Errorf("%q is not a valid import ID. Use TYPE/MESH/NAME, such as %q", id, configuration.ManifestImportID(example))
	}
	return key, nil
}

// saveDocument saves the stored document of an undescribed kind. How the control plane
// completes and spells such documents is not known, so drift is a difference from the
// saved document. It contains the secrets that the manifest sets.
func (r *manifestResource) saveDocument(ctx context.Context, private privateState, manifest, stored kuma.Resource,
	diags *diag.Diagnostics,
) {
	k := r.find(stored.Type)
	if store.Described(k) {
		return
	}
	text, err := json.Marshal(configuration.Manifest(k, stored, manifest).Document())
	if err != nil {
		diags.AddError("Invalid response from the control plane", phrase.Sentence(err))
		return
	}
	diags.Append(private.SetKey(ctx, documentKey, text)...)
}

// matchesSavedDocument reports whether the stored document equals the saved one. If a
// written document could not be read back, the saved one is what was sent, and the
// stored one must contain all of it.
func (r *manifestResource) matchesSavedDocument(ctx context.Context, private privateReader, sent, stored kuma.Resource,
	diags *diag.Diagnostics,
) bool {
	text, d := private.GetKey(ctx, documentKey)
	diags.Append(d...)
	before, err := tree.DecodeJSON(text)
	if err != nil {
		return false
	}
	now := configuration.Manifest(r.find(stored.Type), stored, sent)
	return tree.Equal(before, now.Document()) || tree.Equal(before, sent.Document()) && store.Contains(now.Document(), before)
}
