package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var clientRefused = Code{
	Code: "client-refused", Severity: Warning, Title: "Outbound to a service that refuses the client",
	Fix: "Allow the client, or remove the service from its Dataplane",
	Doc: "A client lists a service in `outbound` or `reachableBackends` whose proxies refuse it: a MeshTrafficPermission denies it, none allows it, or only one of both sides has a certificate. Clients that list no services are not checked. [`kuma_access`](../data-sources/access.md) shows all clients and services.",
}

func findClientRefused(m *mesh, report func(Finding)) {
	lists := func(dataplane string) bool {
		return len(m.outbounds(dataplane).All) > 0 && !m.outbounds(dataplane).Everything
	}
	if m.proxies() == nil || !slices.ContainsFunc(m.Dataplanes(m.name), lists) {
		return
	}
	matrix, err := access.Of(m.proxies(), access.Filter{})
	if err != nil {
		return // its policies would exhaust a control plane
	}
	services := map[kuma.ID]*kuma.Resource{}
	for _, r := range m.ofKind(kuma.KindMeshService) {
		services[r.ID()] = r
	}
	for _, row := range matrix.Rows {
		for _, a := range row.Access {
			names, proxies := listing(matrix, a)
			if len(names) == 0 || !slices.Contains([]proxy.Verdict{proxy.Denied, access.Partly, proxy.NoCertificate, proxy.TLSMismatch}, a.Verdict) {
				continue
			}
			for _, p := range row.Ports {
				if r := services[p.Resource]; r != nil {
					report(clientRefused.at(r, tree.Path{"spec", "ports"},
						fmt.Sprintf("The service refuses %s on port %d, although %s it: %s.", some(names), p.Number, lister(proxies), a.Reason),
						"Allow the client in a MeshTrafficPermission for the service, or remove the service from the Dataplanes of the client.").on(proxies))
				}
			}
		}
	}
}

// listing returns the dataplanes with an answer that list the port.
func listing(m access.Matrix, a access.Access) (names []string, proxies int) {
	if !a.Reachable {
		return nil, 0
	}
	for _, client := range a.Clients {
		if g := m.Clients[client]; !g.ReachesAll {
			names = append(names, g.Dataplanes...)
		}
	}
	return names, len(names)
}

func lister(proxies int) string {
	if proxies == 1 {
		return "this Dataplane lists"
	}
	return "these Dataplanes list"
}
