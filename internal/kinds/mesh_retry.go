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
	ZoneOwned: true, GlobalOwned: true,
	Doc:    "Repeats connections and requests that failed, by protocol: how often, after which failures, after which wait and at which endpoints.",
	Policy: &def.Policy{Order: 1400, To: true, PerRoute: retriesPerRoute},
	Initial: []def.Initial{{Name: "mesh-retry-all-%s", Spec: `{
		"targetRef": {"kind": "Mesh"},
		"to": [{"targetRef": {"kind": "Mesh"}, "default": {
			"tcp": {"maxConnectAttempt": 5},
			"http": {"numRetries": 5, "perTryTimeout": "16s", "backOff": {"baseInterval": "25ms", "maxInterval": "250ms"}},
			"grpc": {"numRetries": 5, "perTryTimeout": "16s", "backOff": {"baseInterval": "25ms", "maxInterval": "250ms"}}}}]}`}},
	Fields: def.Object{
		policy.TargetRefByRole(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshGateway, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset, kuma.KindMeshHTTPRoute),
		policy.OptionalSince("2.14", policy.ToSince("2.11", kuma.KindMeshHTTPRoute, policy.DefaultByRule(retries, def.AnyOf("tcp", "http", "grpc")), kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService)),
	},
	Checks: def.Checks(policy.DestinationKinds([]string{kuma.KindMeshGateway, kuma.KindMeshHTTPRoute}, kuma.KindMesh, kuma.KindMeshExternalService)),
	Design: def.Checks(policy.PerRoute(retriesPerRoute...), def.Below("to", def.Each(zeroOnRoute))),
}

// retriesPerRoute are what works in an entry for a route.
var retriesPerRoute = []string{"http", "grpc"}

var retries = def.Object{
	{Name: "tcp", Doc: "Retries of connections, for ports with the protocol `tcp`.", Type: def.Object{
		{Name: "maxConnectAttempt", Type: def.Int, Required: true, RequiredByRule: true, Checks: def.Checks(check.Count), Doc: "How often a connection is tried, the first time included."},
	}},
	{
		Name: "http", Doc: "Retries of requests, for ports with an HTTP protocol.",
		Checks: def.Checks(def.AnyOf("numRetries", "perTryTimeout", "backOff", "rateLimitedBackOff", "retryOn", "retriableResponseHeaders", "retriableRequestHeaders", "hostSelection")),
		Type: append(attempts[:len(attempts):len(attempts)], def.Object{
			{
				Name: "retryOn", Type: def.List{Elem: def.String}, Checks: def.Checks(def.Each(httpRetryCause)),
				Doc: "Failures after which a request is repeated: " + phrase.Or(httpRetryCauses...) + ", or a status code as text (`503`). " +
					"Those that begin with `HttpMethod` limit retries to these methods. Kuma repeats after `GatewayError`, `ConnectFailure` and `RefusedStream` when unset.",
			},
			{
				Name: "retriableResponseHeaders", Type: def.List{Elem: object.HeaderMatch}, Design: object.HeaderMatchRules,
				Doc: "Headers of an answer, any of which makes the proxy repeat the request. None does when unset.",
			},
			{
				Name: "retriableRequestHeaders", Type: def.List{Elem: object.HeaderMatch}, Design: object.HeaderMatchRules,
				Doc: "Headers that a request must have, at least one of them, to be repeated. Any request is when unset.",
			},
			{
				Name: "hostSelection", Type: def.List{Elem: hostSelection}, Checks: def.Checks(def.Each(hostSelectionSettings), prioritiesOnce),
				Doc: "Which endpoints are left out when a request is repeated. None is when unset.",
			},
			{Name: "hostSelectionMaxAttempts", Type: def.Int, Doc: "How often an endpoint is chosen anew because `host_selection` leaves it out, before it is used all the same. Once when unset."},
		}...),
	},
	{
		Name: "grpc", Doc: "Retries of calls, for ports with the protocol `grpc`.",
		Checks: def.Checks(def.AnyOf("numRetries", "perTryTimeout", "backOff", "rateLimitedBackOff", "retryOn")),
		Type: append(attempts[:len(attempts):len(attempts)], def.Field{
			Name: "retryOn", Type: def.List{Elem: def.String}, OneOf: []string{"Canceled", "DeadlineExceeded", "Internal", "ResourceExhausted", "Unavailable"},
			Doc: "Status of an answer after which a call is repeated. Kuma repeats after `Canceled`, `ResourceExhausted`, `Unavailable` and failures of the connection when unset.",
		}),
	},
}

// attempts is what retries of HTTP and of gRPC have in common.
var attempts = def.Object{
	{
		Name: "numRetries", Type: def.Int, Checks: def.Checks(check.Unsigned(0, math.MaxInt32)),
		Doc: "How often a request is repeated at most. Once when unset; `0` repeats none, but does not take back what a weaker policy says about the destination of a route.",
	},
	{Name: "perTryTimeout", Type: def.Duration, Design: def.Checks(def.NotNegative()), Doc: "Time for one attempt; `0s` turns the limit off. The limit for the whole request holds for each attempt when unset."},
	{
		Name: "backOff", Checks: def.Checks(def.AnyOf("baseInterval", "maxInterval")), Design: def.Checks(backOffGrows), Doc: "Wait between attempts, which is random and grows.",
		Type: def.Object{
			{Name: "baseInterval", Type: def.Duration, Design: def.Checks(def.Positive()), Doc: "Base of the wait, which Kuma sets to `25ms` when there is no `back_off`. Needed next to `max_interval`, here or in another policy: the proxy refuses a configuration without it."},
			{Name: "maxInterval", Type: def.Duration, Doc: "Longest wait, not below `base_interval`. Ten times `base_interval` when unset."},
		},
	},
	{Name: "rateLimitedBackOff", Doc: "Wait that a header of the answer asks for. Such headers are not read when unset.", Type: def.Object{
		{
			Name: "resetHeaders", Required: true, RequiredByRule: true, Doc: "Headers to read; the first one that the answer has decides.", Type: def.List{Elem: def.Object{
				object.HeaderName,
				{
					Name: "format", Type: def.String, Required: true, OneOf: []string{"Seconds", "UnixTimestamp"},
					Doc: "Whether the value is the wait in seconds, or the time at which it ends.",
				},
			}},
		},
		{Name: "maxInterval", Type: def.Duration, Checks: def.Checks(def.Positive()), Doc: "Longest wait; an answer that asks for more is ignored. It is `5m` when unset."},
	}},
}

