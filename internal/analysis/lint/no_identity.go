package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

var noIdentity = Code{
	Code: "no-identity", Severity: Warning, Title: "Permissions for proxies without a certificate",
	Fix: "Create a MeshIdentity that selects the proxies",
	Doc: "A MeshTrafficPermission or MeshTLS selects only proxies without a certificate: no MeshIdentity selects them and, before Kuma 3.0, `mtls` of the Mesh is not enabled. Such a proxy accepts every client. Before Kuma 3.0, a MeshIdentity also requires `meshServices.mode` Exclusive.",
}

func findNoIdentity(m *mesh, report func(Finding)) {
	if m.hasMutualTLS() && !m.Release().Kuma3() {
		return
	}
	for _, p := range m.policies {
		if p.Type != kinds.MeshTrafficPermission.Name && p.Type != kinds.MeshTLS.Name {
			continue
		}
		selected := m.Selected(p.Key())
		hasCertificate := func(dataplane string) bool { return m.Identity(m.name, dataplane) != (kuma.Key{}) }
		if len(selected) == 0 || slices.ContainsFunc(selected, hasCertificate) {
			continue
		}
		report(noIdentity.at(p, nil,
			fmt.Sprintf("The policy has no effect, because none of the proxies that it selects has a certificate: %s. They accept every client.", some(selected)),
			"Create a MeshIdentity that selects the proxies and their clients, or remove the policy.").on(len(selected)))
	}
}
