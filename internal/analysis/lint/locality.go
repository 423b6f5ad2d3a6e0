package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// findServicesLeftOut finds services that get no requests because of localZone or crossZone: before Kuma 3.0, they leave out inbounds
// without tags (proxies.md §3).
func findServicesLeftOut(m *mesh, report func(Finding)) {
	kind := kinds.MeshLoadBalancingStrategy.Name
	if m.Release().Kuma3() || m.proxies() == nil || !m.uses(kind, "to") {
		return
	}
	tagged := func(dataplane string) bool {
		inbounds := tree.Root(m.dataplane(dataplane).Body).Get("networking", "inbound").Items()
		return slices.ContainsFunc(inbounds, func(in tree.Node) bool { return in.Get("tags").Filled() })
	}
	var untagged []kuma.ID
	for _, of := range []string{kuma.KindMeshService, kuma.KindMeshMultiZoneService} {
		for _, r := range m.ofKind(of) {
			members := m.proxies().Members(m.Behind(r.ID())...)
			if len(members) > 0 && !slices.ContainsFunc(members, tagged) {
				untagged = append(untagged, r.ID())
			}
		}
	}
	type entry struct {
		policy kuma.Key
		index  int
		field  string
	}
	lost := map[entry]map[string][]string{} // clients by service
	for _, g := range m.Groups(m.name, kind) {
		r, _ := m.Outline(m.name, g.Dataplanes[0], kind)
		for _, service := range untagged {
			found, ok := r.Lookup(rules.Destination{Resource: service})
			if !ok || found.Resource == nil {
				continue
			}
			leaves := found.Resource.Explain()[0]
			i := slices.IndexFunc(leaves, func(l rules.Leaf) bool {
				return len(l.Path) > 1 && (l.Path[1] == "localZone" || l.Path[1] == "crossZone")
			})
			if i < 0 {
				continue
			}
			by, locality := leaves[i].SetBy, tree.Root(found.Resource.Merge()[0]).Get("localityAwareness")
			at := entry{by.ResourceMeta.Key(), by.RuleIndex, tree.Text(leaves[i].Path[1])}
			for _, client := range g.Dataplanes {
				if !m.outbounds(client).HasService(service) || !m.proxies().LeavesOutUntagged(locality, client) {
					continue
				}
				if lost[at] == nil {
					lost[at] = map[string][]string{}
				}
				lost[at][service.Name] = append(lost[at][service.Name], client)
			}
		}
	}
	for at, clients := range lost {
		names := phrase.Sorted(slices.Concat(slices.Collect(maps.Values(clients))...))
		report(harmful.at(m.Resource(at.policy), tree.Path{"spec", "to", at.index, "default", "localityAwareness", at.field},
			fmt.Sprintf("Requests of %s to %s fail: without a failover to other zones, %s leaves out inbounds without tags.", some(names),
				some(slices.Sorted(maps.Keys(clients))), at.field),
			"Add the tag kuma.io/service to the inbounds, or remove localZone and crossZone.").on(len(names)))
	}
}

// findAffinityToNothing finds affinity tags that none of the clients has: they prefer no endpoint. On Kuma 3.0, only
// labels of Dataplanes count (measured with `_config` on 2.14.3 and 3.0).
func findAffinityToNothing(m *mesh, report func(Finding)) {
	for _, p := range m.policies {
		for _, key := range tree.Root(p.Document()).Find("spec.to[].default.localityAwareness.localZone.affinityTags[].key") {
			name, _ := key.Text()
			has := func(dataplane string) bool {
				dp := m.dataplane(dataplane)
				_, labeled := dp.Labels[name]
				networking := tree.Root(dp.Body).Get("networking")
				return labeled || !m.Release().Kuma3() &&
					slices.ContainsFunc(append(networking.Get("inbound").Items(), networking.Get("gateway")), func(n tree.Node) bool {
						return tree.StringMap(n.Get("tags").Value())[name] != ""
					})
			}
			selected := m.Selected(p.Key())
			if len(selected) == 0 || strings.Contains(name, "kuma.io/") || slices.ContainsFunc(selected, has) {
				continue // labels of kuma.io are added by the control plane
			}
			what := "tag or label"
			if m.Release().Kuma3() {
				what = "label"
			}
			report(questionable.at(p, key.Path,
				fmt.Sprintf("The affinity has no effect, because no Dataplane that the policy selects has the %s %q: %s.", what, name, some(selected)),
				fmt.Sprintf("Add the %s to the Dataplanes of the clients and of the service, or remove it here.", what)).on(len(selected)))
		}
	}
}
