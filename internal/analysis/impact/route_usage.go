package impact

import (
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// routeBackends is the backends of routes.
type routeBackends struct {
	backends map[kuma.ID]bool
	byTag    map[string][]map[string]string // their tags, by the service
}

// routesOfProxy is what the backends of a proxy depend on.
type routesOfProxy struct {
	routes    [2]*rules.Match
	takesAll  bool
	outbounds string
}

// backendsOfRoutes returns the backends of the routes that apply to the proxy, once for proxies with the same routes and
// outbounds.
func (u usage) backendsOfRoutes() routeBackends {
	var key routesOfProxy
	for i, kind := range rules.RouteKinds() {
		key.routes[i] = u.Match(u.mesh, u.dataplane, kind)
	}
	if key.takesAll = u.gateway || u.isAssumed(); !key.takesAll {
		key.outbounds = u.Key()
	}
	return u.ofRoutes.get(key, func() routeBackends {
		all := routeBackends{map[kuma.ID]bool{}, map[string][]map[string]string{}}
		for _, routes := range key.routes {
			for _, policy := range routes.Policies() {
				route := u.Resource(policy)
				for i, of := range u.ofRoute.get(route, func() map[int]routeBackends { return u.backendsOf(route) }) {
					if !key.takesAll && !u.takesEntry(route, route.ToRefs()[i], anyProtocol) {
						continue
					}
					maps.Copy(all.backends, of.backends)
					for service, tags := range of.byTag {
						all.byTag[service] = append(all.byTag[service], tags...)
					}
				}
			}
		}
		return all
	})
}

// backendsOf returns the backends of the entries of a route by their index.
func (s *snapshot) backendsOf(route *kuma.Resource) map[int]routeBackends {
	all := map[int]routeBackends{}
	for _, ref := range rules.BackendRefs(*route) {
		i, _ := ref.Path[2].(int) // of spec.to
		if s.isUnused(route, ref) {
			continue
		}
		if all[i].backends == nil {
			all[i] = routeBackends{map[kuma.ID]bool{}, map[string][]map[string]string{}}
		}
		if tags := s.Tags(ref); tags != nil {
			all[i].byTag[tags[kuma.TagService]] = append(all[i].byTag[tags[kuma.TagService]], tags)
		}
		if id, port := s.Backend(*route, ref); port != (rules.Port{}) {
			all[i].backends[id] = true
		}
	}
	return all
}

// isUnused reports whether a proxy does not have a backend of a route: it has weight 0, its rule redirects, or it is not an HTTP service.
func (s *snapshot) isUnused(route *kuma.Resource, ref rules.BackendRef) bool {
	const ofRule = 5 // spec.to[i].rules[j]
	if ref.Weight == 0 || rules.Redirects(tree.Root(tree.At(route.Body, ref.Path[:ofRule]))) {
		return true
	}
	return route.Type == kuma.KindMeshHTTPRoute && route.TopRef().Kind != kuma.KindMeshGateway &&
		!s.simulation.HasRule(route.Key(), map[string]any{backendRefs: []any{tree.At(route.Body, ref.Path)}})
}

// isOfRequests reports whether a change is of a value for requests, which an entry for a route also sets.
func (u usage) isOfRequests(k def.Kind, c Change) bool {
	return c.target.path != nil && !rules.IsRoute(k.Name) && partOf(k, c.target.path) == listens && k.Policy.OnRoute(c.target.path) &&
		!u.gateway && !u.egress && len(u.Resources(u.mesh, kuma.KindMeshHTTPRoute)) > 0
}

// isOnRoutes reports whether all requests to a port take routes for which the value at a path is compared.
func (u usage) isOnRoutes(p rules.Port, k def.Kind, path tree.Path, own ownRules) bool {
	if !own.routes {
		return false
	}
	routes, err := u.simulation.RoutesOf(u.mesh, u.dataplane, p)
	return err == nil && len(routes) > 0 && // an error is reported elsewhere
		!slices.ContainsFunc(routes, func(id kuma.ID) bool { return !own.decide(section{id, ""}, k, path) })
}

// decide reports whether a route has a rule of its own on one of the sides that differs, or that does not take the value at a path from
// the service.
func (own ownRules) decide(route section, k def.Kind, path tree.Path) bool {
	sides, has := own.rules[route]
	if sides[0] == nil || sides[1] == nil || !sides[0].SameInput(sides[1]) {
		return has
	}
	conf := sides[0].Merge()[0]
	return tree.At(conf, path) != nil ||
		k.Policy.ReplacedOnRoute(path.String(), func(object string) bool { return tree.At(conf, tree.ParsePath(object)) != nil })
}

// areOnRoutes reports whether a change for a service is about values for requests to ports that all [usage.isOnRoutes].
func (u usage) areOnRoutes(k def.Kind, c Change) bool {
	if !rules.IsDestination(c.target.section.id.Type) || !u.isOfRequests(k, c) {
		return false
	}
	own, ok := u.ownRules()
	ports := slices.DeleteFunc(slices.Clone(u.snapshot.Ports(c.target.section.id)), func(p rules.Port) bool {
		return c.target.section.name != "" && c.target.section.name != p.Section || !k.AppliesTo(c.target.path, p.Protocol)
	})
	return ok && len(ports) > 0 && !slices.ContainsFunc(ports, func(p rules.Port) bool { return !u.isOnRoutes(p, k, c.target.path, own) })
}

func anyProtocol(string) bool { return true }

// takes reports whether the proxy has a listener, with a protocol that meets a condition, whose requests a route takes, and sends some
// of them.
func (u usage) takes(route kuma.ID, has func(protocol string) bool) bool {
	policy, ok := u.ids[route]
	if !ok {
		return false
	}
	sends := func(rule tree.Node) bool {
		return !rules.Redirects(rule) && u.simulation.HasRule(policy.Key(), tree.Object(rule.Get("default").Value()))
	}
	to := tree.Root(policy.Body).Get("spec", "to").Items()
	for i, ref := range policy.ToRefs() {
		if slices.ContainsFunc(to[i].Get("rules").Items(), sends) && u.takesEntry(policy, ref, has) {
			return true
		}
	}
	return false
}

// takesEntry reports whether the proxy has a listener, with a protocol that meets a condition, whose requests the entry of a route for
// a reference takes.
func (u usage) takesEntry(route *kuma.Resource, ref kuma.TargetRef, has func(protocol string) bool) bool {
	takesTag := func() bool {
		p := u.protocolByTag(ref.Name)
		return !p.known || (route.Type != kuma.KindMeshHTTPRoute || kuma.IsHTTP(p.protocol)) && has(p.protocol)
	}
	takesPort := func(p rules.Port) bool {
		http, err := u.simulation.IsHTTP(u.mesh, u.dataplane, p)
		return route.Type != kuma.KindMeshHTTPRoute || http || err != nil // an error is reported elsewhere
	}
	return ref.Kind == kuma.KindMesh || u.HasTag(ref.Name) && takesTag() ||
		slices.ContainsFunc(u.Resolve(*route, ref, 0), func(t rules.Target) bool {
			id := u.Resource(t.Resource).ID()
			return u.HasService(id) && slices.ContainsFunc(u.All, func(o proxy.Outbound) bool {
				return o.Port.Resource == id && (t.Section == "" || o.Section == t.Section) && has(o.Port.Protocol) && takesPort(o.Port)
			})
		})
}
