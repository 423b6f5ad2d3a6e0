package kuma3

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var (
	allPolicies = policiesThat(func(*def.Policy) bool { return true })
	withTo      = policiesThat(func(p *def.Policy) bool { return p.To })
)

func policiesThat(fit func(*def.Policy) bool) []string {
	var names []string
	for _, k := range kinds.Policies() {
		if fit(k.Policy) {
			names = append(names, k.Name)
		}
	}
	return names
}

const proxyType = `["` + kuma.LabelProxyType + `"]`

// references contains the conditions on the references of policies and other kinds
// (kuma3.md §3).
var references = []Condition{
	{
		ID: "K3-001", Effect: Breaks, Paths: at("spec.targetRef.kind", allPolicies...), When: is(kuma.KindMeshSubset),
		Doc: "Proxies are selected by kind MeshSubset. Kuma 3.0 rejects that, and a stored policy applies to no proxy.",
		Do:  "Use kind Dataplane with labels. First replace the tags that select the proxies with labels of their Dataplanes; kuma.io/zone is a label already. Without tags and proxyTypes, use kind Mesh. MeshSubset selects single inbounds, Dataplane selects all of them unless sectionName is set.",
	},
	{
		ID: "K3-002", Effect: Breaks, Paths: at("spec.targetRef.kind", allPolicies...), When: is(kuma.KindMeshService),
		Doc: "Proxies are selected by kind MeshService. Kuma 3.0 rejects that, and a stored policy applies to no proxy.",
		Do:  "Use kind Dataplane with a label that the proxies of the service have in common, such as kuma.io/workload. Set sectionName if the service is only one of their inbounds.",
	},
	{
		ID: "K3-003", Effect: Breaks, Paths: at("spec.targetRef.kind", allPolicies...), When: is(kuma.KindMeshServiceSubset),
		Doc: "Proxies are selected by kind MeshServiceSubset. Kuma 3.0 rejects that, and a stored policy applies to no proxy.",
		Do:  "Use kind Dataplane with a label for the service and one for each tag. Set sectionName if the service is only one of the inbounds.",
	},
	{
		ID: "K3-004", Effect: Breaks, Paths: at("spec.targetRef.kind", allPolicies...), When: is(kuma.KindMeshGateway),
		Doc: "Proxies are selected by kind MeshGateway. Kuma 3.0 has no builtin gateways and rejects the kind. A stored policy applies to no proxy.",
		Do:  "For a delegated gateway, use kind Dataplane with labels. Delete policies that only apply to builtin gateways.",
	},
	{
		ID: "K3-005", Effect: Breaks, Paths: at("spec.targetRef.kind", allPolicies...), When: is(kuma.KindMeshHTTPRoute),
		Doc: "The policy applies to a MeshHTTPRoute as a whole. Kuma 3.0 rejects that, and a stored policy selects nothing.",
		Do:  "Select Mesh or Dataplane here, and the MeshHTTPRoute by labels in an entry of \"to\". Rate limits per route have no replacement.",
	},
	{
		ID: "K3-006", Effect: Changes, Danger: Widens, Paths: at("spec.targetRef.name", allPolicies...), When: onTop(kuma.KindDataplane, tree.Node.Filled),
		Doc: "A single Dataplane is selected by name. Kuma 3.0 silently drops the name, and the policy applies to every Dataplane of its zone or mesh.",
		Do:  "Select by a label that only this Dataplane has. You can use kuma.io/display-name if you set it on the Dataplane first: 2.14 only uses stored labels. In a policy from the global control plane, add kuma.io/zone.",
	},
	{
		ID: "K3-007", Effect: Changes, Danger: Widens, Paths: at("spec.targetRef.namespace", allPolicies...),
		When: onTop(kuma.KindDataplane, func(n tree.Node) bool { return n.Filled() && topRefOf(n).Get("labels").Empty() }),
		Doc:  "Dataplanes are selected by namespace. Kuma 3.0 silently drops the namespace, and the policy applies to every Dataplane.",
		Do:   "Select by the label k8s.kuma.io/namespace.",
	},
	{
		ID: "K3-008", Effect: Changes, Danger: Widens, Paths: at("spec.targetRef.proxyTypes", allPolicies...), When: onTop(kuma.KindMesh, oneProxyType),
		Doc: "The policy is limited to one type of proxies. Kuma 3.0 silently drops proxyTypes, and the policy applies to both sidecars and delegated gateways.",
		Do:  "Add a label of your own to the sidecars or to the gateways, and select kind Dataplane with that label. The upgrade removes kuma.io/proxy-type.",
	},
	{
		ID: "K3-009", Effect: Changes, Unannounced: true,
		Paths: slices.Concat(
			at("spec.targetRef.labels"+proxyType, allPolicies...),
			at("spec.to[].targetRef.labels"+proxyType, withTo...),
			at("spec.selector.dataplaneLabels.matchLabels"+proxyType, kuma.KindMeshService),
			at("spec.selector.dataplane.matchLabels"+proxyType, kinds.MeshIdentity.Name),
		),
		Doc: "Proxies are selected by the label kuma.io/proxy-type, which Kuma 3.0 removes from a Dataplane when it is next written. Then nothing is selected.",
		Do:  "Add a label of your own to the Dataplanes, and select by that label.",
	},
	{
		ID: "K3-020", Effect: Breaks, Paths: at("spec.to[].targetRef", withTo...), When: func(n tree.Node) bool { return namesDestination(n) && !namesLegacyService(n) },
		Doc:     "The destination is referenced by name. Kuma 3.0 rejects that. In a stored policy the entry silently has no effect.",
		Do:      "Add the label kuma.io/display-name to the destination, then refer to it by labels. Add kuma.io/zone if the name exists in several zones: a name refers to the zone of the policy, labels refer to all zones.",
		Instead: byDisplayName,
	},
	{
		ID: "K3-021", Effect: Breaks, Paths: at("spec.to[].targetRef", withTo...), When: namesLegacyService,
		Doc:     "The destination is the kuma.io/service of a Kubernetes service. Kuma 3.0 rejects references by name, and in a stored policy the entry has no effect.",
		Do:      "Refer to the MeshService by labels, and to its port by sectionName: the name of the port or, without a name, its number as a string.",
		Instead: byNamespace,
	},
	{
		ID: "K3-024", Effect: Breaks, Paths: at("spec.to[].targetRef.kind", withTo...),
		When: is(kuma.KindMeshSubset, kuma.KindMeshServiceSubset, kuma.KindMeshGateway, kuma.KindDataplane),
		Doc:  "This kind is not a destination. Kuma 2.14 already rejects it, and in Kuma 3.0 a stored entry has no effect.",
		Do:   "Remove the entry, or refer to a service by labels.",
	},
	{
		ID: "K3-026", Effect: Cosmetic, Paths: at("spec.to[].targetRef.proxyTypes", withTo...),
		Doc: "A destination has proxyTypes, which has no effect and which Kuma 3.0 drops.",
		Do:  "Remove proxyTypes.",
	},
}

