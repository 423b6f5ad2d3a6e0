package impact

import (
	"maps"
	"slices"

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

// backendsOfRoutes returns the backends of the routes that apply to the proxy, once for proxies with the same routes and
// outbounds.
func (u usage) backendsOfRoutes() routeBackends {
	var key struct {
		routes    [2]*rules.Match
		takesAll  bool
		outbounds string
	}
	for i, kind := range rules.RouteKinds() {
		key.routes[i] = u.Match(u.mesh, u.dataplane, kind)
	}
	if key.takesAll = u.gateway || u.isAssumed(); !key.takesAll {
		key.outbounds = u.Key()
	}
	if found, ok := u.knownBackends.Load(key); ok {
		return found.(routeBackends) //nolint:forcetypeassert // stored below
	}
	all := routeBackends{map[kuma.ID]bool{}, map[string][]map[string]string{}}
	for _, routes := range key.routes {
		for _, policy := range routes.Policies() {
			route := u.Resource(policy)
			for i, of := range u.backendsOf(route) {
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
	u.knownBackends.Store(key, all)
	return all
}

// backendsOf returns the backends of the entries of a route by their index, once for each.
func (s *snapshot) backendsOf(route *kuma.Resource) map[int]routeBackends {
	if found, ok := s.knownBackends.Load(route); ok {
		return found.(map[int]routeBackends) //nolint:forcetypeassert // stored below
	}
	all := map[int]routeBackends{}
	for _, ref := range rules.BackendRefs(*route) {
		i, _ := ref.Path[2].(int) // of spec.to
		if isUnused(route, ref) {
			continue
		}
		if all[i].backends == nil {
			all[i] = routeBackends{map[kuma.ID]bool{}, map[string][]map[string]string{}}
		}
		if tags := s.Tags(ref); tags != nil {
			all[i].byTag[tags[kuma.TagService]] = append(all[i].byTag[tags[kuma.TagService]], tags)
		}
		if id, _ := s.Backend(*route, ref); id != (kuma.ID{}) {
			all[i].backends[id] = true
		}
	}
	s.knownBackends.Store(route, all)
	return all
}

// isUnused reports whether a proxy does not have a backend of a route: it has weight 0, or its rule redirects.
func isUnused(route *kuma.Resource, ref rules.BackendRef) bool {
	const ofRule = 5 // spec.to[i].rules[j]
	return ref.Weight == 0 || rules.Redirects(tree.Root(tree.At(route.Body, ref.Path[:ofRule])))
}

func anyProtocol(string) bool { return true }

// takes reports whether the proxy has a listener, with a protocol that meets a condition, whose requests a route takes, and sends some
// of them.
func (u usage) takes(route kuma.ID, has func(protocol string) bool) bool {
	policy, ok := u.ids[route]
	if !ok {
		return false
	}
	sends := func(rule tree.Node) bool { return !rules.Redirects(rule) }
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
