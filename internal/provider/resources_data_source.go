package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// resourcesDataSource lists the resources of one kind.
type resourcesDataSource struct{ cp *connection }

var (
	_ datasource.DataSource              = (*resourcesDataSource)(nil)
	_ datasource.DataSourceWithConfigure = (*resourcesDataSource)(nil)
)

type resourcesModel struct {
	Type         types.String  `tfsdk:"type"`
	Mesh         types.String  `tfsdk:"mesh"`
	NameContains types.String  `tfsdk:"name_contains"`
	Labels       types.Map     `tfsdk:"labels"`
	Resources    []listedModel `tfsdk:"resources"`
}

type listedModel struct {
	Mesh     types.String      `tfsdk:"mesh"`
	Name     string            `tfsdk:"name"`
	Labels   map[string]string `tfsdk:"labels"`
	KRI      types.String      `tfsdk:"kri"`
	Document string            `tfsdk:"document"`
}

func (d *resourcesDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "kuma_resources"
}

func (d *resourcesDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.cp, _ = req.ProviderData.(*connection)
}

func (d *resourcesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := computedText
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the resources of one kind, in order of mesh and name.",
		Attributes: map[string]schema.Attribute{
			"type":          schema.StringAttribute{Required: true, MarkdownDescription: "Kind of the resources, as in Kuma's API, such as `MeshService`."},
			"mesh":          schema.StringAttribute{Optional: true, MarkdownDescription: "Mesh of the resources. Those of all meshes when unset."},
			"name_contains": schema.StringAttribute{Optional: true, MarkdownDescription: "Lists only resources with this text in their name."},
			"labels":        schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Lists only resources that carry all these labels."},
			"resources": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The resources.", NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"mesh": text("Mesh of the resource; null for kinds that belong to none."), "name": text("Name of the resource."),
				"labels": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "All labels, those that the control plane computed included."},
				"kri":    text(tfschema.KRIDescription), "document": text("The whole resource in universal format, as JSON, without what the data source of its kind marks as sensitive: the data of secrets, and private keys."),
			}}},
		},
	}
}

func (d *resourcesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m resourcesModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() || !d.cp.ready(&resp.Diagnostics) {
		return
	}
	k, ok := d.cp.store.Find(m.Type.ValueString())
	if !ok {
		resp.Diagnostics.AddAttributeError(path.Root("type"), "Unknown kind",
			phrase.Sentence(document.UnknownKind(m.Type.ValueString(), d.cp.store.KindNames()...)))
		return
	}
	if k.Scope == def.Global && !m.Mesh.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("mesh"), "The kind belongs to no mesh", fmt.Sprintf("Resources of kind %s belong to no mesh. Remove mesh.", k.Name))
		return
	}
	stored, err := d.cp.store.List(ctx, k, m.Mesh.ValueString())
	var notFound *controlplane.NotFoundError
	switch {
	case errors.As(err, &notFound):
		resp.Diagnostics.AddAttributeError(path.Root("mesh"), "There is no such mesh", fmt.Sprintf("The control plane has no mesh %q.", m.Mesh.ValueString()))
		return
	case err != nil:
		reportFailure(&resp.Diagnostics, k, "Cannot list the resources", err)
		return
	}
	var labels map[string]string
	resp.Diagnostics.Append(m.Labels.ElementsAs(ctx, &labels, false)...)
	m.Resources = []listedModel{}
	for _, r := range stored {
		if strings.Contains(r.Name, m.NameContains.ValueString()) && kuma.HasAll(r.Labels, labels) {
			m.Resources = append(m.Resources, listed(k, r))
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

func listed(k def.Kind, r kuma.Resource) listedModel {
	labels := r.Labels
	if labels == nil {
		labels = map[string]string{}
	}
	return listedModel{Mesh: stringOrNull(r.Mesh), Name: r.Name, Labels: labels, KRI: stringOrNull(k.KRI(r)), Document: phrase.JSON(k.WithoutSecrets(r).Document())}
}
