package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// resourcesDataSource lists resources, and writes the configuration that takes
// them over.
type resourcesDataSource struct{ cp *connection }

var (
	_ datasource.DataSource              = (*resourcesDataSource)(nil)
	_ datasource.DataSourceWithConfigure = (*resourcesDataSource)(nil)
)

type resourcesModel struct {
	Type   types.String `tfsdk:"type"`
	Mesh   types.String `tfsdk:"mesh"`
	Global types.Bool   `tfsdk:"global"`
	filterModel
	Include       types.Set     `tfsdk:"include"`
	Resources     []listedModel `tfsdk:"resources"`
	Configuration types.String  `tfsdk:"configuration"`
}

type listedModel struct {
	Type         string            `tfsdk:"type"`
	Mesh         types.String      `tfsdk:"mesh"`
	Name         string            `tfsdk:"name"`
	Labels       map[string]string `tfsdk:"labels"`
	KRI          types.String      `tfsdk:"kri"`
	ManagedBy    types.String      `tfsdk:"managed_by"`
	ResourceType string            `tfsdk:"resource_type"`
	ImportID     string            `tfsdk:"import_id"`
	Identity     map[string]string `tfsdk:"identity"`
	Document     string            `tfsdk:"document"`
	Status       types.String      `tfsdk:"status"`
	SNIs         types.String      `tfsdk:"snis"`
}

func (d *resourcesDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "kuma_resources"
}

func (d *resourcesDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.cp, _ = req.ProviderData.(*connection)
}

// includeConfiguration is what `include` takes.
const includeConfiguration = "configuration"

func (d *resourcesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the resources of a mesh, or of one kind, in order of type, mesh and name. It also writes the configuration that takes them over.",
		Attributes: map[string]schema.Attribute{
			"type": schema.StringAttribute{Optional: true, MarkdownDescription: "Kind of the resources, as in Kuma's API, such as `MeshService`. All kinds that can be written, and the mesh itself, when unset."},
			"mesh": schema.StringAttribute{Optional: true, MarkdownDescription: "Mesh of the resources. Those of all meshes when unset."},
			"global": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether to list resources outside meshes too, such as those of kind `HostnameGenerator` and `GlobalSecret`, when `type` is unset. Defaults to `false`.",
			},
			"name_pattern": schema.StringAttribute{
				Optional: true, Validators: []validator.String{namePattern},
				MarkdownDescription: namePatternDoc,
			},
			"labels": schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: labelsDoc},
			"origin": schema.StringAttribute{
				Optional: true, Validators: []validator.String{originName},
				MarkdownDescription: originDoc,
			},
			"unmanaged": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "`true` lists only resources with `managed_by` null, which are those that a configuration can manage; " +
					"`false` lists only the others. All when unset.",
			},
			"include": schema.SetAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Set it to `[\"" + includeConfiguration + "\"]` to fill in `configuration`, which grows with the mesh and is kept in the state.",
			},
			"resources": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The resources.", NestedObject: schema.NestedAttributeObject{Attributes: listedAttributes()}},
			"configuration": computedText("Configuration of the listed resources with `managed_by` null, as a file: a `resource` block each, and an `import` block that takes it over. " +
				"Where one resource names another, the blocks refer to each other. Defaults and labels that the control plane computes are left out, and sensitive values are variables. Null unless `include` has it."),
		},
	}
}

func listedAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"type":   computedText(tfschema.TypeDescription),
		"mesh":   computedText("Mesh of the resource; null for kinds that belong to none."),
		"name":   computedText("Name of the resource."),
		"labels": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "All labels, those that the control plane computed included."},
		"kri":    computedText(tfschema.KRIDescription),
		"managed_by": computedText("Who manages the resource: `" + kinds.ManagedByMesh + "` for a policy that the control plane created with the mesh, `" + kinds.ManagedByControlPlane +
			"` for keys and certificates that the control plane makes for itself, `" + kinds.ManagedByOther + "` for a resource of another control plane, which is read-only here, " +
			"or the value of the label `kuma.io/managed-by`, such as `meshservice-generator`. Null for a resource that a user manages."),
		"resource_type": computedText("Type of the Terraform resource: that of the kind, or `kuma_manifest` where the kind has none or the document has members without an argument."),
		"import_id":     computedText("What the `id` of an `import` block takes."),
		"identity":      schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "What the `identity` of an `import` block takes."},
		"document":      computedText("The whole resource in universal format, as JSON, without what the data source of its kind marks as sensitive: the data of secrets, and private keys."),
		"status":        computedText("What the control plane reports about the resource, as JSON, such as hostnames, virtual IP addresses and the health of a MeshService. Null where it reports nothing."),
		"snis":          computedText("Server names by port that clients use across zones, as a JSON list of objects with `port` and `sni`. Null for other kinds than services, and for releases that do not report them."),
	}
}

func (d *resourcesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m resourcesModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() || !d.cp.ready(&resp.Diagnostics) {
		return
	}
	withConfiguration := m.included(ctx, &resp.Diagnostics)
	listed := m.list(ctx, d.cp.store, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	m.Resources = make([]listedModel, len(listed))
	var unmanaged []kuma.Resource
	for i, l := range listed {
		m.Resources[i] = l.model()
		if l.managedBy == "" {
			unmanaged = append(unmanaged, l.resource)
		}
	}
	m.Configuration = types.StringNull()
	if withConfiguration {
		text, err := configuration.File(ctx, unmanaged, configuration.Options{Imports: true})
		if err != nil {
			resp.Diagnostics.AddError("Cannot write the configuration", phrase.Sentence(err))
			return
		}
		m.Configuration = types.StringValue(text)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// included reports whether the configuration is asked for.
func (m *resourcesModel) included(ctx context.Context, diags *diag.Diagnostics) bool {
	var include []string
	diags.Append(m.Include.ElementsAs(ctx, &include, false)...)
	for _, name := range include {
		if name != includeConfiguration {
			diags.AddAttributeError(path.Root("include"), "Invalid element", fmt.Sprintf("%q cannot be included. Write %q.", name, includeConfiguration))
		}
	}
	return len(include) > 0
}

// listedResource is a resource and what is found out about it.
type listedResource struct {
	kind      def.Kind
	resource  kuma.Resource
	managedBy string
}

func (l listedResource) model() listedModel {
	r := l.resource
	out := listedModel{
		Type: r.Type, Mesh: stringOrNull(r.Mesh), Name: r.Name, Labels: r.Labels, KRI: stringOrNull(l.kind.KRI(r)), ManagedBy: stringOrNull(l.managedBy),
		Document: phrase.JSON(l.kind.WithoutSecrets(r).Document()), Identity: map[string]string{"name": r.Name},
	}
	if out.Labels == nil {
		out.Labels = map[string]string{}
	}
	out.ResourceType, out.ImportID = configuration.ResourceType(r), configuration.ImportID(r)
	if r.Mesh != "" {
		out.Identity["mesh"] = r.Mesh
	}
	if out.ResourceType == configuration.ManifestType {
		out.Identity["type"] = r.Type
	}
	for name, to := range map[string]*types.String{"status": &out.Status, "snis": &out.SNIs} {
		if v, ok := r.Reported[name]; ok {
			*to = types.StringValue(phrase.JSON(v))
		}
	}
	return out
}
