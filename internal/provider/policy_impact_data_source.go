package provider

import (
	"context"
	"errors"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// policyImpactDataSource tells what a change does to all dataplanes of a mesh.
type policyImpactDataSource struct{ cp *connection }

var (
	_ datasource.DataSource              = (*policyImpactDataSource)(nil)
	_ datasource.DataSourceWithConfigure = (*policyImpactDataSource)(nil)
)

func (d *policyImpactDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "kuma_policy_impact"
}

func (d *policyImpactDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.cp, _ = req.ProviderData.(*connection)
}

func (d *policyImpactDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := impactAttributes()
	maps.Copy(attributes, analysisAttributes())
	attributes["types"] = typesAttribute()
	resp.Schema = schema.Schema{
		MarkdownDescription: "Tells what a change does to the proxies of a mesh before it is applied: which of them get other settings, from which value to which, because of which policies, and which policies change nothing. " +
			"What is stored is compared with what is stored once the planned resources are applied and the removed ones are gone. " +
			"Values are compared for the same traffic: where a new entry takes the place of a more general one, only those that become others are told, and those that get lost.",
		Attributes: attributes,
	}
}

func (d *policyImpactDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m policyImpactModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	in := m.input(ctx, d.cp, "kuma_policy_impact", rules.Kinds(), req.Config.Raw, &resp.Diagnostics)
	wanted := wantedTypes(ctx, m.Types, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	i, err := impact.Compare(rules.NewSnapshot(in.before), rules.NewSnapshot(in.resources), in.mesh, wanted...)
	switch {
	case errors.Is(err, rules.ErrUnknownMesh):
		in.reportMissingMesh()
		return
	case err != nil:
		resp.Diagnostics.AddError("The impact cannot be computed", phrase.Sentence(err))
		return
	}
	m.show(i, in.applied)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}
