package managed

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
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
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// resourcesDataSource lists resources, and generates the configuration to take them
// over.
type resourcesDataSource struct{ cp *connection.Connection }

var (
	_ datasource.DataSource                   = (*resourcesDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*resourcesDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*resourcesDataSource)(nil)
)

type resourcesModel struct {
	Type   types.String `tfsdk:"type"`
	Mesh   types.String `tfsdk:"mesh"`
	Global types.Bool   `tfsdk:"global"`
	filterModel
	Include       types.Set     `tfsdk:"include"`
	KumaVersion   types.String  `tfsdk:"kuma_version"`
	Resources     []listedModel `tfsdk:"resources"`
	StateFile     types.String  `tfsdk:"state_file"`
	Configuration types.String  `tfsdk:"configuration"`
	Files         types.Map     `tfsdk:"files"`
	StageTwo      types.String  `tfsdk:"stage_two"`
	UpgradeReport types.String  `tfsdk:"upgrade_report"`
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
	d.cp, _ = req.ProviderData.(*connection.Connection)
}

// Values of `include`.
const (
	includeConfiguration = "configuration"
	includeFiles         = "files"
)

func (d *resourcesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: describe("resources"),
		Attributes: map[string]schema.Attribute{
			"type":         schema.StringAttribute{Optional: true, MarkdownDescription: describe("resources.type")},
			"mesh":         schema.StringAttribute{Optional: true, MarkdownDescription: "Mesh of the resources. Defaults to all meshes."},
			"global":       schema.BoolAttribute{Optional: true, MarkdownDescription: describe("resources.global")},
			"name_pattern": schema.StringAttribute{Optional: true, Validators: []validator.String{namePattern}, MarkdownDescription: namePatternDoc},
			"labels":       schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: labelsDoc},
			"origin":       schema.StringAttribute{Optional: true, Validators: []validator.String{originName}, MarkdownDescription: originDoc},
			"unmanaged":    schema.BoolAttribute{Optional: true, MarkdownDescription: describe("resources.unmanaged")},
			"include": schema.SetAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Attributes to compute, which grow with the mesh and are stored in the state: `" + includeConfiguration +
					"` or `" + includeFiles + "`.",
			},
			"kuma_version": schema.StringAttribute{
				Optional: true, Validators: []validator.String{tfschema.OneOf("3.0")},
				MarkdownDescription: describe("resources.kuma_version"),
			},
			"state_file": schema.StringAttribute{Optional: true, MarkdownDescription: describe("resources.state_file")},
			"resources": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The matching resources.",
				NestedObject: schema.NestedAttributeObject{Attributes: listedAttributes()},
			},
			"configuration": tfschema.ComputedText(
				"Configuration file for the listed resources with a null `managed_by`: " +
					"a `resource` block for each, and an `import` block to take it over. " +
					"Resources refer to each other. Defaults and computed labels are omitted, and sensitive values are variables. " +
					"Null unless `include` contains it."),
			"files": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: describe("resources.files")},
			"stage_two": tfschema.ComputedText(
				"`configuration` of stage two of the function `upgrade_documents`, without `import` blocks: what only Kuma 3.0 takes. " +
					"Save it before the upgrade, after which it replaces stage one. " +
					"Null without `kuma_version`, or unless `include` contains `configuration`."),
			"upgrade_report": tfschema.ComputedText(
				"What the rewriting does to the documents, beginning with the most dangerous decisions, and the proof: " +
					"the settings, services, requests and clients of all proxies, compared between both stages. Null without `kuma_version`."),
		},
	}
}

func listedAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"type": tfschema.ComputedText(tfschema.TypeDescription),
		"mesh": tfschema.ComputedText("Mesh of the resource. Null for kinds outside meshes."),
		"name": tfschema.ComputedText("Name of the resource."),
		"labels": schema.MapAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "All labels, including those that the control plane computed.",
		},
		"kri": tfschema.ComputedText(tfschema.KRIDescription),
		"managed_by": tfschema.ComputedText("Who manages the resource: `" + kinds.ManagedByMesh +
			"` for a policy that the control plane created with the mesh, `" + kinds.ManagedByControlPlane +
			"` for keys and certificates that the control plane generates, including those of a MeshIdentity, `" + kinds.ManagedByOther +
			"` for a resource of another control plane, which is read-only here, " +
			"or the value of the label `kuma.io/managed-by`, such as `meshservice-generator`. Null for a resource that a user manages."),
		"resource_type": tfschema.ComputedText(
			"Type of the Terraform resource: that of the kind, or `kuma_manifest` if the kind has none or the document has fields " +
				"without an argument."),
		"import_id": tfschema.ComputedText("Value for the `id` of an `import` block."),
		"identity": schema.MapAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: "Value for the `identity` of an `import` block.",
		},
		"document": tfschema.ComputedText(
			"The whole resource in universal format, as JSON, without sensitive values: the data of secrets, and private keys."),
		"status": tfschema.ComputedText(
			"Status of the resource that the control plane reports, as JSON, such as hostnames, virtual IP addresses and the health of a " +
				"MeshService. Null without a status."),
		"snis": tfschema.ComputedText(
			"Server names (SNI) that clients in other zones use, as a JSON list of objects with `port` and `sni`. " +
				"Null for kinds other than services, and for releases that do not report them."),
	}
}

func (d *resourcesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m resourcesModel
	if !report.Arguments(ctx, req.Config, &m, &resp.Diagnostics) || !d.cp.Ready(&resp.Diagnostics) {
		return
	}
	include := m.included(ctx, &resp.Diagnostics)
	listed := m.list(ctx, d.cp.Store, &resp.Diagnostics)
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
	m.StageTwo, m.UpgradeReport = types.StringNull(), types.StringNull()
	release := d.cp.Capabilities().ControlPlane.Release
	options := configuration.Options{Imports: true, Release: release, DisplayNames: release != (kuma.Release{}) && !release.NamesResources()}
	if !m.KumaVersion.IsNull() {
		var err error
		if unmanaged, err = m.rewrite(ctx, include, listed, d.cp.Capabilities().ControlPlane, &options); err != nil {
			resp.Diagnostics.AddError("Cannot rewrite the mesh", phrase.Sentence(err))
			return
		}
	}
	if m.movedFrom(unmanaged, &options, &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	if err := m.generate(ctx, include, unmanaged, options); err != nil {
		resp.Diagnostics.AddError("Cannot generate the configuration", phrase.Sentence(err))
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// included returns the attributes to compute.
func (m *resourcesModel) included(ctx context.Context, diags *diag.Diagnostics) []string {
	var include []string
	diags.Append(m.Include.ElementsAs(ctx, &include, false)...)
	for _, name := range include {
		if name != includeConfiguration && name != includeFiles {
			diags.AddAttributeError(path.Root("include"), "Invalid value for include",
				fmt.Sprintf("%q is not valid. Valid values are %q and %q.", name, includeConfiguration, includeFiles))
		}
	}
	return include
}

// generate sets the configuration of resources in the forms that are included.
func (m *resourcesModel) generate(ctx context.Context, include []string, resources []kuma.Resource, o configuration.Options) error {
	m.Configuration, m.Files = types.StringNull(), types.MapNull(types.StringType)
	if slices.Contains(include, includeConfiguration) {
		text, err := configuration.File(ctx, resources, o)
		if err != nil {
			return err
		}
		m.Configuration = types.StringValue(text)
	}
	if slices.Contains(include, includeFiles) {
		files, err := configuration.Files(ctx, resources, o)
		if err != nil {
			return err
		}
		texts := make(map[string]attr.Value, len(files))
		for name, text := range files {
			texts[name] = types.StringValue(text)
		}
		m.Files = types.MapValueMust(types.StringType, texts)
	}
	return nil
}

// listedResource is a resource with additional information.
type listedResource struct {
	kind      def.Kind
	resource  kuma.Resource
	managedBy string
}

func (l listedResource) model() listedModel {
	r := l.resource
	out := listedModel{
		Type: r.Type, Mesh: tfvalue.OptionalString(r.Mesh), Name: r.Name, Labels: r.Labels, KRI: tfvalue.OptionalString(l.kind.KRI(r)),
		ManagedBy: tfvalue.OptionalString(l.managedBy),
		Document:  phrase.JSON(l.kind.WithoutSecrets(r).Document()), Identity: map[string]string{"name": r.Name},
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
