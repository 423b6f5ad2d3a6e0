package kuma3

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// endpoint is the path from the settings of a policy to the addresses of OpenTelemetry
// collectors.
const endpoint = ".backends[].openTelemetry.endpoint"

// policies contains the conditions on the settings of single kinds of policies.
var policies = []Condition{
	{
		ID: "K3-050", Effect: Changes, Paths: at("spec.to[].default.healthyPanicThreshold", kinds.MeshHealthCheck.Name),
		Doc: "The panic threshold is part of the health check. Kuma 3.0 silently drops it, and the threshold falls back to 50 %.",
		Do:  "It belongs to outlierDetection, for the same destinations.",
	},
	{
		ID: "K3-051", Effect: Breaks,
		Paths: slices.Concat(
			at("spec.to[].default"+endpoint, kinds.MeshAccessLog.Name),
			at("spec.from[].default"+endpoint, kinds.MeshAccessLog.Name),
			at("spec.rules[].default"+endpoint, kinds.MeshAccessLog.Name),
			at("spec.default"+endpoint, kinds.MeshMetric.Name, kinds.MeshTrace.Name),
		),
		Doc: "The collector is set by endpoint. Kuma 3.0 drops the endpoint and then rejects the policy. A stored policy loses the backend.",
		Do:  "Use the same address and port, and refer to it by labels.",
	},
	{
		ID: "K3-052", Effect: Changes,
		Paths: slices.Concat(
			at("spec.to[].default.loadBalancer.ringHash.hashPolicies", kinds.MeshLoadBalancingStrategy.Name),
			at("spec.to[].default.loadBalancer.maglev.hashPolicies", kinds.MeshLoadBalancingStrategy.Name),
		),
		Doc: "The hash policies are set inside the algorithm. Kuma 3.0 silently drops them, and nothing is hashed.",
		Do:  "Setting both is rejected.",
	},
	{
		ID: "K3-053", Effect: Breaks, Unannounced: true,
		Paths: slices.Concat(
			at("spec.to[].default.hashPolicies[].type", kinds.MeshLoadBalancingStrategy.Name),
			at("spec.to[].default.loadBalancer.ringHash.hashPolicies[].type", kinds.MeshLoadBalancingStrategy.Name),
			at("spec.to[].default.loadBalancer.maglev.hashPolicies[].type", kinds.MeshLoadBalancingStrategy.Name),
		),
		When: is("SourceIP"),
		Doc:  "The address of the client is hashed by type SourceIP. Kuma 3.0 rejects that, and a stored entry has no effect.",
	},
	{
		ID: "K3-110", Effect: Breaks, Unannounced: true, Undeclared: true, Paths: at("", kinds.MeshTimeout.Name),
		When: func(doc tree.Node) bool {
			return namedAfterMesh(doc, "mesh-timeout-all-") && doc.Get("spec", "to").Filled()
		},
		Doc: "A control plane creates this policy, with both \"to\" and \"from\". When Kuma 3.0 starts, it removes \"to\", finds an empty policy, and repeatedly fails to set up the defaults of the mesh.",
		Do:  "Before the upgrade, split it into mesh-timeout-all-<mesh> with \"rules\" for kind Mesh and mesh-timeout-to-all-<mesh> with \"to\". Or delete it; it is not created again.",
	},
	{
		ID: "K3-111", Effect: Changes, Unannounced: true, Undeclared: true, Paths: at("", kinds.MeshTimeout.Name),
		When: func(doc tree.Node) bool {
			return namedAfterMesh(doc, "mesh-gateways-timeout-all-") || namedAfterMesh(doc, "mesh-gateways-timeout-to-all-")
		},
		Doc: "Kuma 3.0 deletes a policy with this name when it starts, even if you changed the policy.",
		Do:  "Move what you need to a policy with another name, for kind Dataplane with a label of your gateways.",
	},
}

// namedAfterMesh reports whether a document has the name of a default policy of its
// mesh.
func namedAfterMesh(doc tree.Node, prefix string) bool {
	name, _ := doc.Get("name").Text()
	meshName, ok := doc.Get("mesh").Text()
	return ok && name == prefix+meshName
}

// AcceptsPlainText reports whether a resource is a policy that makes proxies
// accept plaintext, also in Kuma 3.0, which only reads its rules.
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
