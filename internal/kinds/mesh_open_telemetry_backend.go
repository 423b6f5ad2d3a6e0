package kinds

import (
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshOpenTelemetryBackend is a collector that policies send telemetry to.
var MeshOpenTelemetryBackend = def.Kind{
	Name: "MeshOpenTelemetryBackend", Path: "meshopentelemetrybackends", ShortName: "motb", Since: "2.14",
	ZoneOwned: kuma.Always(), GlobalOwned: true, Status: true,
	Doc: "An OpenTelemetry collector that MeshAccessLog, MeshMetric and MeshTrace refer to, so that its address is defined in one place.",
	Use: "Use it instead of an `endpoint` in each observability policy.",
	Fields: def.Object{
		{Name: "endpoint", Doc: "Address of the collector. Defaults to the host of the proxy.", Type: def.Object{
			def.String.Field("address",
				"Host name or IP address of the collector. Defaults to the environment variable `HOST_IP` of the proxy, or `127.0.0.1`.",
				check.NotEmpty, check.HostAddress),
			def.Int.Field("port", "Port number of the collector. Defaults to `4317`.", def.Between(1, check.MaxPort)),
			def.String.Field("path",
				"Prefix of the paths that OpenTelemetry defines, such as `/otlp`. Only valid with protocol `http`. None by default.", collectorPath),
		}},
		{
			Name: "protocol", Type: def.String, OneOf: []string{"grpc", "http"},
			Doc: "Protocol of the collector. Defaults to `grpc`.",
		},
		{Name: "env", Doc: "Use of the environment variables `OTEL_…` of the proxy.", Type: def.Object{
			{
				Name: "mode", Type: def.String, OneOf: []string{"Disabled", "Optional", "Required"}, Default: "Optional",
				Doc: "Whether to use the variables: `Optional` uses those that are set, `Required` requires them, `Disabled` ignores them.",
			},
			{
				Name: "precedence", Type: def.String, OneOf: []string{"ExplicitFirst", "EnvFirst"}, Default: "EnvFirst",
				Doc: "Which setting takes precedence: `EnvFirst` prefers the variables, `ExplicitFirst` prefers this resource.",
			},
			def.Bool.Field("allowSignalOverrides",
				"Whether variables for a single signal (traces, metrics or logs) can override those for all signals. Defaults to `true`."),
		}},
	},
	Checks: def.Checks(pathNeedsHTTP),
}

var collectorPath = def.Check{
	Doc: "Must begin with `/` and must not contain `?` or `#`.",
	Test: func(n tree.Node) []def.Problem {
		s, _ := n.Text()
		switch {
		case s == "":
			return nil
		case !strings.HasPrefix(s, "/"):
			return []def.Problem{def.ErrorAt(n, "Invalid path", "The path must begin with \"/\".")}
		case strings.ContainsAny(s, "?#"):
			return []def.Problem{def.ErrorAt(n, "Invalid path",
				"The path must not have a query or fragment. Remove \"?\" or \"#\" and what follows.")}
		}
		return nil
	},
}

// pathNeedsHTTP rejects a path with gRPC, which has paths of its own.
var pathNeedsHTTP = def.Check{Test: func(n tree.Node) []def.Problem {
	protocol := n.Get("protocol")
	if s, _ := protocol.Text(); s != "grpc" && !protocol.Absent() {
		return nil
	}
	return def.Rejected(n.Get("endpoint", "path"),
		"A path is only valid with protocol http, but the protocol is grpc, which is the default. Remove the path, or set protocol to http.")
}}
