package kinds

import (
	"encoding/json"
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// routes describes the routes of a kind, one entry per destination.
func routes(fields ...spec.Field) spec.Field {
	f := entries("to", "Routes, one entry per destination that clients call.", "The destination that clients call. With MeshGateway as top-level reference it is always Mesh.",
		[]string{mesh.KindMesh, mesh.KindMeshService, mesh.KindMeshExternalService, mesh.KindMeshMultiZoneService}, fields...)
	f.Readiness = append(toReadiness[:len(toReadiness):len(toReadiness)], routeToMesh)
	return f
}

// routeDestinations: the routes of a gateway are for its listeners, all others
// for a service.
var routeDestinations = spec.Check{
	Doc: "With MeshGateway as top-level reference `to` takes Mesh only, else MeshService, MeshExternalService and MeshMultiZoneService.",
	Test: func(n spec.Node) []spec.Problem {
		switch top := topKind(n); top {
		case "":
			return nil
		case mesh.KindMeshGateway:
			return narrowTo(n, top, mesh.KindMesh)
		default:
			return narrowTo(n, top, mesh.KindMeshService, mesh.KindMeshExternalService, mesh.KindMeshMultiZoneService)
		}
	},
}

// backend is one destination of a route.
var backend = spec.TargetRef([]string{mesh.KindMeshService, mesh.KindMeshServiceSubset, mesh.KindMeshExternalService, mesh.KindMeshMultiZoneService}, backendMembers...)

// backendChecks are the rules for each destination of a route.
var backendChecks = spec.Each(spec.ReferenceMembers(), multiZonePort)

// backendMembers are what a reference to a destination of a route holds on top
// of other references.
var backendMembers = []spec.Field{
	{
		Name: "weight", Type: spec.Int, Default: json.Number("1"), Checks: spec.Checks(spec.Limit(0, math.MaxInt64)),
		Doc: "Share of the traffic, relative to the other destinations of the list. It is `1` when unset, and `0` sends none; not all of them can be `0`.",
	},
	{
		Name: "port", Type: spec.Int, Checks: spec.Checks(spec.Limit(0, math.MaxInt32)), Design: spec.Checks(spec.Between(1, maxPort)),
		Doc: "Port of the destination. MeshMultiZoneService needs it, and MeshService needs it or `section_name`: without both, the name is read as a value of the tag `kuma.io/service`.",
	},
}

var multiZonePort = spec.Check{Test: func(n spec.Node) []spec.Problem {
	port := n.Get("port")
	if kind, _ := n.Get("kind").Text(); kind != mesh.KindMeshMultiZoneService || !port.Absent() {
		return nil
	}
	return []spec.Problem{port.Problem("port is missing", "A reference to a MeshMultiZoneService needs the port that the traffic goes to.")}
}}
