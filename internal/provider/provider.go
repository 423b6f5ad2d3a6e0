package provider

import (
	"context"
	_ "embed"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/analysis"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/functions"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/managed"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/runstate"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/token"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

type kumaProvider struct {
	version    string
	run        atomic.Pointer[runstate.State]        // since it was configured
	connection atomic.Pointer[connection.Connection] // nil before
	validated  atomic.Bool                           // whether Terraform asked to validate the configuration
	waits      Waits
	actions    sync.RWMutex // held for reading while an action runs
}

// Waits are how long the provider waits; zero values for the defaults. Tests that
// expect a timeout set them.
type Waits struct {
	Run   runstate.Waits // for requests of Terraform
	Retry time.Duration  // for the control plane, before the first retry of a request
}

func newProvider(version string, waits Waits) *kumaProvider {
	p := &kumaProvider{version: version, waits: waits}
	p.run.Store(runstate.New(runstate.Options{}))
	return p
}

var (
	_ provider.Provider                       = (*kumaProvider)(nil)
	_ provider.ProviderWithEphemeralResources = (*kumaProvider)(nil)
	_ provider.ProviderWithFunctions          = (*kumaProvider)(nil)
	_ provider.ProviderWithListResources      = (*kumaProvider)(nil)
	_ provider.ProviderWithActions            = (*kumaProvider)(nil)
)

func (p *kumaProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "kuma"
	resp.Version = p.version
}

func (p *kumaProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: describe("provider"),
		Attributes: map[string]schema.Attribute{
			"endpoint": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "URL of the control plane's API, such as `https://kuma.example.com:5682`, optionally with a " +
					"base path. Defaults to `" + connection.EnvEndpoint + "`, then to the current context of `kumactl`.",
			},
			"token": schema.StringAttribute{
				Optional: true, Sensitive: true,
				MarkdownDescription: "User token, sent as a bearer token. Defaults to `" + connection.EnvToken +
					"`, then to the token of the `kumactl` context if that provides the endpoint.",
			},
			"context": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Name of a context in the configuration file of `kumactl`, `~/.kumactl/config`, that provides the endpoint, " +
					"token, headers and certificates. " +
					"Other arguments and environment variables take precedence. Conflicts with `endpoint`. " +
					"Defaults to the current context if neither `endpoint` nor `" + connection.EnvEndpoint + "` is set.",
			},
			"max_retries": schema.NumberAttribute{ // an integer attribute would report a fraction as an error of the provider
				Optional:            true,
				MarkdownDescription: describe("provider.max_retries"),
			},
			"request_timeout": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Timeout of each attempt of a request, such as `90s`. Defaults to `60s`.",
			},
			"policy_checks": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: describe("provider.policy_checks"),
			},
			"reference_checks": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: describe("provider.reference_checks"),
			},
			"concurrent_changes": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: describe("provider.concurrent_changes"),
			},
			"existing": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: describe("provider.existing"),
			},
			"headers": schema.MapAttribute{
				Optional: true, Sensitive: true, ElementType: types.StringType,
				MarkdownDescription: "HTTP headers to send with every request. A null value omits the header.",
			},
		},
		Blocks: map[string]schema.Block{
			"tls": schema.SingleNestedBlock{
				MarkdownDescription: "TLS settings for HTTPS.",
				Attributes: map[string]schema.Attribute{
					"ca_certificate": schema.StringAttribute{
						Optional: true,
						MarkdownDescription: "Certificates of the trusted authorities (CA) in PEM format, such as `file(\"ca.pem\")`. " +
							"Defaults to the content of the file that `" + connection.EnvCACertificate + "` names, then to the certificates of the system.",
					},
					"client_certificate": schema.StringAttribute{
						Optional: true,
						MarkdownDescription: "Client certificate in PEM format. Defaults to the content of the file that `" +
							connection.EnvClientCertificate + "` names.",
					},
					"client_key": schema.StringAttribute{
						Optional: true, Sensitive: true,
						MarkdownDescription: "Private key of the client certificate in PEM format. Defaults to the content of the file that `" +
							connection.EnvClientKey + "` names.",
					},
					"insecure_skip_verify": schema.BoolAttribute{
						Optional: true,
						MarkdownDescription: "Whether to accept any certificate of the control plane, which allows man-in-the-middle attacks. " +
							"Use it only for tests. Defaults to `" + connection.EnvInsecure + "`, then to `false`.",
					},
				},
			},
			"embedded": schema.SingleNestedBlock{
				MarkdownDescription: describe("provider.embedded"),
				Attributes: map[string]schema.Attribute{
					"directory":    schema.StringAttribute{Optional: true, MarkdownDescription: describe("provider.embedded.directory")},
					"kuma_version": schema.StringAttribute{Optional: true, MarkdownDescription: describe("provider.embedded.kuma_version")},
					"zone":         schema.StringAttribute{Optional: true, MarkdownDescription: "Name of the zone. Defaults to `default`."},
				},
			},
		},
	}
}

func (p *kumaProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	cp := &connection.Connection{Unknown: true}
	if req.Config.Raw.IsFullyKnown() {
		var c config
		if !report.Arguments(ctx, req.Config, &c, &resp.Diagnostics, "headers") {
			return
		}
		cp = c.connect(ctx, userAgent(p.version, req.TerraformVersion), p.waits.Retry, &resp.Diagnostics)
	}
	cp.Run = runstate.New(runstate.Options{Shared: !p.validated.Load(), Restarted: cp.Forget, Waits: p.waits.Run})
	p.run.Store(cp.Run)
	p.connection.Store(cp)
	resp.ResourceData = cp
	resp.DataSourceData = cp
	resp.EphemeralResourceData = cp
	resp.ListResourceData = cp
	resp.ActionData = cp
}

// userAgent names the programs that talk to the control plane.
func userAgent(version, terraformVersion string) string {
	agent := "terraform-provider-kuma/" + version
	if terraformVersion != "" {
		agent += " Terraform/" + terraformVersion
	}
	return agent
}

func (p *kumaProvider) Resources(context.Context) []func() resource.Resource {
	return managed.Resources()
}

func (p *kumaProvider) DataSources(context.Context) []func() datasource.DataSource {
	return slices.Concat(analysis.DataSources(), managed.DataSources(), rollout.DataSources())
}

func (p *kumaProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return token.Resources()
}

func (p *kumaProvider) ListResources(context.Context) []func() list.ListResource {
	return managed.ListResources()
}

func (p *kumaProvider) Actions(context.Context) []func() action.Action {
	return slices.Concat(rollout.Actions(), token.Actions())
}

func (p *kumaProvider) Functions(context.Context) []func() function.Function {
	return functions.All()
}

//go:embed texts.md
var markdown string

// describe returns a description that is longer than a line.
var describe = tfschema.Texts(markdown)
