package kinds

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshTCPRoute decides where TCP connections go.
var MeshTCPRoute = spec.Kind{
	Name: "MeshTCPRoute", Path: "meshtcproutes", ShortName: "mtcpr",
	ZoneOwned: true, GlobalOwned: true,
	Doc:    "Sends TCP connections to other destinations, in shares. On a port that speaks HTTP, the connections are handled as plain TCP.",
	Policy: &spec.Policy{Order: 200, To: true},
	Fields: spec.Object{
		topRefByRole(mesh.KindMesh, mesh.KindDataplane, mesh.KindMeshGateway, mesh.KindMeshSubset, mesh.KindMeshService, mesh.KindMeshServiceSubset),
		tcpRoutes(),
	},
	Checks: spec.Checks(routeDestinations),
	Design: spec.Checks(oneDestination),
}

// tcpRoutes may be left out, but not be an empty list.
func tcpRoutes() spec.Field {
	f := routes(spec.Field{
		Name: "rules", Required: true, Type: spec.List{Elem: tcpRule}, Checks: spec.Checks(spec.Items(0, 1)), Design: spec.Checks(routeByTag),
		Doc: "The route, one at most. An empty list sends the connections to proxies whose tag `kuma.io/service` has the name of the destination.",
	})
	f.Checks = spec.Checks(spec.Items(1, maxItems))
	return f
}

var tcpRule = spec.Object{
	{Name: "default", Required: true, Doc: "What happens with the connections.", Type: spec.Object{
		{
			Name: "backendRefs", Required: true, Type: spec.List{Elem: backend}, Checks: spec.Checks(spec.Items(1, maxItems), backendChecks), Design: destinations, Readiness: backendReadiness("[]"),
			Doc: "Where the connections go, in shares given by `weight`.",
		},
	}},
}

// routeByTag warns of a route that says nothing, which is not the same as none.
var routeByTag = spec.Check{Test: func(n spec.Node) []spec.Problem {
	if !n.Empty() {
		return nil
	}
	return []spec.Problem{n.Warning("The destination is read as a tag", "Without a rule, connections go to the proxies whose tag kuma.io/service has the name of the destination. Add a rule, or remove the entry.")}
}}
