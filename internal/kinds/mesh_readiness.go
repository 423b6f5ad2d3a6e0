package kinds

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// meshReadiness are the conditions of Kuma 3.0 on a Mesh by itself.
var meshReadiness = []def.Condition{
	nameIsDNSLabel,
	{
		ID: "K3-073", Effect: def.Changes, At: "meshServices.mode",
		When: func(n tree.Node) bool {
			mode, ok := n.Text()
			return n.Absent() || ok && mode != "Exclusive"
		},
		Doc: "Services are addressed by tag in this mesh. Kuma 3.0 behaves as with mode Exclusive: outbounds by tag and rules for tags are gone.",
		Do:  "Set meshServices.mode to Exclusive and make everything work. There is no better rehearsal for Kuma 3.0.",
	},
	{
		ID: "K3-074", Effect: def.Changes, Before: def.Partly, At: "routing.zoneEgress", When: isTrue,
		Doc: "Kuma 3.0 drops zoneEgress: a proxy with an identity uses an egress wherever there is one.",
		Do:  "Run the egress as a Dataplane with a listener of type ZoneEgress, and remove the setting.",
	},
	{
		ID: "K3-075", Effect: def.Changes, Danger: def.Security, At: "routing.defaultForbidMeshExternalServiceAccess", When: isTrue,
		Doc: "Kuma 3.0 drops defaultForbidMeshExternalServiceAccess, and no longer keeps proxies from external services.",
		Do:  "Write a MeshTrafficPermission with rules for the zone egress.",
	},
	{
		ID: "K3-076", Effect: def.Changes, At: "routing.localityAwareLoadBalancing", When: isTrue,
		Doc: "Kuma 3.0 drops localityAwareLoadBalancing.",
		Do:  "Write a MeshLoadBalancingStrategy with localityAwareness.",
	},
	{
		ID: "K3-077", Effect: def.Changes, Danger: def.Security, At: "networking.outbound.passthrough", When: isFalse,
		Doc: "Passthrough is off in this mesh. Kuma 3.0 drops the setting, and applications can reach any address outside.",
		Do:  "Write a MeshPassthrough for kind Mesh with passthroughMode None.",
	},
	{
		ID: "K3-078", Effect: def.Changes, At: "tracing",
		Doc: "Kuma 3.0 drops the tracing backends of the mesh.",
		Do:  "Write a MeshTrace.",
	},
	{
		ID: "K3-079", Effect: def.Changes, At: "logging",
		Doc: "Kuma 3.0 drops the access log backends of the mesh.",
		Do:  "Write a MeshAccessLog.",
	},
	{
		ID: "K3-080", Effect: def.Changes, Unannounced: true, At: "metrics",
		Doc: "Kuma 3.0 drops the metrics backends of the mesh.",
		Do:  "Write a MeshMetric.",
	},
	{
		ID: "K3-081", Effect: def.Changes, Danger: def.Security, Before: def.Nothing, Unannounced: true, At: "constraints.dataplaneProxy",
		When: func(n tree.Node) bool { return n.Get("requirements").Filled() || n.Get("restrictions").Filled() },
		Doc:  "The mesh lets only certain Dataplanes in. Kuma 3.0 drops the constraints, and every Dataplane may join.",
		Do:   "There is no successor. Watch closely who is given dataplane tokens.",
	},
	{
		ID: "K3-082", Effect: def.Cosmetic, At: "skipCreatingInitialPolicies[]", When: isNoneOf("*", "meshtimeout", "meshcircuitbreaker", "meshretry"),
		Doc: "The list names a policy that Kuma 3.0 does not create anyway.",
		Do:  "Remove the name.",
	},
}
