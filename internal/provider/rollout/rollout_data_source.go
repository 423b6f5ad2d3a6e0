package rollout

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
)

// rolloutDataSource waits until proxies have a change, and reports which have it.
type rolloutDataSource struct{ report.DataSource }

func (d *rolloutDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m waitModel
	if !report.ReadArguments(ctx, req.Config, &m, &resp.Diagnostics) || !d.CP.Ready(&resp.Diagnostics) {
		return
	}
	w := m.waiter(ctx, d.CP, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	result, err := w.wait(ctx)
	if err != nil {
		resp.Diagnostics.AddError("Cannot wait for the rollout", report.RequestDetail(err))
		return
	}
	report.Write(ctx, req.Config, &resp.State, answer.OfRollout(result, w.change))
}
