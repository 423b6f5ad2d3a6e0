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

var describeAnswer = tfschema.Descriptions(answer.Descriptions)

// Computed returns the attributes of an answer.
func Computed[Answer any]() map[string]schema.Attribute {
	return tfschema.ComputedOf(reflect.TypeFor[Answer](), describeAnswer)
}

// attributesOf returns the attributes of an answer and the arguments of an analysis.
func attributesOf[Answer any](arguments map[string]schema.Attribute) map[string]schema.Attribute {
	attributes := Computed[Answer]()
	maps.Copy(attributes, analysisAttributes())
	maps.Copy(attributes, arguments)
	return attributes
}

// readArguments reads the arguments of a data source into a model of them, and reports whether
// they are valid. In the root attributes omissible, null elements are the same as none.
func readArguments(ctx context.Context, config tfsdk.Config, model any, diags *diag.Diagnostics, omissible ...string) bool {
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

// write sets the state to the arguments of the configuration and an answer. It does not use the
// conversion of the framework: the time of that grows with the square of the size, and took
// minutes for a mesh of a few hundred policies.
func write(ctx context.Context, config tfsdk.Config, state *tfsdk.State, found any) {
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
