package analysis

import (
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// RequestModel is the result of the data source and of the function.
type RequestModel struct {
	Verdict       types.String             `tfsdk:"verdict"`
	Reason        types.String             `tfsdk:"reason"`
	Listener      *listenerModel           `tfsdk:"listener"`
	Route         *routeModel              `tfsdk:"route"`
	Filters       []string                 `tfsdk:"filters"`
	Redirect      *redirectModel           `tfsdk:"redirect"`
	Backends      []backendModel           `tfsdk:"backends"`
	Mirrors       []mirrorModel            `tfsdk:"mirrors"`
	Timeouts      map[string]*timeoutModel `tfsdk:"timeouts"`
	Retry         *retryModel              `tfsdk:"retry"`
	Explanation   types.String             `tfsdk:"explanation"`
	NotConsidered []string                 `tfsdk:"not_considered"`
	Clients       []requestClientModel     `tfsdk:"clients"`
}

type requestClientModel struct {
	Dataplanes  []string `tfsdk:"dataplanes"`
	Verdict     string   `tfsdk:"verdict"`
	Reason      string   `tfsdk:"reason"`
	Explanation string   `tfsdk:"explanation"`
}

type listenerModel struct {
	Gateway  string `tfsdk:"gateway"`
	Port     int64  `tfsdk:"port"`
	Protocol string `tfsdk:"protocol"`
	Hostname string `tfsdk:"hostname"`

	Requests    *rateModel   `tfsdk:"request_rate"`
	Connections *rateModel   `tfsdk:"connection_rate"`
	Faults      []faultModel `tfsdk:"faults"`
}

type routeModel struct {
	Type      string `tfsdk:"type"`
	Name      string `tfsdk:"name"`
	KRI       string `tfsdk:"kri"`
	Entry     int64  `tfsdk:"entry_index"`
	Rule      int64  `tfsdk:"rule_index"`
	Condition string `tfsdk:"condition"`
}

type redirectModel struct {
	Status   int64  `tfsdk:"status"`
	Location string `tfsdk:"location"`
}

type backendModel struct {
	Name     string                   `tfsdk:"name"`
	KRI      string                   `tfsdk:"kri"`
	Port     int64                    `tfsdk:"port"`
	Tags     map[string]string        `tfsdk:"tags"`
	Percent  *big.Float               `tfsdk:"percent"`
	Verdict  string                   `tfsdk:"verdict"`
	Reason   string                   `tfsdk:"reason"`
	Timeouts map[string]*timeoutModel `tfsdk:"timeouts"`
	Proxies  []requestProxyModel      `tfsdk:"proxies"`
}

type requestProxyModel struct {
	Dataplane string                   `tfsdk:"dataplane"`
	Port      int64                    `tfsdk:"port"`
	Verdict   string                   `tfsdk:"verdict"`
	Reason    string                   `tfsdk:"reason"`
	TLS       bool                     `tfsdk:"tls"`
	TLSMode   types.String             `tfsdk:"tls_mode"`
	TLSReason types.String             `tfsdk:"tls_reason"`
	Policies  []string                 `tfsdk:"policies"`
	Rule      *permissionRuleModel     `tfsdk:"permission_rule"`
	Timeouts  map[string]*timeoutModel `tfsdk:"timeouts"`

	Requests    *rateModel   `tfsdk:"request_rate"`
	Connections *rateModel   `tfsdk:"connection_rate"`
	Faults      []faultModel `tfsdk:"faults"`
}

type permissionRuleModel struct {
	Entry int64  `tfsdk:"entry_index"`
	List  string `tfsdk:"list"`
	Match string `tfsdk:"match"`
}

type rateModel struct {
	Number   int64       `tfsdk:"num"`
	Interval string      `tfsdk:"interval"`
	Status   types.Int64 `tfsdk:"status"`
	Policy   string      `tfsdk:"policy"`
}

type faultModel struct {
	Percent   *big.Float   `tfsdk:"percent"`
	Status    types.Int64  `tfsdk:"status"`
	Delay     types.String `tfsdk:"delay"`
	Bandwidth types.String `tfsdk:"bandwidth"`
	Policy    string       `tfsdk:"policy"`
}

type mirrorModel struct {
	Name    string     `tfsdk:"name"`
	KRI     string     `tfsdk:"kri"`
	Port    int64      `tfsdk:"port"`
	Percent *big.Float `tfsdk:"percent"`
}

type timeoutModel struct {
	Value  string       `tfsdk:"value"`
	Policy types.String `tfsdk:"policy"`
	Source string       `tfsdk:"source"`
}

type retryModel struct {
	Attempts   int64    `tfsdk:"attempts"`
	Conditions []string `tfsdk:"conditions"`
	PerTry     string   `tfsdk:"per_try_timeout"`
	Base       string   `tfsdk:"base_interval"`
	Max        string   `tfsdk:"max_interval"`
	Policy     string   `tfsdk:"policy"`

	Sources map[string]string `tfsdk:"sources"`
}

// RequestAttributes are the computed attributes of the data source and of the function.
func RequestAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"verdict": tfschema.ComputedText("What happens to the request: `allowed`, `denied` (by permissions), `redirected`, `no_route` (404), `error` (500, because the backend of the route does not exist), " +
			"`no_healthy_destination` (503), `tls_failed` (only one side speaks TLS), `unreachable` (the proxy has no outbound to the service, or does not let connections to the host through), `passthrough` (the host is not a service of the mesh, and the request goes there), `mixed` (the verdicts of `backends` or `clients` differ), or `unknown` (`reason` contains what is missing)."),
		"reason": tfschema.ComputedText("Why, as a sentence. Empty if the request is allowed."),
		"listener": tfschema.ComputedObject("The listener of a builtin gateway that takes the request. Null unless the client is a builtin gateway.", map[string]schema.Attribute{
			"gateway": tfschema.ComputedText("Name of the MeshGateway."), "port": tfschema.ComputedNumber("Port of the listener."), "protocol": tfschema.ComputedText("Protocol of the listener."),
			"hostname":        tfschema.ComputedText("Host name of the routes that are used: a name, a wildcard such as `*.shop.example`, or `*`. Empty for TCP."),
			"request_rate":    rateAttribute("Requests that the gateway accepts in an interval. Null without a limit."),
			"connection_rate": rateAttribute("Connections that the gateway accepts in an interval. Null without a limit."),
			"faults":          faultsAttribute("Faults that the gateway injects. One of `status`, `delay` and `bandwidth` is set."),
		}),
		"route": tfschema.ComputedObject("The rule of a route that takes the request. Null if the request goes to the service itself.", map[string]schema.Attribute{
			"type": tfschema.ComputedText("Kind of the route."), "name": tfschema.ComputedText("Name of the route."), "kri": tfschema.ComputedText("Identifier of the route."),
			"entry_index": tfschema.ComputedNumber("Position in `to`."), "rule_index": tfschema.ComputedNumber("Position of the rule in `rules` of the entry."),
			"condition": tfschema.ComputedText("The condition of the rule that the request meets. Empty for a MeshTCPRoute."),
		}),
		"filters": tfschema.ComputedTexts("What the filters of the rule do to the request and the response."),
		"redirect": tfschema.ComputedObject("The response to a redirected request. Null for other requests.", map[string]schema.Attribute{
			"status": tfschema.ComputedNumber("Status code."), "location": tfschema.ComputedText("The new URL."),
		}),
		"backends": tfschema.ComputedList("The services that get the request, or a share of such requests.", map[string]schema.Attribute{
			"name": tfschema.ComputedText("Name of the service: by tags, the value of `kuma.io/service`, followed by other tags in parentheses."), "kri": tfschema.ComputedText("Identifier of the port of the service. Empty if it does not exist, or by tags."),
			"port": tfschema.ComputedNumber("Port of the service, `0` by tags."), "percent": percentAttribute(),
			"tags":    schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Tags of the outbound or reference, if it selects proxies by tags. Empty for a resource."},
			"verdict": tfschema.ComputedText("As for the whole request."), "reason": tfschema.ComputedText("Why, as a sentence."),
			"timeouts": timeoutsAttribute("Timeouts of connections to the service: `connect`, `idle`, `max_stream` and `max_connection`."),
			"proxies": tfschema.ComputedList("The proxies of the service.", map[string]schema.Attribute{
				"dataplane": tfschema.ComputedText("Name of the Dataplane."), "port": tfschema.ComputedNumber("Port of its inbound."),
				"verdict": tfschema.ComputedText("As for the whole request."), "reason": tfschema.ComputedText("Why, as a sentence."),
				"tls":        schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the proxy of the client uses mutual TLS."},
				"tls_mode":   tfschema.ComputedText("`mutual`, `plaintext` if the proxy of the service has no certificate, or `permissive` if it accepts plaintext of clients without one. Null if there is no connection."),
				"tls_reason": tfschema.ComputedText("Why the connection has this mode, as a clause. Null if there is no connection."),
				"policies":   tfschema.ComputedTexts("Names of the MeshTrafficPermissions that allow or deny the client. Empty if no permission decides."),
				"permission_rule": tfschema.ComputedObject("The part of the MeshTrafficPermission that decides. Null if none does.", map[string]schema.Attribute{
					"entry_index": tfschema.ComputedNumber("Position in `rules` or `from`."), "list": tfschema.ComputedText("`allow`, `deny` or `allow_with_shadow_deny` of `rules`, or `from`."),
					"match": tfschema.ComputedText("The SPIFFE ID, with `*` after a prefix, or the server name that the client meets. Empty for `from`."),
				}),
				"timeouts": timeoutsAttribute("Timeouts of the proxy for incoming requests: `connect`, `request`, `stream_idle`, `idle`, `max_stream` and `max_connection`. Timeouts that do not apply have no entry."),

				"request_rate":    rateAttribute("Requests that the proxy accepts in an interval. Null without a limit."),
				"connection_rate": rateAttribute("Connections that the proxy accepts in an interval. Null without a limit."),
				"faults":          faultsAttribute("Faults that the proxy injects. One of `status`, `delay` and `bandwidth` is set."),
			}),
		}),
		"mirrors": tfschema.ComputedList("The services that get copies of the request.", map[string]schema.Attribute{
			"name": tfschema.ComputedText("Name of the service, as in `backends`."), "kri": tfschema.ComputedText("Identifier of the port of the service. Empty by tags."),
			"port": tfschema.ComputedNumber("Port of the service, `0` by tags."), "percent": percentAttribute(),
		}),
		"timeouts": timeoutsAttribute("Timeouts of the request: `request` and `stream_idle`, or for TCP `idle`."),
		"retry": tfschema.ComputedObject("How a failed request is repeated. Null if it is not.", map[string]schema.Attribute{
			"attempts": tfschema.ComputedNumber("Maximum number of retries."), "conditions": tfschema.ComputedTexts("Failures after which the request is repeated, by the names of Envoy, and status codes."),
			"per_try_timeout": tfschema.ComputedText("Timeout of each attempt; `0s` for none."), "base_interval": tfschema.ComputedText("Base interval of the backoff."),
			"max_interval": tfschema.ComputedText("Maximum interval between attempts."), "policy": tfschema.ComputedText("Name of the MeshRetry."),
			"sources": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: describe("request.retry.sources")},
		}),
		"explanation":    tfschema.ComputedText("The way of the request as text: route, filters, backends, proxies, timeouts and retries, each with the policy that decides."),
		"not_considered": tfschema.ComputedTexts("What can affect the request and is not computed."),
		"clients": tfschema.ComputedList("With `client_service`, its proxies, grouped by equal answers. If there are several groups, `verdict` is that of all of them or `mixed`, and the attributes about route, backends, timeouts and retries are empty.", map[string]schema.Attribute{
			"dataplanes": tfschema.ComputedTexts("Names of the Dataplanes."), "verdict": tfschema.ComputedText("As for the whole request."),
			"reason": tfschema.ComputedText("Why, as a sentence."), "explanation": tfschema.ComputedText("The way of the request as text."),
		}),
	}
}

