package kuma

import "github.com/kuma-universal/terraform-provider-kuma/internal/tree"

// Role says on whose behalf a policy speaks (matching.md §1.6).
type Role string

// Roles, weakest first. Only documents of a Kubernetes namespace have another
// role than system.
const (
	RoleSystem        Role = "system"
	RoleProducer      Role = "producer"
	RoleConsumer      Role = "consumer"
	RoleWorkloadOwner Role = "workload-owner"
)

// SystemNamespace is the namespace of a control plane on Kubernetes unless it
// was installed elsewhere.
const SystemNamespace = "kuma-system"

// Role reads the role from the labels; a missing one is system. An unknown
// value is returned as it is: it ranks below system and is gated like it.
func (r Resource) Role() Role {
	if v := r.Labels[LabelPolicyRole]; v != "" {
		return Role(v)
	}
	return RoleSystem
}

// ComputeRole derives the role of a policy from its namespace and its
// references, the way a control plane on Kubernetes labels it; false when the
// document mixes entries of a producer with entries of a consumer, or has both
// `from` and `to`, which the control plane refuses.
func ComputeRole(r Resource) (Role, bool) {
	namespace := r.Namespace()
	if namespace == "" || namespace == SystemNamespace {
		return RoleSystem, true
	}
	spec := r.Spec()
	to := tree.List(spec["to"])
	from := tree.List(spec["from"])
	switch {
	case len(to) > 0 && len(from) > 0:
		return "", false
	case len(to) == 0:
		return RoleWorkloadOwner, true
	}
	producer := 0
	for _, e := range to {
		if producerItem(ParseTargetRef(tree.Object(e)["targetRef"]), namespace) {
			producer++
		}
	}
	switch producer {
	case len(to):
		return RoleProducer, true
	case 0:
		return RoleConsumer, true
	default:
		return "", false
	}
}

func producerItem(ref TargetRef, namespace string) bool {
	return (ref.Kind == KindMeshService || ref.Kind == KindMeshHTTPRoute) &&
		ref.Name != "" && (ref.Namespace == "" || ref.Namespace == namespace)
}
