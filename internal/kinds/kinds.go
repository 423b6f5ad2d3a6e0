package kinds

import (
	"cmp"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// All returns all kinds by name: each is a resource and a data source, and the
// embedded control plane stores it.
func All() []def.Kind {
	return []def.Kind{
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
// processes and reports them (matching.md §13.2).
func Policies() []def.Kind {
	policies := slices.DeleteFunc(All(), func(k def.Kind) bool { return k.Policy == nil })
	slices.SortFunc(policies, func(a, b def.Kind) int { return cmp.Compare(a.Policy.Order, b.Policy.Order) })
	return policies
}

// PolicyTypes returns the names of the given policy kinds, or of all if none are
// given, in the order of [Policies].
func PolicyTypes(only ...string) []string {
	var types []string
	for _, k := range Policies() {
		if len(only) == 0 || slices.Contains(only, k.Name) {
			types = append(types, k.Name)
		}
	}
	return types
}

// Find returns the kind with the given name; false when there is none.
func Find(name string) (def.Kind, bool) {
	k, ok := byName()[name]
	return k, ok
}

// Misspelled returns the kind that a misspelled name almost certainly means.
// Other names may be those of kinds that only a control plane knows.
func Misspelled(name string) (string, bool) {
	return phrase.Misspelled(name, phrase.Each(All(), func(k def.Kind) string { return k.Name }))
}

// byName contains the kinds of [All], because analyses look up kinds thousands
// of times.
var byName = sync.OnceValue(func() map[string]def.Kind {
	found := map[string]def.Kind{}
	for _, k := range All() {
		found[k.Name] = k
	}
	return found
})

// KRI returns the identifier of a resource, empty when its kind has none, or when
// there is no such kind.
func KRI(id kuma.ID) string {
	k, _ := Find(id.Type)
	return id.KRI(k.ShortName)
}

// Form returns the layout of the documents of a kind. An unknown kind has the
// layout of a newer kind inside a mesh.
func Form(kind string) kuma.Form {
	k, _ := Find(kind)
	return k.Form()
}
