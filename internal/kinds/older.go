package kinds

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// WithPrivateFields returns an older kind, which this package does not describe, with its
// fields that contain private keys, so that they stay hidden. Other kinds have none.
func WithPrivateFields(k def.Kind) def.Kind {
	if k.Name == ExternalService {
		tls := def.Object{{Name: "clientKey", Type: object.DataSourceOrFile(true)}}
		k.Flat, k.Fields = true, def.Object{{Name: "networking", Type: def.Object{{Name: "tls", Type: tls}}}}
	}
	return k
}

// OlderEffect is what resources of an older kind decide about while they are in effect
// (proxies.md §6). No analysis evaluates them.
type OlderEffect int

// Effects of older kinds.
const (
	OlderSettings      OlderEffect = iota // what a proxy does with traffic, but not where it goes
	OlderPermissions                      // who may connect to proxies
	OlderRoutes                           // where proxies send requests
	OlderGatewayRoutes                    // where builtin gateways send requests
	OlderDestinations                     // what proxies can call
	OlderTelemetry                        // what proxies report
)

// Older kinds that analyses name.
const (
	ExternalService   = "ExternalService"
	TrafficPermission = "TrafficPermission"
	TrafficRoute      = "TrafficRoute"
)

// OlderKind is a kind of a mesh that Kuma 3.0 removed and that this package does not describe.
type OlderKind struct {
	def.Kind
	Effect OlderEffect
	// Outgoing reports whether it only has an effect on requests that a TrafficRoute or a builtin gateway sends.
	Outgoing bool
}

// Older returns the kinds of a mesh that Kuma 3.0 removed and that this package does not
// describe.
func Older() []def.Kind {
	return phrase.Each(older, func(k OlderKind) def.Kind { return k.Kind })
}

// OlderKinds returns the same kinds, with what they do.
func OlderKinds() []OlderKind { return older }

// FindOlder returns the older kind with the given name; false when there is none.
func FindOlder(name string) (OlderKind, bool) {
	i := slices.IndexFunc(older, func(k OlderKind) bool { return k.Name == name })
	if i < 0 {
		return OlderKind{}, false
	}
	return older[i], true
}

var older = []OlderKind{
	{Kind: olderKind("CircuitBreaker", "circuit-breakers", "Use MeshCircuitBreaker."), Outgoing: true},
	{Kind: olderKind(ExternalService, "external-services", "Use MeshExternalService."), Effect: OlderDestinations},
	{Kind: olderKind("FaultInjection", "fault-injections", "Use MeshFaultInjection.")},
	{Kind: olderKind("HealthCheck", "health-checks", "Use MeshHealthCheck."), Outgoing: true},
	{Kind: olderKind("MeshGatewayRoute", "meshgatewayroutes", MeshGateway.Removed.Instead), Effect: OlderGatewayRoutes},
	{Kind: olderKind("ProxyTemplate", "proxytemplates", "Use MeshProxyPatch.")},
	{Kind: olderKind("RateLimit", "rate-limits", "Use MeshRateLimit.")},
	{Kind: olderKind("Retry", "retries", "Use MeshRetry."), Outgoing: true},
	{Kind: olderKind("Timeout", "timeouts", "Use MeshTimeout."), Outgoing: true},
	{Kind: olderKind("TrafficLog", "traffic-logs", "Use MeshAccessLog."), Effect: OlderTelemetry},
	{Kind: olderKind(TrafficPermission, "traffic-permissions", "Use MeshTrafficPermission."), Effect: OlderPermissions},
	{Kind: olderKind(TrafficRoute, "traffic-routes", "Use MeshHTTPRoute or MeshTCPRoute."), Effect: OlderRoutes},
	{Kind: olderKind("TrafficTrace", "traffic-traces", "Use MeshTrace."), Effect: OlderTelemetry},
	{
		Kind:   olderKind("VirtualOutbound", "virtual-outbounds", "Use a HostnameGenerator for host names, or a route."),
		Effect: OlderDestinations,
	},
}

func olderKind(name, path, instead string) def.Kind {
	return WithPrivateFields(def.Kind{Name: name, Path: path, Flat: true, Removed: def.RemovedIn3(instead)})
}
