package impact

import (
	"maps"
	"net/netip"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// gatewayCallers returns the groups of builtin gateways that serve the same host name on the same
// port of a MeshGateway, on either side, if anything differs that routes depend on. Their port is the
// port of the MeshGateway.
func (c *comparison) gatewayCallers(dataplanes []string) []callers {
	if c.before.Release().Kuma3() || c.after.Release().Kuma3() ||
		!slices.ContainsFunc(c.differences, func(d difference) bool { return decidesRoutes(d.key.Type) }) {
		return nil
	}
	type key struct {
		servedHost

		matches [4]*rules.Match
	}
	at := map[key]int{}
	var groups []callers
	for _, name := range dataplanes {
		hosts, routes := c.virtualHosts(name)
		if len(hosts) == 0 {
			continue
		}
		matches := c.routeMatches(name)
		for _, h := range hosts {
			k := key{h, matches}
			if i, ok := at[k]; ok {
				groups[i].names = append(groups[i].names, name)
				continue
			}
			asked := samples(routes[h], h.port)
			for i := range asked {
				asked[i].hostname = h.hostname
			}
			at[k], groups = len(groups), append(groups, callers{port: h.port, names: []string{name}, samples: asked, host: asked[0].asks()})
		}
	}
	return groups
}

// decidesRoutes reports whether requests through a gateway can go elsewhere because a resource
// of a type differs.
func decidesRoutes(kind string) bool {
	return rules.IsRoute(kind) || rules.IsDestination(kind) ||
		slices.Contains([]string{kuma.KindMesh, kuma.KindMeshGateway, kuma.KindDataplane}, kind)
}

// servedHost is a host name that a gateway serves on a port.
type servedHost struct {
	port     rules.Port
	hostname string
}

// virtualHosts returns the host names of a gateway on any of the sides, with their routes.
func (c *comparison) virtualHosts(dataplane string) (hosts []servedHost, routes map[servedHost][]tree.Node) {
	routes = map[servedHost][]tree.Node{}
	for _, s := range c.before.sides {
		found, err := s.simulation.VirtualHosts(s.mesh, dataplane)
		s.fail(err)
		for _, h := range found {
			l, protocol := h.Listener, "tcp"
			if l.IsHTTP() {
				protocol = "http"
			}
			at := servedHost{rules.Port{
				Resource: kuma.ID{Type: l.Gateway.Type, Mesh: l.Gateway.Mesh, Name: l.Gateway.Name}, Number: l.Port,
				Protocol: protocol,
			}, h.Name}
			if !slices.Contains(hosts, at) {
				hosts = append(hosts, at)
			}
			routes[at] = append(routes[at], h.Routes()...)
		}
	}
	return hosts, routes
}

// taggedCallers returns the groups of dataplanes with equal outbounds by tags to the services of
// routes that differ. The number of their port is the port of the outbound.
func (c *comparison) taggedCallers(dataplanes []string, routes map[kuma.ID][]tree.Node) []callers {
	if len(routes)+len(c.renamed) == 0 {
		return nil
	}
	type key struct {
		address netip.AddrPort
		tags    string
		matches [4]*rules.Match
	}
	at := map[key]int{}
	var groups []callers
	for _, name := range dataplanes {
		matches := c.routeMatches(name)
		for _, o := range c.sharedOutbounds(name) {
			service := kuma.ID{Mesh: c.before.mesh, Name: o.Tags[kuma.TagService]}
			if _, isRenamed := c.renamed[name][service.Name]; routes[service] == nil && !isRenamed {
				continue
			}
			k := key{o.Address, phrase.Pairs(o.Tags), matches}
			if i, ok := at[k]; ok {
				groups[i].names = append(groups[i].names, name)
				continue
			}
			g := callers{
				names: []string{name}, host: service.Name + ".mesh",
				port: rules.Port{Resource: service, Number: 80}, // of a virtual address
			}
			if o.Address.IsValid() {
				g.host, g.port.Number = o.Address.Addr().String(), int(o.Address.Port())
			}
			answer, err := c.before.simulation.Send(request.Request{
				Mesh: c.before.mesh, Dataplane: name,
				Service: request.Service{Host: g.host, Port: g.port.Number},
			})
			c.before.fail(err)
			g.port.Protocol = answer.Destination.Protocol
			g.samples = samples(routes[service], g.port)
			at[k], groups = len(groups), append(groups, g)
		}
	}
	return groups
}

// sharedOutbounds returns the outbounds by tags that a dataplane has on both sides, or that refer to a service after the
// change.
func (c *comparison) sharedOutbounds(dataplane string) []proxy.Outbound {
	after := c.after.proxies.Outbounds(dataplane).All
	return slices.DeleteFunc(slices.Clone(c.before.proxies.Outbounds(dataplane).All), func(o proxy.Outbound) bool {
		_, isRenamed := c.renamed[dataplane][o.Tags[kuma.TagService]]
		return o.Tags == nil || !isRenamed && !slices.ContainsFunc(after, func(other proxy.Outbound) bool {
			return other.Address == o.Address && maps.Equal(other.Tags, o.Tags)
		})
	})
}
