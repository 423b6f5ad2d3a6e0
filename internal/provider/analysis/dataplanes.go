package analysis

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
	DataplanesDoc = "Selects the proxies that match every argument in the block, or all if it is empty. "
	ServiceDoc    = "Name or display name of their MeshService, in any zone, or value of their tag `kuma.io/service`."
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

// Selector returns what the block selects.
func (m *DataplanesModel) Selector(ctx context.Context, diags *diag.Diagnostics) rules.DataplaneSelector {
	by := rules.DataplaneSelector{Service: m.Service.ValueString()}
	readKnown(ctx, m.Labels, &by.Labels, diags)
	readKnown(ctx, m.Tags, &by.Tags, diags)
	return by
}
