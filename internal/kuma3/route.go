package kuma3

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// routes contains the conditions on routes.
var routes = []Condition{
	{
		ID: "K3-025", Effect: Rejects, Paths: at("spec.to[].targetRef.kind", kuma.KindMeshHTTPRoute, kuma.KindMeshTCPRoute),
		When:   is(kuma.KindMesh),
		Doc:    "The route belongs to a builtin gateway.",
		Stored: "In a stored route, the entry has no effect.",
		Do:     "Or delete the route, and configure your own gateway.",
	},
	{
		ID: "K3-040", Effect: Outage, Paths: backends(".kind"), When: is(kuma.KindMeshServiceSubset), MeasuredWrite: true,
		Doc: "The traffic goes to a MeshServiceSubset.",
		Stored: "In a stored route it does not resolve: " +
			"its share of the HTTP requests is answered with 500, and its share of the TCP connections fails.",
		Do: "Create one MeshService per subset, and refer to its port. Repeat for it the circuit breakers, health checks and " +
			"connection timeouts of the service.",
	},
	{
		ID: "K3-041", Effect: Outage, Paths: backends(".name"), When: namesDestination, MeasuredWrite: true,
		Doc: "The traffic goes to a service by name.",
		Stored: "In a stored route it does not resolve: " +
			"its share of the HTTP requests is answered with 500, and its share of the TCP connections fails.",
		Do:      "Keep the port. Add kuma.io/zone if the name exists in several zones: of several services, a route uses the oldest.",
		Instead: byDisplayName,
	},
	{
		ID: "K3-044", Effect: Rejects, Paths: at("spec.to[].hostnames", kuma.KindMeshHTTPRoute),
		Doc:    "The route has host names, which only builtin gateways use.",
		Stored: "In a stored route, they have no effect.",
	},
	{
		ID: "K3-045", Effect: Rejects, Paths: at("spec.to[].rules[].default.filters[].urlRewrite.hostToBackendHostname", kuma.KindMeshHTTPRoute),
		Doc:    "The host header is set to that of the destination, which only builtin gateways support.",
		Stored: "In a stored route, it has no effect.",
	},
	{
		ID: "K3-046", Effect: Rejects, Undeclared: true, Written: Rejected, Paths: backends(".weight"), MeasuredWrite: true,
		When:   func(n tree.Node) bool { weight, ok := n.Int(); return ok && weight > math.MaxUint32 },
		Doc:    "The weight is above 4294967295.",
		Stored: "A stored route does not change.",
		Do:     "Divide all weights of the list by the same number.",
	},
	{
		ID: "K3-204", Effect: Outage, Undeclared: true, Paths: at("spec.to[].rules[].default.backendRefs", kuma.KindMeshHTTPRoute),
		MeasuredWrite: true,
		When: func(n tree.Node) bool {
			return n.Known() && len(n.Items()) == 0 && !policy.Redirects(parent(n).Get("filters"))
		},
		Doc:    "The list of destinations of the rule is empty. In 2.14, the requests go to the service that was called.",
		Stored: "Kuma 3.0 responds to them with 500.",
		Do:     "Remove backendRefs.",
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
