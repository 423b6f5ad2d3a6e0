package kuma

import "github.com/kuma-universal/terraform-provider-kuma/internal/tree"

// Role is the role of a policy (matching.md §1.6).
type Role string

// Roles, in order of increasing precedence. Only documents of a Kubernetes
// namespace have another role than system.
const (
	RoleSystem        Role = "system"
	RoleProducer      Role = "producer"
	RoleConsumer      Role = "consumer"
	RoleWorkloadOwner Role = "workload-owner"
)

// SystemNamespace is the namespace of a control plane on Kubernetes unless it
// was installed elsewhere.
const SystemNamespace = "kuma-system"

// systemNamespaces are the usual namespaces of control planes of Kuma and its distributions. In
// universal mode, what is in them is what has no namespace (matching.md §1.8).
var systemNamespaces = []string{SystemNamespace, "kong-mesh-system"}

// Role reads the role from the labels; a missing one is system. An unknown
// value is returned unchanged: it ranks below system, and selects the same
// proxies.
func (r Resource) Role() Role {
	if v := r.Labels[LabelPolicyRole]; v != "" {
		return Role(v)
	}
	return RoleSystem
}

// ComputeRole derives the role of a policy from its namespace and its
// references, as a control plane on Kubernetes does; false when the document
// mixes entries of a producer with entries of a consumer, or has both `from`
// and `to`, which the control plane rejects.
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

// FollowsFromNamespace reports whether a policy has the role that a control plane on Kubernetes
// gives it because of its namespace, as the documents that it reads do not say.
func (r Resource) FollowsFromNamespace() bool {
	role, ok := ComputeRole(r)
	return r.Namespace() != "" && ok && role == r.Role()
}

func producerItem(ref TargetRef, namespace string) bool {
	return (ref.Kind == KindMeshService || ref.Kind == KindMeshHTTPRoute) &&
		ref.Name != "" && (ref.Namespace == "" || ref.Namespace == namespace)
}
