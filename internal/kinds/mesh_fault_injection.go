package kinds

import (
	"regexp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshFaultInjection makes some requests fail on purpose, for tests.
var MeshFaultInjection = spec.Kind{
	Name: "MeshFaultInjection", Path: "meshfaultinjections", ShortName: "mfi",
	ZoneOwned: true, GlobalOwned: true,
	Doc:    "Answers a share of the HTTP requests with an error, late or slowly, to test how clients cope: for incoming traffic (`rules`), or at a gateway (`to`).",
	Policy: &spec.Policy{Order: 800, To: true, From: true, Rules: true},
	Fields: spec.Object{
		topRefByRole(mesh.KindMesh, mesh.KindDataplane, mesh.KindMeshGateway, mesh.KindMeshSubset, mesh.KindMeshService, mesh.KindMeshServiceSubset),
		to(optionalConf(faults), mesh.KindMesh),
		from(optionalConf(faults), mesh.KindMesh, mesh.KindMeshSubset, mesh.KindMeshServiceSubset, mesh.KindMeshService),
		inboundRules("2.13", inboundMatches("2.13"), defaultConf(faults)),
	},
	Checks: spec.Checks(rulesExclude("from"), fromIsDeprecated, toIsForGateways("from")),
	Design: spec.Checks(
		emptyDefaults("to", "from", "rules"),
		rulesOfGateway,
		spec.Below("rules", spec.Each(spec.Below("matches", spec.Each(someCondition)))),
	),
	Readiness: []spec.Condition{toIsForMesh, faultsFromClients},
}

var faultsFromClients = spec.Condition{
	ID: "K3-034", Effect: spec.Changes, At: "spec.from",
	Doc: "The faults are in \"from\", which Kuma 3.0 drops without a word: no fault is injected.",
	Do:  "Write \"rules\" with matches by spiffeID for the clients, and without matches for kind Mesh.",
}

var faults = spec.Object{{
	Name: "http", Design: spec.Checks(spec.Each(spec.AnyOf("abort", "delay", "responseBandwidth").Warn())), Doc: "The faults, each of which is drawn for a request by itself. None is injected when unset.",
	Type: spec.List{Elem: spec.Object{
		{Name: "abort", Doc: "Answers the request instead of sending it on.", Type: spec.Object{
			{Name: "httpStatus", Type: spec.Int, Required: true, Checks: spec.Checks(statusCode), Design: spec.Checks(spec.Between(200, 599)), Doc: "Status code of the answer. Envoy refuses what is below `200`."},
			shareOfRequests,
		}},
		{Name: "delay", Doc: "Holds the request before it is sent on.", Type: spec.Object{
			{Name: "value", Type: spec.Duration, Required: true, Checks: spec.Checks(spec.NotNegative()), Design: spec.Checks(spec.Positive()), Doc: "How long the request is held. Envoy refuses `0s`."},
			shareOfRequests,
		}},
		{Name: "responseBandwidth", Doc: "Slows the answer down.", Type: spec.Object{
			{
				Name: "limit", Type: spec.String, Required: true,
				Checks: spec.Checks(spec.Pattern(regexp.MustCompile(`^\d*\s?[GMk]+bps$`), "A whole number and a unit: `kbps`, `Mbps` or `Gbps`.").At(spec.Rule)),
				Design: spec.Checks(spec.Pattern(regexp.MustCompile(`^\d+\s?[GMk]bps$`), "Without a number and one unit the fault is dropped: write a limit like `50Mbps`.").Warn()),
				Doc:    "Largest speed of the answer, such as `50Mbps`.",
			},
			shareOfRequests,
		}},
	}},
}}

var shareOfRequests = spec.Field{
	Name: "percentage", Type: spec.IntOrString, Required: true, Checks: spec.Checks(percentage),
	Doc: "Share of the requests that get the fault, in percent: a whole number, or text for a fraction (`\"7.5\"`).",
}

// rulesOfGateway warns of faults for the incoming traffic of builtin gateways.
var rulesOfGateway = spec.Check{Test: func(n spec.Node) []spec.Problem {
	rules, types := n.Get("rules"), n.Get("targetRef", "proxyTypes")
	sidecar := func(t spec.Node) bool { s, _ := t.Text(); return s != "Gateway" }
	onlyGateways := topKind(n) == mesh.KindMeshGateway || types.Filled() && !slices.ContainsFunc(types.Items(), sidecar)
	if !onlyGateways || !rules.Filled() {
		return nil
	}
	return []spec.Problem{rules.Warning("rules has no effect on a gateway", "A builtin gateway injects no faults into incoming traffic. Use \"to\", or select sidecars.")}
}}
