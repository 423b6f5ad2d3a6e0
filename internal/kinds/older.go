package kinds

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
)

// WithPrivateFields returns an older kind, which this package does not describe, with its
// fields that contain private keys, so that they stay hidden. Other kinds have none.
func WithPrivateFields(k def.Kind) def.Kind {
	if k.Name == "ExternalService" {
		tls := def.Object{{Name: "clientKey", Type: object.DataSourceOrFile(true)}}
		k.Flat, k.Fields = true, def.Object{{Name: "networking", Type: def.Object{{Name: "tls", Type: tls}}}}
	}
	return k
}

// Older returns the kinds of a mesh that Kuma 3.0 removed and that this package does not
// describe.
func Older() []def.Kind { return slices.Clone(older) }

var older = []def.Kind{
	olderKind("CircuitBreaker", "circuit-breakers", "Use MeshCircuitBreaker."),
	olderKind("ExternalService", "external-services", "Use MeshExternalService."),
	olderKind("FaultInjection", "fault-injections", "Use MeshFaultInjection."),
	olderKind("HealthCheck", "health-checks", "Use MeshHealthCheck."),
	olderKind("MeshGatewayRoute", "meshgatewayroutes", MeshGateway.Removed.Instead),
	olderKind("ProxyTemplate", "proxytemplates", "Use MeshProxyPatch."),
	olderKind("RateLimit", "rate-limits", "Use MeshRateLimit."),
	olderKind("Retry", "retries", "Use MeshRetry."),
	olderKind("Timeout", "timeouts", "Use MeshTimeout."),
	olderKind("TrafficLog", "traffic-logs", "Use MeshAccessLog."),
	olderKind("TrafficPermission", "traffic-permissions", "Use MeshTrafficPermission."),
	olderKind("TrafficRoute", "traffic-routes", "Use MeshHTTPRoute or MeshTCPRoute."),
	olderKind("TrafficTrace", "traffic-traces", "Use MeshTrace."),
	olderKind("VirtualOutbound", "virtual-outbounds", "Use a HostnameGenerator for host names, or a route."),
}

func olderKind(name, path, instead string) def.Kind {
	return WithPrivateFields(def.Kind{Name: name, Path: path, Flat: true, Removed: def.RemovedIn3(instead)})
}
