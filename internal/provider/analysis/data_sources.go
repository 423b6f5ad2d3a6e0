package analysis

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// DataSources returns the constructors of the data sources.
func DataSources() []func() datasource.DataSource {
	return []func() datasource.DataSource{
		func() datasource.DataSource { return &accessDataSource{named("kuma_access")} },
		func() datasource.DataSource { return &effectiveRulesDataSource{named("kuma_effective_rules")} },
		func() datasource.DataSource { return &meshLintDataSource{named("kuma_mesh_lint")} },
		func() datasource.DataSource { return &policyImpactDataSource{named("kuma_policy_impact")} },
		func() datasource.DataSource { return &requestDataSource{named("kuma_request")} },
	}
}

var (
	_ datasource.DataSourceWithValidateConfig = (*accessDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*effectiveRulesDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*effectiveRulesDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*meshLintDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*policyImpactDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*requestDataSource)(nil)
)

// dataSource is what the data sources of the analyses share.
type dataSource struct {
	typeName string
	cp       *connection.Connection
}

func named(typeName string) dataSource { return dataSource{typeName: typeName} }

func (d *dataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = d.typeName
}

func (d *dataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.cp, _ = req.ProviderData.(*connection.Connection)
}

// ValidateConfig reports problems that do not depend on the mesh.
func (d *dataSource) ValidateConfig(_ context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	checkPlanned(req.Config.Raw, &resp.Diagnostics)
}

// computedEntry identifies an entry of a policy.
func computedEntry(doc string) schema.Attribute {
	return tfschema.ComputedObject(doc, map[string]schema.Attribute{
		"name": tfschema.ComputedText("Name of the policy."), "kri": tfschema.ComputedText("Identifier of the policy."),
		"rule_index": tfschema.ComputedNumber("Position of the entry in the policy."),
	})
}
