package kinds

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshCircuitBreaker limits the load on destinations and keeps traffic away from
// endpoints that fail.
var MeshCircuitBreaker = def.Kind{
	Name: "MeshCircuitBreaker", Path: "meshcircuitbreakers", ShortName: "mcb",
	ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "Limits connections and requests, and ejects failing endpoints, for outgoing (`to`) or incoming traffic (`rules`).",
	Use: "Use it to protect a service from overload and clients from failing endpoints, without additional requests. " +
		"For active checks use `kuma_mesh_health_check`.",
	Policy: &def.Policy{Order: 1300, To: true, From: true, Rules: true, FromAsRules: true},
	Initial: []def.Initial{{Name: "mesh-circuit-breaker-all-%s", Spec: `{
		"targetRef": {"kind": "Mesh"},
		"to": [{"targetRef": {"kind": "Mesh"}, "default": {"connectionLimits": {
			"maxConnections": 1024, "maxPendingRequests": 1024, "maxRetries": 3, "maxRequests": 1024}}}]}`}},
	Fields: def.Object{
		policy.TargetRef(policy.AllProxies()...),
		policy.ToSince(map[string]string{kuma.KindMeshExternalService: "2.14"}, circuitBreaker, kuma.KindMesh, kuma.KindMeshService,
			kuma.KindMeshMultiZoneService),
		policy.From(circuitBreaker, kuma.KindMesh),
		policy.Rules("2.10", circuitBreaker),
	},
	Checks: def.Checks(
		policy.SomeEntries("to", "from", "rules"),
		policy.RulesExclude("from"),
		def.BeforeKuma3(policy.RulesExclude("to")),
		policy.FromIsDeprecated,
	),
}

var circuitBreaker = policy.DefaultByRule(def.Object{
	{
		Name: "connectionLimits", Doc: "Limits that each proxy enforces by itself. Connections and requests above a limit fail immediately.",
		Type: def.Object{
			def.Int.Field("maxConnections", "Maximum number of concurrent connections to the destination. Envoy defaults to `1024`.", check.Count),
			def.Int.Field("maxConnectionPools", "Maximum number of concurrent connection pools. Unlimited by default.", check.Count),
			def.Int.Field("maxPendingRequests", "Maximum number of requests that wait for a connection. Envoy defaults to `1024`.", check.Count),
			def.Int.Field("maxRetries", "Maximum number of concurrent retries. Envoy defaults to `3`.", check.Count),
			def.Int.Field("maxRequests", "Maximum number of concurrent HTTP requests. Envoy defaults to `1024`.", check.Count),
		},
	},
	{
		Name: "outlierDetection", Design: def.Checks(localFailuresCount), Doc: "Ejects failing endpoints, which get no traffic for some time.",
		Type: def.Object{
			def.Bool.Field("disabled", "Whether to disable ejection. `detectors` is required anyway."),
			def.Duration.Field("interval", "Time between two evaluations of the endpoints. Envoy defaults to `10s`.", def.Positive()),
			def.Duration.Field("baseEjectionTime",
				"Base time for which an endpoint is ejected, multiplied by the number of its ejections. Envoy defaults to `30s`.", def.Positive()),
			def.Int.Field("maxEjectionPercent",
				"Maximum percentage of endpoints that are ejected at the same time. One endpoint can always be ejected. Envoy defaults to `10`.",
				check.Unsigned(0, 100)),
			def.Bool.Field("splitExternalAndLocalErrors",
				"Whether to count connection failures separately from error responses of the endpoint. "+
					"Defaults to `false`, which disables `local_origin_failures`."),
			{
				Name: "detectors", Type: detectors, Required: true, RequiredByRule: true,
				Checks: def.Checks(def.AnyOf("totalFailures", "gatewayFailures", "localOriginFailures", "successRate", "failurePercentage")),
				Doc: "Detectors of failing endpoints. An empty block enables `success_rate` and `failure_percentage` with Envoy's defaults. " +
					"The other detectors eject no endpoint without `consecutive`.",
			},
			{
				Name: "healthyPanicThreshold", Type: def.IntOrString, Since: "2.10", Checks: def.Checks(check.Percentage),
				Doc: "Percentage of healthy endpoints below which all endpoints get traffic, such as `10` or `\"62.5\"`. `0` disables it. " +
					"Envoy defaults to `50`.",
			},
		},
	},
}, def.AnyOf("connectionLimits", "outlierDetection"))

var detectors = def.Object{
	{Name: "totalFailures", Type: consecutive, Doc: "Consecutive failures of any type."},
	{Name: "gatewayFailures", Type: consecutive, Doc: "Consecutive responses with the status 502, 503 or 504."},
	{
		Name: "localOriginFailures", Type: consecutive,
		Doc: "Consecutive connection failures. Only used with `split_external_and_local_errors`.",
	},
	{
		Name: "successRate", Doc: "A success rate far below that of the other endpoints.",
		Type: append(slices.Clip(statistics), def.IntOrString.Field("standardDeviationFactor",
			"Number of standard deviations below the mean at which an endpoint is ejected, such as `10` or `\"2.5\"`. "+
				"Envoy defaults to `\"1.9\"`.", check.Decimal("above 0", func(f float64) bool { return f > 0 }))),
	},
	{
		Name: "failurePercentage", Doc: "A percentage of failed requests above a fixed threshold.",
		Type: append(slices.Clip(statistics), def.Int.Field("threshold",
			"Threshold in percent. Envoy defaults to `85`.", check.Unsigned(0, 100))),
	},
}

var consecutive = def.Object{
	def.Int.Field("consecutive",
		"Number of consecutive failures after which an endpoint is ejected. Without it, the detector ejects none.", check.Count),
}

// statistics describes when there is enough traffic to compare endpoints.
var statistics = def.Object{
	def.Int.Field("minimumHosts",
		"Minimum number of endpoints with enough traffic for this detector to eject any. Envoy defaults to `5`.", check.Count),
	def.Int.Field("requestVolume",
		"Minimum number of requests per interval for an endpoint to be evaluated. "+
			"Envoy defaults to `100` for success rates and `50` for failures.", check.Count),
}

// localFailuresCount warns about a detector of failures that are not counted
// separately.
var localFailuresCount = def.Check{Test: func(n tree.Node) []def.Problem {
	split, detector := n.Get("splitExternalAndLocalErrors"), n.Get("detectors", "localOriginFailures")
	if !detector.Known() || split.Unknown() || split.True() {
		return nil
	}
	return []def.Problem{def.WarningAt(detector, "localOriginFailures may have no effect",
		"Connection failures are not counted separately. Set splitExternalAndLocalErrors, unless another entry or policy does.").Lacking(split)}
}}
