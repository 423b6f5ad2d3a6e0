package kuma3

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var (
	allPolicies = kinds.PolicyTypes()
	withTo      = slices.DeleteFunc(kinds.PolicyTypes(), func(name string) bool {
		k, _ := kinds.Find(name)
		return !k.Policy.To
	})
)

// references contains the conditions on the references of policies (kuma3.md §3).
var references = []Condition{
	selectsBy("K3-001", kuma.KindMeshSubset,
		"First replace the tags that select the proxies with labels of their Dataplanes; kuma.io/zone is a label already. "+
			"Without tags and proxyTypes, use kind Mesh. "+
			"MeshSubset selects single inbounds, Dataplane selects all of them unless sectionName is set."),
	selectsBy("K3-002", kuma.KindMeshService,
		"A label that the proxies of a service have in common is kuma.io/workload. "+
			"Set sectionName if the service is only one of their inbounds."),
	selectsBy("K3-003", kuma.KindMeshServiceSubset,
		"Use one label for the service and one for each tag. Set sectionName if the service is only one of the inbounds."),
	selectsBy("K3-004", kuma.KindMeshGateway,
		"Delete policies that only apply to builtin gateways, which have no successor. "+
			"Whether a gateway of your own must list inbounds to be selected is open (K3-222)."),
	{
		ID: "K3-005", Effect: Changes, Paths: at("spec.targetRef.kind", allPolicies...), When: is(kuma.KindMeshHTTPRoute), MeasuredWrite: true,
		MeasuredStored: true,
		Doc:            "The policy applies to a MeshHTTPRoute as a whole.",
		Stored:         "A stored policy selects nothing.",
		Do: "Select the proxies as the route does, and the MeshHTTPRoute by labels in an entry of \"to\". " +
			"Rate limits per route have no replacement.",
	},
	{
		ID: "K3-006", Effect: Widens, Paths: at("spec.targetRef.name", allPolicies...), When: onTop(kuma.KindDataplane), MeasuredStored: true,
		Doc:    "A single Dataplane is selected by name.",
		Stored: "In a stored policy, the name is not read: the policy applies to every Dataplane of its zone or mesh.",
		Do: "Set the label on the Dataplane first: 2.14 only uses stored labels. " +
			"In a policy from the global control plane, add kuma.io/zone.",
	},
	{
		ID: "K3-007", Effect: Widens, Paths: at("spec.targetRef.namespace", allPolicies...), When: onTop(kuma.KindDataplane),
		MeasuredStored: true,
		Doc:            "Dataplanes are selected by namespace, which only those from Kubernetes have.",
		Stored:         "In a stored policy, the namespace is not read: the policy applies to every Dataplane.",
		Do:             "In a policy from the global control plane, add kuma.io/zone.",
	},
	{
		ID: "K3-008", Effect: Widens, Paths: at("spec.targetRef.proxyTypes", allPolicies...), When: oneProxyType, MeasuredStored: true,
		Doc:    "The policy is limited to one type of proxies.",
		Stored: "In a stored policy, proxyTypes is not read: the policy applies to all proxies.",
		Do: "Without gateways in the mesh, remove proxyTypes from a policy for sidecars, and delete a policy for gateways. " +
			"Or select a label of your own: 3.0 removes kuma.io/proxy-type.",
	},
	{
		ID: "K3-020", Effect: Changes, Paths: at("spec.to[].targetRef.name", withTo...),
		When: func(n tree.Node) bool { return namesDestination(n) && !namesLegacyService(n) }, MeasuredWrite: true, MeasuredStored: true,
		Doc:    "The destination is referenced by name.",
		Stored: "In a stored policy, the entry silently has no effect.",
		Do: "Add the label to the destination first. Add kuma.io/zone if the name exists in several zones: " +
			"a name refers to the zone of the policy, labels refer to all zones.",
		Instead: byDisplayName,
	},
	{
		ID: "K3-021", Effect: Changes, Paths: at("spec.to[].targetRef.name", withTo...), When: namesLegacyService, MeasuredWrite: true,
		Doc:     "The destination is the kuma.io/service of a Kubernetes service.",
		Stored:  "In a stored policy, the entry silently has no effect.",
		Do:      "Refer to the port by sectionName: the name of the port or, without a name, its number as a string.",
		Instead: byNamespace,
	},
	{
		ID: "K3-024", Effect: Rejects, Paths: at("spec.to[].targetRef.kind", withTo...),
		When: is(kuma.KindMeshSubset, kuma.KindMeshServiceSubset, kuma.KindMeshGateway), MeasuredWrite: true,
		Doc:    "This kind is not a destination. Kuma 2.14 already rejects it.",
		Stored: "In a stored policy, the entry has no effect.",
		Do:     "Remove the entry, or refer to a service by labels.",
	},
	{
		ID: "K3-026", Effect: Rejects, Paths: otherFields(), When: tree.Node.Complete,
		Doc:    "A reference has a field without effect.",
		Stored: "In a stored document, it is ignored.",
		Do:     "Remove the field.",
	},
}

