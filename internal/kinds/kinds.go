package kinds

import (
	"cmp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// All returns all kinds by name: each is a resource and a data source, and the
// embedded control plane stores it.
func All() []spec.Kind {
	return []spec.Kind{
		Dataplane,
		GlobalSecret,
		HostnameGenerator,
		Mesh,
		MeshAccessLog,
		MeshCircuitBreaker,
		MeshExternalService,
		MeshFaultInjection,
		MeshGateway,
		MeshHTTPRoute,
		MeshHealthCheck,
		MeshIdentity,
		MeshLoadBalancingStrategy,
		MeshMetric,
		MeshMultiZoneService,
		MeshOpenTelemetryBackend,
		MeshPassthrough,
		MeshProxyPatch,
		MeshRateLimit,
		MeshRetry,
		MeshService,
		MeshTCPRoute,
		MeshTLS,
		MeshTimeout,
		MeshTrace,
		MeshTrafficPermission,
		MeshTrust,
		MeshZoneAddress,
		Secret,
		Workload,
		Zone,
		ZoneEgress,
		ZoneIngress,
	}
}

// Policies returns the policy kinds in the order in which a control plane
// processes and reports them (spec/matching.md §13.2).
func Policies() []spec.Kind {
	policies := slices.DeleteFunc(All(), func(k spec.Kind) bool { return k.Policy == nil })
	slices.SortFunc(policies, func(a, b spec.Kind) int { return cmp.Compare(a.Policy.Order, b.Policy.Order) })
	return policies
}

// Find returns the kind called name; false when there is none.
func Find(name string) (spec.Kind, bool) {
	for _, k := range All() {
		if k.Name == name {
			return k, true
		}
	}
	return spec.Kind{}, false
}

// Form returns the layout of documents of a kind; that of a newer kind inside a
// mesh when nothing is known about it.
func Form(kind string) mesh.Form {
	k, _ := Find(kind)
	return k.Form()
}
