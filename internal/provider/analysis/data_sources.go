package analysis

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// DataSources returns the constructors of the data sources.
func DataSources() []func() datasource.DataSource {
	return []func() datasource.DataSource{
		func() datasource.DataSource { return &effectiveRulesDataSource{} },
		func() datasource.DataSource { return &meshLintDataSource{} },
		func() datasource.DataSource { return &policyImpactDataSource{} },
	}
}

// computedEntry identifies an entry of a policy.
func computedEntry(doc string) schema.Attribute {
	return tfschema.ComputedObject(doc, map[string]schema.Attribute{
		"name": tfschema.ComputedText("Name of the policy."), "kri": tfschema.ComputedText("Identifier of the policy."),
		"rule_index": tfschema.ComputedNumber("Position of the entry in the policy."),
	})
}
