package managed

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// manifestResource is one document of any kind that the provider describes.
type manifestResource struct{ cp *connection.Connection }

var (
	_ resource.Resource                   = (*manifestResource)(nil)
	_ resource.ResourceWithConfigure      = (*manifestResource)(nil)
	_ resource.ResourceWithIdentity       = (*manifestResource)(nil)
	_ resource.ResourceWithImportState    = (*manifestResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*manifestResource)(nil)
	_ resource.ResourceWithMoveState      = (*manifestResource)(nil)
	_ resource.ResourceWithValidateConfig = (*manifestResource)(nil)
)

func (r *manifestResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = configuration.ManifestType
}

func (r *manifestResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	text := func(doc string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: doc}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: describe("manifest"),
		Attributes: map[string]schema.Attribute{
			"manifest": schema.DynamicAttribute{Required: true, MarkdownDescription: describe("manifest.manifest")},
			"type":     text(tfschema.TypeDescription), "mesh": text("Mesh of the resource. Null for kinds outside meshes."),
			"name": text("Name of the resource."),
			tfschema.ForceDestroy: schema.BoolAttribute{Optional: true, MarkdownDescription: "For a document of kind Mesh. " +
				tfschema.ForceDestroyDescription},
			"kri":                    text(tfschema.KRIDescription + " Known during the plan."),
			tfschema.ReplacedVersion: text(tfschema.ReplacedVersionDescription),
		},
	}
}

func (r *manifestResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"type": identityschema.StringAttribute{RequiredForImport: true, Description: "Kind of the resource."},
		"mesh": identityschema.StringAttribute{OptionalForImport: true, Description: "Mesh of the resource, for kinds inside meshes."},
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "Name of the resource."},
	}}
}

func (r *manifestResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.cp, _ = req.ProviderData.(*connection.Connection)
}

func (r *manifestResource) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	doc, err := manifestTree(req.Config.Raw)
	switch {
	case err != nil:
		resp.Diagnostics.AddAttributeError(placeOfManifest(""), "Invalid manifest", phrase.Sentence(err))
	case doc != nil:
		read := manifestReader().Value(doc)
		at := placeOfManifest("")
		if len(read.Documents) > 0 {
			at = placeOfManifest(read.Documents[0].Kind.Name)
		}
		report.Reading(&resp.Diagnostics, at, read)
		warnOfSecrets(&resp.Diagnostics, read.Documents)
	}
}

// placeOfManifest returns the place for diagnostics about a document of a kind: the
// argument, or the block if the document may contain secrets, because Terraform prints
// the lines of an argument. For an attribute that a configuration cannot set, it prints
// the first line of the block.
func placeOfManifest(kind string) path.Path {
	if k, described := kinds.Find(kind); !described || k.HoldsSecrets() {
		return path.Root("type")
	}
	return path.Root("manifest")
}

// warnOfSecrets warns about sensitive values in a manifest, because Terraform shows
// all of it.
func warnOfSecrets(diags *diag.Diagnostics, documents []document.Document) {
	for _, d := range documents {
		if len(d.Kind.Secrets(d.Resource.Document())) > 0 {
			diags.AddWarning("Manifest contains sensitive values",
				fmt.Sprintf("Terraform shows the whole manifest in plans and stores it in the state, including the sensitive values of the %s. "+
					"Use %s, which marks them as sensitive, or wrap the manifest in sensitive().", d.Kind.Name, tfschema.TypeName(d.Kind.Name)))
		}
	}
}

// document reads the manifest; false when there is an error, or not all of it is
// known.
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
		diags.AddAttributeError(placeOfManifest(d.Kind.Name), "Invalid manifest", phrase.Sentence(err))
		return kuma.Resource{}, false
	}
	return d.Resource, true
}

// find returns the named kind, or an undescribed one with that name.
func (r *manifestResource) find(name string) def.Kind {
	k, ok := r.cp.Capabilities().Find(name)
	if !ok {
		k.Name = name
	}
	return k
}

// reader reads documents, also of kinds that only the control plane supports. The plan
// reports kinds that it does not support.
func (r *manifestResource) reader() *document.Reader {
	return &document.Reader{Find: func(name string) (def.Kind, bool) { return r.find(name), true }}
}

// client returns the client for the resource with a key.
func (r *manifestResource) client(key kuma.Key) resourceClient {
	return resourceClient{kind: r.find(key.Type), cp: r.cp, document: true}
}

// manifestBlock is how the configuration manages the resource with a key.
func manifestBlock(key kuma.Key) configBlock {
	at := placeOfManifest(key.Type)
	return configBlock{typeName: configuration.ManifestType, importID: configuration.ManifestImportID(key), at: at, meshAt: at}
}

func identifyManifest(ctx context.Context, key kuma.Key, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	if identity != nil {
		setKeyOf(ctx, identity, key, diags)
	}
}

// manifestKey reads the key of the resource from the computed attributes, which an
// import sets before there is a manifest.
func manifestKey(ctx context.Context, state tfsdk.State, diags *diag.Diagnostics) kuma.Key {
	var kind, meshName, name types.String
	diags.Append(state.GetAttribute(ctx, path.Root("type"), &kind)...)
	diags.Append(state.GetAttribute(ctx, path.Root("mesh"), &meshName)...)
	diags.Append(state.GetAttribute(ctx, path.Root("name"), &name)...)
	return kuma.Key{Type: kind.ValueString(), Mesh: meshName.ValueString(), Name: name.ValueString()}
}

// manifestReader reads the document of a manifest resource as far as possible without
// the control plane, which may support more kinds.
func manifestReader() *document.Reader {
	return &document.Reader{UnknownKinds: document.Take, Check: document.Fields, OmitsSecrets: true}
}

// manifestTree returns the document of a manifest resource, nil while it is not
// known.
func manifestTree(raw tftypes.Value) (map[string]any, error) {
	values, err := tfvalue.Attributes(raw)
	if err != nil {
		return nil, err
	}
	return tfvalue.ObjectDocument(values["manifest"])
}
