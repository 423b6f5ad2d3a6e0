package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// findTakenPorts finds ports for Prometheus on which proxies already listen: Envoy rejects the second listener [E].
func findTakenPorts(m *mesh, report func(Finding)) {
	type place struct {
		policy        kuma.Key
		backend, port int64
	}
	listening := map[place][]string{}
	for _, g := range m.Groups(m.name, kinds.MeshMetric.Name) {
		r, _ := m.Outline(m.name, g.Dataplanes[0], kinds.MeshMetric.Name)
		if r.ProxyRule == nil {
			continue
		}
		for _, leaf := range r.ProxyRule.Explain() {
			if leaf.Path.String() != "backends" {
				continue
			}
			for i, backend := range tree.List(leaf.Value) {
				port, ok := tree.Root(backend).Get("prometheus", "port").Int()
				at := place{leaf.SetBy.ResourceMeta.Key(), int64(i), port}
				for _, name := range g.Dataplanes {
					if ok && m.listensOn(name, port) {
						listening[at] = append(listening[at], name)
					}
				}
			}
		}
	}
	for at, names := range listening {
		report(harmful.at(m.Resource(at.policy), tree.Path{"spec", "default", "backends", int(at.backend), "prometheus", "port"},
			fmt.Sprintf("The proxies of %s already listen on port %d of their address, so they reject the listener for Prometheus.",
				some(phrase.Sorted(names)), at.port), "Use a different port.").on(len(names)))
	}
}

// listensOn reports whether a proxy has a listener on a port of its own address.
func (m *mesh) listensOn(dataplane string, port int64) bool {
	networking := tree.Root(m.dataplane(dataplane).Body).Get("networking")
	own, _ := networking.Get("address").Text()
	at := func(n tree.Node) bool {
		address, set := n.Get("address").Text()
		number, _ := n.Get("port").Int()
		return number == port && (!set || address == own)
	}
	if slices.ContainsFunc(m.gateways()[dataplane], func(l rules.Listener) bool { return int64(l.Port) == port }) {
		return true
	}
	listeners := append(networking.Get("inbound").Items(), networking.Get("listeners").Items()...)
	return slices.ContainsFunc(append(listeners, networking.Get("admin")), at)
}
