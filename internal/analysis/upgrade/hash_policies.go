package upgrade

import (
	"maps"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// moveHashPolicies proposes hash policies beside the algorithm instead of in it (R8). It changes
// no proxy of 2.14 (kuma3.md §6.2), unless policies are merged that set different algorithms:
// hash policies beside the algorithm apply to all of them.
func moveHashPolicies(w *world) []proposal {
	policies, mixed := map[string][]kuma.Resource{}, map[string]bool{} // by mesh
	algorithms := map[string]any{}
	for _, r := range w.of(kinds.MeshLoadBalancingStrategy.Name) {
		for _, n := range tree.Root(r.Body).Find("spec.to[].default") {
			algorithm := n.Get("loadBalancer", "type").Value()
			other := algorithm != nil && algorithms[r.Mesh] != nil && algorithms[r.Mesh] != algorithm
			mixed[r.Mesh] = mixed[r.Mesh] || other || n.Get("hashPolicies").Value() != nil
			if algorithm != nil {
				algorithms[r.Mesh] = algorithm
			}
		}
		policies[r.Mesh] = append(policies[r.Mesh], r)
	}
	var out []proposal
	for _, mesh := range meshes(w.resources...) {
		for _, r := range policies[mesh] {
			changed, paths := withMovedHashPolicies(r)
			switch {
			case len(paths) == 0:
			case mixed[mesh]:
				out = append(out, w.cannot(r, paths[0], "K3-052",
					"Other policies of the mesh set another algorithm or hash policies beside it, to which those of this policy would apply as well.",
					"Move the list to hashPolicies in the default of the entry, and check which services it then applies to.")...)
			default:
				out = append(out, one(changed, phrase.Each(paths, func(path string) Item {
					return rewritten(r, path, "K3-052", "Has the hash policies beside the algorithm.")
				})...)...)
			}
		}
	}
	return out
}

// withMovedHashPolicies returns a policy with the hash policies of its algorithms beside them,
// and the paths from which they were moved.
func withMovedHashPolicies(r kuma.Resource) (changed kuma.Resource, paths []string) {
	if r.Type != kinds.MeshLoadBalancingStrategy.Name {
		return r, nil
	}
	changed = r
	for _, n := range tree.Root(r.Body).Find("spec.to[].default") {
		field := map[any]string{"RingHash": "ringHash", "Maglev": "maglev"}[n.Get("loadBalancer", "type").Value()]
		list := n.Get("loadBalancer", field, "hashPolicies")
		if list.Value() == nil || n.Get("hashPolicies").Value() != nil {
			continue
		}
		algorithm := maps.Clone(tree.Object(n.Get("loadBalancer", field).Value()))
		delete(algorithm, "hashPolicies")
		changed = withValue(changed, n.Path.Child("hashPolicies"), list.Value())
		changed = withValue(changed, n.Path.Child("loadBalancer").Child(field), algorithm)
		paths = append(paths, list.Path.String())
	}
	return changed, paths
}