// selectsBy is the condition on policies that select proxies by a kind of which Kuma 3.0 selects none.
func selectsBy(id, kind, do string) Condition {
	return Condition{
		ID: id, Effect: Changes, Paths: at("spec.targetRef.kind", allPolicies...), When: is(kind), MeasuredWrite: true, MeasuredStored: true,
		Doc: "Proxies are selected by kind " + kind + ".", Stored: "A stored policy applies to no proxy.", Do: do,
	}
}

// otherFields returns the fields of references that earlier conditions are not about.
func otherFields() []DocumentPath {
	var paths []DocumentPath
	for _, field := range []string{"namespace", "tags", "proxyTypes", "mesh"} {
		paths = append(paths, at("spec.targetRef."+field, allPolicies...)...)
		paths = append(paths, at("spec.to[].targetRef."+field, withTo...)...)
		paths = append(paths, backends("."+field)...)
	}
	return paths
}

// onTop limits a condition to a kind of the top-level reference.
func onTop(kind string) func(tree.Node) bool {
	return func(n tree.Node) bool { return policy.TopKind(n.Root().Get("spec")) == kind }
}

// parent returns the object that contains n, as a document of its own.
func parent(n tree.Node) tree.Node { return tree.Root(tree.At(n.Root().Value(), n.Path.Parent())) }

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

// namesDestination reports whether a reference names a destination of traffic.
func namesDestination(name tree.Node) bool { return isDestination(parent(name).Get("kind")) }

var isDestination = is(kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService, kuma.KindMeshHTTPRoute)

// namesLegacyService reports whether a name is one that Kuma generated for services on
// Kubernetes: name_namespace_svc_port, or the same without port.
func namesLegacyService(name tree.Node) bool {
	_, _, ok := kuma.ParseTargetRef(parent(name).Value()).LegacyService()
	return ok
}

func byDisplayName(name tree.Node) string {
	labels := fmt.Sprintf("%s: %v", kuma.LabelDisplayName, name.Value())
	if ns, _ := parent(name).Get("namespace").Text(); ns != "" {
		labels += fmt.Sprintf(", %s: %s", kuma.LabelK8sNamespace, ns)
	}
	return fmt.Sprintf("Here: labels {%s}.", labels)
}

func byNamespace(name tree.Node) string {
	labels, port, _ := kuma.ParseTargetRef(parent(name).Value()).LegacyService()
	here := fmt.Sprintf("Here: labels {%s: %s, %s: %s}", kuma.LabelDisplayName, labels[kuma.LabelDisplayName], kuma.LabelK8sNamespace,
		labels[kuma.LabelK8sNamespace])
	if port != 0 {
		here += fmt.Sprintf(" and the port with number %d", port)
	}
	return here + "."
}
