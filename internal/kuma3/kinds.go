package kuma3

import (
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// removed contains the conditions on kinds that Kuma 3.0 removes.
var removed = []Condition{
	{
		ID: "K3-100", Effect: Breaks, Paths: at("", kuma.KindMeshGateway, "MeshGatewayRoute"),
		Doc: "Kuma 3.0 has no builtin gateways: it responds with 404 to writes of this kind, and ignores stored resources.",
		Do:  "Use another gateway product with a delegated gateway, and delete this resource before the upgrade.",
	},
	{
		ID: "K3-101", Effect: Breaks, Paths: at("", kinds.ZoneIngress.Name, kinds.ZoneEgress.Name),
		Doc: "Kuma 3.0 no longer supports this kind, and its proxies cannot connect.",
		Do:  "Create a Dataplane with a listener of type ZoneIngress or ZoneEgress in networking.listeners, and start its proxy with a dataplane token. Kuma 2.14 supports both.",
	},
	{
		ID: "K3-102", Effect: Breaks, Paths: at("", slices.Sorted(maps.Keys(successors))...),
		Doc: "Kuma 3.0 removes this kind: it responds with 404 to writes, and stored resources have no effect.",
		Do:  "Create a resource of the newer kind, then delete this one.",
		Instead: func(doc tree.Node) string {
			kind, _ := doc.Get("type").Text()
			return "Its replacement is " + successors[kind] + "."
		},
	},
}

// RemovedKinds returns the older kinds that Kuma 3.0 removes and that package kinds
// does not declare. All of them belong to a mesh.
func RemovedKinds() []def.Kind {
	return []def.Kind{
		{Name: "CircuitBreaker", Path: "circuit-breakers", Flat: true},
		{Name: ExternalService, Path: "external-services", Flat: true},
		{Name: "FaultInjection", Path: "fault-injections", Flat: true},
		{Name: "HealthCheck", Path: "health-checks", Flat: true},
		{Name: "MeshGatewayRoute", Path: "meshgatewayroutes", Flat: true},
		{Name: "ProxyTemplate", Path: "proxytemplates", Flat: true},
		{Name: "RateLimit", Path: "rate-limits", Flat: true},
		{Name: "Retry", Path: "retries", Flat: true},
		{Name: "Timeout", Path: "timeouts", Flat: true},
		{Name: "TrafficLog", Path: "traffic-logs", Flat: true},
		{Name: "TrafficPermission", Path: "traffic-permissions", Flat: true},
		{Name: "TrafficRoute", Path: "traffic-routes", Flat: true},
		{Name: "TrafficTrace", Path: "traffic-traces", Flat: true},
		{Name: "VirtualOutbound", Path: "virtual-outbounds", Flat: true},
	}
}

// ExternalService is the removed kind whose resources have the tag kuma.io/service.
const ExternalService = "ExternalService"

// successors maps removed kinds to their replacements.
var successors = map[string]string{
	"CircuitBreaker":    "MeshCircuitBreaker",
	ExternalService:     "MeshExternalService",
	"FaultInjection":    "MeshFaultInjection",
	"HealthCheck":       "MeshHealthCheck",
	"ProxyTemplate":     "MeshProxyPatch",
	"RateLimit":         "MeshRateLimit",
	"Retry":             "MeshRetry",
	"Timeout":           "MeshTimeout",
	"TrafficLog":        "MeshAccessLog",
	"TrafficPermission": "MeshTrafficPermission",
	"TrafficRoute":      "MeshHTTPRoute or MeshTCPRoute",
	"TrafficTrace":      "MeshTrace",
	"VirtualOutbound":   "HostnameGenerator, for host names, or a route",
}