// topRefOf returns the top-level reference of the policy that contains n.
func topRefOf(n tree.Node) tree.Node { return n.Root().Get("spec", "targetRef") }

// onTop limits a condition to a kind of the top-level reference.
func onTop(kind string, when func(tree.Node) bool) func(tree.Node) bool {
	return func(n tree.Node) bool { return policy.TopKind(n.Root().Get("spec")) == kind && when(n) }
}

// oneProxyType reports whether a list certainly contains only sidecars or only
// gateways.
func oneProxyType(n tree.Node) bool {
	seen := map[string]bool{}
	for _, t := range n.Items() {
		s, ok := t.Text()
		if !ok {
			return false
		}
		seen[s] = true
	}
	return len(seen) == 1
}

// namesDestination reports whether a reference uses a name where 3.0 requires labels.
func namesDestination(ref tree.Node) bool {
	return (isService(ref.Get("kind")) || isRoute(ref.Get("kind"))) && ref.Get("name").Filled()
}

var (
	isService = is(kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService)
	isRoute   = is(kuma.KindMeshHTTPRoute)
)

// namesLegacyService reports whether a name is one that Kuma generated for services on
// Kubernetes: name_namespace_svc_port, or the same without port.
func namesLegacyService(ref tree.Node) bool {
	_, _, ok := kuma.ParseTargetRef(ref.Value()).LegacyService()
	return ok
}

func byDisplayName(ref tree.Node) string {
	name, _ := ref.Get("name").Text()
	if name == "" {
		return ""
	}
	labels := fmt.Sprintf("%s: %s", kuma.LabelDisplayName, name)
	if ns, _ := ref.Get("namespace").Text(); ns != "" {
		labels += fmt.Sprintf(", %s: %s", kuma.LabelK8sNamespace, ns)
	}
	return fmt.Sprintf("Here: labels {%s}.", labels)
}

func byNamespace(ref tree.Node) string {
	labels, port, _ := kuma.ParseTargetRef(ref.Value()).LegacyService()
	here := fmt.Sprintf("Here: labels {%s: %s, %s: %s}", kuma.LabelDisplayName, labels[kuma.LabelDisplayName], kuma.LabelK8sNamespace, labels[kuma.LabelK8sNamespace])
	if port != 0 {
		here += fmt.Sprintf(" and the port with number %d", port)
	}
	return here + "."
}
