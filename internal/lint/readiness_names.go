package lint

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// conditionsOnNames are about names and labels by which resources find each other.
var conditionsOnNames = []conditionOnMesh{
	{
		Condition: spec.Condition{
			ID: "K3-022", Effect: spec.Breaks, Unannounced: true,
			Doc: "Policies refer to the resource, and it has no label kuma.io/display-name. Kuma 3.0 refers by labels only, and adds this one only when the resource is written again: until then references find nothing.",
			Do:  "Set the label kuma.io/display-name to the name of the resource now. It can be added, but not changed later.",
		},
		find: findUnlabelled,
	},
	{
		Condition: spec.Condition{
			ID: "K3-023", Effect: spec.Changes, Before: spec.Partly, Unannounced: true,
			Doc: "The label kuma.io/display-name is another than the name. Kuma 3.0 sets it to the name at the next write; then the KRI, host names and references change.",
			Do:  "Create the resource anew under the name in the label, or refer to it by another label.",
		},
		find: func(v *view) []unready {
			var found []unready
			for _, r := range v.resources {
				if r.DisplayName() != r.Name && own(r) && r.Name != r.DisplayName()+"."+r.Namespace() {
					found = append(found, unreadyAt(r.Key(), "", "labels", mesh.LabelDisplayName))
				}
			}
			return found
		},
	},
	{
		Condition: spec.Condition{
			ID: "K3-112", Effect: spec.Changes, Unannounced: true,
			Doc: "Kuma 3.0 gives this name to a default of its own in every new mesh.",
			Do:  "Use another name.",
		},
		find: findNameOfDefault,
	},
	{
		Condition: spec.Condition{
			ID: "K3-120", Effect: spec.Changes, Unannounced: true,
			Doc: "The resource is written to a zone and says that it comes from the global control plane. Kuma 3.0 sets the label kuma.io/origin to zone at the next write, which changes what the policy is stronger than.",
			Do:  "Do not send kuma.io/origin: global to a zone control plane.",
		},
		find: func(v *view) []unready {
			var found []unready
			for _, r := range v.resources {
				k, _ := kinds.Find(r.Type)
				if k.ZoneOwned && r.Labels[mesh.LabelOrigin] == mesh.OriginGlobal && own(r) && v.isZone() {
					found = append(found, unreadyAt(r.Key(), "", "labels", mesh.LabelOrigin))
				}
			}
			return found
		},
	},
}

// findNameOfDefault leaves out what was split off from the default policy, as
// K3-110 asks for: then both are there.
func findNameOfDefault(v *view) []unready {
	var found []unready
	for _, r := range v.resources {
		k, _ := kinds.Find(r.Type)
		other := mesh.Key{Type: r.Type, Mesh: v.mesh, Name: "mesh-timeout-all-" + v.mesh}
		split := slices.ContainsFunc(v.byType[r.Type], func(r *mesh.Resource) bool { return r.Key() == other })
		if k.Policy != nil && r.Name == "mesh-timeout-to-all-"+v.mesh && !split {
			found = append(found, unreadyAt(r.Key(), ""))
		}
	}
	return found
}

// synchronised matches names of resources that belong to another control plane
// (spec/matching.md §1.2).
var synchronised = regexp.MustCompile(`-[a-z0-9]{16}$`)

// own reports whether a resource belongs to the control plane that stores it.
func own(r *mesh.Resource) bool {
	return r.Labels[mesh.LabelDisplayName] == "" || !synchronised.MatchString(r.Name) || synchronised.MatchString(r.DisplayName())
}

// isZone reports whether the resources are surely those of a zone: some can be
// written there only.
func (v *view) isZone() bool {
	return slices.ContainsFunc(v.resources, func(r *mesh.Resource) bool {
		k, _ := kinds.Find(r.Type)
		return k.ZoneOwned && !k.GlobalOwned && own(r)
	})
}

func findUnlabelled(v *view) []unready {
	referrers := map[mesh.Key][]string{}
	for _, r := range v.resources {
		if k, _ := kinds.Find(r.Type); k.Policy == nil {
			continue
		}
		for _, ref := range references(r) {
			for _, key := range v.meant(r, ref) {
				if by := r.Type + " " + r.Name; !slices.Contains(referrers[key], by) {
					referrers[key] = append(referrers[key], by)
				}
			}
		}
	}
	var found []unready
	for _, r := range v.resources {
		if by := referrers[r.Key()]; len(by) > 0 && r.Labels[mesh.LabelDisplayName] == "" {
			found = append(found, unreadyAt(r.Key(), fmt.Sprintf("Referred to by: %s.", some(by)), "labels"))
		}
	}
	return found
}

// references returns all references to destinations in a policy.
func references(policy *mesh.Resource) []mesh.TargetRef {
	doc := spec.Root(policy.Document())
	var refs []mesh.TargetRef
	for _, at := range []string{
		"spec.to[].targetRef",
		"spec.to[].rules[].default.backendRefs[]",
		"spec.to[].rules[].default.filters[].requestMirror.backendRef",
	} {
		for _, n := range doc.Find(at) {
			if ref := mesh.ParseTargetRef(n.Value()); ref.Kind != "" && ref.Kind != mesh.KindMesh {
				refs = append(refs, ref)
			}
		}
	}
	return refs
}

// meant returns what a reference finds now, and by the label that Kuma 3.0 sets.
func (v *view) meant(policy *mesh.Resource, ref mesh.TargetRef) []mesh.Key {
	var keys []mesh.Key
	if ref.Name != "" {
		ref.SectionName = ""
		for _, t := range v.snapshot.Resolve(*policy, ref, 0) {
			keys = append(keys, t.Resource)
		}
	}
	if name, ok := ref.Labels[mesh.LabelDisplayName]; ok {
		others := maps.Clone(ref.Labels)
		delete(others, mesh.LabelDisplayName)
		for _, r := range v.byType[ref.Kind] {
			if r.DisplayName() == name && mesh.HasAll(r.Labels, others) {
				keys = append(keys, r.Key())
			}
		}
	}
	return keys
}
