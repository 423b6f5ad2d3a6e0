package rollout

import (
	"context"
	_ "embed"

	"github.com/hashicorp/terraform-plugin-framework/datasource"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// DataSources returns the constructors of the data sources.
func DataSources() []func() datasource.DataSource {
	return []func() datasource.DataSource{
		func() datasource.DataSource { return &proxiesDataSource{dataSource{typeName: "kuma_proxies"}} },
		func() datasource.DataSource { return &rolloutDataSource{dataSource{typeName: "kuma_rollout"}} },
		func() datasource.DataSource { return &proxyConfigDataSource{dataSource{typeName: "kuma_proxy_config"}} },
	}
}

var (
	_ datasource.DataSourceWithConfigure      = (*proxiesDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*rolloutDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*proxyConfigDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*proxyConfigDataSource)(nil)
)

// dataSource is what the data sources share.
type dataSource struct {
	typeName string
	cp       *connection.Connection
}

func (d *dataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = d.typeName
}

func (d *dataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.cp, _ = req.ProviderData.(*connection.Connection)
}

//go:embed texts.md
var markdown string

// describe returns a description that is longer than a line.
var describe = tfschema.Texts(markdown)
