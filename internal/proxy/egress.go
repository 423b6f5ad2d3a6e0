package proxy

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Egresses returns the listeners of the zone egresses.
func (m *Mesh) Egresses() (all []Endpoint) {
	for _, r := range m.snapshot.Resources(m.name, kuma.KindDataplane) {
		all = append(all, EgressesOf(r)...)
	}
	return all
}

// EgressesOf returns the listeners of a Dataplane for traffic that leaves the mesh.
func EgressesOf(dataplane *kuma.Resource) (all []Endpoint) {
	for _, l := range tree.Root(dataplane.Body).Get("networking", "listeners").Items() {
		if isEgress(l) && rules.IsReady(l) {
			all = append(all, NewEndpoint(dataplane, l))
		}
	}
	return all
}

func isEgress(listener tree.Node) bool {
	return tree.Text(listener.Get("type").Value()) == kuma.ListenerEgress
}

// externalEgresses returns the zone egresses for external services: those without a certificate of a MeshIdentity, which a ZoneEgress
// never has, and those with one. Before Kuma 3.0, the first ones keep clients from getting a configuration.
func (m *Mesh) externalEgresses() (without, with []*kuma.Resource) {
	if m.snapshot.Release().Kuma3() || len(m.snapshot.Resources(m.name, kuma.KindMeshExternalService)) == 0 {
		return nil, nil
	}
	without = slices.Clone(m.snapshot.Resources("", kinds.ZoneEgress.Name))
	for _, r := range m.snapshot.Resources(m.name, kuma.KindDataplane) {
		if !slices.ContainsFunc(tree.Root(r.Body).Get("networking", "listeners").Items(), isEgress) {
			continue
		}
		if c := m.readClient(r); c.Identity != (kuma.Key{}) && c.Broken == nil {
			with = append(with, r)
		} else {
			without = append(without, r)
		}
	}
	return without, with
}

// brokenByEgress returns why a client with a MeshIdentity gets no configuration: it sends
// requests to a MeshExternalService through an egress of its zone without one (proxies.md §3).
func (m *Mesh) brokenByEgress(client *kuma.Resource, without, with []*kuma.Resource) error {
	inZone := func(egress *kuma.Resource) bool { return rules.SameZone(*client, *egress) }
	i := slices.IndexFunc(without, inZone)
	if i < 0 || slices.ContainsFunc(with, inZone) || !m.leaves(client) {
		return nil
	}
	return &EgressError{without[i].Name}
}

// EgressError is why a client gets no configuration: the zone egress through which it sends
// requests has no MeshIdentity, and the client has one.
type EgressError struct {
	Egress string // a Dataplane or a ZoneEgress
}

func (e *EgressError) Error() string {
	return fmt.Sprintf("requests to external services go through %q, which has no certificate of a MeshIdentity", e.Egress)
}

// leaves reports whether a client sends requests to a MeshExternalService, directly or as a
// backend of a route to a service for which it has a listener.
func (m *Mesh) leaves(client *kuma.Resource) bool {
	outbounds, gateway := m.Outbounds(client.Name), m.IsBuiltinGateway(client.Name)
	external := func(o Outbound) bool { return o.Port.Resource.Type == kuma.KindMeshExternalService }
	if slices.ContainsFunc(outbounds.All, external) {
		return true
	}
	for _, kind := range []string{kuma.KindMeshHTTPRoute, kuma.KindMeshTCPRoute} {
		routes, _ := m.snapshot.Outline(m.name, client.Name, kind) // empty if they would exhaust a control plane
		for _, r := range routes.ToResourceRules {
			if !gateway && !outbounds.HasService(r.ResourceMeta.ID()) {
				continue
			}
			for e := range r.Entries() {
				route := m.snapshot.Resource(e.Policy)
				for _, n := range tree.Root(route.Spec()).Get("to").Items()[e.Index].Find("rules[].default.backendRefs[]") {
					ref := rules.ParseBackendRef(n) // the proxy does not have one of weight 0
					if service, _ := m.snapshot.Backend(*route, ref); service.Type == kuma.KindMeshExternalService && ref.Weight > 0 {
						return true
					}
				}
			}
		}
	}
	return false
}
