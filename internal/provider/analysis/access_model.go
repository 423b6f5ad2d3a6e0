package analysis

import (
	"cmp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// maxAccess is the maximum number of elements that a data source keeps in the state, unless
// the argument complete is set.
const maxAccess = 200

// AccessModel is what the data source and the function return.
type AccessModel struct {
	Access  []accessModel      `tfsdk:"access"`
	Omitted types.Int64        `tfsdk:"access_omitted"`
	Clients []accessClient     `tfsdk:"clients"`
	Counts  *accessCountsModel `tfsdk:"counts"`
	Matrix  types.String       `tfsdk:"matrix"`
	Strict  types.Bool         `tfsdk:"strict_ready"`
	Summary types.String       `tfsdk:"summary"`
}

type accessModel struct {
	Clients     []string     `tfsdk:"clients"`
	ClientCount int64        `tfsdk:"client_count"`
	Service     string       `tfsdk:"service"`
	Port        int64        `tfsdk:"port"`
	PortName    string       `tfsdk:"port_name"`
	Allowed     bool         `tfsdk:"allowed"`
	Reachable   bool         `tfsdk:"reachable"`
	Plaintext   bool         `tfsdk:"plaintext"`
	Verdict     string       `tfsdk:"verdict"`
	Policy      types.String `tfsdk:"policy"`
	Reason      string       `tfsdk:"reason"`
}

type accessClient struct {
	Name           string       `tfsdk:"name"`
	Dataplanes     []string     `tfsdk:"dataplanes"`
	DataplaneCount int64        `tfsdk:"dataplane_count"`
	SPIFFEID       types.String `tfsdk:"spiffe_id"`
}

type accessCountsModel struct {
	Allowed   int64 `tfsdk:"allowed"`
	Refused   int64 `tfsdk:"refused"`
	Unreached int64 `tfsdk:"unreached"`
	Plaintext int64 `tfsdk:"plaintext"`
}

// Show fills the model, either completely or with as much as a state should hold.
func (m *AccessModel) Show(matrix access.Matrix, complete bool) {
	limit := func(names []string) []string {
		if complete {
			return names
		}
		return names[:min(len(names), maxAccessClients)]
	}
	m.Counts = &accessCountsModel{}
	m.Access = []accessModel{}
	for _, row := range matrix.Rows {
		for _, a := range row.Access {
			allowed := a.Verdict.Connects()
			m.Counts.add(a, len(row.Ports)*len(a.Clients))
			if !allowed && !a.Reachable {
				continue
			}
			for _, p := range row.Ports {
				m.Access = append(m.Access, accessModel{
					Clients: limit(matrix.Names(a)), ClientCount: int64(len(a.Clients)), Service: p.Resource.Name, Port: int64(p.Number), PortName: p.Section,
					Allowed: allowed, Reachable: a.Reachable, Plaintext: a.Plaintext, Verdict: string(a.Verdict), Policy: decidingPolicy(a.Answer), Reason: a.Reason,
				})
			}
		}
	}
	slices.SortStableFunc(m.Access, func(a, b accessModel) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Port, b.Port))
	})
	m.Clients = each(matrix.Clients, func(g access.ClientGroup) accessClient {
		id := types.StringNull()
		if g.SPIFFEID() != "" {
			id = types.StringValue(g.SPIFFEID())
		}
		return accessClient{g.Name, limit(g.Dataplanes), int64(len(g.Dataplanes)), id}
	})
	total := len(m.Access)
	if !complete {
		m.Access, m.Clients = m.Access[:min(total, maxAccess)], m.Clients[:min(len(m.Clients), maxAccess)]
	}
	m.Omitted = types.Int64Value(int64(total - len(m.Access)))
	m.Strict = types.BoolValue(len(matrix.Clients) > 0 && len(matrix.Rows) > 0 && m.Counts.Plaintext == 0)
	m.Matrix, m.Summary = types.StringValue(matrix.Table()), types.StringValue(matrix.Summary())
}

