package kinds

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshRetry decides which failed attempts a proxy repeats.
var MeshRetry = def.Kind{
	Name: "MeshRetry", Path: "meshretries", ShortName: "mr",
	ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "Retries failed connections and requests. " +
		"For each protocol, it configures the number of attempts, which failures to retry, the backoff, and which endpoints to use.",
	Use: "Use it for transient failures of idempotent requests. Combine it with `kuma_mesh_circuit_breaker` to limit the additional load.",
	Policy: &def.Policy{
		Order: 1400, To: true, PerRoute: retriesPerRoute, ReplacedPerRoute: retriesPerRoute,
		Consistent: []string{"http.backOff", "grpc.backOff"}, Gateway: def.Gateway{ForAll: []string{""}},
	},
	Initial: []def.Initial{{Name: "mesh-retry-all-%s", Spec: `{
		"targetRef": {"kind": "Mesh"},
		"to": [{"targetRef": {"kind": "Mesh"}, "default": {
			"tcp": {"maxConnectAttempt": 5},
			"http": {"numRetries": 5, "perTryTimeout": "16s", "backOff": {"baseInterval": "25ms", "maxInterval": "250ms"}},
			"grpc": {"numRetries": 5, "perTryTimeout": "16s", "backOff": {"baseInterval": "25ms", "maxInterval": "250ms"}}}}]}`}},
	Fields: def.Object{
		policy.TargetRefByRole(policy.AllProxies(kuma.KindMeshHTTPRoute)...),
		policy.RequiredIn(kuma.Before("2.14"),
			policy.ToSince(map[string]string{kuma.KindMeshHTTPRoute: "2.11"}, policy.DefaultByRule(retries, def.AnyOf("tcp", "http", "grpc")),
				kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService)),
	},
	Checks: def.Checks(policy.DestinationKinds([]string{kuma.KindMeshGateway, kuma.KindMeshHTTPRoute}, kuma.KindMesh,
		kuma.KindMeshExternalService)),
	Design: def.Checks(policy.PerRoute(retriesPerRoute, retriesPerRoute), def.Below("to", def.Each(zeroOnRoute))),
}

// retriesPerRoute are what works in an entry for a route.
var retriesPerRoute = []string{"http", "grpc"}

var retries = def.Object{
	{Name: "tcp", Protocols: []string{"tcp"}, Doc: "Retries of connections, for ports with the protocol `tcp`.", Type: def.Object{
		{
			Name: "maxConnectAttempt", Type: def.Int, Required: true, RequiredByRule: true, Checks: def.Checks(check.Count),
			Doc: "Maximum number of connection attempts, including the first one.",
		},
	}},
	{
		Name: "http", Protocols: []string{"http"}, Doc: "Retries of requests, for ports with the protocol `http`. They do not apply to `http2`.",
		Checks: def.Checks(def.AnyOf("numRetries", "perTryTimeout", "backOff", "rateLimitedBackOff", "retryOn", "retriableResponseHeaders",
			"retriableRequestHeaders", "hostSelection")),
		Type: append(slices.Clip(attempts), def.Object{
			def.List{Elem: def.String}.Field("retryOn",
				"Failures after which a request is retried: "+phrase.Or(httpRetryCauses...)+
					", or a status code as a string (`\"503\"`). Values that begin with `HttpMethod` limit retries to these methods. "+
					"Defaults to `GatewayError`, `ConnectFailure` and `RefusedStream`.", def.Each(httpRetryCause)),
			{
				Name: "retriableResponseHeaders", Type: def.List{Elem: object.HeaderMatch}, Design: object.HeaderMatchRules,
				Doc: "Response headers after which a request is retried; one of them must match. None by default.",
			},
			{
				Name: "retriableRequestHeaders", Type: def.List{Elem: object.HeaderMatch}, Design: object.HeaderMatchRules,
				Doc: "Request headers that limit retries to matching requests; one of them must match. All requests by default.",
			},
			def.List{Elem: hostSelection}.Field("hostSelection",
				"Endpoints that retries do not use. By default, retries can use all endpoints.", def.Each(hostSelectionSettings), prioritiesOnce),
			def.Int.Field("hostSelectionMaxAttempts",
				"Maximum number of attempts to select an endpoint that `host_selection` does not exclude. Defaults to `1`."),
		}...),
	},
	{
		Name: "grpc", Protocols: []string{"grpc"}, Doc: "Retries of calls, for ports with the protocol `grpc`.",
		Checks: def.Checks(def.AnyOf("numRetries", "perTryTimeout", "backOff", "rateLimitedBackOff", "retryOn")),
		Type: append(slices.Clip(attempts), def.Field{
			Name: "retryOn", Type: def.List{Elem: def.String},
			OneOf: []string{"Canceled", "DeadlineExceeded", "Internal", "ResourceExhausted", "Unavailable"},
			Doc:   "Status codes after which a call is retried. Defaults to `Canceled`, `ResourceExhausted`, `Unavailable` and connection failures.",
		}),
	},
}

