package analysis

import (
	"context"

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

// Selector returns what the block selects.
func (m *DataplanesModel) Selector(ctx context.Context, diags *diag.Diagnostics) rules.DataplaneSelector {
	by := rules.DataplaneSelector{Service: m.Service.ValueString()}
	readKnown(ctx, m.Labels, &by.Labels, diags)
	readKnown(ctx, m.Tags, &by.Tags, diags)
	return by
}