func (c *accessCountsModel) add(a access.Access, n int) {
	switch {
	case a.Verdict.Connects() && a.Reachable:
		c.Allowed += int64(n)
	case a.Verdict.Connects():
		c.Unreached += int64(n)
	case a.Reachable:
		c.Refused += int64(n)
	}
	if a.Plaintext && a.Reachable {
		c.Plaintext += int64(n)
	}
}

// AccessAttributes returns the attributes of [AccessModel].
func AccessAttributes() map[string]schema.Attribute {
	text, texts, number, list := tfschema.ComputedText, tfschema.ComputedTexts, tfschema.ComputedNumber, tfschema.ComputedList
	return map[string]schema.Attribute{
		"access": list("Clients with the same answer at a port of a service, in order of service and port. What clients neither can call nor have a listener for is not included.", map[string]schema.Attribute{
			"clients":      texts("Names of the clients, as in `clients`."),
			"client_count": number("Number of the clients."),
			"service":      text("Name of the MeshService, or the value of the tag `kuma.io/service` without one."),
			"port":         number("Port of the service."),
			"port_name":    text("Name of the port, or its number without one."),
			"allowed":      computedFlag("Whether the service accepts the clients."),
			"reachable":    computedFlag("Whether the proxies of the clients have a listener for the port: the Dataplane lists the service, or reaches all."),
			"plaintext":    computedFlag("Whether the clients speak plaintext to the service, or to some of its proxies, and are accepted."),
			"verdict":      text("What happens to connections of the clients: `allowed`, `unchecked`, `plaintext`, `denied`, `no certificate`, `TLS mismatch`, `no configuration`, `undecided`, `partly` or `no endpoint`. See [Verdicts](../guides/allow-a-client.md#verdicts)."),
			"policy":       text("Name of the MeshTrafficPermission that decides. Null if none does."),
			"reason":       text("Why, as a clause about the clients or the service."),
		}),
		"access_omitted": number("Number of elements that are omitted from `access`."),
		"clients": list("Clients: Dataplanes that provide the same services, have the same certificate and reach the same services.", map[string]schema.Attribute{
			"name":            text("Names of the services that the Dataplanes provide, or the name of the Dataplane if it provides none. If several clients provide the same services, it also contains the first Dataplane."),
			"dataplanes":      texts("Names of the Dataplanes."),
			"dataplane_count": number("Number of the Dataplanes."),
			"spiffe_id":       text("SPIFFE ID in the certificate, the first one of a certificate of the mesh. Null without a certificate."),
		}),
		"counts": tfschema.ComputedObject("Numbers of pairs of a client and a port.", map[string]schema.Attribute{
			"allowed":   number("Pairs in which the client can call the port."),
			"refused":   number("Pairs in which the client has a listener for the port, but is refused."),
			"unreached": number("Pairs in which the client is accepted, but has no listener for the port."),
			"plaintext": number("Pairs in which the client has a listener for the port, speaks plaintext to the service, or to some of its proxies, and is accepted."),
		}),
		"matrix":       text("The clients and ports as a table. " + access.Legend + " Large tables are shortened."),
		"strict_ready": computedFlag("Whether all clients speak TLS to the services that they have a listener for, so that the mode `STRICT` cuts off none of them: `counts.plaintext` is 0. Clients that are not in the mesh are not known, and neither is whether running proxies have received their certificates: see `certificates.ready` of `kuma_proxies`. `false` if no client or no port is included."),
		"summary":      text("Who is refused although it has a listener, who may call what it has no listener for, and who can call what in plaintext or with TLS, with the reasons. Long lists are shortened."),
	}
}

// computedFlag is a computed bool.
func computedFlag(doc string) schema.Attribute {
	return schema.BoolAttribute{Computed: true, MarkdownDescription: doc}
}
