package impact

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Paths of a [Change] of a service for which the proxy has a listener on both sides. The type of the change is Dataplane.
const (
	// EndpointsPath is what provides the service, a list: Dataplanes that exist on both sides, with addresses if only these
	// change; the MeshServices of a MeshMultiZoneService; or addresses of a MeshExternalService.
	EndpointsPath = "endpoints"
	AffinityPath  = "affinity"  // Dataplanes that the proxy prefers by the affinityTags of a MeshLoadBalancingStrategy, a list
	HostNamesPath = "hostnames" // by which applications behind transparent proxies call it, a list
	NamePath      = "name"      // of a port
	PortPath      = "port"      // by which a MeshExternalService is called
	ProtocolPath  = "protocol"  // of a port
	EgressPath    = "egress"    // Dataplanes through which requests to a MeshExternalService leave the mesh, with addresses
	IdentityPath  = "identity"  // SPIFFE IDs of what provides the service, a list
	TLSPath       = "tls"       // to the endpoints of a MeshExternalService: disabled, enabled, or other settings
)

// serviceChange is a change of a service, or of one of its ports.
type serviceChange struct {
	*Change

	ports []int  // of a service, to which the change is limited; nil for all
	zone  string // of the proxies with other host names
}

// concerns reports whether a proxy has a listener for what changes.
func (c serviceChange) concerns(o *proxy.Outbounds) bool {
	of := c.target.section
	number, _ := strconv.Atoi(of.name)
	has := func(number int) bool { return o.Has(of.id, number) }
	return o.HasService(of.id) && (of.name == "" || has(number)) && (c.ports == nil || slices.ContainsFunc(c.ports, has))
}

// difference returns the change of a value, or nothing if it is the same.
func (r *reachability) difference(of section, path string, was, is any) []*Change {
	before, after := phrase.JSON(was), phrase.JSON(is)
	if before == after {
		return nil
	}
	return []*Change{r.change(of, path, before, after)}
}

// serviceChanges compares the services that exist on both sides.
func (r *reachability) serviceChanges() map[kuma.ID][]serviceChange {
	out := map[kuma.ID][]serviceChange{}
	otherRelease := r.before.Release() != r.after.Release()
	if !otherRelease && !r.otherGenerators() && !slices.ContainsFunc(r.differences, changesServices) {
		return out
	}
	var all serviceChange // for all proxies
	add := func(of section, path string, was, is any, only serviceChange) {
		for _, only.Change = range r.difference(of, path, was, is) {
			out[of.id] = append(out[of.id], only)
		}
	}
	before, after := r.provided(r.before, r.after), r.provided(r.after, r.before)
	clients := map[string]*kuma.Resource{} // one of each zone
	for _, d := range r.after.Resources(r.after.mesh, kuma.KindDataplane) {
		clients[d.Zone()] = d
	}
	for _, id := range r.services {
		of := section{id: id}
		was, is := r.before.ids[id].Spec(), r.after.ids[id].Spec()
		switch id.Type {
		case kuma.KindMeshExternalService:
			add(of, EndpointsPath, addresses(was), addresses(is), all)
			add(of, PortPath, portOf(was), portOf(is), all)
			if !tree.Equal(was["tls"], is["tls"]) {
				before, after := tlsOf(was), tlsOf(is)
				if before == after && before == "enabled" {
					after = "other settings"
				}
				add(of, TLSPath, before, after, all)
			}
		default:
			names, others, ports := r.endpoints(before, after, id)
			if id.Type == kuma.KindMeshMultiZoneService {
				ports = nil
			}
			add(of, EndpointsPath, names, others, serviceChange{ports: ports})
			if !otherRelease {
				add(of, IdentityPath, r.before.identities(r.before.members(id)), r.after.identities(r.after.members(id)), all)
			}
		}
		for _, p := range r.before.Ports(id) {
			for _, q := range r.after.Ports(id) {
				if p.Number == q.Number {
					at := section{id, strconv.Itoa(p.Number)}
					add(at, NamePath, p.Section, q.Section, all)
					add(at, ProtocolPath, p.Protocol, q.Protocol, all)
					if slices.Equal(r.before.Behind(id), r.after.Behind(id)) {
						add(at, EndpointsPath, r.before.behindPort(p), r.after.behindPort(q), all)
					}
				}
			}
		}
		for zone, client := range clients {
			was, is := r.before.simulation.HostNames(id, client), r.after.simulation.HostNames(id, client)
			add(of, HostNamesPath, was, is, serviceChange{zone: zone})
		}
	}
	return out
}

func changesServices(d difference) bool {
	return rules.IsDestination(d.key.Type) || slices.Contains([]string{kuma.KindMesh, kuma.KindDataplane, kinds.MeshIdentity.Name}, d.key.Type)
}

// otherGenerators reports whether HostnameGenerators differ, which belong to no mesh.
func (r *reachability) otherGenerators() bool {
	before, after := r.before.Resources("", kinds.HostnameGenerator.Name), r.after.Resources("", kinds.HostnameGenerator.Name)
	return !slices.EqualFunc(before, after, func(a, b *kuma.Resource) bool { return a.Key() == b.Key() && same(a, b) })
}

