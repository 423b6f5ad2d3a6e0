package analysis

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// requestDataSource computes what happens to a request.
type requestDataSource struct{ dataSource }

type requestDataSourceModel struct {
	analysisArguments
	RequestModel
	Dataplane types.String      `tfsdk:"dataplane"`
	Service   types.String      `tfsdk:"service"`
	Port      types.Int64       `tfsdk:"port"`
	Method    types.String      `tfsdk:"method"`
	Path      types.String      `tfsdk:"path"`
	Headers   map[string]string `tfsdk:"headers"`
	Query     map[string]string `tfsdk:"query"`
}

func (d *requestDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := RequestAttributes()
	maps.Copy(attributes, analysisAttributes())
	maps.Copy(attributes, map[string]schema.Attribute{
		"dataplane": schema.StringAttribute{Required: true, MarkdownDescription: "Name of the Dataplane whose application sends the request."},
		"service":   schema.StringAttribute{Required: true, MarkdownDescription: "Name, display name or identifier (KRI) of the MeshService, MeshExternalService or MeshMultiZoneService that is called."},
		"port":      schema.Int64Attribute{Optional: true, MarkdownDescription: "Port of the service. Defaults to its only port."},
		"method":    schema.StringAttribute{Optional: true, MarkdownDescription: "HTTP method. Defaults to `GET`."},
		"path":      schema.StringAttribute{Optional: true, MarkdownDescription: "Path, without the query. Defaults to `/`."},
		"headers":   schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Headers. None by default."},
		"query":     schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Query parameters. None by default."},
	})
	resp.Schema = schema.Schema{
		MarkdownDescription: "Computes what happens to a request in a mesh, before a change is applied: which route takes it, to which services it goes and in which shares, which timeouts and retries apply and which policies set them, " +
			"and whether the permissions of the proxies that receive it allow the client. Unlike `kuma_effective_rules`, which lists the policies that match, it follows the request through the proxies, as the configuration that the control plane generates for them does. " +
			"Use it in conditions, such as that the storefront may call the checkout service and that 10 % of the requests go to its canary.",
		Attributes: attributes,
	}
}

func (d *requestDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m requestDataSourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	in := m.input(ctx, d.cp, d.typeName, rules.Kinds(), req.Config.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	snapshot := in.snapshot()
	answer, err := request.New(snapshot).Send(request.Request{
		Mesh: in.mesh, Dataplane: m.Dataplane.ValueString(), Service: request.Service{Name: m.Service.ValueString(), Port: int(m.Port.ValueInt64())},
		Method: m.Method.ValueString(), Path: m.Path.ValueString(), Headers: m.Headers, Query: m.Query,
	})
	if err != nil {
		m.fail(in, err)
		return
	}
	m.Show(snapshot, answer)
	m.Explanation = AfterCaveat(in.caveat, m.Explanation.ValueString())
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// fail reports why there is no result, on the argument that causes it.
func (m *requestDataSourceModel) fail(in analysisInput, err error) {
	switch {
	case errors.Is(err, rules.ErrUnknownMesh):
		in.reportMissingMesh()
	case errors.Is(err, rules.ErrUnknownDataplane):
		in.reportMissingDataplane(m.Dataplane.ValueString())
	case errors.Is(err, request.ErrUnknownService):
		in.diags.AddAttributeError(path.Root("service"), "Service not found", fmt.Sprintf("Mesh %q has no service %q, neither stored nor planned.", in.mesh, m.Service.ValueString()))
	case errors.Is(err, request.ErrUnknownPort):
		in.diags.AddAttributeError(path.Root("port"), "Port not found", fmt.Sprintf("%s Set the number that clients use.", phrase.Sentence(err)))
	case errors.Is(err, request.ErrInvalidPath):
		in.diags.AddAttributeError(path.Root("path"), "Invalid path", fmt.Sprintf("%q is not a path: it must begin with a slash and not contain a query. Set parameters of the query in query.", m.Path.ValueString()))
	case errors.Is(err, request.ErrAmbiguousService):
		in.diags.AddAttributeError(path.Root("service"), "Ambiguous service", fmt.Sprintf("%s Set port, or set service to the identifier (KRI) of one of them.", phrase.Sentence(err)))
	default:
		in.diags.AddError("Cannot compute the request", phrase.Sentence(err))
	}
}
