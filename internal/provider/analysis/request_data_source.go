package analysis

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// requestDataSource computes what happens to a request.
type requestDataSource struct{ dataSource }

type requestArguments struct {
	analysisArguments
	Dataplane     types.String      `tfsdk:"dataplane"`
	ClientService types.String      `tfsdk:"client_service"`
	SPIFFEID      types.String      `tfsdk:"spiffe_id"`
	Proxy         types.Dynamic     `tfsdk:"proxy"`
	Service       types.String      `tfsdk:"service"`
	Host          types.String      `tfsdk:"host"`
	Port          types.Number      `tfsdk:"port"`
	Method        types.String      `tfsdk:"method"`
	Path          types.String      `tfsdk:"path"`
	Headers       map[string]string `tfsdk:"headers"`
	Query         map[string]string `tfsdk:"query"`
}

func (d *requestDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m requestArguments
	if !report.ReadArguments(ctx, req.Config, &m, &resp.Diagnostics, "headers", "query") {
		return
	}
	var port int64
	accuracy := big.Exact
	if !m.Port.IsNull() {
		port, accuracy = m.Port.ValueBigFloat().Int64()
	}
	if accuracy != big.Exact {
		resp.Diagnostics.AddAttributeError(path.Root("port"), "Invalid port",
			fmt.Sprintf("port must be an integer, not %s.", m.Port.ValueBigFloat().Text('f', -1)))
		return
	}
	proxy := inlineProxy(req.Config.Raw, m.Proxy, m.meshName(), &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	in := m.input(ctx, d.CP, d.TypeName, request.Kinds(), req.Config.Raw, &resp.Diagnostics, proxy...)
	if resp.Diagnostics.HasError() {
		return
	}
	dataplane := m.Dataplane.ValueString()
	if len(proxy) > 0 {
		dataplane = proxy[0].Resource.Name
	}
	found, err := answer.OfRequest(in.Mesh, request.Request{
		Mesh: in.Name, Dataplane: dataplane, ClientService: m.ClientService.ValueString(), SPIFFEID: m.SPIFFEID.ValueString(),
		Service: request.Service{Name: m.Service.ValueString(), Host: m.Host.ValueString(), Port: int(port)},
		Method:  m.Method.ValueString(), Path: m.Path.ValueString(), Headers: m.Headers, Query: m.Query,
	})
	if err != nil {
		m.fail(in, err)
		return
	}
	report.Write(ctx, req.Config, &resp.State, found)
}

// ValidateConfig checks that there is one client, and one destination.
func (d *requestDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest,
	resp *datasource.ValidateConfigResponse,
) {
	d.dataSource.ValidateConfig(ctx, req, resp)
	root, err := tfvalue.Attributes(req.Config.Raw)
	if err != nil {
		return
	}
	isSet := func(name string) bool { return root[name].IsKnown() && !root[name].IsNull() }
	isNull := func(name string) bool { return root[name].IsNull() }
	switch {
	case isNull("service") && isNull("host"):
		resp.Diagnostics.AddError("Missing service or host",
			"Set service to the service that is called, or host to the host name or address that the application calls.")
	case isSet("service") && isSet("host"):
		resp.Diagnostics.AddAttributeError(path.Root("host"), "Conflicting arguments",
			"host conflicts with service, because both identify what is called. Set only one of them.")
	}
	clients := []string{"dataplane", "client_service", "spiffe_id", "proxy"}
	if !slices.ContainsFunc(clients, func(name string) bool { return !isNull(name) }) {
		resp.Diagnostics.AddError("Missing client",
			"Set dataplane to the Dataplane whose application sends the request, client_service to a service, spiffe_id to the SPIFFE ID of a "+
				"client, or describe a Dataplane in proxy.")
	}
	if set := slices.DeleteFunc(clients, func(name string) bool { return !isSet(name) }); len(set) > 1 {
		resp.Diagnostics.AddAttributeError(path.Root(set[1]), "Conflicting arguments",
			fmt.Sprintf("%s conflicts with %s, because both identify the client. Set only one of them.", set[1], set[0]))
	}
}

// fail reports why there is no result, on the argument that causes it.
func (m *requestArguments) fail(in analysisInput, err error) {
	switch {
	case errors.Is(err, rules.ErrUnknownDataplane):
		in.reportMissingDataplane(m.Dataplane.ValueString())
	case errors.Is(err, request.ErrUnknownClient):
		in.diags.AddAttributeError(path.Root("client_service"), "Client not found",
			fmt.Sprintf("No Dataplane of mesh %q provides service %q, so none sends the request. Check the name.", in.Name,
				m.ClientService.ValueString()))
	case errors.Is(err, request.ErrInvalidSPIFFEID):
		in.diags.AddAttributeError(path.Root("spiffe_id"), "Invalid SPIFFE ID",
			fmt.Sprintf("%s Write it as in the certificate of the client, such as spiffe://shop.example/web.", phrase.Sentence(err)))
	case errors.Is(err, request.ErrUnknownService):
		in.diags.AddAttributeError(path.Root("service"), "Service not found", phrase.Sentence(err))
	case errors.Is(err, request.ErrUnknownPort):
		in.diags.AddAttributeError(path.Root("port"), "Port not found", fmt.Sprintf("%s Set the number that clients use.", phrase.Sentence(err)))
	case errors.Is(err, request.ErrInvalidMethod):
		in.diags.AddAttributeError(path.Root("method"), "Invalid method", phrase.Sentence(err))
	case errors.Is(err, request.ErrInvalidPath):
		in.diags.AddAttributeError(path.Root("path"), "Invalid path",
			fmt.Sprintf("%q is not a path: it must begin with a slash and not contain a query. Set parameters of the query in query.",
				m.Path.ValueString()))
	case errors.Is(err, request.ErrAmbiguousService) && !m.Host.IsNull():
		in.diags.AddAttributeError(path.Root("host"), "Ambiguous host", fmt.Sprintf("%s Set service instead.", phrase.Sentence(err)))
	case errors.Is(err, request.ErrAmbiguousService):
		in.diags.AddAttributeError(path.Root("service"), "Ambiguous service",
			fmt.Sprintf("%s Set port, or set service to the identifier (KRI) of one of them.", phrase.Sentence(err)))
	default:
		in.failed(err, "Cannot compute the request")
	}
}
