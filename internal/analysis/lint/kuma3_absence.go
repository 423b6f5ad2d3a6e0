package lint

import (
	"errors"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// absenceFinders find what a mesh does not have: Kuma 3.0 requires it, and Kuma 2.14 does not.
var absenceFinders = finders{
	"K3-201": func(m *mesh, report func(problem)) {
		for _, dp := range m.ofKind(kuma.KindDataplane) {
			networking := tree.Root(dp.Body).Get("networking")
			redirect := networking.Get("transparentProxying")
			named := !redirect.Get("reachableBackends").Absent() || redirect.Get("reachableServices").Filled() ||
				slices.ContainsFunc(networking.Find("outbound[].backendRef"), func(ref tree.Node) bool { return !ref.Absent() })
			if kinds.IsRedirected(*dp) && !named {
				report(problemAt(dp.Key(), "", redirect.Path...))
			}
		}
	},
	"K3-202": findWithoutPassthrough,
	"K3-218": func(m *mesh, report func(problem)) {
		own := slices.DeleteFunc(slices.Clone(m.ofKind(kuma.KindMeshService)), func(s *kuma.Resource) bool {
			return kuma.Generated(s.Labels) || tree.Root(s.Body).Get("spec", "selector", "dataplaneLabels").Empty()
		})
		for _, dp := range m.ofKind(kuma.KindDataplane) {
			if m.needsWorkload(dp, own) {
				report(problemAt(dp.Key(), "", "labels"))
			}
		}
	},
	"K3-221": func(m *mesh, report func(problem)) {
		retries := m.ofKind(kinds.MeshRetry.Name)
		if len(retries) == 1 && m.initial[retries[0].Key()] {
			report(problemAt(retries[0].Key(), ""))
		}
	},
}

// findWithoutPassthrough ignores meshes that already deny traffic to unknown destinations.
func findWithoutPassthrough(m *mesh, report func(problem)) {
	if m.meshNode().Get("networking", "outbound", "passthrough").Value() != false {
		m.onMesh(report, m.uncoveredDataplanes(true, func(dp *kuma.Resource) bool {
			return m.IsSelected(m.name, dp.Name, kinds.MeshPassthrough.Name) || !kinds.IsRedirected(*dp)
		}), "networking")
	}
}

// needsWorkload reports whether a Dataplane has no workload, but its service or its identity
// depends on it in Kuma 3.0. own are the services that no control plane generates.
func (m *mesh) needsWorkload(dp *kuma.Resource, own []*kuma.Resource) bool {
	if dp.Labels[kuma.LabelWorkload] != "" || dp.Namespace() != "" {
		return false
	}
	if identity := m.Resource(m.in3().Identity(m.name, dp.Name)); identity != nil {
		_, err := kinds.SPIFFEID(*identity, *dp)
		if invalid, ok := errors.AsType[*kinds.PathError](err); ok && invalid.Label == kuma.LabelWorkload {
			return true
		}
	}
	listens := tree.Root(dp.Body).Get("networking", "listeners").Filled()
	return !listens && !slices.ContainsFunc(own, func(service *kuma.Resource) bool { return rules.Selects(*service, *dp) })
}
