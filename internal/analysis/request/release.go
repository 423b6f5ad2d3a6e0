package request

import "github.com/kuma-universal/terraform-provider-kuma/internal/kuma"

// Behavior describes what is only stated about Kuma 3.0, and was not measured (release3.md §6). Other differences between releases are
// those of [kuma.Release.Kuma3].
type Behavior struct {
	// EmptyFails answers a request with 500 if its rule has an empty list of backends.
	EmptyFails bool
	// RestFails answers a request that no rule takes with 404.
	RestFails bool
	// DomainNeedsPort ignores a match of a MeshPassthrough for a domain without a port.
	DomainNeedsPort bool
}

// BehaviorOf returns the behavior of a release.
func BehaviorOf(r kuma.Release) Behavior {
	return Behavior{EmptyFails: r.Kuma3(), RestFails: r.Kuma3(), DomainNeedsPort: r.Kuma3()}
}

// isKuma3 reports whether proxies behave as those of Kuma 3.0.
func (sim Simulation) isKuma3() bool { return sim.snapshot.Release().Kuma3() }