func percentAttribute() schema.Attribute {
	return schema.NumberAttribute{Computed: true, MarkdownDescription: "Share of the requests in percent."}
}

func rateAttribute(doc string) schema.Attribute {
	return tfschema.ComputedObject(doc, map[string]schema.Attribute{
		"num": tfschema.ComputedNumber("How many."), "interval": tfschema.ComputedText("Interval."),
		"status": tfschema.ComputedNumber("Status code of the response to further requests. Null for connections."), "policy": tfschema.ComputedText("Name of the MeshRateLimit."),
	})
}

func faultsAttribute(doc string) schema.Attribute {
	return tfschema.ComputedList(doc, map[string]schema.Attribute{
		"percent": percentAttribute(), "status": tfschema.ComputedNumber("Status code of the response, instead of forwarding the request."),
		"delay": tfschema.ComputedText("Duration of the delay."), "bandwidth": tfschema.ComputedText("Bandwidth of the response."), "policy": tfschema.ComputedText("Name of the MeshFaultInjection."),
	})
}

func timeoutsAttribute(doc string) schema.Attribute {
	return schema.MapNestedAttribute{
		Computed: true, MarkdownDescription: doc,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"value": tfschema.ComputedText("Duration; `0s` if there is no limit."), "policy": tfschema.ComputedText("Name of the MeshTimeout that sets it. Null for a default."),
			"source": tfschema.ComputedText("Where it comes from: `MeshTimeout \"NAME\"`, `default of the control plane` or `default of Envoy`."),
		}},
	}
}

