package managed

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// DataSources returns the constructors of the data sources of each kind, and of
// the one that lists resources.
func DataSources() []func() datasource.DataSource {
	out := []func() datasource.DataSource{
		func() datasource.DataSource {
			return &resourcesDataSource{report.NewDataSource[answer.Resources, resourcesArguments]("kuma_resources", describe("resources"),
				filterValidators)}
		},
	}
	for _, k := range kinds.All() {
		out = append(out, func() datasource.DataSource { return &kindDataSource{resourceClient{kind: k}} })
	}
	return out
}

// kindDataSource reads one resource of one kind.
type kindDataSource struct{ resourceClient }

var (
	_ datasource.DataSource              = (*kindDataSource)(nil)
	_ datasource.DataSourceWithConfigure = (*kindDataSource)(nil)
)

func (d *kindDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = tfschema.TypeName(d.kind.Name)
}

func (d *kindDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = tfschema.DataSource(d.kind)
}

func (d *kindDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.Connect(req.ProviderData)
}

func (d *kindDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var name types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	meshName := types.StringValue("")
	if d.kind.Scope == def.InMesh {
		resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("mesh"), &meshName)...)
		if meshName.IsNull() {
			meshName = types.StringValue(kuma.DefaultMesh)
		}
	}
	if resp.Diagnostics.HasError() {
		return
	}
	key := kuma.Key{Type: d.kind.Name, Mesh: meshName.ValueString(), Name: name.ValueString()}
	stored, ok := d.get(ctx, key, &resp.Diagnostics)
	switch {
	case resp.Diagnostics.HasError():
		return
	case !ok:
		resp.Diagnostics.AddAttributeError(path.Root("name"), "Resource not found",
			fmt.Sprintf("The control plane has no %s. Check the name and the mesh, or create the resource first.", key))
		return
	}
	t, ok := req.Config.Raw.Type().(tftypes.Object)
	if !ok {
		resp.Diagnostics.AddError("Cannot read the configuration",
			"The configuration of a data source is always an object. This is a bug in the provider; please report it.")
		return
	}
	values, err := tfvalue.Decode(d.kind, stored, d.cp.Capabilities().ControlPlane.Release, t, tftypes.NewValue(t, nil), true)
	if err != nil {
		resp.Diagnostics.AddError("Invalid response from the control plane", phrase.Sentence(err))
		return
	}
	resp.State.Raw = tftypes.NewValue(t, values)
}
