package object

import (
	"net/url"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshTracing holds the tracing backends of a mesh.
var MeshTracing = def.Field{
	Name: "tracing", Type: tracing, Checks: def.Checks(check.BackendNamed("defaultBackend")),
	Doc: "Tracing backends in the legacy format.", Deprecated: "Use MeshTrace.", Removed: def.RemovedIn3("Use a MeshTrace."),
}

// MeshLogging holds the access log backends of a mesh.
var MeshLogging = def.Field{
	Name: "logging", Type: logging, Checks: def.Checks(check.BackendNamed("defaultBackend")),
	Doc: "Access log backends in the legacy format.", Deprecated: "Use MeshAccessLog.", Removed: def.RemovedIn3("Use a MeshAccessLog."),
}

// MeshMetrics holds the metrics backends of a mesh.
var MeshMetrics = def.Field{
	Name: "metrics", Type: metrics, Checks: def.Checks(check.BackendNamed("enabledBackend")),
	Doc: "Metrics backends in the legacy format.", Deprecated: "Use MeshMetric.", Removed: def.RemovedIn3("Use a MeshMetric."),
}

// What the `conf` of a backend of a Mesh contains depends on its type; the
// objects below hold the fields of all types.

var tracing = def.Object{
	def.String.Field("defaultBackend", "Name of the backend that proxies use. None by default."),
	{
		Name: "backends", Doc: "Backends that proxies send traces to.", Checks: def.Checks(def.Unique("name"), def.Each(tracingSettings)),
		Type: def.List{Elem: def.Object{
			def.String.Required("name", "Name of the backend."),
			{
				Name: "sampling", Type: def.Number, Distinct: true, Checks: def.Checks(check.Percentage),
				Doc: "Percentage of requests to trace. All by default.",
			},
			def.String.Required("type", "Kind of the backend.", def.OneOf("zipkin", "datadog")),
			{Name: "conf", FreeForm: true, Doc: "Settings of the backend, by `type`.", Type: def.Object{
				def.String.Field("url", "For `zipkin`: URL that traces are sent to, including the port."),
				def.Bool.Field("traceId128bit", "For `zipkin`: whether to use 128-bit trace IDs instead of 64-bit ones. Defaults to `false`."),
				def.String.Field("apiVersion",
					"For `zipkin`: format of the traces. Defaults to `httpJson`.", ofZipkin(def.OneOf("httpJson", "httpJsonV1", "httpProto").OrEmpty())),
				{
					Name: "sharedSpanContext", Type: def.Bool, Distinct: true,
					Doc: "For `zipkin`: whether client and server share one span. Defaults to `true`.",
				},
				def.String.Field("address", "For `datadog`: host of the agent."),
				def.Int.Field("port", "For `datadog`: port of the agent."),
				def.Bool.Field("splitService",
					"For `datadog`: whether to report the traffic to each destination as a separate service. Defaults to `false`."),
			}},
		}},
	},
}

var logging = def.Object{
	def.String.Field("defaultBackend", "Name of the backend that proxies use. None by default."),
	{
		Name: "backends", Doc: "Backends that proxies write access logs to.", Checks: def.Checks(def.Unique("name"), def.Each(loggingSettings)),
		Type: def.List{Elem: def.Object{
			def.String.Required("name", "Name of the backend."),
			def.String.Field("format", "Format of a log line, with Envoy's command operators. Kuma has a default format."),
			def.String.Required("type", "Kind of the backend.", def.OneOf("file", "tcp")),
			{Name: "conf", FreeForm: true, Doc: "Settings of the backend, by `type`.", Type: def.Object{
				def.String.Field("path", "For `file`: path of the file, on the host of the proxy."),
				def.String.Field("address", "For `tcp`: host and port of the receiver, such as `127.0.0.1:5000`."),
			}},
		}},
	},
}

var metrics = def.Object{
	def.String.Field("enabledBackend", "Name of the backend that proxies use. None by default."),
	{
		Name: "backends", Doc: "Backends that collect metrics.", Checks: def.Checks(def.UniqueOrEmpty("name")),
		Type: def.List{Elem: def.Object{
			def.String.Field("name", "Name of the backend."),
			def.String.Required("type", "Kind of the backend.", def.OneOf("prometheus")),
			{
				Name: "conf", StoresDefaults: true, Checks: def.Checks(SkipMTLSAgrees), Type: withDefaults(Prometheus, prometheusDefaults),
				DefaultFrom: func(map[string]any) any { return prometheusDefaults(nil) },
				Doc:         "Settings of the backend. The control plane adds defaults for those that are omitted.",
			},
		}},
	},
}

// ofZipkin skips a check of a field in the conf of a backend of another type,
// which the control plane does not check.
func ofZipkin(c def.Check) def.Check {
	return c.Unless(func(n tree.Node) bool {
		backend := tree.Object(tree.At(n.Root().Value(), n.Path.Parent().Parent()))
		kind, ok := backend["type"].(string)
		return ok && kind != "zipkin"
	})
}

var tracingSettings = def.Check{
	Doc: "`zipkin` requires `url`; `datadog` requires `address` and `port`.",
	Test: func(n tree.Node) []def.Problem {
		kind, _ := n.Get("type").Text()
		conf := n.Get("conf")
		switch kind {
		case "zipkin":
			return append(check.BackendNeeds(conf, kind, "url"), urlWithPort.Test(conf.Get("url"))...)
		case "datadog":
			problems := append(check.BackendNeeds(conf, kind, "address"), check.BackendNeeds(conf, kind, "port")...)
			return append(problems, check.Unsigned(1, check.MaxPort).Test(conf.Get("port"))...)
		}
		return nil
	},
}

var urlWithPort = def.Text(func(s string) bool {
	u, err := url.ParseRequestURI(s)
	return s == "" || err == nil && u.Port() != ""
}, "Invalid address", "%q is not a URL with a port. Use a URL such as \"http://zipkin:9411/api/v2/spans\".")

var loggingSettings = def.Check{
	Doc: "`file` requires `path`; `tcp` requires `address`.",
	Test: func(n tree.Node) []def.Problem {
		kind, _ := n.Get("type").Text()
		conf := n.Get("conf")
		switch kind {
		case "file":
			return check.BackendNeeds(conf, kind, "path")
		case "tcp":
			return append(check.BackendNeeds(conf, kind, "address"), check.HostAndPort.Test(conf.Get("address"))...)
		}
		return nil
	},
}
