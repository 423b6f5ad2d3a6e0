package kinds

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshTimeout limits how long connections and requests may take.
var MeshTimeout = def.Kind{
	Name: "MeshTimeout", Path: "meshtimeouts", ShortName: "mt",
	ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "Sets timeouts of connections, requests and streams, for outgoing (`to`) or incoming traffic (`rules`).",
	Use: "Use it to keep clients from waiting for slow services.",
	Policy: &def.Policy{
		Order: 1000, To: true, From: true, Rules: true, FromAsRules: true, PerRoute: timeoutsPerRoute,
		ReplacedPerRoute: timeoutsPerRoute[:1], Gateway: def.Gateway{ForAll: timeoutsPerRoute},
	},
	Initial: []def.Initial{
		{Name: "mesh-timeout-all-%s", Spec: `{
			"targetRef": {"kind": "Mesh", "proxyTypes": ["Sidecar"]},
			"to": [{"targetRef": {"kind": "Mesh"}, "default": {
				"connectionTimeout": "5s", "idleTimeout": "1h",
				"http": {"requestTimeout": "15s", "streamIdleTimeout": "30m"}}}],
			"from": [{"targetRef": {"kind": "Mesh"}, "default": {
				"connectionTimeout": "10s", "idleTimeout": "2h",
				"http": {"requestTimeout": "0s", "streamIdleTimeout": "1h", "maxStreamDuration": "0s"}}}]}`},
		{Name: "mesh-gateways-timeout-all-%s", Spec: `{
			"targetRef": {"kind": "Mesh", "proxyTypes": ["Gateway"]},
			"to": [{"targetRef": {"kind": "Mesh"}, "default": {
				"idleTimeout": "1h", "http": {"streamIdleTimeout": "5s"}}}],
			"from": [{"targetRef": {"kind": "Mesh"}, "default": {
				"idleTimeout": "5m", "http": {"streamIdleTimeout": "5s", "requestHeadersTimeout": "500ms"}}}]}`},
		{Name: "mesh-timeout-to-all-%s", Preview: true, Spec: `{
			"targetRef": {"kind": "Mesh"},
			"to": [{"targetRef": {"kind": "Mesh"}, "default": {
				"connectionTimeout": "5s", "idleTimeout": "1h",
				"http": {"requestTimeout": "15s", "streamIdleTimeout": "30m"}}}]}`},
		{Name: "mesh-timeout-all-%s", Preview: true, Spec: `{
			"targetRef": {"kind": "Mesh"},
			"rules": [{"default": {
				"connectionTimeout": "10s", "idleTimeout": "2h",
				"http": {"requestTimeout": "0s", "streamIdleTimeout": "1h", "maxStreamDuration": "0s"}}}]}`},
	},
	Fields: def.Object{
		policy.TargetRefByRole(policy.AllProxies(kuma.KindMeshHTTPRoute)...),
		policy.ToSince(map[string]string{kuma.KindMeshHTTPRoute: "2.11"}, policy.DefaultByRule(timeouts, someTimeout), kuma.KindMesh,
			kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService),
		policy.From(policy.DefaultByRule(timeouts, someTimeout), kuma.KindMesh),
		policy.Rules("2.10", policy.Matches("2.14"), policy.DefaultByRule(timeouts, someTimeout)),
	},
	Checks: def.Checks(
		policy.SomeEntries("to", "from", "rules"),
		policy.RulesExclude("to", "from"),
		policy.FromIsDeprecated,
		timeoutsOfGatewaysAndRoutes,
		timeoutsByIdentity,
	),
	Design: def.Checks(policy.PerRoute(timeoutsPerRoute, timeoutsPerRoute[:1]), def.Below("rules", rulesForAll)),
}

// timeoutsPerRoute are what works in an entry for a route, first what it does not inherit.
var timeoutsPerRoute = []string{"http.requestTimeout", "http.streamIdleTimeout"}

