package kinds

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshHealthCheck makes proxies check the endpoints that they send traffic to.
var MeshHealthCheck = def.Kind{
	Name: "MeshHealthCheck", Path: "meshhealthchecks", ShortName: "mhc",
	ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "Performs active health checks on the endpoints of destinations, and sends traffic only to healthy ones.",
	Use: "Use it to detect failing endpoints of destinations with little traffic. " +
		"With enough traffic, outlier detection of `kuma_mesh_circuit_breaker` needs no additional requests.",
	Policy: &def.Policy{Order: 1200, To: true},
	Fields: def.Object{
		policy.TargetRef(policy.AllProxies()...),
		policy.ToSince(map[string]string{kuma.KindMeshExternalService: "2.14"},
			policy.DefaultByRule(healthCheck, def.AnyOf("http", "tcp", "grpc")), kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshMultiZoneService),
	},
}

var healthCheck = def.Object{
	def.Duration.Field("interval", "Time between two checks of an endpoint. Defaults to `1m`.", def.Positive()),
	def.Duration.Field("timeout", "Time to wait for the response to a check. Defaults to `15s`.", def.Positive()),
	def.Int.Field("unhealthyThreshold",
		"Number of consecutive failed checks after which an endpoint is unhealthy. Defaults to `5`.", checksInARow),
	def.Int.Field("healthyThreshold",
		"Number of consecutive passed checks after which an endpoint is healthy again. Defaults to `1`.", checksInARow),
	def.Duration.Field("initialJitter", "Maximum random delay before the first check. None by default.", def.Positive()),
	def.Duration.Field("intervalJitter", "Maximum random time that is added to the interval. None by default.", def.Positive()),
	def.Int.Field("intervalJitterPercent",
		"Maximum random time that is added to the interval, as a percentage of it, in addition to `interval_jitter`. None by default.",
		def.Between(0, 100)),
	{
		Name: "healthyPanicThreshold", Type: def.IntOrString, Checks: def.Checks(check.Percentage, panicThresholdMoved),
		Deprecated: "Use `healthy_panic_threshold` of a MeshCircuitBreaker.",
		Removed:    def.RemovedIn3("Use healthyPanicThreshold of a MeshCircuitBreaker."),
		Doc:        "Percentage of healthy endpoints below which all endpoints get traffic, such as `10` or `\"62.5\"`.",
	},
	def.Bool.Field("failTrafficOnPanic",
		"Whether requests fail if too few endpoints are healthy. Defaults to `false`: all endpoints get traffic then."),
	def.String.Field("eventLogPath",
		"Path of a file on the host of the proxy to log the results of checks to. No log by default.", check.FilePath),
	def.Bool.Field("alwaysLogHealthCheckFailures",
		"Whether to log every failed check. Defaults to `false`: only the first of consecutive failures is logged."),
	def.Duration.Field("noTrafficInterval",
		"Time between two checks while the destination has not had any traffic. Envoy defaults to `60s`.", def.Positive()),
	{Name: "tcp", Protocols: []string{"tcp"}, Doc: "Check by a TCP connection, for ports with the protocol `tcp`.", Type: def.Object{
		disabledCheck,
		def.String.Field("send", "String to send, unmodified. If unset, the check only connects."),
		def.List{Elem: def.String}.Field("receive", "Strings that the response must contain in this order. Any response passes by default."),
	}},
	{
		Name: "http", Protocols: []string{"http", "http2"}, Doc: "Check by an HTTP request, for ports with the protocol `http` or `http2`.",
		Type: def.Object{
			disabledCheck,
			{
				Name: "path", Type: def.String, Checks: def.Checks(check.NotEmpty), Design: def.Checks(check.RootedPath),
				Doc: "Path of the request. Defaults to `/`.",
			},
			{Name: "requestHeadersToAdd", Type: object.NewHeaders, Doc: "Headers of the request."},
			def.List{Elem: def.Int}.Field("expectedStatuses", "Status codes that pass the check. Defaults to `200`.", def.Each(check.StatusCode)),
		},
	},
	{Name: "grpc", Protocols: []string{"grpc"}, Doc: "Check by the gRPC health service, for ports with the protocol `grpc`.", Type: def.Object{
		disabledCheck,
		def.String.Field("serviceName", "Name of the gRPC service to check. Defaults to the whole server."),
		def.String.Field("authority", "Value of the header `:authority`. Defaults to the name of the Envoy cluster."),
	}},
	def.Bool.Field("reuseConnection", "Whether to reuse the connection between checks. Defaults to `true`."),
}

// checksInARow limits the number of consecutive checks that decide about an
// endpoint.
var checksInARow = def.Between(1, math.MaxInt32)

var disabledCheck = def.Bool.Field("disabled",
	"Whether to disable this check. A disabled HTTP or gRPC check is replaced by a TCP check. Defaults to `false`.")

var panicThresholdMoved = def.Check{Test: func(n tree.Node) []def.Problem {
	return []def.Problem{def.WarningAt(n, "healthyPanicThreshold is deprecated",
		"Set healthyPanicThreshold in outlierDetection of a MeshCircuitBreaker for the same destination instead. "+
			"It requires an entry in detectors, and is ignored with disabled: true. The detector totalFailures: {} ejects no endpoint.").About(
		def.Deprecation).From("2.10")}
}}
