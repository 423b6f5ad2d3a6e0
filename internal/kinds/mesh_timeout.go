package kinds

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshTimeout limits how long connections and requests may take.
var MeshTimeout = spec.Kind{
	Name: "MeshTimeout", Path: "meshtimeouts", ShortName: "mt",
	ZoneOwned: true, GlobalOwned: true,
	Doc:    "Limits how long connections, requests and streams may take, for outgoing traffic (`to`) or for incoming traffic (`rules`).",
	Policy: &spec.Policy{Order: 1000, To: true, From: true, Rules: true, FromAsRules: true, PerRoute: timeoutsPerRoute},
	Initial: []spec.Initial{
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
	},
	Fields: spec.Object{
		topRefByRole(mesh.KindMesh, mesh.KindDataplane, mesh.KindMeshGateway, mesh.KindMeshSubset, mesh.KindMeshService, mesh.KindMeshServiceSubset, mesh.KindMeshHTTPRoute),
		laterTo("2.11", mesh.KindMeshHTTPRoute, defaultConf(timeouts, someTimeout), mesh.KindMesh, mesh.KindMeshService, mesh.KindMeshExternalService, mesh.KindMeshMultiZoneService),
		from(defaultConf(timeouts, someTimeout), mesh.KindMesh),
		inboundRules("2.10", inboundMatches("2.14"), defaultConf(timeouts, someTimeout)),
	},
	Checks: spec.Checks(
		someEntries("to", "from", "rules"),
		rulesExclude("to", "from"),
		fromIsDeprecated,
		timeoutsOfGatewaysAndRoutes,
		timeoutsByIdentity,
	),
	Design:    spec.Checks(perRoute(timeoutsPerRoute...), spec.Below("rules", rulesForAll)),
	Readiness: append(fromReadiness, defaultTimeouts...),
}

// defaultTimeouts are the conditions on the names that a control plane gives to
// the policies of a new mesh.
var defaultTimeouts = []spec.Condition{
	{
		ID: "K3-110", Effect: spec.Breaks, Unannounced: true,
		When: func(doc spec.Node) bool {
			return namedAfterMesh(doc, "mesh-timeout-all-") && doc.Get("spec", "to").Filled()
		},
		Doc: "A control plane creates this policy, with \"to\" and \"from\" in one. When Kuma 3.0 starts it takes \"to\" out, finds nothing left, and fails to set up the defaults of the mesh again and again.",
		Do:  "Split it before the upgrade: mesh-timeout-all-<mesh> with \"rules\" for kind Mesh, mesh-timeout-to-all-<mesh> with \"to\". Or delete it; it is not created again.",
	},
	{
		ID: "K3-111", Effect: spec.Changes, Unannounced: true,
		When: func(doc spec.Node) bool {
			return namedAfterMesh(doc, "mesh-gateways-timeout-all-") || namedAfterMesh(doc, "mesh-gateways-timeout-to-all-")
		},
		Doc: "Kuma 3.0 deletes a policy of this name when it starts, even one that you changed.",
		Do:  "Keep what you need in a policy of another name, for kind Dataplane with a label of your gateways.",
	},
}

// namedAfterMesh reports whether a document has the name of a default of its mesh.
func namedAfterMesh(doc spec.Node, prefix string) bool {
	name, _ := doc.Get("name").Text()
	meshName, ok := doc.Get("mesh").Text()
	return ok && name == prefix+meshName
}

// timeoutsPerRoute are what works in an entry for a route.
var timeoutsPerRoute = []string{"http.requestTimeout", "http.streamIdleTimeout"}

