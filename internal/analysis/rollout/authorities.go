package rollout

import (
	"cmp"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Authority is a certificate of a certificate authority that a resource names.
type Authority struct {
	Resource kuma.Key  // Mesh, MeshIdentity or MeshTrust
	Secret   string    // the Secret with the certificate; empty if the resource contains it
	Subject  string    // who the certificate is about
	Expires  time.Time // zero if it is not known
	Problem  string    // why it is not known, as a sentence
}

// Authorities returns the provided authorities of the resources of a mesh, those that are not
// known and those that expire first at the beginning. The function returns the content of a
// Secret in base64, or why it cannot be read, as a sentence.
func Authorities(resources []kuma.Resource, secret func(name string) (data, problem string)) []Authority {
	var out []Authority
	for _, r := range resources {
		for _, source := range authoritySources(r) {
			out = append(out, source.read(r.Key(), secret)...)
		}
	}
	slices.SortStableFunc(out, func(a, b Authority) int {
		return cmp.Or(a.Expires.Compare(b.Expires), cmp.Compare(a.Resource.Type, b.Resource.Type), cmp.Compare(a.Resource.Name, b.Resource.Name), cmp.Compare(a.Subject, b.Subject))
	})
	return out
}

// authoritySource is where a resource has the certificates of an authority: in a Secret, or in
// itself. Without both, only the control plane reads them.
type authoritySource struct {
	secret string
	pem    []byte
}

func authoritySources(r kuma.Resource) []authoritySource {
	var sources []authoritySource
	switch r.Type {
	case kuma.KindMesh:
		for _, backend := range tree.Root(r.Body).Get("mtls", "backends").Items() {
			if kind, _ := backend.Get("type").Text(); kind != "provided" {
				continue
			}
			cert := backend.Get("conf", "cert")
			content, _ := base64.StdEncoding.DecodeString(tree.Text(cert.Get("inline").Value()))
			if text, ok := cert.Get("inlineString").Text(); ok {
				content = []byte(text)
			}
			sources = append(sources, authoritySource{tree.Text(cert.Get("secret").Value()), content})
		}
	case kinds.MeshIdentity.Name:
		cert := tree.Root(r.Spec()).Get("provider", "bundled", "ca", "certificate")
		source := authoritySource{}
		switch kind, _ := cert.Get("type").Text(); kind {
		case "":
			return nil
		case "Secret":
			source.secret = tree.Text(cert.Get("secretRef", "name").Value())
		case "InsecureInline":
			source.pem = []byte(tree.Text(cert.Get("insecureInline", "value").Value()))
		}
		sources = append(sources, source)
	case kinds.MeshTrust.Name:
		for _, bundle := range tree.Root(r.Spec()).Get("caBundles").Items() {
			sources = append(sources, authoritySource{pem: []byte(tree.Text(bundle.Get("pem", "value").Value()))})
		}
	}
	return sources
}

// read returns the certificates of a source, or one element that says why there are none. It
// never contains anything else of a Secret.
func (s authoritySource) read(r kuma.Key, secret func(name string) (data, problem string)) []Authority {
	unknown := Authority{Resource: r, Secret: s.secret}
	content := s.pem
	switch {
	case s.secret != "":
		var data string
		if data, unknown.Problem = secret(s.secret); unknown.Problem != "" {
			return []Authority{unknown}
		}
		content, _ = base64.StdEncoding.DecodeString(data)
	case len(content) == 0:
		unknown.Problem = "Only the control plane reads the certificate."
		return []Authority{unknown}
	}
	var out []Authority
	for block, rest := pem.Decode(content); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		if c, err := x509.ParseCertificate(block.Bytes); err == nil {
			out = append(out, Authority{Resource: r, Secret: s.secret, Subject: c.Subject.String(), Expires: c.NotAfter})
		}
	}
	if len(out) == 0 {
		unknown.Problem = "There is no valid certificate in PEM format."
		return []Authority{unknown}
	}
	return out
}

// SummarizeAuthorities describes when the first authority expires, and those that are not
// known. It is empty without authorities.
func SummarizeAuthorities(authorities []Authority) string {
	var unknown []string
	for _, a := range authorities {
		if a.Problem == "" {
			return summarizeUnknown(unknown) + fmt.Sprintf("The first authority expires at %s: %s of %s %s.\n", Time(a.Expires), a.Subject, a.Resource.Type, a.Resource.Name)
		}
		unknown = append(unknown, a.Resource.Type+" "+a.Resource.Name)
	}
	return summarizeUnknown(unknown)
}

func summarizeUnknown(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Authority not known (%d): %s.\n", len(names), phrase.Some(names, mostNames, ""))
}
