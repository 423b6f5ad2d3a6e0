package kinds

import (
	"encoding/pem"
	"math"
	"regexp"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshTrust lists the authorities that proxies trust.
var MeshTrust = def.Kind{
	Name: "MeshTrust", Path: "meshtrusts", ShortName: "mtrust", Since: "2.12",
	ZoneOwned: kuma.Always(), GlobalOwned: true, Status: true,
	Doc: "Certificate authorities that the proxies of the mesh trust, for one trust domain. A MeshIdentity can create its own MeshTrust. " +
		"Create more to trust another zone or an authority outside Kuma.",
	Use: "Use it to accept identities of other zones or of authorities outside Kuma.",
	Fields: def.Object{
		{
			Name: "origin", Deprecated: "The control plane reports it in the status.",
			Removed: def.RemovedIn3("The control plane reports it in the status. Remove it."),
			Doc:     "The resource that the MeshTrust was created from.",
			Checks:  def.Checks(originIsDeprecated),
			Type:    def.Object{def.String.Field("kri", "KRI of that resource.")},
		},
		{
			Name: "trustDomain", Type: def.String, Required: true, Checks: def.Checks(check.NotEmpty, def.Length(0, maxTrustDomain)),
			Design: def.Checks(trustDomainChars),
			Doc:    "Trust domain of the identities: the host of their SPIFFE IDs, at most 253 characters.",
		},
		def.List{Elem: caBundle}.Required("caBundles",
			"Certificates of the authorities. At least one is required.", def.Items(1, math.MaxInt), def.Each(bundleHasContent)),
	},
}

const maxTrustDomain = 253

var caBundle = def.Object{
	{Name: "type", Type: def.String, Required: true, OneOf: []string{"Pem"}, Doc: "Format of the certificates."},
	{Name: "pem", Doc: "Certificates in PEM format. Required with type `Pem`.", Type: def.Object{
		def.String.Required("value", "One or more certificates, one after the other.", pemCertificate),
	}},
}

var originIsDeprecated = def.Check{Test: func(n tree.Node) []def.Problem {
	return []def.Problem{def.WarningAt(n, "origin is deprecated",
		"The control plane reports the origin of a MeshTrust in its status. Remove \"origin\".").About(def.Deprecation)}
}}

var bundleHasContent = def.Check{Test: func(n tree.Node) []def.Problem {
	kind, _ := n.Get("type").Text()
	content := n.Get("pem")
	return def.ErrorIf(kind == "Pem" && content.Absent(), content, "Missing pem",
		"A bundle of type Pem must set \"pem\" with the certificates.")
}}

var pemCertificate = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	block, _ := pem.Decode([]byte(s))
	switch {
	case !ok:
		return nil
	case block == nil:
		return []def.Problem{def.ErrorAt(n, "Invalid certificate",
			"The value is not in PEM format. It must be a certificate that begins with \"-----BEGIN CERTIFICATE-----\".")}
	case strings.HasSuffix(block.Type, "PRIVATE KEY"):
		return []def.Problem{def.ErrorAt(n, "Private key instead of a certificate",
			"The value is public, so it must only contain certificates. "+
				"Set the certificate, and replace the private key if it was stored anywhere.")}
	}
	return nil
}}

// trustDomainChars warns about a trust domain that cannot be part of a SPIFFE
// ID.
var trustDomainChars = def.Pattern(regexp.MustCompile(`^[a-z0-9._-]*$`),
	"The trust domain of a SPIFFE ID must consist of lowercase letters, digits, \"-\", \".\" and \"_\".").Warn()
