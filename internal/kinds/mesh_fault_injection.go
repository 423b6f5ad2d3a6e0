package kinds

import (
	"regexp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
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
		policy.TargetRefByRole(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshGateway, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset),
		policy.To(policy.OptionalDefault(faults), kuma.KindMesh),
		policy.From(policy.OptionalDefault(faults), kuma.KindMesh, kuma.KindMeshSubset, kuma.KindMeshServiceSubset, kuma.KindMeshService),
		policy.Rules("2.13", policy.Matches("2.13"), policy.Default(faults)),
	},
	Checks: def.Checks(policy.RulesExclude("from"), policy.FromIsDeprecated, policy.ToIsForGateways("from")),
	Design: def.Checks(
		policy.EmptyDefaults("to", "from", "rules"),
		rulesOfGateway,
		def.Below("rules", def.Each(def.Below("matches", def.Each(policy.SomeCondition)))),
	),
}

var faults = def.Object{{
	Name: "http", Design: def.Checks(def.Each(def.AnyOf("abort", "delay", "responseBandwidth").Warn())), Doc: "The faults, each of which is drawn for a request by itself. None is injected when unset.",
	Type: def.List{Elem: def.Object{
		{Name: "abort", Doc: "Answers the request instead of sending it on.", Type: def.Object{
			{Name: "httpStatus", Type: def.Int, Required: true, Checks: def.Checks(check.StatusCode), Design: def.Checks(def.Between(200, 599)), Doc: "Status code of the answer. Envoy refuses what is below `200`."},
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
	Name: "percentage", Type: def.IntOrString, Required: true, Checks: def.Checks(check.Percentage),
	Doc: "Share of the requests that get the fault, in percent: a whole number, or text for a fraction (`\"7.5\"`).",
}

// rulesOfGateway warns of faults for the incoming traffic of builtin gateways.
var rulesOfGateway = def.Check{Test: func(n tree.Node) []def.Problem {
	rules, types := n.Get("rules"), n.Get("targetRef", "proxyTypes")
	sidecar := func(t tree.Node) bool { s, _ := t.Text(); return s != "Gateway" }
	onlyGateways := policy.TopKind(n) == kuma.KindMeshGateway || types.Filled() && !slices.ContainsFunc(types.Items(), sidecar)
	if !onlyGateways || !rules.Filled() {
		return nil
	}
	return []def.Problem{def.WarningAt(rules, "rules has no effect on a gateway", "A builtin gateway injects no faults into incoming traffic. Use \"to\", or select sidecars.")}
}}
