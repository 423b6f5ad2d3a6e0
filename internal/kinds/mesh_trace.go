package kinds

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshTrace decides which requests are traced, and where the traces go.
var MeshTrace = spec.Kind{
	Name: "MeshTrace", Path: "meshtraces", ShortName: "mtr",
	ZoneOwned: true, GlobalOwned: true, Status: true,
	Doc:    "Traces requests through the selected proxies, and sends the spans to Zipkin, Datadog or an OpenTelemetry collector. Only ports that speak HTTP are traced.",
	Policy: &spec.Policy{Order: 700, Single: true},
	Fields: spec.Object{
		topRefByRole(mesh.KindMesh, mesh.KindDataplane, mesh.KindMeshGateway, mesh.KindMeshSubset, mesh.KindMeshService, mesh.KindMeshServiceSubset),
		defaultConf(spec.Object{
			{
				Name: "backends", Required: true, Type: spec.List{Elem: traceBackend},
				Checks: spec.Checks(spec.Items(0, 1), spec.Each(spec.ByType(traceBackends...))), Design: spec.Checks(spec.Each(spec.Unused(traceBackends...))),
				Doc: "Where the spans go: one place at most. An empty list turns tracing off.",
			},
			{Name: "sampling", Doc: "Which requests are traced. All are when unset.", Type: spec.Object{
				samplingShare("overall", "Most that is traced of all requests, whatever the other shares ask for"),
				samplingShare("client", "Share of the requests that are traced because the client asks for it with the header `x-client-trace-id`"),
				samplingShare("random", "Share of the requests that are traced by chance"),
			}},
			{Name: "tags", Type: spec.List{Elem: traceTag}, Checks: spec.Checks(spec.Each(spec.AnyOf("literal", "header"), spec.AtMostOneOf("literal", "header"))), Doc: "Tags that every span carries."},
		}),
	},
	Checks: spec.Checks(wholeGateway),
}

func samplingShare(name, doc string) spec.Field {
	return spec.Field{
		Name: name, Type: spec.IntOrString, Checks: spec.Checks(percentage),
		Doc: doc + ", in percent: a whole number, or text for a fraction (`\"7.5\"`). It is `100` when unset.",
	}
}

var traceTag = spec.Object{
	{Name: "name", Type: spec.String, Required: true, Checks: spec.Checks(spec.NotEmpty()), Doc: "Name of the tag."},
	{Name: "literal", Type: spec.String, Doc: "The value, the same for all spans. Either this or `header` is needed."},
	{Name: "header", Doc: "The header of the request that holds the value.", Type: spec.Object{
		{Name: "name", Type: spec.String, Required: true, Doc: "Name of the header."},
		{Name: "default", Type: spec.String, Doc: "The value when the request has no such header. There is no tag then when unset."},
	}},
}

// traceBackends are the types of [traceBackend].
var traceBackends = []spec.Variant{
	{Type: "Zipkin", Member: "zipkin"},
	{Type: "Datadog", Member: "datadog"},
	{Type: "OpenTelemetry", Member: "openTelemetry"},
}

var traceBackend = spec.Object{
	{
		Name: "type", Type: spec.String, Required: true, OneOf: []string{"Zipkin", "Datadog", "OpenTelemetry"},
		Doc: "Kind of the receiver. The block of the same name holds its settings; others have no effect.",
	},
	{Name: "zipkin", Doc: "Settings of the type `Zipkin`, which many other receivers understand.", Type: spec.Object{
		{
			Name: "url", Type: spec.String, Required: true, Checks: spec.Checks(spec.NotEmpty(), readableURL), Design: spec.Checks(reachableURL),
			Doc: "Address that the spans are sent to, with scheme, port and path, such as `http://zipkin:9411/api/v2/spans`.",
		},
		{Name: "traceId128bit", Type: spec.Bool, Default: false, Doc: "Whether trace ids have 128 bits instead of 64."},
		{Name: "apiVersion", Type: spec.String, Default: "httpJson", OneOf: []string{"httpJson", "httpProto"}, Doc: "Format of the spans."},
		{Name: "sharedSpanContext", Type: spec.Bool, Default: true, Doc: "Whether client and server share one span."},
	}},
	{Name: "datadog", Doc: "Settings of the type `Datadog`.", Type: spec.Object{
		{
			Name: "url", Type: spec.String, Required: true, Checks: spec.Checks(agentURL),
			Doc: "Address of the agent, such as `http://datadog-agent:8126`.",
		},
		{
			Name: "splitService", Type: spec.Bool, Default: false,
			Doc: "Whether incoming traffic, and outgoing traffic to each destination, count as services of their own.",
		},
	}},
	openTelemetry(notURL),
}

// readableURL is all that the control plane asks for, far from what works.
var readableURL = spec.Check{Test: func(n spec.Node) []spec.Problem {
	s, ok := n.Text()
	if _, err := url.Parse(s); !ok || err == nil && !strings.ContainsAny(s, " \t\n") {
		return nil
	}
	return []spec.Problem{n.Problem("Invalid URL", fmt.Sprintf("%q is no URL. Write it like \"http://zipkin:9411/api/v2/spans\".", s))}
}}

// reachableURL: a proxy cannot be configured without a host, and without a port
// it sends to port 0.
var reachableURL = spec.Check{Test: func(n spec.Node) []spec.Problem {
	s, ok := n.Text()
	u, err := url.Parse(s)
	switch {
	case !ok || err != nil:
	case u.Scheme == "" || u.Hostname() == "":
		return []spec.Problem{n.Problem("URL has no scheme or no host", fmt.Sprintf("%q breaks the configuration of the proxy. Write it like \"http://zipkin:9411/api/v2/spans\".", s))}
	case u.Port() == "":
		return []spec.Problem{n.Warning("URL has no port", fmt.Sprintf("Spans for %q would go to port 0. Add the port, also where it is the usual one.", s))}
	}
	return nil
}}

// agentURL: of a URL only host and port are used.
var agentURL = spec.Check{
	Doc: "The scheme is `http`, the port is needed, and nothing may follow it.",
	Test: func(n spec.Node) []spec.Problem {
		s, ok := n.Text()
		if !ok {
			return nil
		}
		u, err := url.Parse(s)
		if err == nil && u.Scheme == "http" && u.Opaque == "" && u.User == nil && u.Path == "" && u.RawQuery == "" && u.Fragment == "" && isPort(u.Port()) {
			return nil
		}
		return []spec.Problem{n.Problem("Not the address of an agent", fmt.Sprintf("%q cannot be used: write http://, the host and the port, and nothing else, as in \"http://datadog-agent:8126\".", s))}
	},
}

func isPort(s string) bool {
	port, err := strconv.Atoi(s)
	return err == nil && port >= 1 && port <= maxPort
}
