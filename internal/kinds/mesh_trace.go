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
	ZoneOwned: true, GlobalOwned: true, Status: true,
	Doc:    "Traces requests through the selected proxies, and sends the spans to Zipkin, Datadog or an OpenTelemetry collector. Only ports that speak HTTP are traced.",
	Policy: &def.Policy{Order: 700, Single: true},
	Fields: def.Object{
		policy.TargetRefByRole(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshGateway, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset),
		policy.DefaultByRule(def.Object{
			{
				Name: "backends", Required: true, RequiredByRule: true, Type: def.List{Elem: traceBackend},
				Checks: def.Checks(def.Items(0, 1), def.Each(def.ByType(traceBackends...))), Design: def.Checks(def.Each(def.Unused(traceBackends...))),
				Doc: "Where the spans go: one place at most. An empty list turns tracing off.",
			},
			{Name: "sampling", Doc: "Which requests are traced. All are when unset.", Type: def.Object{
				samplingShare("overall", "Most that is traced of all requests, whatever the other shares ask for"),
				samplingShare("client", "Share of the requests that are traced because the client asks for it with the header `x-client-trace-id`"),
				samplingShare("random", "Share of the requests that are traced by chance"),
			}},
			{Name: "tags", Type: def.List{Elem: traceTag}, Checks: def.Checks(def.Each(def.AnyOf("literal", "header"), def.AtMostOneOf("literal", "header"))), Doc: "Tags that every span carries."},
		}),
	},
	Checks: def.Checks(policy.WholeGateway),
}

func samplingShare(name, doc string) def.Field {
	return def.Field{
		Name: name, Type: def.IntOrString, Checks: def.Checks(check.Percentage),
		Doc: doc + ", in percent: a whole number, or text for a fraction (`\"7.5\"`). It is `100` when unset.",
	}
}

var traceTag = def.Object{
	{Name: "name", Type: def.String, Required: true, Checks: def.Checks(def.NotEmpty()), Doc: "Name of the tag."},
	{Name: "literal", Type: def.String, Doc: "The value, the same for all spans. Either this or `header` is needed."},
	{Name: "header", Doc: "The header of the request that holds the value.", Type: def.Object{
		{Name: "name", Type: def.String, Required: true, Doc: "Name of the header."},
		{Name: "default", Type: def.String, Doc: "The value when the request has no such header. There is no tag then when unset."},
	}},
}

// traceBackends are the types of [traceBackend].
var traceBackends = []def.Variant{
	{Type: "Zipkin", Member: "zipkin", Checks: def.Checks(def.Below("url", collectorURL))},
	{Type: "Datadog", Member: "datadog", Checks: def.Checks(def.Below("url", agentURL))},
	{Type: "OpenTelemetry", Member: "openTelemetry", Checks: object.CollectorRules(object.NotURL)},
}

var traceBackend = def.Object{
	{
		Name: "type", Type: def.String, Required: true, OneOf: []string{"Zipkin", "Datadog", "OpenTelemetry"},
		Doc: "Kind of the receiver. The block of the same name holds its settings; others have no effect.",
	},
	{Name: "zipkin", Doc: "Settings of the type `Zipkin`, which many other receivers understand.", Type: def.Object{
		{
			Name: "url", Type: def.String, Required: true, Checks: def.Checks(def.NotEmpty()), Design: def.Checks(reachableURL),
			Doc: "Address that the spans are sent to, with scheme, port and path, such as `http://zipkin:9411/api/v2/spans`.",
		},
		{Name: "traceId128bit", Type: def.Bool, Default: false, Doc: "Whether trace ids have 128 bits instead of 64."},
		{Name: "apiVersion", Type: def.String, Default: "httpJson", OneOf: []string{"httpJson", "httpProto"}, Doc: "Format of the spans."},
		{Name: "sharedSpanContext", Type: def.Bool, Default: true, Doc: "Whether client and server share one span."},
	}},
	{Name: "datadog", Doc: "Settings of the type `Datadog`.", Type: def.Object{
		{
			Name: "url", Type: def.String, Required: true,
			Doc: "Address of the agent, such as `http://datadog-agent:8126`: the scheme `http`, host and port, and nothing else.",
		},
		{
			Name: "splitService", Type: def.Bool, Default: false,
			Doc: "Whether incoming traffic, and outgoing traffic to each destination, count as services of their own.",
		},
	}},
	object.OpenTelemetry(),
}

// collectorURL is what the control plane asks for, which is less than what works.
var collectorURL = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok || check.IsURL(s) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid URL", fmt.Sprintf("%q is not a URL. Write it like \"http://zipkin:9411/api/v2/spans\".", s))}
}}

// reachableURL: a proxy cannot be configured without a host, and without a port
// it sends to port 0.
var reachableURL = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	u, err := url.Parse(s)
	switch {
	case !ok || err != nil:
	case u.Scheme == "" || u.Hostname() == "":
		return []def.Problem{def.ErrorAt(n, "URL has no scheme or no host", fmt.Sprintf("%q breaks the configuration of the proxy. Write it like \"http://zipkin:9411/api/v2/spans\".", s))}
	case u.Port() == "":
		return []def.Problem{def.WarningAt(n, "URL has no port", fmt.Sprintf("Spans for %q would go to port 0. Add the port, also where it is the usual one.", s))}
	}
	return nil
}}

// agentURL: of a URL only host and port are used.
var agentURL = def.Check{
	Test: func(n tree.Node) []def.Problem {
		s, ok := n.Text()
		if !ok {
			return nil
		}
		u, err := url.Parse(s)
		if err == nil && u.Scheme == "http" && u.Opaque == "" && u.User == nil && u.Path == "" && u.RawQuery == "" && u.Fragment == "" && check.IsPort(u.Port()) {
			return nil
		}
		return []def.Problem{def.ErrorAt(n, "Not the address of an agent", fmt.Sprintf("%q cannot be used: write http://, the host and the port, and nothing else, as in \"http://datadog-agent:8126\".", s))}
	},
}
