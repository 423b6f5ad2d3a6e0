package request

import "github.com/kuma-universal/terraform-provider-kuma/internal/kuma"

// Behavior describes how proxies behave where releases of Kuma differ (matching.md §17).
type Behavior struct {
	// UnresolvedFails answers the share of a backend that does not exist with 500. Proxies of
	// older releases ignore such backends.
	UnresolvedFails bool
	// EmptyFails answers a request with 500 if its rule has an empty list of backends.
	EmptyFails bool
	// RestFails answers a request that no rule takes with 404.
	RestFails bool
	// DurationsUnprovided applies idle and maximum durations to a MeshExternalService without a zone egress, too, and to a
	// MeshMultiZoneService by its own protocol instead of the tags of its proxies.
	DurationsUnprovided bool
	// MirrorFails mirrors requests to tags only. A mirror to anything else keeps the proxies that
	// have the route from getting any configuration (proxies.md §3).
	MirrorFails bool
	// LabelsNeedPort lets a reference to a MeshService by labels select nothing if it has no port.
	// As a backend of a MeshTCPRoute, it keeps a proxy from getting its configuration.
	LabelsNeedPort bool
	// NamedByReference asks a zone egress for the port that a reference to a MeshExternalService
	// has, which it rejects if the service does not have it (proxies.md §3).
	NamedByReference bool
	// DomainNeedsPort ignores a match of a MeshPassthrough for a domain without a port.
	DomainNeedsPort bool
}

// BehaviorOf returns the behavior of a release. The behavior of Kuma 3.0 follows its
// documents: EmptyFails and RestFails were not measured (release3.md §6).
func BehaviorOf(r kuma.Release) Behavior {
	return Behavior{
		UnresolvedFails: r.Kuma3(), EmptyFails: r.Kuma3(), RestFails: r.Kuma3(), DurationsUnprovided: r.Kuma3(),
		MirrorFails: !r.Kuma3(), LabelsNeedPort: !r.Kuma3(), DomainNeedsPort: r.Kuma3(), NamedByReference: !r.Kuma3(),
	}
}