// provided returns the endpoints of services on one side by the number of the port, as far as they and the ports exist on both.
func (r *reachability) provided(s, other *snapshot) map[kuma.ID]map[int][]proxy.Endpoint {
	out := map[kuma.ID]map[int][]proxy.Endpoint{}
	for _, service := range s.proxies.Services() {
		out[service.ID] = map[int][]proxy.Endpoint{}
		ports := other.Ports(service.ID)
		for _, port := range service.Ports {
			if slices.ContainsFunc(ports, func(p rules.Port) bool { return p.Number == port.Number }) {
				out[service.ID][port.Number] = r.onBothSides(port.Endpoints)
			}
		}
	}
	return out
}

// onBothSides returns the endpoints of Dataplanes that exist on both sides.
func (r *reachability) onBothSides(endpoints []proxy.Endpoint) []proxy.Endpoint {
	return slices.DeleteFunc(slices.Clone(endpoints), func(e proxy.Endpoint) bool { return !has(r.common, e.Dataplane) })
}

// endpoints returns what provides a MeshService or a MeshMultiZoneService before and after, equal if that stays the same, and the
// ports of its MeshServices for which it differs.
func (r *reachability) endpoints(before, after map[kuma.ID]map[int][]proxy.Endpoint, id kuma.ID) (was, is []string, ports []int) {
	behind, remaining := r.before.Behind(id), r.after.Behind(id)
	if len(behind)*len(remaining) == 0 {
		return nil, nil, nil // of a MeshMultiZoneService: a change of its own
	}
	if was, is = namesOf(behind), namesOf(remaining); !slices.Equal(was, is) {
		return was, is, nil
	}
	var all, others []proxy.Endpoint
	for _, service := range behind {
		for _, number := range slices.Sorted(maps.Keys(before[service])) {
			endpoints, now := before[service][number], after[service][number]
			all, others = append(all, endpoints...), append(others, now...)
			if !slices.Equal(listed(endpoints, now), listed(now, endpoints)) {
				ports = append(ports, number)
			}
		}
	}
	return listed(all, others), listed(others, all), ports
}

// tagChanges compares what a proxy sends to by tags of Dataplanes that differ, also as backends of routes.
func (p *proxyReachability) tagChanges() (changes []*Change) {
	for _, service := range p.changedTags() {
		was, is := slices.Concat(p.was.ByTags(service), p.was.byTag[service]), slices.Concat(p.is.ByTags(service), p.is.byTag[service])
		var backends []map[string]string
		if p.was.Release() == p.is.Release() { // without an HTTP backend, proxies leave out a rule
			backends = slices.Concat(p.was.byTag[service], p.is.byTag[service])
		}
		contains := func(list []map[string]string, tags map[string]string) bool {
			return slices.ContainsFunc(list, func(other map[string]string) bool { return maps.Equal(other, tags) })
		}
		known := map[string]bool{}
		for _, tags := range slices.Concat(is, backends) {
			others := maps.Clone(tags)
			delete(others, kuma.TagService)
			of := section{kuma.ID{Mesh: p.after.mesh, Name: service}, phrase.Pairs(others)}
			if known[of.name] || !contains(was, tags) && !contains(backends, tags) {
				continue
			}
			known[of.name] = true
			endpoints, now := p.onBothSides(p.before.proxies.Tagged(tags)), p.onBothSides(p.after.proxies.Tagged(tags))
			changes = append(changes, p.difference(of, EndpointsPath, listed(endpoints, now), listed(now, endpoints))...)
			if a, b := p.was.protocolByTag(service), p.is.protocolByTag(service); a.known && b.known {
				changes = append(changes, p.difference(of, ProtocolPath, cmp.Or(a.protocol, "tcp"), cmp.Or(b.protocol, "tcp"))...)
			}
		}
	}
	return changes
}

// tagsOfOwn returns the values of kuma.io/service of Dataplanes that differ themselves.
func (r *reachability) tagsOfOwn() (all []string) {
	for name := range r.own {
		for _, s := range []*snapshot{r.before, r.after} {
			if d := s.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: s.mesh, Name: name}); d != nil {
				for _, tags := range tree.Root(d.Body).Find("networking.inbound[].tags") {
					all = append(all, tree.StringMap(tags.Value())[kuma.TagService])
				}
			}
		}
	}
	return phrase.Sorted(all)
}

// listed returns the names of the Dataplanes of endpoints, or their addresses too if others have the same names.
func listed(of, others []proxy.Endpoint) []string {
	name := func(e proxy.Endpoint) string { return e.Dataplane }
	if names := phrase.Sorted(phrase.Each(of, name)); !slices.Equal(names, phrase.Sorted(phrase.Each(others, name))) {
		return names
	}
	return phrase.Sorted(phrase.Each(phrase.Grouped(of, name), func(same []proxy.Endpoint) string {
		addresses := phrase.Each(same, func(e proxy.Endpoint) string { return fmt.Sprintf(" %s:%d", e.Address, e.Port) })
		return same[0].Dataplane + strings.Join(addresses, "")
	}))
}

