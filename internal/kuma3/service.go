package kuma3

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// services contains the conditions on services, on their names and addresses, and on
// trusted authorities.
var services = []Condition{
	{
		ID: "K3-060", Effect: Breaks, Paths: at("spec.selector.dataplaneTags", kuma.KindMeshService),
		Doc: "The proxies of the service are selected by tags. Kuma 3.0 drops the selector, and the service has no endpoints.",
		Do:  "Add the tags as labels to the Dataplanes first.",
	},
	{
		ID: "K3-061", Effect: Breaks, Preparation: Partly, Paths: at("spec.identities[].type", kuma.KindMeshService), ServerOwned: true,
		Doc: "An identity is the value of a tag. Kuma 3.0 rejects the service, and ignores the entry in a stored one.",
	},
	{
		ID: "K3-062", Effect: Breaks, Unannounced: true, Paths: at("spec.ports[].appProtocol", kuma.KindMeshService, kuma.KindMeshMultiZoneService),
		Doc: "Kuma 3.0 does not support the protocol. It rejects the service, and treats the protocol of a stored one as unknown.",
		Do:  "Use tcp, http, http2 or grpc. Replace kafka with tcp.",
	},
	{
		ID: "K3-063", Effect: Breaks, Preparation: Nothing, Paths: legacySources(),
		Doc: "A certificate or key is in the legacy format. Kuma 3.0 rejects it and omits a stored service from the configuration of every proxy.",
		Do: "Plan an outage, or terminate TLS on the side of the service first. After the upgrade, use {type: InsecureInline, insecureInline: {value: …}} for inline and inlineString, the former decoded, " +
			"and {type: Secret, secretRef: {kind: Secret, name: …}} for secret.",
	},
	{
		ID: "K3-066", Effect: Cosmetic, Paths: at("spec.origin", kinds.MeshTrust.Name),
		Doc: "Kuma 3.0 drops origin.",
	},
	{
		ID: "K3-067", Effect: Breaks, Unannounced: true, Paths: at("spec.address", kinds.MeshZoneAddress.Name),
		Doc: "The address is not reachable, and Kuma 3.0 rejects it.",
		Do:  "Set the IP address or DNS name under which other zones reach the zone ingress.",
	},
	{
		ID: "K3-068", Effect: Breaks, Paths: slices.Concat(
			at("name", kuma.KindMesh, kinds.Zone.Name, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService),
			at("labels"+displayName, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService),
		),
		Doc: "The display name is not a valid DNS label. Kuma 3.0 rejects writes of the resource and no longer sends it to zones, and a zone with such a name cannot register.",
		Do:  "Recreate the resource with a name of at most 63 lowercase letters, digits and \"-\" that begins with a letter. A Mesh cannot be renamed: everything in it must be moved.",
	},
}

const displayName = `["` + kuma.LabelDisplayName + `"]`

// legacySources returns the paths of the sources of certificates and keys in the form of
// older releases.
func legacySources() []DocumentPath {
	var paths []DocumentPath
	for _, of := range []string{"caCert", "clientCert", "clientKey"} {
		for _, source := range []string{"secret", "inline", "inlineString"} {
			paths = append(paths, at("spec.tls.verification."+of+"."+source, kuma.KindMeshExternalService)...)
		}
	}
	return paths
}