// attempts is what retries of HTTP and of gRPC have in common.
var attempts = def.Object{
	def.Int.Field("numRetries",
		"Maximum number of retries. Defaults to `1`. "+
			"`0` disables retries, but does not override a lower-precedence policy for the destination of a route.",
		check.Unsigned(0, math.MaxInt32)),
	{
		Name: "perTryTimeout", Type: def.Duration, Design: def.Checks(def.NotNegative()),
		Doc: "Timeout of each attempt; `0s` disables it. Defaults to the timeout of the whole request.",
	},
	{
		Name: "backOff", Checks: def.Checks(def.AnyOf("baseInterval", "maxInterval")), Design: def.Checks(backOffGrows),
		Doc: "Exponential backoff with jitter between attempts.",
		Type: def.Object{
			{
				Name: "baseInterval", Type: def.Duration, Design: def.Checks(def.Positive()),
				Doc: "Base interval of the backoff. Defaults to `25ms` without a `back_off` block. " +
					"Required with `max_interval`, here or in another policy: proxies reject a configuration without it.",
			},
			def.Duration.Field("maxInterval",
				"Maximum interval between attempts. Must not be below `base_interval`. Defaults to ten times `base_interval`."),
		},
	},
	{Name: "rateLimitedBackOff", Doc: "Backoff that a response header requests. Such headers are ignored by default.", Type: def.Object{
		{
			Name: "resetHeaders", Required: true, RequiredByRule: true, Doc: "Headers to read. The first one that the response has is used.",
			Type: def.List{Elem: def.Object{
				object.HeaderName,
				{
					Name: "format", Type: def.String, Required: true, OneOf: []string{"Seconds", "UnixTimestamp"},
					Doc: "Whether the value is an interval in seconds (`Seconds`) or a point in time (`UnixTimestamp`).",
				},
			}},
		},
		def.Duration.Field("maxInterval", "Maximum interval. Headers that request a longer one are ignored. Defaults to `5m`.", def.Positive()),
	}},
}

var httpRetryCauses = []string{
	"5xx", "GatewayError", "Reset", "Retriable4xx", "ConnectFailure", "EnvoyRatelimited", "RefusedStream", "Http3PostConnectFailure",
	"HttpMethodConnect", "HttpMethodDelete", "HttpMethodGet", "HttpMethodHead", "HttpMethodOptions", "HttpMethodPatch", "HttpMethodPost",
	"HttpMethodPut", "HttpMethodTrace",
}

var httpRetryCause = def.Check{Test: func(n tree.Node) []def.Problem {
	cause, ok := n.Text()
	if code, err := strconv.Atoi(cause); !ok || slices.Contains(httpRetryCauses, cause) || err == nil && http.StatusText(code) != "" {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid retry condition",
		fmt.Sprintf("%q is not a valid condition. It must be an HTTP status code such as \"503\", or %s.%s", cause, phrase.Or(httpRetryCauses...),
			phrase.Suggest(cause, httpRetryCauses)))}
}}

