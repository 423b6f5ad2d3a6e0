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
	attributes, blocks := report.Schema[config, schema.Attribute, schema.Block](nil)
	resp.Schema = schema.Schema{MarkdownDescription: describe("provider"), Attributes: attributes, Blocks: blocks}
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
