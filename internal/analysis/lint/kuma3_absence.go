package lint

import (
	"errors"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// absenceConditions concern what a mesh does not have, and what Kuma 2.14 does not require.
var absenceConditions = []meshCondition{
	{
		Condition: kuma3.Condition{
			ID: "K3-201", Effect: kuma3.Outage,
			Doc:    "The application calls other services through redirected ports, and the Dataplane does not list them.",
			Stored: "Unless the control plane sets defaults.restrictOutbound to false, the proxy has no outbounds, and all calls in the mesh fail.",
			Do:     "List the services in reachableBackends.refs, by the labels kuma.io/display-name and kuma.io/zone. The configuration does not show which services an application calls. Since Kuma 2.14.6, defaults.restrictOutbound rehearses this.",
		},
		find: func(m *mesh) []problem {
			var found []problem
			for _, dp := range m.ofKind(kuma.KindDataplane) {
				networking := tree.Root(dp.Body).Get("networking")
				redirect := networking.Get("transparentProxying")
				named := !redirect.Get("reachableBackends").Absent() || redirect.Get("reachableServices").Filled()
				for _, ref := range networking.Find("outbound[].backendRef") {
					named = named || !ref.Absent()
				}
				if kinds.IsRedirected(*dp) && !named {
					found = append(found, problemAt(dp.Key(), "", redirect.Path...))
				}
			}
			return found
		},
	},
	{
		Condition: kuma3.Condition{
			ID: "K3-202", Effect: kuma3.Outage,
			Doc:    "Proxies allow traffic to unknown destinations, and no MeshPassthrough selects them.",
			Stored: "Unless the control plane sets defaults.restrictOutbound to false, Kuma 3.0 denies this traffic: what is outside the mesh cannot be reached.",
			Do:     "Create a MeshPassthrough for kind Mesh with passthroughMode All, or better, with the destinations that are in use.",
		},
		find: findWithoutPassthrough,
	},
	{
		Condition: kuma3.Condition{
			ID: "K3-218", Effect: kuma3.Outage, MeasuredStored: true,
			Doc:    "The Dataplane has no label kuma.io/workload.",
			Stored: "Kuma 3.0 generates no MeshService from it. If the path of its identity contains the workload, as by default, the proxy gets no identity: it sends and accepts plaintext, and permissions have no effect.",
			Do:     "Set the label to the value of the tag kuma.io/service, if that is a DNS label. Since Kuma 2.14.2, its proxy then requires a token for that workload.",
		},
		find: func(m *mesh) []problem {
			own := slices.DeleteFunc(slices.Clone(m.ofKind(kuma.KindMeshService)), func(s *kuma.Resource) bool {
				return kuma.Generated(s.Labels) || tree.Root(s.Body).Get("spec", "selector", "dataplaneLabels").Empty()
			})
			var found []problem
			for _, dp := range m.ofKind(kuma.KindDataplane) {
				if m.needsWorkload(dp, own) {
					found = append(found, problemAt(dp.Key(), "", "labels"))
				}
			}
			return found
		},
	},
	{
		Condition: kuma3.Condition{
			ID: "K3-221", Effect: kuma3.Cosmetic, Preparation: kuma3.Everything,
			Doc:    "All retries in the mesh come from the policy that Kuma 2.14 creates with a mesh.",
			Stored: "The stored policy is kept. A new mesh in Kuma 3.0 has no policies, and no retries.",
			Do:     "Manage a MeshRetry of your own, so that the configuration also creates it with a new mesh.",
		},
		find: func(m *mesh) []problem {
			retries := m.ofKind(kinds.MeshRetry.Name)
			if len(retries) != 1 || !m.initial[retries[0].Key()] {
				return nil
			}
			return []problem{problemAt(retries[0].Key(), "")}
		},
	},
}

// findWithoutPassthrough ignores meshes that already deny traffic to unknown destinations.
func findWithoutPassthrough(m *mesh) []problem {
	if m.meshNode().Get("networking", "outbound", "passthrough").Value() == false {
		return nil
	}
	covered := map[string]bool{}
	for _, p := range m.policies {
		if p.Type == kinds.MeshPassthrough.Name {
			for _, name := range m.Selected(p.Key()) {
				covered[name] = true
			}
		}
	}
	return m.onMesh(m.uncoveredDataplanes(true, func(dp *kuma.Resource) bool { return covered[dp.Name] || !kinds.IsRedirected(*dp) }), "networking")
}

// needsWorkload reports whether a Dataplane has no workload, but its service or its identity
// depends on it in Kuma 3.0. own are the services that no control plane generates.
func (m *mesh) needsWorkload(dp *kuma.Resource, own []*kuma.Resource) bool {
	listens := tree.Root(dp.Body).Get("networking", "listeners").Filled()
	if dp.Labels[kuma.LabelWorkload] != "" || listens || dp.Namespace() != "" {
		return false
	}
	if identity := m.Resource(m.in3().Identity(m.name, dp.Name)); identity != nil {
		_, err := kinds.SPIFFEID(*identity, *dp)
		if invalid, ok := errors.AsType[*kinds.PathError](err); ok && invalid.Label == kuma.LabelWorkload {
			return true
		}
	}
	return !slices.ContainsFunc(own, func(service *kuma.Resource) bool { return rules.Selects(*service, *dp) })
}
