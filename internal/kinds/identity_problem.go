package kinds

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// OtherKey is the [IdentityProblem] of a private key that does not belong to its certificate. Before Kuma 3.0, the MeshIdentity is ready
// nevertheless, and its proxies get no configuration (proxies.md §5).
const OtherKey = "its private key does not belong to its authority"

// IdentityProblem returns why the proxies that a MeshIdentity selects get no certificate on a release, as a clause
// that begins with "it" or "its". It is empty if they get one, as far as the resource shows it (proxies.md §5).
func IdentityProblem(r kuma.Resource, release kuma.Release) string {
	provider := tree.Root(r.Spec()).Get("provider")
	bundled := provider.Get("bundled")
	certificate := bundled.Get("ca", "certificate")
	kind, _ := provider.Get("type").Text()
	content, inline := certificate.Get("insecureInline", "value").Text()
	switch {
	case provider.Empty():
		return "it has no provider"
	case kind != "Bundled":
	case bundled.Get("autogenerate", "enabled").True():
		if accepted := bundled.Get("insecureAllowSelfSigned"); !accepted.Unknown() && !accepted.True() {
			return selfSigned
		}
	case inline:
		if problem := AuthorityProblem([]byte(content), bundled.Get("insecureAllowSelfSigned"), release); problem != "" {
			return problem
		}
		key, given := bundled.Get("ca", "privateKey", "insecureInline", "value").Text()
		if _, err := tls.X509KeyPair([]byte(content), []byte(key)); given && err != nil {
			return OtherKey
		}
	}
	for _, c := range tree.Root(r.Reported).Get("status", "conditions").Items() {
		condition, _ := c.Get("type").Text()
		status, _ := c.Get("status").Text()
		reason, _ := c.Get("reason").Text()
		if condition != "Ready" && status == "False" && reason != "MeshServicesDisabled" { // which depends on the Mesh
			message, _ := c.Get("message").Text()
			return "it is not ready: " + message
		}
	}
	return ""
}

const selfSigned = "its authority is self-signed, and insecureAllowSelfSigned is not true"

// AuthorityProblem returns why a control plane of a release does not sign certificates of proxies with an authority of a
// MeshIdentity in PEM format, as a clause; empty if it does. accepted is whether the authority may sign its own certificate.
func AuthorityProblem(content []byte, accepted tree.Node, release kuma.Release) string {
	authorities := ReadCertificates(content)
	if len(authorities) == 0 {
		return "its authority is not a certificate in PEM format"
	}
	first := authorities[0]
	if !accepted.Unknown() && !accepted.True() && bytes.Equal(first.RawSubject, first.RawIssuer) && first.CheckSignatureFrom(first) == nil {
		return selfSigned
	}
	for _, c := range authorities {
		switch {
		case !release.Kuma3(): // which does not check the rest
		case !c.IsCA:
			return "its authority does not have the basic constraint CA:TRUE"
		case c.KeyUsage&x509.KeyUsageCertSign == 0:
			return "its authority does not have the key usage keyCertSign"
		case c.KeyUsage&x509.KeyUsageKeyAgreement != 0:
			return "its authority has the key usage keyAgreement"
		}
	}
	return ""
}

// IssuesInvalid reports whether proxies accept no certificate that the authority of a MeshIdentity issues, which is in the document:
// it is not one to sign others, which only Kuma 3.0 checks (proxies.md §5).
func IssuesInvalid(r kuma.Resource) bool {
	text, _ := tree.Root(r.Spec()).Get("provider", "bundled", "ca", "certificate", "insecureInline", "value").Text()
	authorities := ReadCertificates([]byte(text))
	return len(authorities) > 0 && (!authorities[0].IsCA || authorities[0].KeyUsage != 0 && authorities[0].KeyUsage&x509.KeyUsageCertSign == 0)
}

// ReadCertificates returns the certificates in PEM format in a content, which may contain other things.
func ReadCertificates(content []byte) (all []*x509.Certificate) {
	for block, rest := pem.Decode(content); block != nil; block, rest = pem.Decode(rest) {
		if c, err := x509.ParseCertificate(block.Bytes); err == nil && block.Type == "CERTIFICATE" {
			all = append(all, c)
		}
	}
	return all
}
