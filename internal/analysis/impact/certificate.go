package impact

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// proxyChange returns a change of the proxy itself, with its Dataplane as the type.
func proxyChange(path string, before, after *Value) *Change {
	return &Change{
		Type: kuma.KindDataplane, Direction: Proxy, Destination: "proxy", Path: path, Cause: CauseSettings, Before: before, After: after,
		about: "the proxy",
	}
}

// certificate returns the change if the proxy gets or loses a certificate, or gets another one, as far as the release stays the same. It
// returns nil if there is none, and for a proxy that gets no configuration afterwards.
func (r *reachability) certificate(dataplane string) *Change {
	before, after := r.before.proxies.Client(dataplane), r.after.proxies.Client(dataplane)
	was, is := before.SPIFFEID(), after.SPIFFEID()
	switch {
	case after.Broken != nil, was == "" && is == "":
		return nil
	case was == "":
		return proxyChange(CertificatePath, nil, r.after.certificateOf(after))
	case is == "":
		return proxyChange(CertificatePath, r.before.certificateOf(before), nil)
	case r.before.Release() != r.after.Release():
		return nil
	case was == is:
		_, was = r.before.issuerOf(before)
		_, is = r.after.issuerOf(after)
	}
	if was == is {
		return nil
	}
	now := r.after.certificateOf(after)
	now.JSON = phrase.JSON(is)
	return proxyChange(CertificatePath, &Value{JSON: phrase.JSON(was)}, now)
}

// certificateOf returns the certificate of a client as a value: the name of what issues it.
func (s *snapshot) certificateOf(c proxy.Client) *Value {
	issuer, _ := s.issuerOf(c)
	return &Value{phrase.JSON(issuer.Name), Source{Type: issuer.Type, Name: issuer.Name, KRI: kinds.KRI(s.Resource(issuer).ID())}}
}

// trust returns the change if a proxy with a certificate trusts other certificates; nil if it does not.
func (r *reachability) trust(dataplane string) *Change {
	secured := func(s *snapshot) bool {
		client := s.proxies.Client(dataplane)
		return client.Identity != (kuma.Key{}) || len(client.Names) > 0
	}
	if !secured(r.before) || !secured(r.after) {
		return nil
	}
	domains, trusted := r.before.trusted()
	domainsAfter, trustedAfter := r.after.trusted()
	if trusted == trustedAfter {
		return nil
	}
	if slices.Equal(domains, domainsAfter) {
		domainsAfter = nil
	}
	return proxyChange(TrustPath, &Value{JSON: phrase.JSON(domains)}, &Value{JSON: phrase.JSON(domainsAfter)})
}

// trusted returns the trust domains of the MeshTrusts and of mutual TLS of the Mesh, never nil, and text that is equal for equal
// certificate authorities.
func (s *snapshot) trusted() (domains []string, authorities string) {
	var all []string
	if mtls := tree.Root(s.Resource(kuma.MeshKey(s.mesh)).Body).Get("mtls", "enabledBackend"); mtls.Filled() && !s.Release().Kuma3() {
		domains, all = append(domains, s.mesh), append(all, s.mesh)
	}
	for _, r := range s.Resources(s.mesh, kinds.MeshTrust.Name) {
		domain := tree.Text(r.Spec()["trustDomain"])
		domains, all = append(domains, domain), append(all, domain+phrase.JSON(r.Spec()["caBundles"]))
	}
	return append([]string{}, phrase.Sorted(domains)...), fmt.Sprint(phrase.Sorted(all))
}

// issuerOf returns what issues the certificate of a client, and describes it.
func (s *snapshot) issuerOf(c proxy.Client) (kuma.Key, string) {
	if c.Identity != (kuma.Key{}) {
		return c.Identity, c.Identity.Local()
	}
	mesh := kuma.MeshKey(s.mesh)
	backend, _ := tree.Root(s.Resource(mesh).Body).Get("mtls", "enabledBackend").Text()
	return mesh, fmt.Sprintf("backend %q of the mesh", backend)
}
