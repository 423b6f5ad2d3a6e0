package upgrade

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// olderKind is how the resources of an older kind become policies (R15).
type olderKind struct {
	name, policy string
	condition    string // what the policy is about
	// replaces reports whether both in effect do something twice, so that stage one removes the older
	// ones. Otherwise the policy overrides them, and they stay until stage two.
	replaces bool
	without  string // what happens without it, if no policy replaces it
	byHand   string // what to do if there is no policy with its effect
	// implied reports whether connections that no resource selects get what one without settings sets.
	implied bool
	// convert returns the policies, or why there are none with this effect. By default those with the
	// settings of conf.
	convert func(o olderResources) (p proposal, why string)
	// conf returns the settings of a policy for connections to services with a protocol, or why it
	// has none with this effect.
	conf func(mesh kuma.Resource, conf tree.Node, protocol string) (settings map[string]any, why string)
	// absent returns a value with the effect of none for a field that settings do not have, and that
	// others set to a value.
	absent func(settings map[string]any, field tree.Path, value any) (any, bool)
}

func olderKinds() []olderKind {
	const gone = "K3-102"
	return []olderKind{
		{
			name: kinds.TrafficPermission, policy: kinds.MeshTrafficPermission.Name, condition: gone, convert: olderResources.permissions,
			without: "The MeshTrafficPermissions that select the same proxies override this resource, and nothing replaces it.",
		},
		{name: "Timeout", policy: kinds.MeshTimeout.Name, condition: gone, implied: true, conf: olderTimeout},
		{name: "Retry", policy: kinds.MeshRetry.Name, condition: gone, conf: olderRetry, absent: absentRetry},
		{name: "CircuitBreaker", policy: kinds.MeshCircuitBreaker.Name, condition: gone, conf: olderCircuitBreaker, absent: absentCircuitBreaker},
		{
			name: "HealthCheck", policy: kinds.MeshHealthCheck.Name, condition: gone, replaces: true, conf: olderHealthCheck,
			absent: absentHealthCheck,
		},
		{name: "TrafficLog", policy: kinds.MeshAccessLog.Name, condition: "K3-079", replaces: true, conf: olderLog},
		{name: "FaultInjection", policy: kinds.MeshFaultInjection.Name, condition: gone, replaces: true, convert: olderResources.faults},
		{name: "RateLimit", policy: kinds.MeshRateLimit.Name, condition: gone, replaces: true, convert: olderResources.limits},
		{name: "TrafficTrace", policy: kinds.MeshTrace.Name, condition: "K3-078", convert: olderResources.traces},
		{
			name: kinds.ExternalService, policy: kinds.MeshExternalService.Name, condition: gone, replaces: true,
			convert: olderResources.externalServices,
			without: "MeshExternalServices with the same endpoints replace it.",
		},
		{
			name: kinds.TrafficRoute, policy: kinds.MeshHTTPRoute.Name, condition: gone, convert: olderResources.routes,
			without: "Proxies send the same requests without it. " +
				"On 2.14, deleting the TrafficRoutes of a mesh also makes its proxies normalize paths, and omit the header with their tags; in the " +
				"modes Everywhere and Exclusive, transparent proxies then listen for MeshServices; gRPC connections that are idle for an hour are " +
				"closed.",
			byHand: "On 2.14, write MeshHTTPRoutes and MeshTCPRoutes with the effect of all TrafficRoutes of the mesh, and delete " +
				"these at the same time.",
		},
		{name: "ProxyTemplate", policy: kinds.MeshProxyPatch.Name, condition: gone, replaces: true, convert: olderResources.patches},
	}
}
