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
		Do:  "Or delete the route, and configure your own gateway.",
	},
	{
		ID: "K3-040", Effect: Breaks, Paths: backends(".kind"), When: is(kuma.KindMeshServiceSubset),
		Doc: "The traffic goes to a MeshServiceSubset. Kuma 3.0 rejects that and drops a stored one: a rule without any other destination responds to HTTP requests with 500 and fails TCP connections.",
		Do:  "Create one MeshService per subset.",
	},
	{
		ID: "K3-041", Effect: Breaks, Paths: backends(".name"), When: namesDestination,
		Doc:     "The traffic goes to a service by name. Kuma 3.0 rejects that and does not resolve a stored one: a rule without any other destination responds to HTTP requests with 500 and fails TCP connections.",
		Do:      "Add the label to the service first, and keep port or sectionName.",
		Instead: byDisplayName,
	},
	{
		ID: "K3-044", Effect: Breaks, Paths: at("spec.to[].hostnames", kuma.KindMeshHTTPRoute),
		Doc: "The route has host names, which only builtin gateways use. Kuma 3.0 rejects them.",
	},
	{
		ID: "K3-045", Effect: Breaks, Paths: at("spec.to[].rules[].default.filters[].urlRewrite.hostToBackendHostname", kuma.KindMeshHTTPRoute),
		Doc: "The host header is set to that of the destination, which only builtin gateways support. Kuma 3.0 rejects it.",
	},
	{
		ID: "K3-046", Effect: Breaks, Unannounced: true, Undeclared: true, Paths: backends(".weight"),
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
