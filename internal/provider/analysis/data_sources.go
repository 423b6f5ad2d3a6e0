package analysis

import (
	"context"
	_ "embed"

	"github.com/hashicorp/terraform-plugin-framework/datasource"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// DataSources returns the constructors of the data sources.
func DataSources() []func() datasource.DataSource {
	return []func() datasource.DataSource{
		func() datasource.DataSource {
			return &accessDataSource{named[answer.Access, accessArguments]("access")}
		},
		func() datasource.DataSource {
			return &effectiveRulesDataSource{named[answer.EffectiveRules, rulesArguments]("effective_rules")}
		},
		func() datasource.DataSource {
			return &meshLintDataSource{named[answer.Lint, lintArguments]("mesh_lint")}
		},
		func() datasource.DataSource {
			return &policyImpactDataSource{named[answer.AppliedImpact, impactArguments]("policy_impact")}
		},
		func() datasource.DataSource {
			return &requestDataSource{named[answer.Request, requestArguments]("request")}
		},
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

func named[Answer, Model any](name string) dataSource {
	return dataSource{report.NewDataSource[Answer, Model]("kuma_"+name, describe(name), nil)}
}

// ValidateConfig reports problems that do not depend on the mesh.
func (d *dataSource) ValidateConfig(_ context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	checkPlanned(req.Config.Raw, &resp.Diagnostics)
}

//go:embed texts.md
var markdown string

// describe returns a description that is longer than a line.
var describe = tfschema.Texts(markdown)