// members returns the Dataplanes that a MeshService, or those of a MeshMultiZoneService, select.
func (s *snapshot) members(id kuma.ID) []string {
	return s.proxies.Members(s.Behind(id)...)
}

// identities returns the SPIFFE IDs that clients accept from Dataplanes.
func (s *snapshot) identities(dataplanes []string) (ids []string) {
	for _, name := range dataplanes {
		ids = append(ids, s.proxies.AcceptedIDs(name)...)
	}
	return phrase.Sorted(ids)
}

// egresses returns the zone egresses that are Dataplanes, if there are external services.
func (s *snapshot) egresses() []proxy.Endpoint {
	if s.proxies != nil {
		for _, service := range s.proxies.Services() {
			if service.ID.Type == kuma.KindMeshExternalService && len(service.Ports) > 0 {
				return service.Ports[0].Endpoints
			}
		}
	}
	return nil
}

// egressesOf returns the zone egresses of the zone of a dataplane as JSON, before or after the change.
func (r *reachability) egressesOf(dataplane string, n int) string {
	side := []*snapshot{r.before, r.after}[n]
	zone := side.zoneOf(dataplane)
	all := []string{}
	for _, e := range r.egresses[n] {
		if e.ServesZone(zone) {
			name := side.proxies.Client(e.Dataplane).SPIFFEID()
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s:%d %s", e.Dataplane, e.Address, e.Port, name)))
		}
	}
	return phrase.JSON(phrase.Sorted(all))
}

// behindPort returns the services that receive the requests for a port of a MeshMultiZoneService, without those whose Dataplanes are
// known and have no inbound for it; nothing for other services.
func (s *snapshot) behindPort(p rules.Port) (names []string) {
	for _, id := range s.Behind(p.Resource) {
		port, ok := s.PortBehind(p, *s.ids[id])
		if !ok || id == p.Resource {
			continue
		}
		to := rules.Port{Resource: id, Number: tree.Int(port.Get("port").Value())}
		if len(s.members(id)) == 0 || len(s.proxies.Endpoints(to)) > 0 {
			names = append(names, id.Name)
		}
	}
	return phrase.Sorted(names)
}

func namesOf(services []kuma.ID) []string {
	return phrase.Sorted(phrase.Each(services, func(id kuma.ID) string { return id.Name }))
}

// addresses returns the endpoints of a MeshExternalService.
func addresses(spec map[string]any) (all []string) {
	for _, e := range tree.Objects(spec["endpoints"]) {
		all = append(all, fmt.Sprintf("%s:%v", tree.Text(e["address"]), tree.Int(e["port"])))
	}
	return all
}

// portOf returns the port by which a MeshExternalService is called.
func portOf(spec map[string]any) string {
	return strconv.Itoa(tree.Int(tree.Object(spec["match"])["port"]))
}

// tlsOf returns whether TLS is enabled, without settings, which can be secret.
func tlsOf(spec map[string]any) string {
	if on, _ := tree.Object(spec["tls"])["enabled"].(bool); on {
		return "enabled"
	}
	return "disabled"
}

// serviceLine describes a change of a service, or of what the proxy trusts.
func (c Change) serviceLine() string {
	list := func(v *Value) string {
		var all []string
		_ = json.Unmarshal([]byte(v.JSON), &all) // made by serviceChanges
		if len(all) == 0 {
			return "nothing"
		}
		if slices.Contains([]string{EgressPath, IdentityPath, TrustPath}, c.Path) {
			all = phrase.Each(all, phrase.CodeSpan)
		}
		return phrase.Some(all, maxNames, "")
	}
	lists := map[string]string{
		EndpointsPath: "provided by", AffinityPath: "preferred by affinity tags:", EgressPath: "requests leave the mesh through",
		IdentityPath: "proxies with", TrustPath: "the proxy trusts", HostNamesPath: "host names:",
	}
	switch {
	case c.Path == TrustPath && c.After.JSON == "[]": // documents lack the MeshTrusts that the control plane creates
		return "the proxy no longer trusts " + list(c.Before)
	case c.Path == TrustPath && c.Before.JSON == "[]":
		return "the proxy trusts " + list(c.After) + " now"
	case c.Path == TrustPath && c.After.JSON == phrase.JSON([]string(nil)):
		return fmt.Sprintf("the proxy trusts other certificate authorities for the same trust domains, before: %s", list(c.Before))
	case lists[c.Path] != "":
		return fmt.Sprintf("%s %s, before: %s", lists[c.Path], list(c.After), list(c.Before))
	default:
		before, _ := strconv.Unquote(c.Before.JSON)
		after, _ := strconv.Unquote(c.After.JSON)
		return fmt.Sprintf("%s: %s → %s", c.Path, phrase.CodeSpan(before), phrase.CodeSpan(after))
	}
}
