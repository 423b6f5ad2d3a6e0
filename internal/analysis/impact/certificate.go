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

// certificate returns the change if the proxy gets a certificate after the change only, which was not possible before, or
// another one, as far as the release stays the same. It returns nil if there is none.
func (r *reachability) certificate(dataplane string) *Change {
	before, after := r.before.proxies.Client(dataplane), r.after.proxies.Client(dataplane)
	first := before.SPIFFEID() == ""
	if after.SPIFFEID() == "" || after.Broken != nil || first && before.Broken == nil || !first && r.before.Release() != r.after.Release() {
		return nil
	}
	issuer, by := r.after.issuerOf(after)
	c := &Change{
		Type: kuma.KindDataplane, Direction: Proxy, Destination: "proxy", Path: CertificatePath, Cause: CauseSettings,
		After: &Value{phrase.JSON(issuer.Name), Source{Type: issuer.Type, Name: issuer.Name, KRI: kinds.KRI(r.after.Resource(issuer).ID())}},
		about: "the proxy",
	}
	if first {
		return c
	}
	_, was := r.before.issuerOf(before)
	if before.SPIFFEID() != after.SPIFFEID() {
		was, by = before.SPIFFEID(), after.SPIFFEID()
	}
	if was == by {
		return nil
	}
	c.Before, c.After.JSON = &Value{JSON: phrase.JSON(was)}, phrase.JSON(by)
	return c
}

// trust returns the change if a proxy with a MeshIdentity trusts other certificates; nil if it does not.
func (r *reachability) trust(dataplane string) *Change {
	none := kuma.Key{}
	if r.before.proxies.Client(dataplane).Identity == none || r.after.proxies.Client(dataplane).Identity == none {
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
	return &Change{
		Type: kuma.KindDataplane, Direction: Proxy, Destination: "proxy", Path: TrustPath, Cause: CauseSettings,
		Before: &Value{JSON: phrase.JSON(domains)}, After: &Value{JSON: phrase.JSON(domainsAfter)}, about: "the proxy",
	}
}

// trusted returns the trust domains of the MeshTrusts, never nil, and text that is equal for equal certificate authorities.
func (s *snapshot) trusted() (domains []string, authorities string) {
	var all []string
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
