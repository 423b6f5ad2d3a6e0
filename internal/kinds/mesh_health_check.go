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
	ZoneOwned: true, GlobalOwned: true,
	Doc:    "Checks the endpoints of destinations by requests of the proxy's own (active health checks), and sends traffic only to those that pass.",
	Policy: &def.Policy{Order: 1200, To: true},
	Fields: def.Object{
		policy.TargetRef(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshGateway, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset),
		policy.ToSince("2.14", kuma.KindMeshExternalService, policy.DefaultByRule(healthCheck, def.AnyOf("http", "tcp", "grpc")), kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshMultiZoneService),
	},
}

var healthCheck = def.Object{
	{Name: "interval", Type: def.Duration, Checks: def.Checks(def.Positive()), Doc: "Time between two checks of an endpoint. Kuma uses `1m` when unset."},
	{Name: "timeout", Type: def.Duration, Checks: def.Checks(def.Positive()), Doc: "Time to wait for the answer to a check. Kuma uses `15s` when unset."},
	{Name: "unhealthyThreshold", Type: def.Int, Checks: def.Checks(checksInARow), Doc: "Number of checks in a row that must fail before an endpoint gets no more traffic. Kuma uses `5` when unset."},
	{Name: "healthyThreshold", Type: def.Int, Checks: def.Checks(checksInARow), Doc: "Number of checks in a row that must pass before an endpoint gets traffic again. Kuma uses `1` when unset."},
	{Name: "initialJitter", Type: def.Duration, Checks: def.Checks(def.Positive()), Doc: "Longest random wait before the first check. There is none when unset."},
	{Name: "intervalJitter", Type: def.Duration, Checks: def.Checks(def.Positive()), Doc: "Longest random time that is added to the interval. None is when unset."},
	{
		Name: "intervalJitterPercent", Type: def.Int, Checks: def.Checks(def.Between(0, 100)),
		Doc: "Longest random time that is added to the interval, in percent of it and on top of `interval_jitter`. None is when unset.",
	},
	{
		Name: "healthyPanicThreshold", Type: def.IntOrString, Checks: def.Checks(check.Percentage, panicThresholdMoved), Deprecated: "Use `healthy_panic_threshold` of a MeshCircuitBreaker.",
		Doc: "Share of healthy endpoints, in percent, below which all endpoints get traffic: a whole number, or text for a fraction (`\"62.5\"`).",
	},
	{
		Name: "failTrafficOnPanic", Type: def.Bool,
		Doc: "Whether requests fail when too few endpoints are healthy. All endpoints get traffic then when unset.",
	},
	{Name: "eventLogPath", Type: def.String, Checks: def.Checks(check.FilePath), Doc: "File on the host of the proxy to which results of checks are logged. They are not when unset."},
	{
		Name: "alwaysLogHealthCheckFailures", Type: def.Bool,
		Doc: "Whether every failed check is logged. Only the first of several in a row is when unset.",
	},
	{
		Name: "noTrafficInterval", Type: def.Duration, Checks: def.Checks(def.Positive()),
		Doc: "Time between two checks as long as the destination never had traffic. Envoy uses `60s` when unset.",
	},
	{Name: "tcp", Doc: "A check by a connection, for ports with the protocol `tcp`.", Type: def.Object{
		disabledCheck,
		{Name: "send", Type: def.String, Doc: "Text to send, which is not decoded. The check only connects when unset."},
		{Name: "receive", Type: def.List{Elem: def.String}, Doc: "Texts that the answer must contain in this order. Any answer will do when unset."},
	}},
	{Name: "http", Doc: "A check by a request, for ports with the protocol `http` or `http2`.", Type: def.Object{
		disabledCheck,
		{Name: "path", Type: def.String, Checks: def.Checks(check.NotEmpty), Design: def.Checks(check.RootedPath), Doc: "Path of the request. It is `/` when unset."},
		{Name: "requestHeadersToAdd", Type: object.NewHeaders, Doc: "Headers of the request."},
		{
			Name: "expectedStatuses", Type: def.List{Elem: def.Int}, Checks: def.Checks(def.Each(check.StatusCode)),
			Doc: "Status codes that pass the check. Only `200` does when unset.",
		},
	}},
	{Name: "grpc", Doc: "A check by the health service of gRPC, for ports with the protocol `grpc`.", Type: def.Object{
		disabledCheck,
		{Name: "serviceName", Type: def.String, Doc: "Service that is asked about. The health of the whole server is when unset."},
		{Name: "authority", Type: def.String, Doc: "Value of the header `:authority`. It is the name of the cluster in Envoy when unset."},
	}},
	{
		Name: "reuseConnection", Type: def.Bool,
		Doc: "Whether the connection is kept between checks. It is when unset.",
	},
}

// checksInARow is how many checks in a row may decide about an endpoint.
var checksInARow = def.Between(1, math.MaxInt32)

var disabledCheck = def.Field{
	Name: "disabled", Type: def.Bool,
	Doc: "Whether this check is turned off; a TCP check then takes the place of the others. It is not when unset.",
}

var panicThresholdMoved = def.Check{Test: func(n tree.Node) []def.Problem {
	return []def.Problem{def.WarningAt(n, "healthyPanicThreshold is deprecated", "The threshold has moved. Set healthyPanicThreshold in the outlierDetection of a MeshCircuitBreaker.").About(def.Deprecation)}
}}