var timeouts = spec.Object{
	{
		Name: "connectionTimeout", Type: spec.Duration, Checks: spec.Checks(spec.Positive()),
		Doc: "Time to open a TCP connection. Kuma uses `5s` when unset.",
	},
	{
		Name: "idleTimeout", Type: spec.Duration, Checks: spec.Checks(spec.NotNegative()),
		Doc: "Time without any bytes after which a connection is closed; `0s` turns the limit off. Kuma uses `1h` when unset.",
	},
	{
		Name: "http", Doc: "Limits for HTTP traffic.",
		Checks: spec.Checks(spec.AnyOf("requestTimeout", "streamIdleTimeout", "maxStreamDuration", "maxConnectionDuration")),
		Type: spec.Object{
			{
				Name: "requestTimeout", Type: spec.Duration, Checks: spec.Checks(spec.NotNegative()),
				Doc: "Time for a whole request, from its first byte to the last byte of the answer; `0s` turns the limit off. Kuma uses `15s` when unset.",
			},
			{
				Name: "streamIdleTimeout", Type: spec.Duration, Checks: spec.Checks(spec.NotNegative()),
				Doc: "Time that a stream may be silent; `0s` turns the limit off. Kuma uses `30m` when unset.",
			},
			{
				Name: "maxStreamDuration", Type: spec.Duration, Checks: spec.Checks(spec.NotNegative()),
				Doc: "Longest life of a stream; `0s` turns the limit off. Unlimited when unset.",
			},
			{
				Name: "maxConnectionDuration", Type: spec.Duration, Checks: spec.Checks(spec.NotNegative()),
				Doc: "Longest life of a connection; `0s` turns the limit off. Unlimited when unset.",
			},
			{
				Name: "requestHeadersTimeout", Type: spec.Duration, Checks: spec.Checks(spec.NotNegative()),
				Doc: "Time to receive the headers of a request; `0s` turns the limit off. Unlimited when unset.",
			},
		},
	},
}

var someTimeout = spec.AnyOf("connectionTimeout", "idleTimeout", "http")

// timeoutsOfGatewaysAndRoutes: a policy for gateways, or the deprecated one for
// routes, takes fewer destinations, no `from`, and for routes only what can be
// set per route.
var timeoutsOfGatewaysAndRoutes = spec.Check{
	Doc: "With MeshGateway or MeshHTTPRoute as top-level reference, `to` takes Mesh and MeshExternalService only, and `from` must be empty.",
	Test: func(n spec.Node) []spec.Problem {
		top := topKind(n)
		if top != mesh.KindMeshGateway && top != mesh.KindMeshHTTPRoute {
			return nil
		}
		problems := spec.Refused(n.Get("from"), "A policy whose targetRef is "+top+" has no \"from\". Use \"rules\" in a policy for Dataplane.")
		problems = append(problems, narrowTo(n, top, mesh.KindMesh, mesh.KindMeshExternalService)...)
		if top == mesh.KindMeshGateway {
			return problems
		}
		for _, e := range n.Get("to").Items() {
			problems = append(problems, refuseAll(e.Get("default"), "It cannot be set per route, and the policy's targetRef is a MeshHTTPRoute. Set it in a policy for Mesh or Dataplane.",
				[]string{"connectionTimeout"}, []string{"idleTimeout"}, []string{"http", "maxStreamDuration"}, []string{"http", "maxConnectionDuration"})...)
		}
		return problems
	},
}

var timeoutsByIdentity = rulesByIdentity(
	"A rule that matches a `spiffe_id` can set only `http.request_timeout` and `http.stream_idle_timeout`.",
	[]string{"connectionTimeout"}, []string{"idleTimeout"}, []string{"http", "maxStreamDuration"}, []string{"http", "maxConnectionDuration"}, []string{"http", "requestHeadersTimeout"},
)

// rulesForAll warns of rules that are all for some of the traffic: the rest
// loses the timeouts that a proxy has without any rule.
var rulesForAll = spec.Check{Test: func(n spec.Node) []spec.Problem {
	for _, rule := range n.Items() {
		if !rule.Get("matches").Filled() {
			return nil
		}
	}
	if n.Empty() {
		return nil
	}
	return []spec.Problem{n.Warning("Other traffic has no timeouts", "Every rule has matches, and traffic that none of them fits loses Kuma's own timeouts. Add a rule without matches, here or in another policy.")}
}}
