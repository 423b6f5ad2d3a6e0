package kuma3

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// routes are the conditions on routes.
var routes = []Condition{
	{
		ID: "K3-025", Effect: Breaks, Paths: at("spec.to[].targetRef.kind", kuma.KindMeshHTTPRoute, kuma.KindMeshTCPRoute), When: is(kuma.KindMesh),
		Doc: "The route is one of a builtin gateway, which Kuma 3.0 does not have: it refuses the kind Mesh here, and a stored entry has no effect.",
		Do:  "There is no successor. Route in the gateway product that you put behind a delegated gateway.",
	},
	{
		ID: "K3-040", Effect: Breaks, Paths: backends(""), When: func(ref tree.Node) bool { return is(kuma.KindMeshServiceSubset)(ref.Get("kind")) },
		Doc: "The traffic goes to a MeshServiceSubset. Kuma 3.0 refuses that and drops a stored one: a rule that is left without destination answers HTTP requests with 500 and leads TCP connections nowhere.",
		Do:  "Create one MeshService per subset, and refer to it by labels and port.",
	},
	{
		ID: "K3-041", Effect: Breaks, Paths: backends(""), When: func(ref tree.Node) bool { return isService(ref.Get("kind")) && ref.Get("labels").Empty() },
		Doc:     "The traffic goes to a service by name. Kuma 3.0 refuses that and does not resolve a stored one: a rule that is left without destination answers HTTP requests with 500 and leads TCP connections nowhere.",
		Do:      "Refer to the service by labels and keep port or sectionName, after the service has the label kuma.io/display-name.",
		Instead: byDisplayName,
	},
	{
		ID: "K3-044", Effect: Breaks, Paths: at("spec.to[].hostnames", kuma.KindMeshHTTPRoute),
		Doc: "The route has host names, which only builtin gateways use. Kuma 3.0 refuses them.",
		Do:  "Remove the host names.",
	},
	{
		ID: "K3-045", Effect: Breaks, Paths: at("spec.to[].rules[].default.filters[].urlRewrite.hostToBackendHostname", kuma.KindMeshHTTPRoute), When: isTrue,
		Doc: "The host header becomes that of the destination, which only builtin gateways do. Kuma 3.0 refuses it.",
		Do:  "Write the host name in hostname of urlRewrite.",
	},
	{
		ID: "K3-046", Effect: Breaks, Unannounced: true, Paths: backends(".weight"),
		When: func(n tree.Node) bool { weight, ok := n.Int(); return ok && weight > math.MaxUint32 },
		Doc:  "The weight is above 4294967295, which Kuma 3.0 refuses.",
		Do:   "Divide all weights of the list by the same number.",
	},
}

// backends returns the places of references to the destinations of a route, or
// of what is below them.
func backends(below string) []DocumentPath {
	return append(
		at("spec.to[].rules[].default.backendRefs[]"+below, kuma.KindMeshHTTPRoute, kuma.KindMeshTCPRoute),
		at("spec.to[].rules[].default.filters[].requestMirror.backendRef"+below, kuma.KindMeshHTTPRoute)...,
	)
}
