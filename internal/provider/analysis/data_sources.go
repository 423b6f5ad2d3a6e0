package analysis

import (
	"context"
	_ "embed"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
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
type dataSource struct{ report.DataSource }

func named(typeName string) dataSource { return dataSource{report.DataSource{TypeName: typeName}} }

// ValidateConfig reports problems that do not depend on the mesh.
func (d *dataSource) ValidateConfig(_ context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	checkPlanned(req.Config.Raw, &resp.Diagnostics)
}

// attributesOf returns the attributes of an answer and the arguments of an analysis.
func attributesOf[Answer any](arguments map[string]schema.Attribute) map[string]schema.Attribute {
	attributes := report.Attributes[Answer](arguments)
	maps.Copy(attributes, analysisAttributes())
	return attributes
}

//go:embed texts.md
var markdown string

// describe returns a description that is longer than a line.
var describe = tfschema.Texts(markdown)
