package provider

import "github.com/hashicorp/terraform-plugin-framework/datasource"

// analysisDataSources returns the constructors of the data sources.
func analysisDataSources() []func() datasource.DataSource {
	return []func() datasource.DataSource{
		func() datasource.DataSource { return &effectiveRulesDataSource{} },
		func() datasource.DataSource { return &meshLintDataSource{} },
		func() datasource.DataSource { return &policyImpactDataSource{} },
	}
}
