package upgrade

import (
	"cmp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// replaceZoneProxies proposes for stage two a Dataplane with a listener for each zone proxy and
// mesh, and the address of an ingress (R12). On 2.14 the address would redirect the traffic of
// other zones at once, before the proxy of the Dataplane runs.
var replaceZoneProxies = forEach(func(w *world, r kuma.Resource) []proposal {
	zone, _ := tree.Root(r.Body).Get("zone").Text()
	switch {
	case !w.final:
		return nil
	case w.ControlPlane.Mode == kuma.ModeGlobal || zone != "" && w.ControlPlane.Zone != "" && zone != w.ControlPlane.Zone:
		return w.cannot(r, "", zoneProxyCondition, "The proxy belongs to a zone, and is replaced there.",
			"Rewrite the documents of the control plane of the zone.")
	default:
		return w.zoneProxy(r, meshes(w.resources...))
	}
}, kinds.ZoneIngress.Name, kinds.ZoneEgress.Name)

const zoneProxyCondition = "K3-101"

// zoneProxy proposes the documents that replace a zone proxy.
func (w *world) zoneProxy(r kuma.Resource, names []string) []proposal {
	networking := tree.Root(r.Body).Get("networking")
	address, port := networking.Get("address").Value(), networking.Get("port").Value()
	p := proposal{remove: []kuma.Key{r.Key()}, items: []Item{{
		Key: r.Key(), Condition: zoneProxyCondition, Action: Removed,
		Text: "A Dataplane with a listener of type " + r.Type + " replaces it in each mesh.",
	}}}
	for _, mesh := range names {
		if w.runsAsDataplane(r, mesh) {
			continue
		}
		dataplane := kuma.Resource{Type: kuma.KindDataplane, Mesh: mesh, Name: r.Name, Body: map[string]any{"networking": map[string]any{
			"address":   address,
			"listeners": []any{map[string]any{"type": r.Type, "address": address, "port": port}},
		}}}
		if len(r.Name) <= kuma.MaxLabelLength { // SPIFFE IDs contain the workload by default
			dataplane.Labels = map[string]string{kuma.LabelWorkload: r.Name}
		}
		if w.find(dataplane.Key()) != nil {
			return w.cannot(r, "", zoneProxyCondition, "Mesh "+mesh+" has a Dataplane with its name.",
				"Write a Dataplane with another name and a listener of type "+r.Type+".")
		}
		added := Item{Key: dataplane.Key(), Condition: zoneProxyCondition, Action: Added, Text: "Replaces the " + r.Type +
			" with its name. Start its proxy with it and with a dataplane token for its name or workload."}
		if len(names) > 1 {
			added.Choices = []string{"Give the proxy of each mesh an address or port of its own.", "Remove it, if other zones do not use the mesh."}
		}
		p.put, p.items = append(p.put, dataplane), append(p.items, added)
		if r.Type != kinds.ZoneIngress.Name {
			continue
		}
		advertised := addressOf(r, mesh)
		p.put = append(p.put, advertised)
		p.items = append(p.items, Item{
			Key: advertised.Key(), Condition: zoneProxyCondition, Action: Added,
			Text: "Is the address under which other zones reach the ingress.",
		})
	}
	return []proposal{p}
}

// addressOf returns the address of a ZoneIngress for a mesh.
func addressOf(ingress kuma.Resource, mesh string) kuma.Resource {
	value := func(advertised, own string) any {
		networking := tree.Root(ingress.Body).Get("networking")
		return cmp.Or(networking.Get(advertised).Value(), networking.Get(own).Value())
	}
	return kuma.Resource{Type: kinds.MeshZoneAddress.Name, Mesh: mesh, Name: ingress.Name, Body: map[string]any{"spec": map[string]any{
		"address": value("advertisedAddress", "address"), "port": value("advertisedPort", "port"),
	}}}
}

// runsAsDataplane reports whether a Dataplane of the mesh already does what a zone proxy does.
func (w *world) runsAsDataplane(proxy kuma.Resource, mesh string) bool {
	return slices.ContainsFunc(w.resources, func(r kuma.Resource) bool {
		return r.Type == kuma.KindDataplane && r.Mesh == mesh && rules.SameZone(r, proxy) &&
			slices.ContainsFunc(tree.Root(r.Body).Get("networking", "listeners").Items(), func(l tree.Node) bool {
				return tree.Text(l.Get("type").Value()) == proxy.Type
			})
	})
}
