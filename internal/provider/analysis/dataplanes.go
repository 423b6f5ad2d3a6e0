package analysis

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// DataplanesModel is the block dataplanes, which selects several proxies.
type DataplanesModel struct {
	Service types.String `tfsdk:"service"`
	Labels  types.Map    `tfsdk:"labels"`
	Tags    types.Map    `tfsdk:"tags"`
}

// Descriptions of [DataplanesModel] and of its arguments.
const (
	DataplanesDoc = "Selects several proxies: those that match every argument in the block, or all of the mesh if the block is empty. "
	ServiceDoc    = "Name or display name of the MeshService of the proxies, in any zone, or the value of their tag `kuma.io/service` if there is no such MeshService."
	LabelsDoc     = "Labels that the Dataplanes must have."
	TagsDoc       = "Tags that one inbound or the gateway must have. `*` matches any value."
)

// DataplanesBlock returns the schema of [DataplanesModel]. also continues its
// description.
func DataplanesBlock(also string) schema.Block {
	texts := func(doc string) schema.Attribute {
		return schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: doc}
	}
	return schema.SingleNestedBlock{
		MarkdownDescription: DataplanesDoc + also,
		Attributes: map[string]schema.Attribute{
			"service": schema.StringAttribute{Optional: true, MarkdownDescription: ServiceDoc},
			"labels":  texts(LabelsDoc),
			"tags":    texts(TagsDoc),
		},
	}
}

// Selector returns what the block selects in a mesh of a snapshot. It reports an
// unknown service.
func (m *DataplanesModel) Selector(ctx context.Context, s *rules.Snapshot, mesh string, diags *diag.Diagnostics) rules.DataplaneSelector {
	by := rules.DataplaneSelector{Service: m.Service.ValueString()}
	diags.Append(m.Labels.ElementsAs(ctx, &by.Labels, false)...)
	diags.Append(m.Tags.ElementsAs(ctx, &by.Tags, false)...)
	if by.Service != "" && len(s.Candidates(mesh, kuma.KindMeshService, by.Service, nil)) == 0 && !s.HasServiceTag(mesh, by.Service) {
		names := phrase.Each(s.Candidates(mesh, kuma.KindMeshService, "", nil), func(c rules.Candidate) string { return c.Name })
		known := "The mesh has no resources of kind MeshService."
		if len(names) > 0 {
			const most = 10
			known = fmt.Sprintf("Services of the mesh: %s.%s", phrase.Some(names, most, ""), phrase.Suggest(by.Service, names))
		}
		diags.AddAttributeError(path.Root("dataplanes").AtName("service"), "Service not found",
			fmt.Sprintf("No stored or planned MeshService of mesh %q is named %q, and no proxy has the tag %s=%s. %s", mesh, by.Service, kuma.TagService, by.Service, known))
	}
	return by
}
