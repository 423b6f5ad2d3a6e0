package rollout

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
)

// Actions returns the constructors of the actions.
func Actions() []func() action.Action {
	return []func() action.Action{func() action.Action { return &waitAction{} }}
}

var (
	_ action.ActionWithConfigure  = (*waitAction)(nil)
	_ action.ActionWithModifyPlan = (*waitAction)(nil)
)

// waitAction waits until proxies have a change, and fails if they do not get it.
type waitAction struct{ cp *connection.Connection }

func (*waitAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "kuma_wait_for_rollout"
}

func (a *waitAction) Configure(_ context.Context, req action.ConfigureRequest, _ *action.ConfigureResponse) {
	a.cp, _ = req.ProviderData.(*connection.Connection)
}

func (*waitAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	attributes, blocks := report.Schema[waitModel, schema.Attribute, schema.Block](waitValidators)
	resp.Schema = schema.Schema{MarkdownDescription: describe("wait_action"), Attributes: attributes, Blocks: blocks}
}

// ModifyPlan implements [action.ActionWithModifyPlan]: it finds invalid arguments before
// anything is applied. When Terraform validates an action, variables are unknown.
func (*waitAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	report.Arguments(ctx, req.Config, &waitModel{}, &resp.Diagnostics)
}

func (a *waitAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var m waitModel
	if !report.Arguments(ctx, req.Config, &m, &resp.Diagnostics) || !a.cp.Ready(&resp.Diagnostics) {
		return
	}
	w := m.waiter(ctx, a.cp, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	shown := ""
	w.report = func(r rollout.Result) {
		if counts := r.Counts(); counts != shown {
			shown = counts
			resp.SendProgress(action.InvokeProgressEvent{Message: counts})
		}
	}
	result, err := w.wait(ctx)
	switch {
	case err != nil:
		resp.Diagnostics.AddError("Cannot wait for the rollout", report.RequestDetail(err))
	case !result.Complete():
		resp.Diagnostics.AddError("Rollout not complete", result.Summary()+"What this apply has written stays written.")
	default:
		resp.SendProgress(action.InvokeProgressEvent{Message: result.Summary()})
	}
}
