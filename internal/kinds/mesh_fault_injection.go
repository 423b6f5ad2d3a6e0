package kinds

import (
	"regexp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshFaultInjection makes some requests fail on purpose, for tests.
var MeshFaultInjection = def.Kind{
	Name: "MeshFaultInjection", Path: "meshfaultinjections", ShortName: "mfi",
	ZoneOwned: true, GlobalOwned: true,
	Doc:    "Answers a share of the HTTP requests with an error, late or slowly, to test how clients cope: for incoming traffic (`rules`), or at a gateway (`to`).",
	Policy: &def.Policy{Order: 800, To: true, From: true, Rules: true},
	Fields: def.Object{
		topRefByRole(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshGateway, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset),
		to(optionalConf(faults), kuma.KindMesh),
		from(optionalConf(faults), kuma.KindMesh, kuma.KindMeshSubset, kuma.KindMeshServiceSubset, kuma.KindMeshService),
		inboundRules("2.13", inboundMatches("2.13"), defaultConf(faults)),
	},
	Checks: def.Checks(rulesExclude("from"), fromIsDeprecated, toIsForGateways("from")),
	Design: def.Checks(
		emptyDefaults("to", "from", "rules"),
		rulesOfGateway,
		def.Below("rules", def.Each(def.Below("matches", def.Each(someCondition)))),
	),
}

var faults = def.Object{{
	Name: "http", Design: def.Checks(def.Each(def.AnyOf("abort", "delay", "responseBandwidth").Warn())), Doc: "The faults, each of which is drawn for a request by itself. None is injected when unset.",
	Type: def.List{Elem: def.Object{
		{Name: "abort", Doc: "Answers the request instead of sending it on.", Type: def.Object{
			{Name: "httpStatus", Type: def.Int, Required: true, Checks: def.Checks(statusCode), Design: def.Checks(def.Between(200, 599)), Doc: "Status code of the answer. Envoy refuses what is below `200`."},
			shareOfRequests,
		}},
		{Name: "delay", Doc: "Holds the request before it is sent on.", Type: def.Object{
			{Name: "value", Type: def.Duration, Required: true, Checks: def.Checks(def.NotNegative()), Design: def.Checks(def.Positive()), Doc: "How long the request is held. Envoy refuses `0s`."},
			shareOfRequests,
		}},
		{Name: "responseBandwidth", Doc: "Slows the answer down.", Type: def.Object{
			{
				Name: "limit", Type: def.String, Required: true,
				Checks: def.Checks(def.Pattern(regexp.MustCompile(`^\d*\s?[GMk]+bps$`), "A whole number and a unit: `kbps`, `Mbps` or `Gbps`.").At(def.Rule)),
				Design: def.Checks(def.Pattern(regexp.MustCompile(`^\d+\s?[GMk]bps$`), "Without a number and one unit the fault is dropped: write a limit like `50Mbps`.").Warn()),
				Doc:    "Largest speed of the answer, such as `50Mbps`.",
			},
			shareOfRequests,
		}},
	}},
}}

var shareOfRequests = def.Field{
	Name: "percentage", Type: def.IntOrString, Required: true, Checks: def.Checks(percentage),
	Doc: "Share of the requests that get the fault, in percent: a whole number, or text for a fraction (`\"7.5\"`).",
}

// rulesOfGateway warns of faults for the incoming traffic of builtin gateways.
var rulesOfGateway = def.Check{Test: func(n tree.Node) []def.Problem {
	rules, types := n.Get("rules"), n.Get("targetRef", "proxyTypes")
	sidecar := func(t tree.Node) bool { s, _ := t.Text(); return s != "Gateway" }
	onlyGateways := TopKind(n) == kuma.KindMeshGateway || types.Filled() && !slices.ContainsFunc(types.Items(), sidecar)
	if !onlyGateways || !rules.Filled() {
		return nil
	}
	return []def.Problem{def.WarningAt(rules, "rules has no effect on a gateway", "A builtin gateway injects no faults into incoming traffic. Use \"to\", or select sidecars.")}
}}
