package rollout

import (
	_ "embed"

	"github.com/hashicorp/terraform-plugin-framework/datasource"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// DataSources returns the constructors of the data sources.
func DataSources() []func() datasource.DataSource {
	statuses := phrase.Each(rollout.Statuses(), func(s rollout.Status) string { return string(s) })
	ofProxies := tfschema.Validators{"status": tfschema.OneOf(statuses...), "expires_within": duration}
	return []func() datasource.DataSource{
		func() datasource.DataSource {
			return &proxiesDataSource{report.NewDataSource[answer.RunningProxies, proxiesArguments]("kuma_proxies", describe("proxies"), ofProxies)}
		},
		func() datasource.DataSource {
			return &rolloutDataSource{report.NewDataSource[answer.Rollout, waitModel]("kuma_rollout", describe("rollout"), waitValidators)}
		},
		func() datasource.DataSource {
			return &proxyConfigDataSource{
				report.NewDataSource[answer.ProxyConfig, proxyConfigArguments]("kuma_proxy_config", describe("proxy_config"), nil),
			}
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
