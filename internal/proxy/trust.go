package proxy

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// isUntrusted reports whether no proxy of a zone accepts a certificate of a MeshIdentity: the control plane of the zone creates no
// MeshTrust for it, and no other one can have its authority, which only an administrator can give to another one if it is generated. Each
// zone generates its own, and creates a MeshTrust that other zones do not get (proxies.md §5).
func (m *Mesh) isUntrusted(identity *kuma.Resource, id, from, zone string) bool {
	if kinds.IssuesInvalid(*identity) {
		return true
	}
	createdBy := kinds.MeshIdentity.Generates[kinds.MeshTrust.Name]
	generated := tree.Root(identity.Spec()).Get("provider", "bundled", "autogenerate", "enabled").True()
	foreign := generated && from != "" && zone != "" && from != zone
	if !kinds.IsBundled(*identity) || len(createdBy(*identity)) > 0 && !foreign {
		return false
	}
	created := m.createdTrusts()
	trusted := func(t *kuma.Resource) bool {
		return isTrust(t, domainOf(id)) && (!generated || !created(t)) && (!foreign || t.Zone() == "" || t.Zone() == zone)
	}
	creates := func(i *kuma.Resource) bool { return len(createdBy(*i)) > 0 }
	return (generated || !slices.ContainsFunc(m.snapshot.Resources(m.name, kinds.MeshIdentity.Name), creates)) &&
		!slices.ContainsFunc(m.snapshot.Resources(m.name, kinds.MeshTrust.Name), trusted)
}

// hasExternalTrust reports whether a MeshTrust can have the authority of a SPIFFE ID that another issuer than the control plane
// certifies, which is not in those that the control plane creates.
func (m *Mesh) hasExternalTrust(id string) bool {
	created := m.createdTrusts()
	return slices.ContainsFunc(m.snapshot.Resources(m.name, kinds.MeshTrust.Name), func(t *kuma.Resource) bool {
		return isTrust(t, domainOf(id)) && !created(t)
	})
}

// isTrust reports whether a MeshTrust is for a trust domain.
func isTrust(t *kuma.Resource, domain string) bool {
	return tree.Text(t.Spec()["trustDomain"]) == domain
}

// domainOf returns the trust domain of a SPIFFE ID.
func domainOf(id string) string {
	domain, _, _ := strings.Cut(strings.TrimPrefix(id, "spiffe://"), "/")
	return domain
}

// createdTrusts returns whether the control plane creates a MeshTrust for a MeshIdentity.
func (m *Mesh) createdTrusts() func(*kuma.Resource) bool {
	created := map[string]bool{}
	for _, i := range m.snapshot.Resources(m.name, kinds.MeshIdentity.Name) {
		for _, name := range kinds.MeshIdentity.Generates[kinds.MeshTrust.Name](*i) {
			created[name] = true
		}
	}
	return func(t *kuma.Resource) bool {
		return created[t.Name] || tree.Root(t.Reported).Get("status", "origin", "kri").Filled()
	}
}

// isNotReady reports whether a service with a Dataplane is not ready for TLS: on Kuma 3.0 unless a MeshIdentity selects the
// Dataplane, also if it gets no certificate, and a MeshTrust has its trust domain; before unless it gets one (proxies.md §5).
func (m *Mesh) isNotReady(dataplane string) bool {
	c := m.clients[dataplane]
	if m.snapshot.Release().Kuma3() {
		return c.Identity == (kuma.Key{}) || !m.hasTrust(c.Identity, dataplane)
	}
	return len(c.Names) == 0
}

// hasTrust reports whether a MeshTrust has, or will have, the trust domain of the MeshIdentity of a Dataplane, with any authority.
func (m *Mesh) hasTrust(identity kuma.Key, dataplane string) bool {
	of, d := m.snapshot.Resource(identity), m.dataplane(dataplane)
	domain, err := kinds.TrustDomain(*of, *d)
	if !kinds.IsBundled(*of) || err != nil {
		return true // others can be trusted otherwise
	}
	return slices.ContainsFunc(m.snapshot.Resources(m.name, kinds.MeshTrust.Name), func(t *kuma.Resource) bool {
		return isTrust(t, domain)
	}) || slices.ContainsFunc(m.snapshot.Resources(m.name, kinds.MeshIdentity.Name), func(i *kuma.Resource) bool {
		own, _ := kinds.TrustDomain(*i, *d)
		return own == domain && len(kinds.MeshIdentity.Generates[kinds.MeshTrust.Name](*i)) > 0
	})
}

// staysReady reports whether a control plane has found a MeshService ready for TLS, which it does not take back while the mesh
// has certificates. It finds one without Dataplanes ready, too (proxies.md §5).
func (m *Mesh) staysReady(service kuma.ID) bool {
	r := m.snapshot.Service(service)
	if r == nil || !m.mutualTLS && len(m.snapshot.Resources(m.name, kinds.MeshIdentity.Name)) == 0 {
		return false
	}
	status, _ := tree.Root(r.Reported).Get("status", "tls", "status").Text()
	return status == "Ready"
}
