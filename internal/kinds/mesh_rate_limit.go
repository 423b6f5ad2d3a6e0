package kinds

import (
	"fmt"
	"net/http"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshRateLimit limits how many requests and connections a proxy takes.
var MeshRateLimit = def.Kind{
	Name: "MeshRateLimit", Path: "meshratelimits", ShortName: "mrl",
	ZoneOwned: true, GlobalOwned: true,
	Doc:    "Limits the requests and connections that a proxy takes per interval: for incoming traffic (`rules`), or at a gateway (`to`).",
	Policy: &def.Policy{Order: 900, To: true, From: true, Rules: true, FromAsRules: true},
	Fields: def.Object{
		policy.TargetRefByRole(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshGateway, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset, kuma.KindMeshHTTPRoute),
		policy.To(rateLimit, kuma.KindMesh),
		policy.From(rateLimit, kuma.KindMesh),
		policy.Rules("2.10", policy.Matches("2.14"), rateLimit),
	},
	Checks: def.Checks(
		policy.RulesExclude("to", "from"),
		policy.FromIsDeprecated,
		policy.ToIsForGateways("from", "rules"),
		policy.RulesByIdentity("A rule that matches a `spiffeID` cannot set `local.tcp`.", []string{"local", "tcp"}),
	),
}

var rateLimit = policy.DefaultByRule(def.Object{{
	Name: "local", Required: true, RequiredByRule: true, Checks: def.Checks(def.AnyOf("tcp", "http")), Doc: "Limits that every proxy keeps by itself.",
	Type: def.Object{
		{
			Name: "http", Checks: def.Checks(def.AnyOf("disabled", "requestRate", "onRateLimit")), Doc: "Limit of HTTP requests.", Design: def.Checks(answerNeedsLimit),
			Type: def.Object{
				{Name: "disabled", Type: def.Bool, Doc: "Whether requests are not limited, whatever weaker policies say."},
				{Name: "requestRate", Type: rate("requests"), Doc: "How many requests are taken. Unlimited when unset."},
				{Name: "onRateLimit", Doc: "The answer to requests above the limit. Without `request_rate` it has no effect.", Type: def.Object{
					{
						Name: "status", Type: def.Int, Checks: def.Checks(check.Count, statusOfError),
						Doc: "Status code of the answer, `400` or higher. It is `429` when unset.",
					},
					{Name: "headers", Type: object.NewHeaders, Doc: "Headers of the answer."},
				}},
			},
		},
		{
			Name: "tcp", Checks: def.Checks(def.AnyOf("disabled", "connectionRate")), Doc: "Limit of connections, for ports with the protocol `tcp`.",
			Type: def.Object{
				{Name: "disabled", Type: def.Bool, Doc: "Whether connections are not limited, whatever weaker policies say."},
				{Name: "connectionRate", Type: rate("connections"), Doc: "How many connections are taken. Unlimited when unset."},
			},
		},
	},
}})

// rate describes how many of something are taken per interval.
func rate(things string) def.Object {
	return def.Object{
		{Name: "num", Type: def.Int, Required: true, Checks: def.Checks(check.Count), Doc: "Number of " + things + " per interval."},
		{Name: "interval", Type: def.Duration, Required: true, Checks: def.Checks(def.LongerThan(50 * time.Millisecond)), Doc: "The interval, longer than `50ms`."},
	}
}

var statusOfError = def.Check{Test: func(n tree.Node) []def.Problem {
	if status, ok := n.Int(); ok && 0 < status && status < http.StatusBadRequest {
		return []def.Problem{def.WarningAt(n, "Status code is none of an error", fmt.Sprintf("%d tells the client that its request was served. Give a status code of 400 or higher.", status))}
	}
	return nil
}}

// answerNeedsLimit warns of an answer that is never given.
var answerNeedsLimit = def.Check{Test: func(n tree.Node) []def.Problem {
	if answer := n.Get("onRateLimit"); answer.Known() && n.Get("requestRate").Absent() {
		return []def.Problem{def.WarningAt(answer, "onRateLimit has no effect", "Without requestRate, requests are not limited, unless another policy does. Add it, or remove onRateLimit.")}
	}
	return nil
}}