var timeouts = def.Object{
	def.Duration.Field("connectionTimeout", "Timeout for opening a TCP connection. Defaults to `5s`.", def.Positive()),
	{
		Name: "idleTimeout", Type: def.Duration, Protocols: []string{"http", "http2", "kafka", "tcp"}, Checks: def.Checks(def.NotNegative()),
		Doc: "Time after which a connection without any traffic is closed; `0s` disables the timeout. Defaults to `1h`.",
	},
	{
		Name: "http", Protocols: kuma.HTTPProtocols(), Doc: "Timeouts for HTTP traffic.",
		Checks: def.Checks(def.AnyOf("requestTimeout", "streamIdleTimeout", "maxStreamDuration", "maxConnectionDuration")),
		Type: def.Object{
			def.Duration.Field("requestTimeout",
				"Timeout of a request, from its first byte to the last byte of the response; `0s` disables the timeout. Defaults to `15s`.",
				def.NotNegative()),
			def.Duration.Field("streamIdleTimeout",
				"Time after which a stream without any traffic is closed; `0s` disables the timeout. Defaults to `30m`.", def.NotNegative()),
			{
				Name: "maxStreamDuration", Type: def.Duration, Protocols: []string{"http", "http2"}, Checks: def.Checks(def.NotNegative()),
				Doc: "Maximum lifetime of a stream; `0s` disables the timeout. Unlimited by default.",
			},
			{
				Name: "maxConnectionDuration", Type: def.Duration, Protocols: []string{"http", "http2"}, Checks: def.Checks(def.NotNegative()),
				Doc: "Maximum lifetime of a connection; `0s` disables the timeout. Unlimited by default.",
			},
			def.Duration.Field("requestHeadersTimeout",
				"Timeout for receiving the headers of a request; `0s` disables the timeout. Unlimited by default.", def.NotNegative()),
		},
	},
}

var someTimeout = def.AnyOf("connectionTimeout", "idleTimeout", "http")

// timeoutsOfGatewaysAndRoutes checks a policy for gateways, or the deprecated
// one for routes: it accepts fewer destinations, no `from`, and for routes only
// what can be set per route.
var timeoutsOfGatewaysAndRoutes = def.Check{
	Doc: "With MeshGateway or MeshHTTPRoute as top-level reference, `to` accepts only Mesh and MeshExternalService, and `from` must be empty.",
	Test: func(n tree.Node) []def.Problem {
		top := policy.TopKind(n)
		if top != kuma.KindMeshGateway && top != kuma.KindMeshHTTPRoute {
			return nil
		}
		problems := def.RejectedUnread(n.Get("from"), "A policy whose targetRef is "+top+
			" cannot set \"from\". Use \"rules\" in a policy for Dataplane.")
		problems = append(problems, policy.RejectDestinations(n, top, kuma.KindMesh, kuma.KindMeshExternalService)...)
		if top == kuma.KindMeshGateway {
			return problems
		}
		for _, e := range append(n.Get("to").Items(), n.Get("rules").Items()...) {
			problems = append(problems, check.RejectAll(e.Get("default"),
				"It cannot be set per route, but the targetRef of the policy is a MeshHTTPRoute. Set it in a policy for Mesh or Dataplane.",
				[]string{"connectionTimeout"}, []string{"idleTimeout"}, []string{"http", "maxStreamDuration"},
				[]string{"http", "maxConnectionDuration"})...)
		}
		return problems
	},
}

var timeoutsByIdentity = policy.RulesByIdentity(
	"A rule that matches a `spiffeID` can set only `http.requestTimeout` and `http.streamIdleTimeout`.",
	[]string{"connectionTimeout"}, []string{"idleTimeout"}, []string{"http", "maxStreamDuration"}, []string{"http", "maxConnectionDuration"},
	[]string{"http", "requestHeadersTimeout"},
)

// rulesForAll warns about rules that all apply to parts of the traffic: the
// rest loses the timeouts that a proxy has without any rule.
var rulesForAll = def.Check{Test: func(n tree.Node) []def.Problem {
	forAll := slices.ContainsFunc(n.Find("[].matches"), func(matches tree.Node) bool { return !matches.Filled() })
	return def.WarningIf(!forAll && !n.Empty(), n, "Unmatched traffic has no timeouts",
		"All rules have matches, so traffic that none of them matches loses Kuma's default timeouts. "+
			"Add a rule without matches, unless another policy has one.")
}}