// Show fills the model.
func (m *RequestModel) Show(s *rules.Snapshot, a request.Answer) {
	m.Verdict, m.Reason = types.StringValue(string(a.Verdict)), types.StringValue(a.Reason)
	m.Filters, m.NotConsidered = append([]string{}, a.Filters...), append([]string{}, a.NotConsidered...)
	m.Backends, m.Mirrors = []backendModel{}, []mirrorModel{}
	m.Timeouts, m.Explanation = timeoutModels(a.Timeouts), types.StringValue(strings.Join(a.Explanation, "\n"))
	if l := a.Listener; l != nil {
		m.Listener = &listenerModel{l.Gateway.Name, int64(l.Port), l.Protocol, l.VirtualHost, rateOf(l.Requests), rateOf(l.Connections), each(l.Faults, faultOf)}
	}
	if r := a.Route; r != nil {
		m.Route = &routeModel{Type: r.Policy.Type, Name: r.Policy.Name, Entry: int64(r.Entry), Rule: int64(r.Rule), Condition: r.Condition}
		if policy := s.Resource(r.Policy); policy != nil {
			m.Route.KRI = kinds.KRI(policy.ID())
		}
	}
	if r := a.Redirect; r != nil {
		m.Redirect = &redirectModel{int64(r.Status), r.Location}
	}
	for _, b := range a.Backends {
		m.Backends = append(m.Backends, backendModel{b.Name, portKRI(b.Port), int64(b.Port.Number), tagsOf(b.Tags), percentOf(b.Share), string(b.Verdict), b.Reason, timeoutModels(b.Timeouts), proxyModels(b.Proxies)})
	}
	for _, mirror := range a.Mirrors {
		m.Mirrors = append(m.Mirrors, mirrorModel{mirror.Name, portKRI(mirror.Port), int64(mirror.Port.Number), percentOf(mirror.Share)})
	}
	m.Clients = each(a.Clients, func(c request.ClientAnswer) requestClientModel {
		return requestClientModel{c.Dataplanes, string(c.Verdict), c.Reason, strings.Join(c.Explanation, "\n")}
	})
	if r := a.Retry; r != nil {
		m.Retry = &retryModel{int64(r.Attempts), r.On, r.PerTry.String(), r.Base.String(), r.Max.String(), r.By.Name, r.From.ByField()}
	}
}

