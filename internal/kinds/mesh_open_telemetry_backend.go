package kinds

import (
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshOpenTelemetryBackend is a collector that policies send telemetry to.
var MeshOpenTelemetryBackend = def.Kind{
	Name: "MeshOpenTelemetryBackend", Path: "meshopentelemetrybackends", ShortName: "motb", Since: "2.14",
	ZoneOwned: true, GlobalOwned: true, Status: true,
	Doc: "An OpenTelemetry collector that MeshAccessLog, MeshMetric and MeshTrace refer to, so that its address stands in one place.",
	Fields: def.Object{
		{Name: "endpoint", Doc: "Address of the collector. When unset, proxies find it on their own host.", Type: def.Object{
			{
				Name: "address", Type: def.String, Checks: def.Checks(check.NotEmpty, check.HostAddress),
				Doc: "Host name or IP address of the collector. When unset it is the environment variable `HOST_IP` of the proxy, or else `127.0.0.1`.",
			},
			{
				Name: "port", Type: def.Int, Checks: def.Checks(def.Between(1, check.MaxPort)),
				Doc: "Port number of the collector. It is `4317` when unset.",
			},
			{
				Name: "path", Type: def.String, Checks: def.Checks(collectorPath),
				Doc: "Path in front of the paths that OpenTelemetry defines, such as `/otlp`. Only with protocol `http`. There is none when unset.",
			},
		}},
		{
			Name: "protocol", Type: def.String, OneOf: []string{"grpc", "http"},
			Doc: "Transport to the collector. It is `grpc` when unset.",
		},
		{Name: "env", Doc: "Use of the environment variables `OTEL_…` of the proxy.", Type: def.Object{
			{
				Name: "mode", Type: def.String, OneOf: []string{"Disabled", "Optional", "Required"}, Default: "Optional",
				Doc: "Whether the variables count: `Optional`, the default, takes those that are set, `Required` expects them, `Disabled` ignores them.",
			},
			{
				Name: "precedence", Type: def.String, OneOf: []string{"ExplicitFirst", "EnvFirst"}, Default: "EnvFirst",
				Doc: "Which of two settings wins: `EnvFirst`, the default, prefers the variables, `ExplicitFirst` what is written here.",
			},
			{
				Name: "allowSignalOverrides", Type: def.Bool,
				Doc: "Whether variables for traces, metrics or logs alone may differ from those for all. They may when unset.",
			},
		}},
	},
	Checks: def.Checks(pathNeedsHTTP),
}

var collectorPath = def.Check{
	Doc: "It begins with `/`, without `?` and `#`.",
	Test: func(n tree.Node) []def.Problem {
		s, _ := n.Text()
		switch {
		case s == "":
			return nil
		case !strings.HasPrefix(s, "/"):
			return []def.Problem{def.ErrorAt(n, "Invalid path", "A path begins with \"/\". Add it.")}
		case strings.ContainsAny(s, "?#"):
			return []def.Problem{def.ErrorAt(n, "Invalid path", "A path has neither query nor fragment. Remove \"?\" or \"#\" and what follows.")}
		}
		return nil
	},
}

// pathNeedsHTTP: gRPC has paths of its own.
var pathNeedsHTTP = def.Check{Test: func(n tree.Node) []def.Problem {
	protocol := n.Get("protocol")
	if s, _ := protocol.Text(); s != "grpc" && !protocol.Absent() {
		return nil
	}
	return def.Refused(n.Get("endpoint", "path"), "A path goes with protocol http only, and the protocol is grpc, which holds when none is set. Remove the path, or set protocol to http.")
}}
