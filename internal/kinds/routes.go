package kinds

import (
	"encoding/json"
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// routes describes the routes of a kind, one entry per destination.
func routes(fields ...def.Field) def.Field {
	return entries("to", "Routes, one entry per destination that clients call.", "The destination that clients call. With MeshGateway as top-level reference it is always Mesh.",
		[]string{kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService}, fields...)
}

// routeDestinations: the routes of a gateway are for its listeners, all others
// for a service.
var routeDestinations = def.Check{
	Doc: "With MeshGateway as top-level reference `to` takes Mesh only, else MeshService, MeshExternalService and MeshMultiZoneService.",
	Test: func(n tree.Node) []def.Problem {
		switch top := TopKind(n); top {
		case "":
			return nil
		case kuma.KindMeshGateway:
			return narrowTo(n, top, kuma.KindMesh)
		default:
			return narrowTo(n, top, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService)
		}
	},
}

// backend is one destination of a route.
var backend = def.TargetRef([]string{kuma.KindMeshService, kuma.KindMeshServiceSubset, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService}, backendMembers...)

// backendChecks are the rules for each destination of a route.
var backendChecks = def.Each(def.ReferenceMembers(), multiZonePort)

// backendMembers are what a reference to a destination of a route holds on top
// of other references.
var backendMembers = []def.Field{
	{
		Name: "weight", Type: def.Int, Default: json.Number("1"), Checks: def.Checks(def.Limit(0, math.MaxInt64)),
		Doc: "Share of the traffic, relative to the other destinations of the list. It is `1` when unset, and `0` sends none; not all of them can be `0`.",
	},
	{
		Name: "port", Type: def.Int, Checks: def.Checks(def.Limit(0, math.MaxInt32)), Design: def.Checks(def.Between(1, maxPort)),
		Doc: "Port of the destination. MeshMultiZoneService needs it, and MeshService needs it or `section_name`: without both, the name is read as a value of the tag `kuma.io/service`.",
	},
}

var multiZonePort = def.Check{Test: func(n tree.Node) []def.Problem {
	port := n.Get("port")
	if kind, _ := n.Get("kind").Text(); kind != kuma.KindMeshMultiZoneService || !port.Absent() {
		return nil
	}
	return []def.Problem{def.ErrorAt(port, "port is missing", "A reference to a MeshMultiZoneService needs the port that the traffic goes to.")}
}}
