package kuma3

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// endpoint leads from the settings of a policy to the addresses of
// OpenTelemetry collectors.
const endpoint = ".backends[].openTelemetry.endpoint"

// policies are the conditions on the settings of single kinds of policies.
var policies = []Condition{
	{
		ID: "K3-050", Effect: Changes, Paths: at("spec.to[].default.healthyPanicThreshold", kinds.MeshHealthCheck.Name),
		Doc: "The panic threshold is part of the health check. Kuma 3.0 drops it without a word, and the threshold is back at 50 %.",
		Do:  "Set healthyPanicThreshold in outlierDetection of a MeshCircuitBreaker for the same destinations.",
	},
	{
		ID: "K3-051", Effect: Breaks,
		Paths: slices.Concat(
			at("spec.to[].default"+endpoint, kinds.MeshAccessLog.Name),
			at("spec.from[].default"+endpoint, kinds.MeshAccessLog.Name),
			at("spec.rules[].default"+endpoint, kinds.MeshAccessLog.Name),
			at("spec.default"+endpoint, kinds.MeshMetric.Name, kinds.MeshTrace.Name),
		),
		Doc: "The collector is given by endpoint. Kuma 3.0 drops that and then refuses the policy, and a stored one has no such backend.",
		Do:  "Describe the collector in a MeshOpenTelemetryBackend with the same address and port, and point backendRef at it by labels.",
	},
	{
		ID: "K3-052", Effect: Changes,
		Paths: slices.Concat(
			at("spec.to[].default.loadBalancer.ringHash.hashPolicies", kinds.MeshLoadBalancingStrategy.Name),
			at("spec.to[].default.loadBalancer.maglev.hashPolicies", kinds.MeshLoadBalancingStrategy.Name),
		),
		Doc: "The hash policies are inside the algorithm. Kuma 3.0 drops them without a word, and nothing is hashed.",
		Do:  "Move the list to hashPolicies of the entry's default, and remove it here: both together are refused.",
	},
	{
		ID: "K3-053", Effect: Breaks, Unannounced: true,
		Paths: slices.Concat(
			at("spec.to[].default.hashPolicies[].type", kinds.MeshLoadBalancingStrategy.Name),
			at("spec.to[].default.loadBalancer.ringHash.hashPolicies[].type", kinds.MeshLoadBalancingStrategy.Name),
			at("spec.to[].default.loadBalancer.maglev.hashPolicies[].type", kinds.MeshLoadBalancingStrategy.Name),
		),
		When: is("SourceIP"),
		Doc:  "The address of the client is hashed by type SourceIP. Kuma 3.0 refuses that, and a stored entry has no effect.",
		Do:   "Write type Connection with connection {sourceIP: true}.",
	},
	{
		ID: "K3-110", Effect: Breaks, Unannounced: true, Paths: at("", kinds.MeshTimeout.Name),
		When: func(doc tree.Node) bool {
			return namedAfterMesh(doc, "mesh-timeout-all-") && doc.Get("spec", "to").Filled()
		},
		Doc: "A control plane creates this policy, with \"to\" and \"from\" in one. When Kuma 3.0 starts it takes \"to\" out, finds nothing left, and fails to set up the defaults of the mesh again and again.",
		Do:  "Split it before the upgrade: mesh-timeout-all-<mesh> with \"rules\" for kind Mesh, mesh-timeout-to-all-<mesh> with \"to\". Or delete it; it is not created again.",
	},
	{
		ID: "K3-111", Effect: Changes, Unannounced: true, Paths: at("", kinds.MeshTimeout.Name),
		When: func(doc tree.Node) bool {
			return namedAfterMesh(doc, "mesh-gateways-timeout-all-") || namedAfterMesh(doc, "mesh-gateways-timeout-to-all-")
		},
		Doc: "Kuma 3.0 deletes a policy of this name when it starts, even one that you changed.",
		Do:  "Keep what you need in a policy of another name, for kind Dataplane with a label of your gateways.",
	},
}

// namedAfterMesh reports whether a document has the name of a default of its mesh.
func namedAfterMesh(doc tree.Node, prefix string) bool {
	name, _ := doc.Get("name").Text()
	meshName, ok := doc.Get("mesh").Text()
	return ok && name == prefix+meshName
}

// AcceptsPlainText reports whether a resource is a policy that lets proxies
// accept plain traffic, also in Kuma 3.0, which reads its rules only.
func AcceptsPlainText(r kuma.Resource) bool {
	if r.Type != kinds.MeshTLS.Name {
		return false
	}
	for _, mode := range tree.Root(r.Document()).Find("spec.rules[].default.mode") {
		if s, _ := mode.Text(); s == "Permissive" {
			return true
		}
	}
	return false
}
