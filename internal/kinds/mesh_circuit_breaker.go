package kinds

import (
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
	ZoneOwned: true, GlobalOwned: true,
	Doc:    "Limits connections and requests, and keeps traffic away from endpoints that fail, for outgoing traffic (`to`) or for incoming traffic (`rules`).",
	Policy: &def.Policy{Order: 1300, To: true, From: true, Rules: true, FromAsRules: true},
	Initial: []def.Initial{{Name: "mesh-circuit-breaker-all-%s", Spec: `{
		"targetRef": {"kind": "Mesh"},
		"to": [{"targetRef": {"kind": "Mesh"}, "default": {"connectionLimits": {
			"maxConnections": 1024, "maxPendingRequests": 1024, "maxRetries": 3, "maxRequests": 1024}}}]}`}},
	Fields: def.Object{
		policy.TargetRef(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshGateway, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset),
		policy.ToSince("2.14", kuma.KindMeshExternalService, circuitBreaker, kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshMultiZoneService),
		policy.From(circuitBreaker, kuma.KindMesh),
		policy.Rules("2.10", circuitBreaker),
	},
	Checks: def.Checks(
		policy.SomeEntries("to", "from", "rules"),
		policy.RulesExclude("to", "from"),
		policy.FromIsDeprecated,
	),
}

var circuitBreaker = policy.DefaultByRule(def.Object{
	{Name: "connectionLimits", Doc: "Limits of each proxy on its own. What exceeds them fails at once.", Type: def.Object{
		{Name: "maxConnections", Type: def.Int, Checks: def.Checks(check.Count), Doc: "Connections to the destination at the same time. Envoy's limit of `1024` holds when unset."},
		{Name: "maxConnectionPools", Type: def.Int, Checks: def.Checks(check.Count), Doc: "Connection pools at the same time. Unlimited when unset."},
		{Name: "maxPendingRequests", Type: def.Int, Checks: def.Checks(check.Count), Doc: "Requests that wait for a connection at the same time. Envoy's limit of `1024` holds when unset."},
		{Name: "maxRetries", Type: def.Int, Checks: def.Checks(check.Count), Doc: "Retries at the same time. Envoy's limit of `3` holds when unset."},
		{Name: "maxRequests", Type: def.Int, Checks: def.Checks(check.Count), Doc: "HTTP requests at the same time. Envoy's limit of `1024` holds when unset."},
	}},
	{Name: "outlierDetection", Design: def.Checks(localFailuresCount), Doc: "Ejects endpoints that fail: for a while they get no traffic.", Type: def.Object{
		{Name: "disabled", Type: def.Bool, Doc: "Whether nothing is ejected. `detectors` is needed all the same."},
		{Name: "interval", Type: def.Duration, Checks: def.Checks(def.Positive()), Doc: "Time between two analyses of the endpoints. Envoy uses `10s` when unset."},
		{
			Name: "baseEjectionTime", Type: def.Duration, Checks: def.Checks(def.Positive()),
			Doc: "Time for which an endpoint is ejected, multiplied by how often it was before. Envoy uses `30s` when unset.",
		},
		{
			Name: "maxEjectionPercent", Type: def.Int, Checks: def.Checks(check.Unsigned(0, 100)),
			Doc: "Largest share of the endpoints that is ejected at the same time, in percent; one always may be. Envoy uses `10` when unset.",
		},
		{
			Name: "splitExternalAndLocalErrors", Type: def.Bool,
			Doc: "Whether failures of the connection are counted apart from the answers of the endpoint. They are not when unset, and `local_origin_failures` has no effect then.",
		},
		{
			Name: "detectors", Type: detectors, Required: true, RequiredByRule: true,
			Checks: def.Checks(def.AnyOf("totalFailures", "gatewayFailures", "localOriginFailures", "successRate", "failurePercentage")),
			Doc:    "What makes an endpoint fail. An empty block turns a detector on with the numbers of Envoy.",
		},
		{
			Name: "healthyPanicThreshold", Type: def.IntOrString, Since: "2.10", Checks: def.Checks(check.Percentage),
			Doc: "Share of healthy endpoints, in percent, below which all endpoints get traffic: a whole number, or text for a fraction (`\"62.5\"`). `0` turns that off. Envoy uses `50` when unset.",
		},
	}},
}, def.AnyOf("connectionLimits", "outlierDetection"))

var detectors = def.Object{
	{Name: "totalFailures", Type: consecutive, Doc: "Failures of any kind in a row."},
	{Name: "gatewayFailures", Type: consecutive, Doc: "Answers with the status 502, 503 or 504 in a row."},
	{Name: "localOriginFailures", Type: consecutive, Doc: "Failures of the connection in a row. Only with `split_external_and_local_errors`."},
	{
		Name: "successRate", Doc: "A share of successful requests far below that of the other endpoints.",
		Type: append(statistics[:len(statistics):len(statistics)], def.Field{
			Name: "standardDeviationFactor", Type: def.IntOrString, Checks: def.Checks(check.Decimal("above 0", func(f float64) bool { return f > 0 })),
			Doc: "How many standard deviations below the mean the share may lie: a whole number, or text for a fraction. Envoy uses `\"1.9\"` when unset.",
		}),
	},
	{
		Name: "failurePercentage", Doc: "A share of failed requests above a fixed limit.",
		Type: append(statistics[:len(statistics):len(statistics)], def.Field{
			Name: "threshold", Type: def.Int, Checks: def.Checks(check.Unsigned(0, 100)),
			Doc: "The limit in percent. Envoy uses `85` when unset.",
		}),
	},
}

var consecutive = def.Object{
	{Name: "consecutive", Type: def.Int, Checks: def.Checks(check.Count), Doc: "How many in a row eject an endpoint. Envoy uses `5` when unset."},
}

// statistics says when there is enough traffic to compare endpoints.
var statistics = def.Object{
	{Name: "minimumHosts", Type: def.Int, Checks: def.Checks(check.Count), Doc: "Endpoints that must have enough traffic, else none is ejected. Envoy uses `5` when unset."},
	{Name: "requestVolume", Type: def.Int, Checks: def.Checks(check.Count), Doc: "Requests per interval that are enough traffic for an endpoint to count. Envoy has a number of its own when unset: `100` for success rates, `50` for failures."},
}

// localFailuresCount warns of a detector of failures that are not counted apart.
var localFailuresCount = def.Check{Test: func(n tree.Node) []def.Problem {
	split, detector := n.Get("splitExternalAndLocalErrors"), n.Get("detectors", "localOriginFailures")
	if !detector.Known() || split.Unknown() || split.True() {
		return nil
	}
	return []def.Problem{def.WarningAt(detector, "localOriginFailures has no effect", "Failures of the connection are not counted apart. Set splitExternalAndLocalErrors, or remove the detector.")}
}}
