package analysis

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
)

// accessDataSource computes which clients may call which services in a mesh.
type accessDataSource struct{ dataSource }

type accessArguments struct {
	analysisArguments
	From     []string   `tfsdk:"from"`
	To       []string   `tfsdk:"to"`
	Complete types.Bool `tfsdk:"complete"`
}

func (d *accessDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m accessArguments
	if !report.ReadArguments(ctx, req.Config, &m, &resp.Diagnostics) {
		return
	}
	in := m.input(ctx, d.CP, d.TypeName, proxy.Kinds(), req.Config.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	found, err := answer.OfAccess(in.Mesh, access.Filter{From: m.From, To: m.To}, m.Complete.ValueBool())
	if in.failed(err, "Cannot compute the access") {
		return
	}
	for _, u := range found.Unknown {
		argument, what, summary := "to", "service", "Service not found"
		if u.Client {
			argument, what, summary = "from", "client", "Client not found"
		}
		resp.Diagnostics.AddAttributeWarning(path.Root(argument), summary,
			fmt.Sprintf(
				"Mesh %q has no %s %q, neither stored nor planned, so access contains nothing about it, and a condition may pass "+
					"unnoticed. Check the name.%s", in.Name, what, u.Name, u.Suggestion))
	}
	report.Write(ctx, req.Config, &resp.State, found)
}
