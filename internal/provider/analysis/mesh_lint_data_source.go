package analysis

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// meshLintDataSource reports errors and ineffective settings in a mesh.
type meshLintDataSource struct{ dataSource }

type meshLintModel struct {
	analysisArguments
	LintModel
	Ignore   types.Set  `tfsdk:"ignore"`
	Kuma3    types.Bool `tfsdk:"kuma3"`
	Complete types.Bool `tfsdk:"complete"`
}

func (d *meshLintDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"ignore":   schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: describe("mesh_lint.ignore")},
		"kuma3":    schema.BoolAttribute{Optional: true, MarkdownDescription: "Also report what breaks or changes in Kuma 3.0, including resources of removed kinds. Defaults to `false`."},
		"complete": schema.BoolAttribute{Optional: true, MarkdownDescription: fmt.Sprintf("Whether `findings` contains all findings. Defaults to `false`: it then contains at most %d of each code, those that affect the most proxies, which keeps the state small. `counts` and `counts_per_code` are exact in both cases.", maxFindings)},
	}
	maps.Copy(attributes, LintAttributes())
	maps.Copy(attributes, analysisAttributes())
	resp.Schema = schema.Schema{
		MarkdownDescription: describe("mesh_lint"),
		Attributes:          attributes,
	}
}

func (d *meshLintDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m meshLintModel
	if !report.Arguments(ctx, req.Config, &m, &resp.Diagnostics) {
		return
	}
	ignored := m.ignored(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	analyzed := lint.Kinds(m.Kuma3.ValueBool())
	in := m.input(ctx, d.cp, d.typeName, analyzed, req.Config.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !in.Exists() {
		in.reportMissingMesh()
		return
	}
	var stored *rules.Snapshot
	if m.Kuma3.ValueBool() {
		stored, _ = in.AsStored().Snapshot()
	}
	findings := LintFindings(in.snapshot(), stored, in.Name)
	findings = slices.DeleteFunc(findings, func(f lint.Finding) bool {
		return slices.ContainsFunc(ignored, func(i ignoredFinding) bool { return i.matches(f) })
	})
	kept := findings
	if !m.Complete.ValueBool() {
		kept = lint.Worst(findings, maxFindings)
	}
	m.Show(in.Name, findings, kept, in.Resources)
	m.Summary = types.StringValue(input.AfterCaveat(in.caveat, m.Summary.ValueString()))
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}
