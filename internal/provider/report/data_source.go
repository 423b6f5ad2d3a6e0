package report

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
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// DataSource is what data sources with an answer share.
type DataSource struct {
	TypeName string
	CP       *connection.Connection
	schema   func() schema.Schema
}

// NewDataSource returns a data source with an answer, and with the arguments that [ReadArguments]
// reads into a model.
func NewDataSource[Answer, Model any](typeName, doc string, v tfschema.Validators) DataSource {
	return DataSource{TypeName: typeName, schema: func() schema.Schema {
		attributes, blocks := tfschema.ArgumentsOf(reflect.TypeFor[Model](), describeArgument, v)
		maps.Copy(attributes, tfschema.ComputedOf(reflect.TypeFor[Answer](), describeAnswer))
		return schema.Schema{MarkdownDescription: doc, Attributes: attributes, Blocks: blocks}
	}}
}

// Metadata implements [datasource.DataSource].
func (d *DataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = d.TypeName
}

// Schema implements [datasource.DataSource].
func (d *DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.schema()
}

// Configure implements [datasource.DataSourceWithConfigure].
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.CP, _ = req.ProviderData.(*connection.Connection)
}

//go:embed arguments.md
var argumentDescriptions string

var describeAnswer, describeArgument = tfschema.Descriptions(answer.Descriptions), tfschema.Descriptions(argumentDescriptions)

// Schema returns the attributes and blocks of anything else with arguments, for [Arguments] to read
// into a model.
func Schema[Model, Attribute, Block any](v tfschema.Validators) (attributes map[string]Attribute, blocks map[string]Block) {
	a, b := tfschema.ArgumentsOf(reflect.TypeFor[Model](), describeArgument, v)
	return tfschema.Converted[Attribute](a), tfschema.Converted[Block](b)
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
	return Arguments(ctx, tfsdk.Config{Raw: tftypes.NewValue(arguments.Type().TerraformType(ctx), root), Schema: arguments}, model,
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
