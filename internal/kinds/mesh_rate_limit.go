package kinds

import (
	"net/http"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshRateLimit limits how many requests and connections a proxy accepts.
var MeshRateLimit = def.Kind{
	Name: "MeshRateLimit", Path: "meshratelimits", ShortName: "mrl",
	ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "Limits the number of requests and connections that a proxy accepts per interval, for incoming traffic (`rules`) or " +
		"on a gateway (`to`).",
	Use: "Use it to protect a service from too many requests. The limit applies to each proxy separately, not to the service as a whole.",
	Policy: &def.Policy{
		Order: 900, To: true, From: true, Rules: true, FromAsRules: true, Gateway: def.Gateway{ForAll: []string{""}, OnlyHTTP: true},
	},
	Fields: def.Object{
		policy.TargetRefOfLimits(policy.AllProxies(kuma.KindMeshHTTPRoute)...),
		policy.To(rateLimit, kuma.KindMesh),
		policy.From(rateLimit, kuma.KindMesh),
		policy.Rules("2.10", policy.Matches("2.14"), rateLimit),
	},
	Checks: def.Checks(
		policy.RulesExclude("to", "from"),
		policy.FromIsDeprecated,
		def.InKuma3(def.Check{Test: limitsSomething}),
		policy.ToIsForGateways("from", "rules"),
		policy.RulesByIdentity("A rule that matches a `spiffeID` cannot set `local.tcp`.", []string{"local", "tcp"}),
	),
}

var rateLimit = policy.DefaultByRule(def.Object{{
	Name: "local", Required: true, RequiredByRule: true, Checks: def.Checks(def.AnyOf("tcp", "http")),
	Doc: "Limits that each proxy enforces by itself.",
	Type: def.Object{
		{
			Name: "http", Protocols: kuma.HTTPProtocols(), Checks: def.Checks(def.AnyOf("disabled", "requestRate", "onRateLimit")),
			Doc: "Limit for HTTP requests.", Design: def.Checks(answerNeedsLimit),
			Type: def.Object{
				def.Bool.Field("disabled", "Whether to disable the limit for requests, which overrides lower-precedence policies."),
				{Name: "requestRate", Type: rate("requests"), Doc: "Rate of accepted requests. Unlimited by default."},
				{Name: "onRateLimit", Doc: "Response to requests above the limit. Has no effect without `request_rate`.", Type: def.Object{
					def.Int.Field("status", "Status code of the response, `400` or higher. Defaults to `429`.", check.Count, statusOfError),
					{Name: "headers", Type: object.NewHeaders, Doc: "Headers of the response."},
				}},
			},
		},
		{
			Name: "tcp", Checks: def.Checks(def.AnyOf("disabled", "connectionRate")),
			Doc: "Limit for connections.",
			Type: def.Object{
				def.Bool.Field("disabled", "Whether to disable the limit for connections, which overrides lower-precedence policies."),
				{Name: "connectionRate", Type: rate("connections"), Doc: "Rate of accepted connections. Unlimited by default."},
			},
		},
	},
}})

func limitsSomething(n tree.Node) []def.Problem {
	return def.ErrorIf(n.Get("to").Empty() && n.Get("rules").Empty(), n, "Policy has no limits",
		"Since Kuma 3.0 the policy must have at least one entry in \"rules\" or \"to\".")
}

// rate describes how many of something are accepted per interval.
func rate(things string) def.Object {
	return def.Object{
		def.Int.Required("num", "Number of "+things+" per interval.", check.Count),
		def.Duration.Required("interval", "Length of the interval. Must be longer than `50ms`.", def.LongerThan(50*time.Millisecond)),
	}
}

var statusOfError = def.Check{Test: func(n tree.Node) []def.Problem {
	status, ok := n.Int()
	return def.WarningIf(ok && 0 < status && status < http.StatusBadRequest, n, "Status code is not an error",
		"The status code is %d, but it must be 400 or higher to indicate an error to the client.", status)
}}

// answerNeedsLimit warns about a response that is never sent.
var answerNeedsLimit = def.Check{Test: func(n tree.Node) []def.Problem {
	if answer, limit := n.Get("onRateLimit"), n.Get("requestRate"); answer.Known() && limit.Absent() {
		return []def.Problem{def.WarningAt(answer, "onRateLimit may have no effect",
			"Without requestRate, this entry does not limit requests. Add requestRate, unless another entry or policy sets it.").Lacking(limit)}
	}
	return nil
}}
