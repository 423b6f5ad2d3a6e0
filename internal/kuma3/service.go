package kuma3

import (
	"encoding/pem"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// services contains the conditions on services, on their names and addresses, and on
// identities and trusted authorities.
var services = []Condition{
	{
		ID: "K3-060", Effect: Outage, Paths: at("spec.selector.dataplaneTags", kuma.KindMeshService),
		Doc:    "The proxies of the service are selected by tags.",
		Stored: "The selector of a stored service is empty, and the service has no endpoints.",
		Do:     "Add the tags as labels to the Dataplanes first; kuma.io/service becomes kuma.io/workload or a label of your own.",
	},
	{
		ID: "K3-061", Effect: Rejects, Partly: true, Paths: at("spec.identities[].type", kuma.KindMeshService), ServerOwned: true,
		MeasuredWrite: true,
		Doc:           "An identity is the value of a tag.",
		Stored:        "In a stored service, the entry is not used.",
	},
	{
		ID: "K3-062", Effect: Changes, Paths: at("spec.ports[].appProtocol", kuma.KindMeshService, kuma.KindMeshMultiZoneService),
		MeasuredWrite: true,
		Doc:           "Kuma 3.0 does not support the protocol.",
		Stored:        "The protocol of a stored service is unknown: timeouts, retries and routes for requests no longer apply.",
		Do:            "Use tcp, http, http2 or grpc. Replace kafka, tls and mysql with tcp.",
	},
	{
		ID: "K3-063", Effect: Outage, Since: "2.14.6", Paths: tlsSources("secret", "inline", "inlineString"), MeasuredWrite: true,
		Doc:    "A certificate or key is in the legacy format.",
		Stored: "A stored service is omitted from the configuration of every proxy.",
		Do: "inline and inlineString become {type: InsecureInline, insecureInline: {value: …}}, the former decoded, " +
			"and secret becomes {type: " +
			"Secret, secretRef: {kind: Secret, name: …}}. " +
			"Older releases of 2.14 accept the new form, and silently lose the certificate: upgrade all control planes of the mesh first.",
	},
	{
		ID: "K3-066", Effect: Rejects, Paths: at("spec.origin", kinds.MeshTrust.Name),
		Doc:    "The origin is part of the document.",
		Stored: "That of a stored MeshTrust is ignored.",
	},
	{
		ID: "K3-067", Effect: Rejects, Paths: at("spec.address", kinds.MeshZoneAddress.Name), MeasuredWrite: true,
		Doc:    "The address is not reachable.",
		Stored: "A stored one does not change.",
		Do:     "Set the IP address or DNS name under which other zones reach the zone ingress.",
	},
	{
		ID: "K3-068", Effect: Outage, Undeclared: true, Written: Rejected, MeasuredWrite: true, MeasuredStored: true, When: isInvalidDisplayName,
		Paths: slices.Concat(
			at("name", kuma.KindMesh, kinds.Zone.Name, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService),
			at("labels"+displayName, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService),
		),
		Doc:    "The display name is not a valid DNS label.",
		Stored: "A stored resource is kept, but no longer sent to other control planes. A zone control plane with such a name does not start.",
		Do: "Create the resource again with a name of at most 63 lowercase letters, digits and \"-\" that begins with a letter. " +
			"A Mesh cannot be renamed: everything in it must be moved.",
	},
	{
		ID: "K3-232", Effect: Security, MeasuredWrite: true, Undeclared: true,
		Paths: at("spec.provider.bundled.ca.certificate.insecureInline.value", kinds.MeshIdentity.Name),
		When: func(n tree.Node) bool {
			text, ok := n.Text()
			accepted := tree.Root(true) // which 2.14 checks, too
			return ok && kinds.AuthorityProblem([]byte(text), accepted, kuma.Newest2()) == "" &&
				kinds.AuthorityProblem([]byte(text), accepted, kuma.Release{Major: 3}) != ""
		},
		Doc:    "The authority does not have the basic constraint CA:TRUE or the key usage keyCertSign, or has keyAgreement.",
		Stored: "Its proxies get no certificate: they send and accept plaintext, and permissions have no effect.",
		Do:     "Create another authority, and let proxies trust both until they have new certificates.",
	},
	{
		ID: "K3-220", Effect: Changes, MeasuredWrite: true, Undeclared: true, Paths: at("spec.spiffeID.trustDomain", kinds.MeshIdentity.Name),
		When: func(n tree.Node) bool {
			template, _ := n.Text()
			return strings.Contains(template, ".Zone") && is(kuma.OriginGlobal)(n.Root().Get("labels", kuma.LabelOrigin))
		},
		Doc:    "The trust domain of an identity on a global control plane contains the zone.",
		Stored: "It is fixed with the first zone that computes it (status.trustDomain), and cannot be changed afterwards.",
		Do:     "Create one MeshIdentity for each zone, or a trust domain without the zone.",
	},
	{
		ID: "K3-229", Effect: Outage, MeasuredWrite: true, Undeclared: true,
		When: func(n tree.Node) bool {
			return isNotPEM(n) || n.Key() == "clientKey" && check.KeyPair(parent(n).Get("clientCert"), n) != nil
		},
		Paths: append(tlsSources("inlineString", "insecureInline.value"),
			at("spec.tls.verification.clientKey", kuma.KindMeshExternalService)...),
		Doc:    "A certificate or key of an external service is not in PEM format, or the key belongs to another certificate.",
		Stored: "The service is omitted from the configuration of proxies.",
		Do:     "Correct the certificate or key.",
	},
}

// isInvalidDisplayName reports whether n is the display name of a document, and not a DNS
// label. Kuma 2.14 already rejects some of these names.
func isInvalidDisplayName(n tree.Node) bool {
	s, ok := n.Text()
	return ok && !kuma.IsDNSLabel(s) && tree.ComparePaths(check.DisplayName(n.Root()).Path, n.Path) == 0
}

const displayName = `["` + kuma.LabelDisplayName + `"]`

// tlsSources returns the paths of sources of the certificates and the key of an external service.
func tlsSources(sources ...string) []DocumentPath {
	var paths []string
	for _, of := range []string{"caCert", "clientCert", "clientKey"} {
		paths = append(paths, phrase.Each(sources, func(source string) string { return "spec.tls.verification." + of + "." + source })...)
	}
	return each(kuma.KindMeshExternalService, paths...)
}

// isNotPEM reports whether a text does not contain a block in PEM format.
func isNotPEM(n tree.Node) bool {
	s, ok := n.Text()
	block, _ := pem.Decode([]byte(s))
	return ok && block == nil
}
