package token

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
)

// Actions returns the constructors of the actions.
func Actions() []func() action.Action {
	return []func() action.Action{
		func() action.Action { return &revokeAction{tokenAction{typeName: "kuma_revoke_token"}} },
		func() action.Action { return &rotateAction{tokenAction{typeName: "kuma_rotate_signing_key"}} },
	}
}

// tokenAction is what the actions share.
type tokenAction struct {
	typeName string
	cp       *connection.Connection
}

func (a *tokenAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = a.typeName
}

func (a *tokenAction) Configure(_ context.Context, req action.ConfigureRequest, _ *action.ConfigureResponse) {
	a.cp, _ = req.ProviderData.(*connection.Connection)
}

// planned reads the arguments for a plan, and reports whether they and the control plane are
// known.
func (a *tokenAction) planned(ctx context.Context, config tfsdk.Config, into any, diags *diag.Diagnostics) bool {
	if a.cp == nil || a.cp.Store == nil || !config.Raw.IsFullyKnown() {
		return false
	}
	return report.Arguments(ctx, config, into, diags)
}

// invoked reads the arguments for the action, and reports whether it can be carried out.
func (a *tokenAction) invoked(ctx context.Context, config tfsdk.Config, into any, diags *diag.Diagnostics) bool {
	return report.Arguments(ctx, config, into, diags) && a.cp.Ready(diags)
}
