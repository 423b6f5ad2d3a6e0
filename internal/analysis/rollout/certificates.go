package rollout

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Certificates is what is known about the certificates of the connected Dataplanes.
type Certificates struct {
	Issuers  map[string]int // number of Dataplanes by who issued their certificate
	Without  []string       // names of Dataplanes without a certificate
	Expiring []string       // names of those whose certificate expires soon, or has expired
	First    time.Time      // when the first certificate expires; zero without certificates
	// Ready reports whether mutual TLS can be required now: every Dataplane has a valid
	// certificate, and all trust the same authorities. It is false without Dataplanes, and
	// if the zone of one is offline.
	Ready bool
}

// ReadCertificates returns what is known about the certificates of proxies at a time, by
// the clock of the control plane. Certificates that expire within the given time expire
// soon.
func ReadCertificates(proxies []Proxy, at time.Time, within time.Duration) Certificates {
	c := Certificates{Issuers: map[string]int{}}
	var trusted []string
	known, valid, equal := true, true, true
	for _, p := range proxies {
		if p.Type != kuma.KindDataplane || !p.Connected {
			continue
		}
		if p.ZoneOffline {
			known = false
			continue
		}
		own := p.Certificate
		if own == nil || own.Issuer == "" && own.Expires.IsZero() {
			c.Without = append(c.Without, p.Name)
			continue
		}
		authorities := slices.Sorted(slices.Values(own.SupportedBackends))
		if len(c.Issuers) == 0 {
			trusted = authorities
		}
		equal = equal && slices.Equal(trusted, authorities)
		valid = valid && own.Expires.After(at)
		c.Issuers[own.Issuer]++
		if c.First.IsZero() || own.Expires.Before(c.First) {
			c.First = own.Expires
		}
		if own.Expires.Before(at.Add(within)) {
			c.Expiring = append(c.Expiring, p.Name)
		}
	}
	slices.Sort(c.Without)
	slices.Sort(c.Expiring)
	c.Ready = len(c.Issuers) > 0 && len(c.Without) == 0 && known && valid && equal
	return c
}

// Authority is a certificate of a certificate authority that a resource names.
type Authority struct {
	Resource kuma.Key  // Mesh, MeshIdentity or MeshTrust
	Secret   string    // the Secret with the certificate; empty if the resource contains it
	Subject  string    // who the certificate is about
	Expires  time.Time // zero if it is not known
	Problem  string    // why it is not known, or why a control plane issues no certificates with it, as a sentence
}

// Authorities returns the provided authorities of the resources of a mesh, those that are not
// known and those that expire first at the beginning, with their problems on a release. The function returns the
// content of a Secret in base64, or why it cannot be read, as a sentence.
func Authorities(resources []kuma.Resource, release kuma.Release, secret func(name string) (data, problem string)) []Authority {
	var out []Authority
	for _, r := range resources {
		for _, source := range authoritySources(r) {
			found, content := source.read(r.Key(), secret)
			if problem := identityProblem(r, content, release); problem != "" {
				for i := range found {
					found[i].Problem = "The MeshIdentity issues no certificates, because " + problem + "."
				}
			}
			out = append(out, found...)
		}
	}
	slices.SortStableFunc(out, func(a, b Authority) int {
		return cmp.Or(a.Expires.Compare(b.Expires), cmp.Compare(a.Resource.Type, b.Resource.Type), cmp.Compare(a.Resource.Name, b.Resource.Name),
			cmp.Compare(a.Subject, b.Subject))
	})
	return out
}

// identityProblem returns why a MeshIdentity whose authority has a content issues no certificates, as a clause.
func identityProblem(r kuma.Resource, content []byte, release kuma.Release) string {
	if r.Type != kinds.MeshIdentity.Name {
		return ""
	}
	if len(content) > 0 {
		accepted := tree.Root(r.Spec()).Get("provider", "bundled", "insecureAllowSelfSigned")
		if problem := kinds.AuthorityProblem(content, accepted, release); problem != "" {
			return problem
		}
	}
	return kinds.IdentityProblem(r, release)
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

// read returns the certificates of a source, or one element that says why there are none, and the content of the
// source. The first never contains anything else of a Secret.
func (s authoritySource) read(r kuma.Key, secret func(name string) (data, problem string)) (out []Authority, content []byte) {
	unknown := Authority{Resource: r, Secret: s.secret}
	content = s.pem
	switch {
	case s.secret != "":
		var data string
		if data, unknown.Problem = secret(s.secret); unknown.Problem != "" {
			return []Authority{unknown}, nil
		}
		content, _ = base64.StdEncoding.DecodeString(data)
	case len(content) == 0:
		unknown.Problem = "Only the control plane reads the certificate."
		return []Authority{unknown}, nil
	}
	for _, c := range kinds.ReadCertificates(content) {
		out = append(out, Authority{Resource: r, Secret: s.secret, Subject: c.Subject.String(), Expires: c.NotAfter})
	}
	if len(out) == 0 {
		unknown.Problem = "There is no valid certificate in PEM format."
		return []Authority{unknown}, content
	}
	return out, content
}

// SummarizeAuthorities describes when the first authority expires, and those that are not
// known. It is empty without authorities.
func SummarizeAuthorities(authorities []Authority) string {
	var unknown, unused []string
	first := ""
	for _, a := range authorities {
		switch name := a.Resource.Type + " " + a.Resource.Name; {
		case a.Expires.IsZero():
			unknown = append(unknown, name)
		case a.Problem != "":
			unused = append(unused, name)
		case first == "":
			first = fmt.Sprintf("The first authority expires at %s: %s of %s.\n", Time(a.Expires), a.Subject, name)
		}
	}
	return summarizeNames("Authority not known", unknown) + summarizeNames("Authority without effect", unused) + first
}

func summarizeNames(title string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%d): %s.\n", title, len(names), phrase.Some(names, mostNames, ""))
}
