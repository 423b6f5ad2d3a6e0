package kuma3

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// services are the conditions on services, their names and addresses, and on
// whom they trust.
var services = []Condition{
	{
		ID: "K3-060", Effect: Breaks, Paths: at("spec.selector.dataplaneTags", kuma.KindMeshService),
		Doc: "The proxies of the service are selected by tags. Kuma 3.0 drops the selector, and the service has no endpoints.",
		Do:  "Put the tags as labels on the Dataplanes, and select by dataplaneLabels.matchLabels.",
	},
	{
		ID: "K3-061", Effect: Breaks, Preparation: Partly, Paths: at("spec.identities[].type", kuma.KindMeshService), ServerOwned: true, When: is("ServiceTag"),
		Doc: "An identity is the value of a tag. Kuma 3.0 refuses the service, and does not use the entry of a stored one.",
		Do:  "Leave the whole list to the control plane, or list SPIFFE IDs only.",
	},
	{
		ID: "K3-062", Effect: Breaks, Unannounced: true, Paths: at("spec.ports[].appProtocol", kuma.KindMeshService), When: isNoneOf("tcp", "http", "http2", "grpc"),
		Doc: "Kuma 3.0 does not know the protocol. It refuses the service, and treats a stored one as if nothing were known about the traffic.",
		Do:  "Write tcp, http, http2 or grpc. What spoke kafka becomes tcp.",
	},
	{
		ID: "K3-063", Effect: Breaks, Preparation: Nothing, Paths: at("spec.tls.verification[]", kuma.KindMeshExternalService),
		When: func(n tree.Node) bool {
			return n.Get("secret").Filled() || n.Get("inline").Filled() || n.Get("inlineString").Filled()
		},
		Doc: "A certificate or key is in the old form. Kuma 3.0 refuses it and leaves a stored service out of the configuration of every proxy.",
		Do: "Plan an outage, or move TLS to the side of the service first. After the upgrade write {type: InsecureInline, insecureInline: {value: …}} for inline and inlineString, the former decoded, " +
			"and {type: Secret, secretRef: {kind: Secret, name: …}} for secret.",
	},
	{
		ID: "K3-066", Effect: Cosmetic, Paths: at("spec.origin", kinds.MeshTrust.Name),
		Doc: "Kuma 3.0 drops origin.",
		Do:  "Remove it, and read the origin in the status.",
	},
	{
		ID: "K3-067", Effect: Breaks, Unannounced: true, Paths: at("spec.address", kinds.MeshZoneAddress.Name), When: isUnreachable,
		Doc: "Nobody can connect to the address, and Kuma 3.0 refuses it.",
		Do:  "Give the IP address or DNS name under which other zones reach the zone ingress.",
	},
	{
		ID: "K3-068", Effect: Breaks, Paths: at("", kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService, kinds.Zone.Name),
		When: func(doc tree.Node) bool {
			name, ok := check.DisplayName(doc).Text()
			return ok && !kuma.IsDNSLabel(name)
		},
		Doc: "The display name is no DNS label. Kuma 3.0 refuses to write the resource and no longer sends it to zones, and a zone of such a name cannot register.",
		Do:  "Create the resource anew under a name of at most 63 lower case letters, digits and \"-\" that begins with a letter. A Mesh cannot be renamed: everything in it moves.",
	},
}

// isUnreachable reports whether a text is no address that others can connect to.
func isUnreachable(n tree.Node) bool {
	host, ok := n.Text()
	return ok && (host == "" || host == "0.0.0.0" || host == "::" || len(check.PeerAddress.Test(n)) > 0)
}
