package impact

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// gatewayCallers returns the groups of builtin gateways that serve the same host name on the same
// port of a MeshGateway, on either side, if anything differs that routes depend on. The port is
// that of the MeshGateway.
func (c *comparison) gatewayCallers(dataplanes []string) ([]callers, error) {
	if c.before.Release().Kuma3() || c.after.Release().Kuma3() || !slices.ContainsFunc(c.differences, func(d difference) bool { return decidesRoutes(d.key.Type) }) {
		return nil, nil
	}
	type key struct {
		servedHost

		matches [4]*rules.Match
	}
	at := map[key]int{}
	var groups []callers
	sides := []request.Simulation{request.New(c.before.Snapshot), request.New(c.after.Snapshot)}
	for _, name := range dataplanes {
		hosts, routes, err := virtualHosts(sides, c.before.mesh, name)
		if err != nil {
			return nil, err
		}
		if len(hosts) == 0 {
			continue
		}
		matches, err := c.routeMatches(name)
		if err != nil {
			return nil, err
		}
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
	return groups, nil
}

// decidesRoutes reports whether requests through a gateway can go elsewhere because a resource
// of a type differs.
func decidesRoutes(kind string) bool {
	return rules.IsRoute(kind) || rules.IsDestination(kind) || slices.Contains([]string{kuma.KindMesh, kuma.KindMeshGateway, kuma.KindDataplane}, kind)
}

// servedHost is a host name that a gateway serves on a port.
type servedHost struct {
	port     rules.Port
	hostname string
}

// virtualHosts returns the host names of a gateway on any of the sides, with their routes.
func virtualHosts(sides []request.Simulation, mesh, dataplane string) (hosts []servedHost, routes map[servedHost][]tree.Node, err error) {
	routes = map[servedHost][]tree.Node{}
	for _, s := range sides {
		found, err := s.VirtualHosts(mesh, dataplane)
		if err != nil {
			return nil, nil, err
		}
		for _, h := range found {
			l, protocol := h.Listener, "tcp"
			if l.IsHTTP() {
				protocol = "http"
			}
			at := servedHost{rules.Port{Resource: kuma.ID{Type: l.Gateway.Type, Mesh: l.Gateway.Mesh, Name: l.Gateway.Name}, Number: l.Port, Protocol: protocol}, h.Name}
			if !slices.Contains(hosts, at) {
				hosts = append(hosts, at)
			}
			routes[at] = append(routes[at], h.Routes()...)
		}
	}
	return hosts, routes, nil
}