// Names of rules by which endpoints are excluded.
const (
	omitPreviousHosts      = "OmitPreviousHosts"
	omitHostsWithTags      = "OmitHostsWithTags"
	omitPreviousPriorities = "OmitPreviousPriorities"
)

var hostSelection = def.Object{
	{
		Name: "predicate", Type: def.String, Required: true, OneOf: []string{omitPreviousHosts, omitHostsWithTags, omitPreviousPriorities},
		Doc: "Whether to exclude endpoints that were tried before, endpoints with `tags`, or priorities (groups of endpoints) " +
			"that were tried before.",
	},
	{
		Name: "tags", Type: def.StringMap{}, DropsEmpty: kuma.Before("2.10"),
		Doc: "Tags of the endpoints to exclude. Required with `OmitHostsWithTags`.",
	},
	{
		Name: "updateFrequency", Type: def.Int, Default: json.Number("2"), DropsEmpty: kuma.Before("2.10"),
		Checks: def.Checks(def.Limit(math.MinInt32, math.MaxInt32)),
		Doc:    "Number of attempts after which priorities are recomputed. Must be at least 1. Only used with `OmitPreviousPriorities`.",
	},
}

var hostSelectionSettings = def.Check{Test: func(n tree.Node) []def.Problem {
	tags, frequency := n.Get("tags"), n.Get("updateFrequency")
	attempts, ok := frequency.Int()
	switch predicate, _ := n.Get("predicate").Text(); {
	case predicate == omitHostsWithTags && tags.Absent():
		return []def.Problem{def.ErrorAt(tags, "Missing tags", "OmitHostsWithTags requires the tags of the endpoints to exclude.")}
	case predicate == omitPreviousPriorities && ok && attempts < 1:
		return []def.Problem{def.ErrorAt(frequency, "Number out of range", fmt.Sprintf("The value is %d, but it must be at least 1.", attempts))}
	}
	return nil
}}

var prioritiesOnce = def.Check{
	Doc: "`OmitPreviousPriorities` can occur only once.",
	Test: func(n tree.Node) []def.Problem {
		ofPriorities := func(selection tree.Node) (string, bool) {
			predicate, _ := selection.Get("predicate").Text()
			return predicate, predicate == omitPreviousPriorities
		}
		return def.Repeated(n.Items(), ofPriorities, func(selection tree.Node, _ string) def.Problem {
			return def.ErrorAt(selection.Get("predicate"), "Duplicate predicate",
				"An earlier element already has OmitPreviousPriorities. Remove one of the two.")
		})
	},
}

// backOffGrows checks the intervals of a backoff: Envoy rejects one without a
// base interval, or with a base above the maximum. Another policy may set the
// base, as the initial one of a mesh does.
var backOffGrows = def.Check{Test: func(n tree.Node) []def.Problem {
	base := n.Get("baseInterval")
	if base.Absent() {
		return []def.Problem{def.WarningAt(base, "Missing baseInterval",
			"Proxies reject a backoff without baseInterval. Add it, unless another policy for the destination sets it.").Lacking(base)}
	}
	from, _ := base.Text()
	to, ok := n.Get("maxInterval").Text()
	shortest, errBase := time.ParseDuration(from)
	longest, errMax := time.ParseDuration(to)
	return def.ErrorIf(ok && errBase == nil && errMax == nil && shortest > longest, base, "baseInterval exceeds maxInterval",
		"baseInterval is %s and maxInterval is %s, which proxies reject. Lower baseInterval, or raise maxInterval.", from, to)
}}

// zeroOnRoute warns about retries that cannot be disabled on a route
// (validation.md §9).
var zeroOnRoute = def.Check{Test: func(entry tree.Node) []def.Problem {
	retries := entry.Get("default", "http", "numRetries")
	n, ok := retries.Int()
	return def.WarningIf(ok && n == 0 && policy.Targets(entry, kuma.KindMeshHTTPRoute), retries, "numRetries = 0 has no effect here",
		"Zero in an entry for a route does not disable the retries that are set for its service. Set retries for routes only, or limit retryOn.")
}}
