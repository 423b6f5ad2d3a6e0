package kuma3

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// meshes contains the conditions on a single Mesh.
var meshes = []Condition{
	{
		ID: "K3-073", Effect: Changes, Undeclared: true, Paths: at("meshServices.mode", kuma.KindMesh),
		When: func(n tree.Node) bool {
			mode, ok := n.Text()
			return n.Absent() || ok && mode != "Exclusive"
		},
		Doc: "Services are addressed by tag in this mesh. Kuma 3.0 behaves as with mode Exclusive: outbounds by tag and rules for tags no longer exist.",
		Do:  "Set meshServices.mode to Exclusive and resolve all problems. This is the best preparation for Kuma 3.0.",
	},
	{
		ID: "K3-074", Effect: Changes, Preparation: Partly, Paths: at("routing.zoneEgress", kuma.KindMesh), When: isTrue,
		Doc: "Kuma 3.0 drops zoneEgress: a proxy with an identity uses an egress wherever there is one.",
		Do:  "Run the egress as a Dataplane with a listener of type ZoneEgress, and remove the setting.",
	},
	{
		ID: "K3-075", Effect: Changes, Danger: Security, Paths: at("routing.defaultForbidMeshExternalServiceAccess", kuma.KindMesh), When: isTrue,
		Doc: "Kuma 3.0 drops defaultForbidMeshExternalServiceAccess, and no longer denies access to external services.",
		Do:  "Create a MeshTrafficPermission with rules for the zone egress.",
	},
	{
		ID: "K3-076", Effect: Changes, Paths: at("routing.localityAwareLoadBalancing", kuma.KindMesh), When: isTrue,
		Doc: "Kuma 3.0 drops localityAwareLoadBalancing.",
		Do:  "Set localityAwareness.",
	},
	{
		ID: "K3-077", Effect: Changes, Danger: Security, Paths: at("networking.outbound.passthrough", kuma.KindMesh), When: isFalse,
		Doc: "Passthrough is disabled in this mesh. Kuma 3.0 drops the setting, and applications can reach any address outside the mesh.",
		Do:  "For kind Mesh, with passthroughMode None.",
	},
	{
		ID: "K3-078", Effect: Changes, Paths: at("tracing", kuma.KindMesh),
		Doc: "Kuma 3.0 drops the tracing backends of the mesh.",
	},
	{
		ID: "K3-079", Effect: Changes, Paths: at("logging", kuma.KindMesh),
		Doc: "Kuma 3.0 drops the access log backends of the mesh.",
	},
	{
		ID: "K3-080", Effect: Changes, Unannounced: true, Paths: at("metrics", kuma.KindMesh),
		Doc: "Kuma 3.0 drops the metrics backends of the mesh.",
	},
	{
		ID: "K3-081", Effect: Changes, Danger: Security, Preparation: Nothing, Unannounced: true, Paths: at("constraints.dataplaneProxy", kuma.KindMesh),
		When: func(n tree.Node) bool { return n.Get("requirements").Filled() || n.Get("restrictions").Filled() },
		Doc:  "Only certain Dataplanes can join the mesh. Kuma 3.0 drops the constraints, and every Dataplane can join.",
	},
	{
		ID: "K3-082", Effect: Cosmetic, Paths: at("skipCreatingInitialPolicies", kuma.KindMesh),
		Doc: "Kuma 3.0 drops the list of default policies that are not created.",
		Do:  "Until the upgrade is complete, keep it: Kuma 2.14 would create the policies again with a new mesh.",
	},
}