func proxyModels(proxies []request.Proxy) []requestProxyModel {
	return each(proxies, func(p request.Proxy) requestProxyModel {
		policies := each(p.By, func(key kuma.Key) string { return key.Name })
		return requestProxyModel{p.Dataplane, int64(p.Inbound.Port), string(p.Verdict), p.Reason, p.TLS, textOrNull(string(p.Security)), textOrNull(p.Because), policies, permissionRule(p.Rule), timeoutModels(p.Timeouts), rateOf(p.Requests), rateOf(p.Connections), each(p.Faults, faultOf)}
	})
}

func textOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// permissionRule returns the rule that decides with the name that its list has in a configuration.
func permissionRule(r request.Rule) *permissionRuleModel {
	if r.List == "" {
		return nil
	}
	return &permissionRuleModel{int64(r.Entry), tfschema.AttributeName(r.List), r.Match}
}

func rateOf(r *request.Rate) *rateModel {
	if r == nil {
		return nil
	}
	return &rateModel{int64(r.Number), r.Interval.String(), statusOf(r.Status), r.By.Name}
}

func faultOf(f request.Fault) faultModel {
	m := faultModel{Percent: percentOf(f.Share), Status: statusOf(f.Status), Policy: f.By.Name}
	if f.Delay != 0 {
		m.Delay = types.StringValue(f.Delay.String())
	}
	if f.Bandwidth != "" {
		m.Bandwidth = types.StringValue(f.Bandwidth)
	}
	return m
}

// statusOf returns a status code, null for zero.
func statusOf(code int) types.Int64 {
	if code == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(int64(code))
}

func timeoutModels(t request.Timeouts) map[string]*timeoutModel {
	out := map[string]*timeoutModel{}
	for name, timeout := range map[string]*request.Timeout{
		"connect": t.Connect, "request": t.Request, "stream_idle": t.StreamIdle, "idle": t.Idle, "max_stream": t.MaxStream, "max_connection": t.MaxConnection,
	} {
		if timeout == nil {
			continue
		}
		out[name] = &timeoutModel{Value: timeout.Duration.String(), Source: string(timeout.Origin())}
		if timeout.By != (kuma.Key{}) {
			out[name].Policy = types.StringValue(timeout.By.Name)
		}
	}
	return out
}

// tagsOf returns the tags, empty for none.
func tagsOf(tags map[string]string) map[string]string {
	if tags == nil {
		return map[string]string{}
	}
	return tags
}

// portKRI returns the identifier of a port, empty if it does not exist.
func portKRI(p rules.Port) string {
	if p.Number == 0 {
		return ""
	}
	return kinds.KRI(p.Resource) + p.Section
}

// percentOf returns a share in percent.
func percentOf(share *big.Rat) *big.Float {
	return new(big.Float).SetPrec(512).SetRat(new(big.Rat).Mul(share, big.NewRat(100, 1)))
}
