package rules

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Outbound is a service that the application of a dataplane consumes, according to the
// Dataplane: by a reference, or by the tag kuma.io/service.
type Outbound struct {
	BackendRef
	Tag      string // empty for a reference
	ByLabels bool   // Kuma 3.0 does not read the name
}

// String describes the service.
func (o Outbound) String() string {
	if o.Tag != "" {
		return fmt.Sprintf("service with the tag %s=%s", kuma.TagService, o.Tag)
	}
	return o.TargetRef.String()
}

// Outbounds returns the services that a Dataplane refers to: its outbounds, and the
// references to services that it can reach.
func Outbounds(dataplane kuma.Resource) []Outbound {
	networking := tree.Root(dataplane.Body).Get("networking")
	var found []Outbound
	for _, n := range networking.Get("outbound").Items() {
		if tag, ok := n.Get("tags", kuma.TagService).Text(); ok {
			found = append(found, Outbound{BackendRef{Path: n.Get("tags").Path}, tag, false})
		} else if ref := ParseBackendRef(n.Get("backendRef")); ref.Kind != "" {
			found = append(found, Outbound{BackendRef: ref})
		}
	}
	for _, n := range networking.Get("transparentProxying", "reachableBackends", "refs").Items() {
		if ref := ParseBackendRef(n); ref.Name != "" || len(ref.Labels) > 0 {
			found = append(found, Outbound{BackendRef: ref, ByLabels: true})
		}
	}
	return found
}

// Consumed returns the services of a mesh that an outbound may refer to: those with its
// labels, or else those with its name in any zone, but before Kuma 3.0 none outside of zones. In Kuma 3.0, a name
// beside labels does not count, nor one in reachableBackends.
func (s *Snapshot) Consumed(meshName string, o Outbound) []kuma.Key {
	kinds := []string{o.Kind}
	if o.Tag != "" {
		kinds, o.Name = []string{kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService}, o.Tag
	}
	var labeled, named []kuma.Key
	if len(o.Labels) > 0 {
		labeled = phrase.Each(s.mesh(meshName).index.backends(nil, o.TargetRef), func(r *kuma.Resource) kuma.Key { return r.Key() })
	}
	for _, r := range s.Resources(meshName, kinds...) {
		if o.Name != "" && (r.Name == o.Name || r.DisplayName() == o.Name) && (s.Release().Kuma3() || o.Tag != "" || !isOutsideZones(r)) {
			named = append(named, r.Key())
		}
	}
	if len(labeled) > 0 || s.Release().Kuma3() && (len(o.Labels) > 0 || o.ByLabels) {
		return labeled
	}
	return named
}
