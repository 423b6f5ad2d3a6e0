package analysis

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
)

// policyImpactDataSource computes how a change affects all dataplanes of a mesh.
type policyImpactDataSource struct{ dataSource }

type impactArguments struct {
	analysisArguments
	Types    []string   `tfsdk:"types"`
	Complete types.Bool `tfsdk:"complete"`
}

// lateRead begins the summary of a data source that is read after a write of the
// same run.
const lateRead = "Read after the apply: changes are relative to what was stored before the first write of the run.\n\n"

func (d *policyImpactDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m impactArguments
	if !report.ReadArguments(ctx, req.Config, &m, &resp.Diagnostics) {
		return
	}
	in := m.input(ctx, d.CP, d.TypeName, impact.Kinds(), req.Config.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || ReportArguments(&resp.Diagnostics, answer.CheckTypes(m.Types)) {
		return
	}
	i, err := answer.OfImpact(in.BeforeChange(), in.Mesh, m.Types, m.Complete.ValueBool())
	if in.failed(err, "Cannot compute the impact") {
		return
	}
	if in.applied {
		i.Summary = lateRead + i.Summary
	}
	report.Write(ctx, req.Config, &resp.State, answer.AppliedImpact{Impact: i, Applied: in.applied})
}
