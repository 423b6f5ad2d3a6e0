package kinds

import (
	"encoding/pem"
	"math"
	"regexp"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshTrust lists the authorities that proxies believe.
var MeshTrust = spec.Kind{
	Name: "MeshTrust", Path: "meshtrusts", ShortName: "mtrust", Since: "2.12",
	ZoneOwned: true, GlobalOwned: true, Status: true,
	Doc: "Certificate authorities whose identities the proxies of the mesh accept, for one trust domain. " +
		"A MeshIdentity can create its own; more are needed to trust another zone or an authority outside Kuma.",
	Fields: spec.Object{
		{
			Name: "origin", Deprecated: "The control plane shows it in the status.", Doc: "The resource that the MeshTrust was created from.",
			Checks: spec.Checks(originIsDeprecated),
			Readiness: []spec.Condition{{
				ID: "K3-066", Effect: spec.Cosmetic,
				Doc: "Kuma 3.0 drops origin.",
				Do:  "Remove it, and read the origin in the status.",
			}},
			Type: spec.Object{{Name: "kri", Type: spec.String, Doc: "KRI of that resource."}},
		},
		{
			Name: "trustDomain", Type: spec.String, Required: true, Checks: spec.Checks(notEmpty, spec.Length(0, maxTrustDomain)), Design: spec.Checks(trustDomainChars),
			Doc: "Trust domain of the identities: the host of their SPIFFE IDs, at most 253 characters.",
		},
		{
			Name: "caBundles", Type: spec.List{Elem: caBundle}, Required: true, Checks: spec.Checks(spec.Items(1, math.MaxInt), spec.Each(bundleHasContent)),
			Doc: "Certificates of the authorities. At least one is needed.",
		},
	},
}

const maxTrustDomain = 253

var caBundle = spec.Object{
	{Name: "type", Type: spec.String, Required: true, OneOf: []string{"Pem"}, Doc: "Form of the certificates."},
	{Name: "pem", Doc: "Certificates in PEM format, which type `Pem` needs.", Type: spec.Object{
		{
			Name: "value", Type: spec.String, Required: true, Checks: spec.Checks(pemCertificate),
			Doc: "One or more certificates, one after the other.",
		},
	}},
}

var originIsDeprecated = spec.Check{Test: func(n spec.Node) []spec.Problem {
	return []spec.Problem{n.Warning("origin is deprecated", "The control plane notes where a MeshTrust comes from in its status. Remove \"origin\".").About(spec.Deprecation)}
}}

var bundleHasContent = spec.Check{Test: func(n spec.Node) []spec.Problem {
	kind, _ := n.Get("type").Text()
	if content := n.Get("pem"); kind == "Pem" && content.Absent() {
		return []spec.Problem{content.Problem("pem is missing", "A bundle of type Pem needs \"pem\" with the certificates. Add it.")}
	}
	return nil
}}

var pemCertificate = spec.Check{Test: func(n spec.Node) []spec.Problem {
	s, ok := n.Text()
	block, _ := pem.Decode([]byte(s))
	switch {
	case !ok:
		return nil
	case block == nil:
		return []spec.Problem{n.Problem("This is no certificate", "The text is not in PEM format. Give a certificate that begins with \"-----BEGIN CERTIFICATE-----\".")}
	case strings.HasSuffix(block.Type, "PRIVATE KEY"):
		return []spec.Problem{n.Problem("This is a private key", "Only certificates belong here, which everybody may read. Give the certificate, and replace the key if it was written to a shared place.")}
	}
	return nil
}}

// trustDomainChars warns of a trust domain that is part of no SPIFFE ID.
var trustDomainChars = spec.Pattern(regexp.MustCompile(`^[a-z0-9._-]*$`), "The trust domain of a SPIFFE ID has lower case letters, digits, \"-\", \".\" and \"_\".").Warn()
