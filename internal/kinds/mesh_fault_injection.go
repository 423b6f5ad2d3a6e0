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
	ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "Responds to a percentage of HTTP requests with an error, with a delay or slowly, to test the resilience of clients, for " +
		"incoming traffic (`rules`) or on a gateway (`to`).",
	Use: "Use it to test how clients handle errors and slow responses, for example during a game day.",
	Policy: &def.Policy{
		Order: 800, To: true, From: true, Rules: true, Additive: true, Gateway: def.Gateway{ForAll: []string{""}, OnlyHTTP: true},
	},
	Fields: def.Object{
		policy.TargetRefByRole(policy.AllProxies()...),
		policy.To(policy.OptionalDefault(faults), kuma.KindMesh),
		policy.From(policy.OptionalDefault(faults), kuma.KindMesh, kuma.KindMeshSubset, kuma.KindMeshServiceSubset, kuma.KindMeshService),
		policy.Rules("2.13", policy.Matches("2.13"), policy.Default(faults)),
	},
	Checks: def.Checks(policy.RulesExclude("from"), policy.FromOfClientsIsDeprecated("2.13"), policy.ToIsForGateways("from")),
	Design: def.Checks(
		policy.EmptyDefaults("to", "from", "rules"),
		rulesOfGateway,
		def.Below("rules", def.Each(def.Below("matches", def.Each(policy.SomeCondition)))),
	),
}

var faults = def.Object{{
	Name: "http", Protocols: kuma.HTTPProtocols(), Design: def.Checks(def.Each(def.AnyOf("abort", "delay", "responseBandwidth").Warn())),
	Doc: "Faults to inject. Each of them applies independently to a percentage of requests. None by default.",
	Type: def.List{Elem: def.Object{
		{Name: "abort", Doc: "Responds with an error instead of forwarding the request.", Type: def.Object{
			{
				Name: "httpStatus", Type: def.Int, Required: true, Checks: def.Checks(check.StatusCode), Design: def.Checks(def.Between(200, 599)),
				Doc: "Status code of the response. Envoy rejects values below `200`.",
			},
			shareOfRequests,
		}},
		{Name: "delay", Doc: "Delays the request before it is forwarded.", Type: def.Object{
			{
				Name: "value", Type: def.Duration, Required: true, Checks: def.Checks(def.NotNegative()), Design: def.Checks(def.Positive()),
				Doc: "Duration of the delay. Envoy rejects `0s`.",
			},
			shareOfRequests,
		}},
		{Name: "responseBandwidth", Doc: "Limits the bandwidth of the response.", Type: def.Object{
			{
				Name: "limit", Type: def.String, Required: true,
				Checks: def.Checks(def.Pattern(regexp.MustCompile(`^\d*\s?[GMk]+bps$`),
					"Must be an integer with one of the units `kbps`, `Mbps` and `Gbps`.").At(def.Rule)),
				Design: def.Checks(def.Pattern(regexp.MustCompile(`^\d+\s?[GMk]bps$`),
					"It must be an integer with a unit, such as `50Mbps`. A fault with another value is silently dropped.").Warn()),
				Doc: "Maximum bandwidth of the response, such as `50Mbps`.",
			},
			shareOfRequests,
		}},
	}},
}}

var shareOfRequests = def.IntOrString.Required("percentage",
	"Percentage of requests that get the fault, such as `10` or `\"7.5\"`.", check.Percentage)

// rulesOfGateway warns about faults for the incoming traffic of builtin gateways.
var rulesOfGateway = def.Check{Test: func(n tree.Node) []def.Problem {
	rules, types := n.Get("rules"), n.Get("targetRef", "proxyTypes")
	sidecar := func(t tree.Node) bool { s, _ := t.Text(); return s != "Gateway" }
	onlyGateways := policy.TopKind(n) == kuma.KindMeshGateway || types.Filled() && !slices.ContainsFunc(types.Items(), sidecar)
	return def.WarningIf(onlyGateways && rules.Filled(), rules, "rules has no effect on a gateway",
		"A builtin gateway does not inject faults into incoming traffic. Use \"to\", or select sidecars.")
}}
