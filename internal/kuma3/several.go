package kuma3

// several contains the conditions that involve several resources. Package lint finds them.
var several = []Condition{
	{
		ID: "K3-065", Effect: Outage,
		Doc:    "The mesh uses external services, and not all of its proxies get an identity from a MeshIdentity.",
		Stored: "In Kuma 3.0, proxies without one get no configuration for external services, and respond with 503.",
		Do:     "Create a MeshIdentity that selects all Dataplanes, and run a zone egress as a Dataplane with a listener of type ZoneEgress.",
	},
	{
		ID: "K3-070", Effect: Cosmetic, Partly: true,
		Written: Dropped, MeasuredWrite: true,
		Doc:    "The mesh has mutual TLS, which MeshIdentity already replaces.",
		Stored: "The setting is not read.",
		Do:     "Remove mtls after the upgrade. The Secrets of the certificate authority remain, and can then be deleted.",
	},
	{
		ID: "K3-071", Effect: Security, Written: Dropped, MeasuredWrite: true,
		Doc: "The proxies get their identities from the mutual TLS of the mesh.",
		Stored: "The setting is not read: proxies that no MeshIdentity selects send and accept plaintext, policies for TLS and permissions " +
			"have no effect on them, and proxies with an identity do not trust them.",
		Do: "Before the upgrade, create a MeshIdentity that selects all Dataplanes, and a MeshTrust for each trust domain, which requires " +
			"meshServices.mode Exclusive. After the upgrade, there is no way back.",
	},
	{
		ID: "K3-072", Effect: Outage, Written: Dropped, MeasuredWrite: true,
		Doc:    "The mutual TLS of the mesh is permissive.",
		Stored: "The setting is not read: proxies with an identity become strict, and reject clients without TLS.",
		Do:     "Create a MeshTLS for these proxies with rules: [{default: {mode: Permissive}}].",
	},
	{
		ID: "K3-201", Effect: Outage,
		Doc:    "The application calls other services through redirected ports, and the Dataplane does not list them.",
		Stored: "Unless the control plane sets defaults.restrictOutbound to false, the proxy has no outbounds, and all calls in the mesh fail.",
		Do: "List the services in reachableBackends.refs, by the labels kuma.io/display-name and kuma.io/zone. " +
			"The configuration does not show which services an application calls. Since Kuma 2.14.6, defaults.restrictOutbound rehearses this.",
	},
	{
		ID: "K3-202", Effect: Outage,
		Doc: "Proxies allow traffic to unknown destinations, and no MeshPassthrough selects them.",
		Stored: "Unless the control plane sets defaults.restrictOutbound to false, Kuma 3.0 denies this traffic: " +
			"what is outside the mesh cannot be reached.",
		Do: "Create a MeshPassthrough for kind Mesh with passthroughMode All, or better, with the destinations that are in use.",
	},
	{
		ID: "K3-218", Effect: Outage, MeasuredStored: true,
		Doc: "The Dataplane has no label kuma.io/workload.",
		Stored: "Kuma 3.0 generates no MeshService from it. " +
			"If the path of its identity contains the workload, as by default, the proxy gets no identity: " +
			"it sends and accepts plaintext, and permissions have no effect.",
		Do: "Set the label to the value of the tag kuma.io/service, if that is a DNS label. " +
			"Since Kuma 2.14.2, its proxy then requires a token for that workload.",
	},
	{
		ID: "K3-221", Effect: Cosmetic,
		Doc:    "All retries in the mesh come from the policy that Kuma 2.14 creates with a mesh.",
		Stored: "The stored policy is kept. A new mesh in Kuma 3.0 has no policies, and no retries.",
		Do:     "Manage a MeshRetry of your own, so that the configuration also creates it with a new mesh.",
	},
	{
		ID: "K3-064", Effect: Widens,
		Doc:    "The external service is limited to one zone by the label kuma.io/zone.",
		Stored: "In Kuma 3.0, all zones reach it, each through its own egress.",
		Do:     "Make its endpoints reachable from all zones, or deny access from the other zones with a MeshTrafficPermission.",
	},
	{
		ID: "K3-069", Effect: Outage,
		Doc:    "The MeshService was generated from the tags of Dataplanes without the label kuma.io/workload.",
		Stored: "Kuma 3.0 only generates services from that label: this service loses its proxies and is later deleted.",
		Do: "Create the MeshService yourself, with dataplaneLabels and without the label kuma.io/managed-by. " +
			"Or add the label kuma.io/workload: <name of the service> to the Dataplanes. " +
			"Each workload then becomes one MeshService with all inbounds as ports, in 2.14 with experimental.inboundTagsDisabled, too.",
	},
	{
		ID: "K3-103", Effect: Outage,
		Doc:    "The services of the mesh are in several zones, and one of these zones has no MeshZoneAddress.",
		Stored: "In Kuma 3.0, the other zones get no endpoints in it.",
		Do:     "In that zone, run a Dataplane with a listener of type ZoneIngress, then create a MeshZoneAddress with its address and port.",
	},
	{
		ID: "K3-042", Effect: Outage, MeasuredStored: true,
		Doc:    "A destination of the rule does not exist. Proxies of Kuma 2.14 then omit the destination, or the rule if all are missing.",
		Stored: "Kuma 3.0 responds to its share of the requests with 500.",
		Do:     "Correct the backendRefs, or remove them to send the requests to the service that was called.",
	},
	{
		ID: "K3-043", Effect: Outage, MeasuredStored: true,
		Doc:    "The destination does not have this port. Kuma 2.14 may use another port.",
		Stored: "Kuma 3.0 responds to its share of the requests with 500.",
		Do:     "Use a port that the destination has: its number or its name, and not the port of the proxy behind it.",
	},
	{
		ID: "K3-203", Effect: Outage,
		Doc: "No rule applies to the requests that the rules of the route do not match. " +
			"Kuma 2.14 adds one, which sends them to the service that was called.",
		Stored: "Kuma 3.0 responds to them with 404.",
		Do: "Add a rule with one match without conditions, {}. " +
			"Its requests go to the service that was called, and on 2.14 it changes nothing. Do not use the PathPrefix /: " +
			"it precedes regular expressions and matches without a path, and takes their requests.",
	},
	{
		ID: "K3-217", Effect: Changes, MeasuredStored: true,
		Doc:    "The labels of a reference match several services.",
		Stored: "The traffic goes to the oldest of them, in any zone.",
		Do:     "Add kuma.io/zone, or another label that only one of them has.",
	},
	{
		ID: "K3-022", Effect: Changes, MeasuredStored: true,
		Doc: "Entries of \"to\" refer to this resource, which has no label kuma.io/display-name.",
		Stored: "Kuma 3.0 adds the label when the resource is next written. " +
			"Until then, such entries do not resolve; other references compare the name instead.",
		Do: "Set the label kuma.io/display-name to the name of the resource now.",
	},
	{
		ID: "K3-023", Effect: Rejects, Written: Rejected,
		Doc: "The label kuma.io/display-name differs from the name.",
		Stored: "The stored label is kept until the next write, and then replaced with the name, which changes the KRI, host " +
			"names and references.",
		Do: "Refer to the resource by another label.",
	},
	{
		ID: "K3-120", Effect: Rejects, Written: Rejected,
		Doc:    "The resource belongs to a zone, but has the label kuma.io/origin: global.",
		Stored: "The stored label is kept until the next write, and then replaced with zone, which changes the precedence of a policy.",
		Do:     "Do not send kuma.io/origin: global to a zone control plane.",
	},
}
