package kuma3

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// routes contains the conditions on routes.
var routes = []Condition{
	{
		ID: "K3-025", Effect: Breaks, Paths: at("spec.to[].targetRef.kind", kuma.KindMeshHTTPRoute, kuma.KindMeshTCPRoute), When: is(kuma.KindMesh),
		Doc: "The route belongs to a builtin gateway. Kuma 3.0 has no builtin gateways: it rejects the kind Mesh here, and a stored entry has no effect.",
		Do:  "There is no replacement. Configure routes in the gateway product that you use with a delegated gateway.",
	},
	{
		ID: "K3-040", Effect: Breaks, Paths: backends(""), When: func(ref tree.Node) bool { return is(kuma.KindMeshServiceSubset)(ref.Get("kind")) },
		Doc: "The traffic goes to a MeshServiceSubset. Kuma 3.0 rejects that and drops a stored one: a rule without any other destination responds to HTTP requests with 500 and fails TCP connections.",
		Do:  "Create one MeshService per subset, and refer to it by labels and port.",
	},
	{
		ID: "K3-041", Effect: Breaks, Paths: backends(""), When: func(ref tree.Node) bool { return isService(ref.Get("kind")) && ref.Get("labels").Empty() },
		Doc:     "The traffic goes to a service by name. Kuma 3.0 rejects that and does not resolve a stored one: a rule without any other destination responds to HTTP requests with 500 and fails TCP connections.",
		Do:      "Add the label kuma.io/display-name to the service, then refer to it by labels and keep port or sectionName.",
		Instead: byDisplayName,
	},
	{
		ID: "K3-044", Effect: Breaks, Paths: at("spec.to[].hostnames", kuma.KindMeshHTTPRoute),
		Doc: "The route has host names, which only builtin gateways use. Kuma 3.0 rejects them.",
		Do:  "Remove the host names.",
	},
	{
		ID: "K3-045", Effect: Breaks, Paths: at("spec.to[].rules[].default.filters[].urlRewrite.hostToBackendHostname", kuma.KindMeshHTTPRoute), When: isTrue,
		Doc: "The host header is set to that of the destination, which only builtin gateways support. Kuma 3.0 rejects it.",
		Do:  "Set the host name in hostname of urlRewrite.",
	},
	{
		ID: "K3-046", Effect: Breaks, Unannounced: true, Paths: backends(".weight"),
		When: func(n tree.Node) bool { weight, ok := n.Int(); return ok && weight > math.MaxUint32 },
		Doc:  "The weight is above 4294967295, which Kuma 3.0 rejects.",
		Do:   "Divide all weights of the list by the same number.",
	},
}

// backends returns the paths of the references to the destinations of a route, or of
// fields below them.
func backends(below string) []DocumentPath {
	return append(
		at("spec.to[].rules[].default.backendRefs[]"+below, kuma.KindMeshHTTPRoute, kuma.KindMeshTCPRoute),
		at("spec.to[].rules[].default.filters[].requestMirror.backendRef"+below, kuma.KindMeshHTTPRoute)...,
	)
}
