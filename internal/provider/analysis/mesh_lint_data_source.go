package analysis

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
)

// meshLintDataSource reports errors and ineffective settings in a mesh.
type meshLintDataSource struct{ dataSource }

type lintArguments struct {
	analysisArguments
	Ignore   types.Set  `tfsdk:"ignore"`
	Kuma3    types.Bool `tfsdk:"kuma3"`
	Complete types.Bool `tfsdk:"complete"`
}

func (d *meshLintDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: describe("mesh_lint"),
		Attributes: attributesOf[answer.Lint](map[string]schema.Attribute{
			"ignore":   schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: describe("mesh_lint.ignore")},
			"kuma3":    schema.BoolAttribute{Optional: true, MarkdownDescription: "Also report what breaks or changes in Kuma 3.0, including resources of removed kinds. Defaults to `false`."},
			"complete": schema.BoolAttribute{Optional: true, MarkdownDescription: fmt.Sprintf("Whether `findings` contains all findings. Defaults to `false`: it then contains at most %d of each code, those that affect the most proxies, which keeps the state small. `counts` and `counts_per_code` are exact in both cases.", answer.MaxFindings)},
		}),
	}
}

func (d *meshLintDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m lintArguments
	if !readArguments(ctx, req.Config, &m, &resp.Diagnostics) {
		return
	}
	ignored := m.ignored(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	kuma3 := m.Kuma3.ValueBool()
	in := m.input(ctx, d.cp, d.typeName, lint.Kinds(), req.Config.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !in.Exists() {
		in.reportMissingMesh()
		return
	}
	write(ctx, req.Config, &resp.State, answer.OfLint(in.Mesh, kuma3, func(f lint.Finding) bool {
		return slices.ContainsFunc(ignored, func(i ignoredFinding) bool { return i.matches(f) })
	}, m.Complete.ValueBool()))
}