var httpRetryCauses = []string{
	"5xx", "GatewayError", "Reset", "Retriable4xx", "ConnectFailure", "EnvoyRatelimited", "RefusedStream", "Http3PostConnectFailure",
	"HttpMethodConnect", "HttpMethodDelete", "HttpMethodGet", "HttpMethodHead", "HttpMethodOptions", "HttpMethodPatch", "HttpMethodPost", "HttpMethodPut", "HttpMethodTrace",
}

var httpRetryCause = def.Check{Test: func(n tree.Node) []def.Problem {
	cause, ok := n.Text()
	if code, err := strconv.Atoi(cause); !ok || slices.Contains(httpRetryCauses, cause) || err == nil && http.StatusText(code) != "" {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Unknown cause of retries", fmt.Sprintf("%q is neither the name of a failure nor a status code that HTTP has. Give a code such as \"503\", or %s.%s", cause, phrase.Or(httpRetryCauses...), phrase.Suggest(cause, httpRetryCauses)))}
}}

// Names of rules by which endpoints are left out.
const (
	omitPreviousHosts      = "OmitPreviousHosts"
	omitHostsWithTags      = "OmitHostsWithTags"
	omitPreviousPriorities = "OmitPreviousPriorities"
)

var hostSelection = def.Object{
	{
		Name: "predicate", Type: def.String, Required: true, OneOf: []string{omitPreviousHosts, omitHostsWithTags, omitPreviousPriorities},
		Doc: "Whether endpoints that were tried, endpoints with `tags`, or priorities (groups of endpoints) that were tried are left out.",
	},
	{Name: "tags", Type: def.StringMap{}, Doc: "Tags of the endpoints to leave out. Needed with `OmitHostsWithTags`."},
	{
		Name: "updateFrequency", Type: def.Int, Default: json.Number("2"), Checks: def.Checks(def.Limit(math.MinInt32, math.MaxInt32)),
		Doc: "Number of attempts after which priorities are weighed anew, at least one. Only with `OmitPreviousPriorities`.",
	},
}

var hostSelectionSettings = def.Check{Test: func(n tree.Node) []def.Problem {
	tags, frequency := n.Get("tags"), n.Get("updateFrequency")
	attempts, ok := frequency.Int()
	switch predicate, _ := n.Get("predicate").Text(); {
	case predicate == omitHostsWithTags && tags.Absent():
		return []def.Problem{def.ErrorAt(tags, "tags is missing", "Say which endpoints are left out by their tags.")}
	case predicate == omitPreviousPriorities && ok && attempts < 1:
		return []def.Problem{def.ErrorAt(frequency, "Number out of range", fmt.Sprintf("%d is not allowed here: give the number of attempts, at least 1.", attempts))}
	}
	return nil
}}

var prioritiesOnce = def.Check{
	Doc: "`OmitPreviousPriorities` at most once.",
	Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		seen := false
		for _, selection := range n.Items() {
			predicate := selection.Get("predicate")
			if s, _ := predicate.Text(); s != omitPreviousPriorities {
				continue
			}
			if seen {
				problems = append(problems, def.ErrorAt(predicate, "Duplicate predicate", "OmitPreviousPriorities stands in an earlier element already. Remove one of the two."))
			}
			seen = true
		}
		return problems
	},
}

// backOffGrows: Envoy refuses waits that would shrink, or have no base. Another
// policy may set the base, as the one of a new mesh does.
var backOffGrows = def.Check{Test: func(n tree.Node) []def.Problem {
	base := n.Get("baseInterval")
	if base.Absent() {
		return []def.Problem{def.WarningAt(base, "baseInterval is missing", "A proxy refuses its configuration unless this or another policy for the destination sets baseInterval. Add it.")}
	}
	from, _ := base.Text()
	to, ok := n.Get("maxInterval").Text()
	shortest, errBase := time.ParseDuration(from)
	longest, errMax := time.ParseDuration(to)
	if !ok || errBase != nil || errMax != nil || shortest <= longest {
		return nil
	}
	return []def.Problem{def.ErrorAt(base, "baseInterval is above maxInterval", fmt.Sprintf("The wait cannot grow from %s to %s, and proxies refuse that. Lower baseInterval, or raise maxInterval.", from, to))}
}}

// zeroOnRoute warns of retries that cannot be taken back on a route
// (validation.md §9).
var zeroOnRoute = def.Check{Test: func(entry tree.Node) []def.Problem {
	retries := entry.Get("default", "http", "numRetries")
	if n, ok := retries.Int(); !ok || n != 0 || !policy.Targets(entry, kuma.KindMeshHTTPRoute) {
		return nil
	}
	return []def.Problem{def.WarningAt(retries, "This turns no retries off", "Zero in an entry for a route does not take back the retries of its service. Set them for routes only, or limit retryOn.")}
}}
