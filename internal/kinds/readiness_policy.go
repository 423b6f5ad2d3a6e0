package kinds

import (
	"fmt"
	"math"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// This file holds the conditions of Kuma 3.0 on references and sections that
// policies share (kuma3.md §3, §4).

// topReadiness are the conditions on the reference to the proxies.
var topReadiness = []def.Condition{
	{
		ID: "K3-001", Effect: def.Breaks, At: "kind", When: def.Is(kuma.KindMeshSubset),
		Doc: "Proxies are selected by kind MeshSubset. Kuma 3.0 refuses that, and a stored policy then applies to no proxy.",
		Do: "Use kind Dataplane with labels; what selects a proxy now must be a label of its Dataplane first, which kuma.io/zone is already. Without tags and proxyTypes, use kind Mesh. " +
			"MeshSubset picks single inbounds, Dataplane all of them unless sectionName names one.",
	},
	{
		ID: "K3-002", Effect: def.Breaks, At: "kind", When: def.Is(kuma.KindMeshService),
		Doc: "Proxies are selected by kind MeshService. Kuma 3.0 refuses that, and a stored policy then applies to no proxy.",
		Do:  "Use kind Dataplane with a label that the proxies of the service have in common, such as kuma.io/workload. Add sectionName if the service is only one of their inbounds.",
	},
	{
		ID: "K3-003", Effect: def.Breaks, At: "kind", When: def.Is(kuma.KindMeshServiceSubset),
		Doc: "Proxies are selected by kind MeshServiceSubset. Kuma 3.0 refuses that, and a stored policy then applies to no proxy.",
		Do:  "Use kind Dataplane with a label for the service and one for each tag. Add sectionName if the service is only one of the inbounds.",
	},
	{
		ID: "K3-004", Effect: def.Breaks, At: "kind", When: def.Is(kuma.KindMeshGateway),
		Doc: "Proxies are selected by kind MeshGateway. Kuma 3.0 has no builtin gateway, refuses the kind, and a stored policy then applies to no proxy.",
		Do:  "For a delegated gateway, use kind Dataplane with labels. Delete what is for builtin gateways only.",
	},
	{
		ID: "K3-005", Effect: def.Breaks, At: "kind", When: def.Is(kuma.KindMeshHTTPRoute),
		Doc: "The policy is for a MeshHTTPRoute as a whole. Kuma 3.0 refuses that, and a stored policy then selects nothing.",
		Do:  "Select Mesh or Dataplane here, and the MeshHTTPRoute by labels in an entry of \"to\". Rate limits per route have no successor.",
	},
	{
		ID: "K3-006", Effect: def.Changes, Danger: def.Widens, At: "name", When: onTop(kuma.KindDataplane, tree.Node.Filled),
		Doc: "One Dataplane is selected by name. Kuma 3.0 drops the name without a word, and the policy applies to every Dataplane of its zone or mesh.",
		Do: "Select by a label that only this Dataplane has. kuma.io/display-name will do if you set it on the Dataplane first: 2.14 looks at stored labels only. " +
			"In a policy from the global control plane, add kuma.io/zone.",
	},
	{
		ID: "K3-007", Effect: def.Changes, Danger: def.Widens, At: "namespace",
		When: onTop(kuma.KindDataplane, func(n tree.Node) bool { return n.Filled() && topRefOf(n).Get("labels").Empty() }),
		Doc:  "Dataplanes are selected by namespace. Kuma 3.0 drops the namespace without a word, and the policy applies to every Dataplane.",
		Do:   "Select by the label k8s.kuma.io/namespace.",
	},
	{
		ID: "K3-008", Effect: def.Changes, Danger: def.Widens, At: "proxyTypes", When: onTop(kuma.KindMesh, oneProxyType),
		Doc: "The policy is limited to one type of proxies. Kuma 3.0 drops proxyTypes without a word, and the policy applies to sidecars and delegated gateways alike.",
		Do:  "Put a label of your own on the sidecars or on the gateways, and select kind Dataplane with that label. kuma.io/proxy-type does not survive the upgrade.",
	},
	proxyTypeIsGone("labels"),
}

// topRefOf returns the top-level reference of the policy that n is part of.
func topRefOf(n tree.Node) tree.Node { return n.Root().Get("spec", "targetRef") }

// onTop limits a condition to a kind of the top-level reference.
func onTop(kind string, when func(tree.Node) bool) func(tree.Node) bool {
	return func(n tree.Node) bool { return topKind(n.Root().Get("spec")) == kind && when(n) }
}

// oneProxyType reports whether a list is surely about sidecars or gateways only.
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

// toReadiness are the conditions on the entries for outgoing traffic.
var toReadiness = []def.Condition{
	{
		ID: "K3-020", Effect: def.Breaks, At: "[].targetRef", When: func(n tree.Node) bool { return namesDestination(n) && !namesLegacyService(n) },
		Doc: "The destination is referenced by name. Kuma 3.0 refuses that, and in a stored policy the entry has no effect and no message says so.",
		Do: "Refer to it by labels, after the destination has the label kuma.io/display-name. Add kuma.io/zone when the name exists in several zones: " +
			"a name means the zone of the policy, labels mean all.",
		Instead: byDisplayName,
	},
	{
		ID: "K3-021", Effect: def.Breaks, At: "[].targetRef", When: namesLegacyService,
		Doc:     "The destination is the kuma.io/service of a Kubernetes service. Kuma 3.0 refuses references by name, and in a stored policy the entry has no effect.",
		Do:      "Refer to the MeshService by labels, and to its port by sectionName, which is the name of the port or, without one, its number as text.",
		Instead: byNamespace,
	},
	{
		ID: "K3-024", Effect: def.Breaks, At: "[].targetRef.kind",
		When: def.Is(kuma.KindMeshSubset, kuma.KindMeshServiceSubset, kuma.KindMeshGateway, kuma.KindDataplane),
		Doc:  "This kind is no destination. Kuma 2.14 refuses it already, and in Kuma 3.0 a stored entry has no effect.",
		Do:   "Remove the entry, or refer to a service by labels.",
	},
	{
		ID: "K3-026", Effect: def.Cosmetic, At: "[].targetRef.proxyTypes",
		Doc: "A destination has proxyTypes, which means nothing and is dropped by Kuma 3.0.",
		Do:  "Remove proxyTypes.",
	},
	inEach("[].targetRef.", proxyTypeIsGone("labels")),
}

// inEach moves a condition to below where it is declared.
func inEach(at string, c def.Condition) def.Condition {
	c.At = at + c.At
	return c
}

// namesDestination reports whether a reference goes by name where 3.0 wants
// labels.
func namesDestination(ref tree.Node) bool {
	return (isService(ref.Get("kind")) || isRoute(ref.Get("kind"))) && ref.Get("name").Filled()
}

var (
	isService = def.Is(kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService)
	isRoute   = def.Is(kuma.KindMeshHTTPRoute)
)

// namesLegacyService reports whether a name is one that Kuma gave to services on
// Kubernetes: name_namespace_svc_port, or without port.
func namesLegacyService(ref tree.Node) bool {
	name, _ := ref.Get("name").Text()
	parts := strings.Count(name, "_") + 1
	return def.Is(kuma.KindMeshService)(ref.Get("kind")) && (parts == 3 || parts == 4)
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
	name, _ := ref.Get("name").Text()
	parts := strings.Split(name, "_")
	here := fmt.Sprintf("Here: labels {%s: %s, %s: %s}", kuma.LabelDisplayName, parts[0], kuma.LabelK8sNamespace, parts[1])
	if len(parts) == 4 {
		here += fmt.Sprintf(" and the port with number %s", parts[3])
	}
	return here + "."
}

// routeToMesh is the condition of a route that only a builtin gateway has.
var routeToMesh = def.Condition{
	ID: "K3-025", Effect: def.Breaks, At: "[].targetRef.kind", When: def.Is(kuma.KindMesh),
	Doc: "The route is one of a builtin gateway, which Kuma 3.0 does not have: it refuses the kind Mesh here, and a stored entry has no effect.",
	Do:  "There is no successor. Route in the gateway product that you put behind a delegated gateway.",
}

// backendReadiness returns the conditions on references to the destinations of
// a route; at leads to them.
func backendReadiness(at string) []def.Condition {
	return []def.Condition{
		{
			ID: "K3-040", Effect: def.Breaks, At: at, When: func(ref tree.Node) bool { return def.Is(kuma.KindMeshServiceSubset)(ref.Get("kind")) },
			Doc: "The traffic goes to a MeshServiceSubset. Kuma 3.0 refuses that and drops a stored one: a rule that is left without destination answers HTTP requests with 500 and leads TCP connections nowhere.",
			Do:  "Create one MeshService per subset, and refer to it by labels and port.",
		},
		{
			ID: "K3-041", Effect: def.Breaks, At: at, When: func(ref tree.Node) bool { return isService(ref.Get("kind")) && ref.Get("labels").Empty() },
			Doc:     "The traffic goes to a service by name. Kuma 3.0 refuses that and does not resolve a stored one: a rule that is left without destination answers HTTP requests with 500 and leads TCP connections nowhere.",
			Do:      "Refer to the service by labels and keep port or sectionName, after the service has the label kuma.io/display-name.",
			Instead: byDisplayName,
		},
		{
			ID: "K3-046", Effect: def.Breaks, Unannounced: true, At: at + ".weight",
			When: func(n tree.Node) bool { weight, ok := n.Int(); return ok && weight > math.MaxUint32 },
			Doc:  "The weight is above 4294967295, which Kuma 3.0 refuses.",
			Do:   "Divide all weights of the list by the same number.",
		},
	}
}

// fromReadiness are the conditions of a policy whose entries of `from` become
// `rules` one by one.
var fromReadiness = []def.Condition{
	{
		ID: "K3-030", Effect: def.Breaks, At: "spec.from", When: func(n tree.Node) bool { return n.Filled() && n.Root().Get("spec", "to").Empty() },
		Doc: "All settings are in \"from\". Kuma 3.0 does not read it: the policy is refused because nothing is left, and a stored one configures no incoming traffic.",
		Do:  "Write \"rules\" with one entry {default: …} for each entry of \"from\".",
	},
	{
		ID: "K3-031", Effect: def.Changes, At: "spec.from", When: func(n tree.Node) bool { return n.Filled() && n.Root().Get("spec", "to").Filled() },
		Doc: "Kuma 3.0 drops \"from\" without a word, and only \"to\" is left.",
		Do:  "Split the policy in two, one with \"rules\" and one with \"to\": both together are refused.",
	},
}

// toIsForMesh is the condition of a policy whose `to` is for all proxies.
var toIsForMesh = def.Condition{
	ID: "K3-011", Effect: def.Breaks, At: "spec.to",
	When: func(n tree.Node) bool {
		top := topKind(n.Root().Get("spec"))
		return n.Filled() && top != "" && top != kuma.KindMesh
	},
	Doc: "There are entries in \"to\", and the policy is not for the whole mesh. Kuma 3.0 refuses that.",
	Do:  "Select kind Mesh, which applies to more proxies, or drop \"to\".",
}
