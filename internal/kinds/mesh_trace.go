package kinds

import (
	"fmt"
	"net/url"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshTrace decides which requests are traced, and where the traces go.
var MeshTrace = def.Kind{
	Name: "MeshTrace", Path: "meshtraces", ShortName: "mtr",
	ZoneOwned: kuma.Always(), GlobalOwned: true, Status: true,
	Doc: "Traces requests of the selected proxies, and sends the spans to Zipkin, Datadog or an OpenTelemetry collector. " +
		"Only HTTP ports are traced.",
	Use:    "Use it to follow requests across services. Applications must forward the trace headers.",
	Policy: &def.Policy{Order: 700, Single: true},
	Fields: def.Object{
		policy.TargetRefByRole(policy.AllProxies()...),
		policy.DefaultByRule(def.Object{
			{
				Name: "backends", Required: true, RequiredByRule: true, Type: def.List{Elem: traceBackend},
				Checks: def.Checks(def.Items(0, 1), def.Each(def.ByType(traceBackends...))), Design: def.Checks(def.Each(def.Unused(traceBackends...))),
				Doc: "Backend that receives the spans. At most one is allowed. An empty list disables tracing.",
			},
			{Name: "sampling", Doc: "Sampling of requests. All requests are traced by default.", Type: def.Object{
				samplingShare("overall", "Maximum percentage of requests that are traced, regardless of the other settings"),
				samplingShare("client", "Percentage of requests with the header `x-client-trace-id` that are traced"),
				samplingShare("random", "Percentage of requests that are randomly selected for tracing"),
			}},
			def.List{Elem: traceTag}.Field("tags",
				"Tags of every span.", def.Each(def.AnyOf("literal", "header"), def.AtMostOneOf("literal", "header"))),
		}),
	},
	Checks: def.Checks(policy.WholeGateway),
}

func samplingShare(name, doc string) def.Field {
	return def.IntOrString.Field(name, doc+", such as `10` or `\"7.5\"`. Defaults to `100`.", check.Percentage)
}

var traceTag = def.Object{
	def.String.Required("name", "Name of the tag.", def.NotEmpty()),
	def.String.Field("literal", "Fixed value of the tag. Exactly one of `literal` and `header` is required."),
	{Name: "header", Doc: "Request header that holds the value.", Type: def.Object{
		def.String.Required("name", "Name of the header."),
		def.String.Field("default", "Value for requests without the header. By default, their spans do not have the tag."),
	}},
}

// traceBackends are the types of [traceBackend].
var traceBackends = []def.Variant{
	{Type: "Zipkin", Field: "zipkin", Checks: def.Checks(def.Below("url", collectorURL))},
	{Type: "Datadog", Field: "datadog", Checks: def.Checks(def.Below("url", agentURL))},
	{Type: "OpenTelemetry", Field: "openTelemetry", Checks: object.CollectorRules(object.NotURL)},
}

var traceBackend = def.Object{
	def.TypeField("Type of the backend. The block with the same name has its settings.", traceBackends...),
	{Name: "zipkin", Doc: "Settings of the type `Zipkin`, which many other receivers support.", Type: def.Object{
		{
			Name: "url", Type: def.String, Required: true, Checks: def.Checks(def.NotEmpty()), Design: def.Checks(reachableURL),
			Doc: "URL that the spans are sent to, with scheme, port and path, such as `http://zipkin:9411/api/v2/spans`.",
		},
		{Name: "traceId128bit", Type: def.Bool, Default: false, Doc: "Whether to use 128-bit trace IDs instead of 64-bit ones."},
		{Name: "apiVersion", Type: def.String, Default: "httpJson", OneOf: []string{"httpJson", "httpProto"}, Doc: "Format of the spans."},
		{Name: "sharedSpanContext", Type: def.Bool, Default: true, Doc: "Whether client and server share one span."},
	}},
	{Name: "datadog", Doc: "Settings of the type `Datadog`.", Type: def.Object{
		def.String.Required("url",
			"URL of the agent, such as `http://datadog-agent:8126`. Must consist of the scheme `http`, host and port only."),
		{
			Name: "splitService", Type: def.Bool, Default: false,
			Doc: "Whether to report incoming traffic, and outgoing traffic to each destination, as separate services.",
		},
	}},
	object.OpenTelemetry(),
}

// collectorURL checks what the control plane requires, which is less than what
// works.
var collectorURL = def.Text(check.IsURL, "Invalid URL", "%q is not a valid URL. Use a URL such as \"http://zipkin:9411/api/v2/spans\".")

// reachableURL checks that a URL has a scheme, a host and a port: without a
// scheme or host, the proxy cannot be configured, and without a port it sends
// to port 0.
var reachableURL = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	u, err := url.Parse(s)
	switch {
	case !ok || err != nil:
	case u.Scheme == "" || u.Hostname() == "":
		return []def.Problem{def.ErrorAt(n, "URL without scheme or host",
			fmt.Sprintf("%q breaks the configuration of the proxy. Use a URL with scheme and host, such as \"http://zipkin:9411/api/v2/spans\".",
				s))}
	case u.Port() == "":
		return []def.Problem{def.WarningAt(n, "URL without port",
			fmt.Sprintf("Without a port in the URL, spans for %q are sent to port 0. Add the port, even if it is the default port of the scheme.",
				s))}
	}
	return nil
}}

// agentURL checks the URL of an agent, of which only host and port are used.
var agentURL = def.Text(func(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme == "http" && u.Opaque == "" && u.User == nil && u.Path == "" && u.RawQuery == "" && u.Fragment == "" &&
		check.IsPort(u.Port())
}, "Invalid agent URL",
	"%q is not a valid agent URL. It must consist of http://, the host and the port only, as in \"http://datadog-agent:8126\".")
