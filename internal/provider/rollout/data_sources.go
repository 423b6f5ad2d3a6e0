package rollout

import (
	_ "embed"

	"github.com/hashicorp/terraform-plugin-framework/datasource"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// DataSources returns the constructors of the data sources.
func DataSources() []func() datasource.DataSource {
	return []func() datasource.DataSource{
		func() datasource.DataSource { return &proxiesDataSource{report.DataSource{TypeName: "kuma_proxies"}} },
		func() datasource.DataSource { return &rolloutDataSource{report.DataSource{TypeName: "kuma_rollout"}} },
		func() datasource.DataSource {
			return &proxyConfigDataSource{report.DataSource{TypeName: "kuma_proxy_config"}}
		},
	}
}

var (
	_ datasource.DataSourceWithConfigure      = (*proxiesDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*rolloutDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*proxyConfigDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*proxyConfigDataSource)(nil)
)

//go:embed texts.md
var markdown string

// describe returns a description that is longer than a line.
var describe = tfschema.Texts(markdown)
