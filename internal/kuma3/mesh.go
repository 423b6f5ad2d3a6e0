package kuma3

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// meshes contains the conditions on a single Mesh.
var meshes = []Condition{
	{
		ID: "K3-073", Effect: Outage, Undeclared: true, Written: Rejected, Paths: at("meshServices.mode", kuma.KindMesh),
		When: func(n tree.Node) bool {
			mode, ok := n.Text()
			return n.Absent() || ok && mode != "Exclusive"
		},
		Doc: "Services are addressed by tag in this mesh.",
		Stored: "Kuma 3.0 behaves as with mode Exclusive, in which outbounds and rules by tag do not exist, and its zones reject any other " +
			"mode. Older zones of a global control plane of 3.0 treat a Mesh without the mode as Disabled, and delete its generated services.",
		Do: "Delete all TrafficRoutes, then set meshServices.mode to Exclusive in every mesh before the global control plane is upgraded, " +
			"and keep the mode until no control plane of 2.x is left.",
	},
	{
		ID: "K3-074", Effect: Changes, Partly: true, Paths: at("routing.zoneEgress", kuma.KindMesh), When: tree.Node.True,
		MeasuredWrite: true,
		Doc:           "Traffic to other zones and to external services must use an egress.",
		Stored:        "The setting is not read: a proxy with an identity uses an egress wherever there is one.",
		Do:            "Run the egress as a Dataplane with a listener of type ZoneEgress.",
	},
	{
		ID: "K3-075", Effect: Security, Paths: at("routing.defaultForbidMeshExternalServiceAccess", kuma.KindMesh), When: tree.Node.True,
		MeasuredWrite: true,
		Doc:           "Access to external services is denied by default.",
		Stored:        "The setting is not read, and access is no longer denied by it.",
		Do:            "Create a MeshTrafficPermission with rules for the zone egress.",
	},
	{
		ID: "K3-076", Effect: Changes, Paths: at("routing.localityAwareLoadBalancing", kuma.KindMesh), When: tree.Node.True, MeasuredWrite: true,
		Doc:    "Proxies prefer endpoints in their own zone.",
		Stored: "The setting is not read.",
		Do:     "Set localityAwareness for kind Mesh.",
	},
	{
		ID: "K3-077", Effect: Cosmetic, Paths: at("networking.outbound.passthrough", kuma.KindMesh), MeasuredWrite: true,
		Doc:    "The mesh decides whether proxies allow traffic to unknown destinations.",
		Stored: "The setting is not read: without a MeshPassthrough, proxies deny such traffic (K3-202).",
	},
	{
		ID: "K3-078", Effect: Changes, Paths: at("tracing", kuma.KindMesh), MeasuredWrite: true,
		Doc:    "The mesh has tracing backends, which a TrafficTrace selects.",
		Stored: "They are not read.",
	},
	{
		ID: "K3-079", Effect: Changes, Paths: at("logging", kuma.KindMesh), MeasuredWrite: true,
		Doc:    "The mesh has access log backends, which a TrafficLog selects.",
		Stored: "They are not read.",
	},
	{
		ID: "K3-080", Effect: Changes, Paths: at("metrics", kuma.KindMesh), MeasuredWrite: true,
		Doc:    "The mesh has metrics backends.",
		Stored: "They are not read.",
		Do:     "To publish the same metrics, set the profile All and includeUnused in sidecar.",
	},
	{
		ID: "K3-081", Effect: Security, Paths: at("constraints.dataplaneProxy", kuma.KindMesh), MeasuredWrite: true,
		When:   func(n tree.Node) bool { return n.Get("requirements").Filled() || n.Get("restrictions").Filled() },
		Doc:    "Only certain Dataplanes can join the mesh.",
		Stored: "The constraints are not read, and every Dataplane can join.",
		Do:     "Bind each token to the name or the workload of a Dataplane.",
	},
}
