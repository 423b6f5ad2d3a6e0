package analysis

import (
	"context"
	_ "embed"
	"maps"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
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

// DataSource is what data sources with an answer share.
type DataSource struct {
	TypeName string
	CP       *connection.Connection
}

// Metadata implements [datasource.DataSource].
func (d *DataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = d.TypeName
}

// Configure implements [datasource.DataSourceWithConfigure].
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.CP, _ = req.ProviderData.(*connection.Connection)
}

// dataSource is what the data sources of the analyses share.
type dataSource struct{ DataSource }

func named(typeName string) dataSource { return dataSource{DataSource{TypeName: typeName}} }

// ValidateConfig reports problems that do not depend on the mesh.
func (d *dataSource) ValidateConfig(_ context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	checkPlanned(req.Config.Raw, &resp.Diagnostics)
}

var describeAnswer = tfschema.Descriptions(answer.Descriptions)

// Attributes returns the attributes of an answer and the arguments of a data source.
func Attributes[Answer any](arguments map[string]schema.Attribute) map[string]schema.Attribute {
	attributes := tfschema.ComputedOf(reflect.TypeFor[Answer](), describeAnswer)
	maps.Copy(attributes, arguments)
	return attributes
}

// attributesOf returns the attributes of an answer and the arguments of an analysis.
func attributesOf[Answer any](arguments map[string]schema.Attribute) map[string]schema.Attribute {
	attributes := Attributes[Answer](arguments)
	maps.Copy(attributes, analysisAttributes())
	return attributes
}

// ReadArguments reads the arguments of a data source into a model of them, and reports whether
// they are valid. In the root attributes omissible, null elements are the same as none.
func ReadArguments(ctx context.Context, config tfsdk.Config, model any, diags *diag.Diagnostics, omissible ...string) bool {
	whole, _ := config.Schema.(schema.Schema)
	root, err := tfvalue.Attributes(config.Raw)
	if err != nil {
		diags.AddError("Invalid configuration", err.Error())
		return false
	}
	arguments := schema.Schema{Attributes: maps.Clone(whole.Attributes), Blocks: whole.Blocks}
	for name, a := range whole.Attributes {
		if a.IsComputed() {
			delete(arguments.Attributes, name)
			delete(root, name)
		}
	}
	return report.Arguments(ctx, tfsdk.Config{Raw: tftypes.NewValue(arguments.Type().TerraformType(ctx), root), Schema: arguments}, model,
		diags, omissible...)
}

// Write sets the state to the arguments of the configuration and an answer. It does not use the
// conversion of the framework: the time of that grows with the square of the size, and took
// minutes for a mesh of a few hundred policies.
func Write(ctx context.Context, config tfsdk.Config, state *tfsdk.State, found any) {
	root, err := tfvalue.Attributes(config.Raw)
	t, isObject := state.Schema.Type().TerraformType(ctx).(tftypes.Object)
	if err != nil || !isObject {
		panic("provider: the schema must be an object")
	}
	values := tree.Object(tree.Of(found))
	for name, a := range state.Schema.GetAttributes() {
		if a.IsComputed() {
			if root[name], err = tfvalue.OfType(ctx, t.AttributeTypes[name], values[name]); err != nil {
				panic(err) // the schema follows from the type of the answer
			}
		}
	}
	state.Raw = tftypes.NewValue(t, root)
}

//go:embed texts.md
var markdown string

// describe returns a description that is longer than a line.
var describe = tfschema.Texts(markdown)
