package analysis

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// policyImpactDataSource computes how a change affects all dataplanes of a mesh.
type policyImpactDataSource struct{ dataSource }

func (d *policyImpactDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := ImpactAttributes()
	maps.Copy(attributes, analysisAttributes())
	attributes["types"] = typesAttribute()
	attributes["complete"] = schema.BoolAttribute{Optional: true, MarkdownDescription: fmt.Sprintf("Whether `changes` contains all changes, with all their dataplanes. Defaults to `false`: to keep the state small, it contains at most the %d changes that affect the most dataplanes, each with its first %d dataplanes. "+
		"Set it if a condition evaluates every change. `counts`, `dataplanes_changed` and the other lists of dataplanes are always complete.", maxImpactChanges, maxImpactDataplanes)}
	attributes["applied"] = schema.BoolAttribute{Computed: true, MarkdownDescription: describe("policy_impact")}
	resp.Schema = schema.Schema{
		MarkdownDescription: describe("policy_impact-2"),
		Attributes:          attributes,
	}
}

// lateRead begins the summary of a data source that is read after a write of the
// same run.
const lateRead = "Read after the apply: changes are relative to what was stored before the first write of the run.\n\n"

func (d *policyImpactDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m policyImpactModel
	if !report.Arguments(ctx, req.Config, &m, &resp.Diagnostics) {
		return
	}
	in := m.input(ctx, d.cp, d.typeName, rules.Kinds(), req.Config.Raw, &resp.Diagnostics)
	wanted := wantedTypes(ctx, m.Types, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	before, _ := in.BeforeChange().Snapshot()
	i, err := impact.Compare(before, in.snapshot(), in.Name, wanted...)
	switch {
	case errors.Is(err, rules.ErrUnknownMesh):
		in.reportMissingMesh()
		return
	case err != nil:
		resp.Diagnostics.AddError("Cannot compute the impact", phrase.Sentence(err))
		return
	}
	m.Show(i, m.Complete.ValueBool())
	m.Summary = types.StringValue(input.AfterCaveat(in.caveat, m.Summary.ValueString()))
	m.Applied = types.BoolValue(in.applied)
	if in.applied {
		m.Summary = types.StringValue(lateRead + m.Summary.ValueString())
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}
