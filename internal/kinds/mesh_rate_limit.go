package kinds

import (
	"fmt"
	"net/http"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshRateLimit limits how many requests and connections a proxy takes.
var MeshRateLimit = spec.Kind{
	Name: "MeshRateLimit", Path: "meshratelimits", ShortName: "mrl",
	ZoneOwned: true, GlobalOwned: true,
	Doc:    "Limits the requests and connections that a proxy takes per interval: for incoming traffic (`rules`), or at a gateway (`to`).",
	Policy: &spec.Policy{Order: 900, To: true, From: true, Rules: true, FromAsRules: true},
	Fields: spec.Object{
		topRefByRole(mesh.KindMesh, mesh.KindDataplane, mesh.KindMeshGateway, mesh.KindMeshSubset, mesh.KindMeshService, mesh.KindMeshServiceSubset, mesh.KindMeshHTTPRoute),
		to(rateLimit, mesh.KindMesh),
		from(rateLimit, mesh.KindMesh),
		inboundRules("2.10", inboundMatches("2.14"), rateLimit),
	},
	Checks: spec.Checks(
		rulesExclude("to", "from"),
		fromIsDeprecated,
		toIsForGateways("from", "rules"),
		rulesByIdentity("A rule that matches a `spiffe_id` cannot set `local.tcp`.", []string{"local", "tcp"}),
	),
	Readiness: append(fromReadiness, toIsForMesh, limitsOfMesh),
}

var limitsOfMesh = spec.Condition{
	ID: "K3-010", Effect: spec.Breaks, Unannounced: true, At: "spec.rules", When: onTop(mesh.KindMesh, spec.Node.Filled),
	Doc: "The rules are for the whole mesh. Kuma 3.0 takes that to include gateways, for which it refuses rules; a stored policy works on.",
	Do:  "Select kind Dataplane, which without labels means all Dataplanes, delegated gateways included.",
}

var rateLimit = defaultConf(spec.Object{{
	Name: "local", Required: true, Checks: spec.Checks(spec.AnyOf("tcp", "http")), Doc: "Limits that every proxy keeps by itself.",
	Type: spec.Object{
		{
			Name: "http", Checks: spec.Checks(spec.AnyOf("disabled", "requestRate", "onRateLimit")), Doc: "Limit of HTTP requests.", Design: spec.Checks(answerNeedsLimit),
			Type: spec.Object{
				{Name: "disabled", Type: spec.Bool, Doc: "Whether requests are not limited, whatever weaker policies say."},
				{Name: "requestRate", Type: rate("requests"), Doc: "How many requests are taken. Unlimited when unset."},
				{Name: "onRateLimit", Doc: "The answer to requests above the limit. Without `request_rate` it has no effect.", Type: spec.Object{
					{
						Name: "status", Type: spec.Int, Checks: spec.Checks(count, statusOfError),
						Doc: "Status code of the answer, `400` or higher. It is `429` when unset.",
					},
					{Name: "headers", Type: newHeaders, Doc: "Headers of the answer."},
				}},
			},
		},
		{
			Name: "tcp", Checks: spec.Checks(spec.AnyOf("disabled", "connectionRate")), Doc: "Limit of connections, for ports with the protocol `tcp`.",
			Type: spec.Object{
				{Name: "disabled", Type: spec.Bool, Doc: "Whether connections are not limited, whatever weaker policies say."},
				{Name: "connectionRate", Type: rate("connections"), Doc: "How many connections are taken. Unlimited when unset."},
			},
		},
	},
}})

// rate describes how many of something are taken per interval.
func rate(things string) spec.Object {
	return spec.Object{
		{Name: "num", Type: spec.Int, Required: true, Checks: spec.Checks(count), Doc: "Number of " + things + " per interval."},
		{Name: "interval", Type: spec.Duration, Required: true, Checks: spec.Checks(spec.LongerThan(50 * time.Millisecond)), Doc: "The interval, longer than `50ms`."},
	}
}

var statusOfError = spec.Check{Test: func(n spec.Node) []spec.Problem {
	if status, ok := n.Int(); ok && 0 < status && status < http.StatusBadRequest {
		return []spec.Problem{n.Warning("Status code is none of an error", fmt.Sprintf("%d tells the client that its request was served. Give a status code of 400 or higher.", status))}
	}
	return nil
}}

// answerNeedsLimit warns of an answer that is never given.
var answerNeedsLimit = spec.Check{Test: func(n spec.Node) []spec.Problem {
	if answer := n.Get("onRateLimit"); answer.Known() && n.Get("requestRate").Absent() {
		return []spec.Problem{answer.Warning("onRateLimit has no effect", "Without requestRate, requests are not limited, unless another policy does. Add it, or remove onRateLimit.")}
	}
	return nil
}}
