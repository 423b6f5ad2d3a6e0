package policy

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Routes describes the routes of a kind, one entry per destination.
func Routes(fields ...def.Field) def.Field {
	ref := def.TargetRef([]string{kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService}).
		RemovesKinds(map[string]def.Removal{kuma.KindMesh: def.RemovedIn3("Kuma 3.0 has no builtin gateways. Use a service with labels.")})
	return entriesOf("to", "Routes, one entry per destination that clients call.",
		"The destination that clients call. Must be Mesh with MeshGateway as top-level reference.", ref, fields...)
}

// RouteDestinations checks that the routes of a gateway are for its listeners,
// and all others for a service.
var RouteDestinations = def.Check{
	Doc: "With MeshGateway as top-level reference, `to` accepts only Mesh; with other references it accepts MeshService, " +
		"MeshExternalService and MeshMultiZoneService.",
	Test: func(n tree.Node) []def.Problem {
		switch top := TopKind(n); top {
		case "":
			return nil
		case kuma.KindMeshGateway:
			return RejectDestinations(n, top, kuma.KindMesh)
		default:
			return RejectDestinations(n, top, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService)
		}
	},
}

// OneDestination warns about several destinations in one route, which are
// deprecated. The design rules them out for producers and consumers, although a
// control plane accepts them (measured on 2.14.3).
var OneDestination = def.Check{Test: func(n tree.Node) []def.Problem {
	to := n.Get("to")
	if len(to.Items()) < 2 {
		return nil
	}
	role, _ := n.Root().Get("labels", kuma.LabelPolicyRole).Text()
	const detail = "More than one entry in \"to\" of a route is deprecated. " +
		"Use a separate route for each destination, and refer to each of them in the policies that refer to this one."
	if role == string(kuma.RoleProducer) || role == string(kuma.RoleConsumer) {
		return []def.Problem{def.ErrorAt(to, "Route has several destinations", detail).About(def.SeveralDestinations)}
	}
	return []def.Problem{def.WarningAt(to, "Several destinations are deprecated", detail).About(def.SeveralDestinations)}
}}
