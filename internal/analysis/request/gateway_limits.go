package request

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// frozenGateway returns what keeps a builtin gateway from getting its configuration (matching.md §18.5).
func (s *sending) frozenGateway() *Frozen {
	listeners := s.snapshot.Listeners(s.Mesh, s.Dataplane)
	for i, l := range listeners {
		open := onPort(listeners, l.Port)
		var frozen *Frozen
		switch {
		case l.CrossMesh:
		case !l.IsHTTP():
			frozen = s.frozenByTCP(l)
		case l.IsEncrypted() || l == open[0]:
			frozen = s.frozenByHTTP(l, i, open)
		}
		if frozen != nil {
			return frozen
		}
	}
	return nil
}

func (s *sending) frozenByHTTP(l rules.Listener, index int, open []rules.Listener) *Frozen {
	hosts := s.servedHosts(open, l)
	if len(hosts) == 0 {
		if !s.snapshot.IsSelected(s.Mesh, s.Dataplane, kuma.KindMeshHTTPRoute) {
			return nil // MeshGatewayRoutes serve the gateway, or nothing does
		}
		reason := fmt.Sprintf("MeshHTTPRoutes are for other listeners, but none is for the one on %s", l)
		return &Frozen{l.Gateway, tree.Path{"conf", "listeners", index}, reason, "Add a MeshHTTPRoute for the listener, or remove the listener."}
	}
	for _, h := range hosts {
		for _, r := range h.rules {
			for _, rule := range r.rules {
				policy, entry, n := s.owner(r.entries, rule.Get("matches").Value())
				if reason, advice := s.frozenByRule(rule.Get("default"), s.snapshot.Resource(policy)); reason != "" {
					path := tree.Path{"spec", "to", entry, "rules", n, "default"}
					return &Frozen{policy, path, fmt.Sprintf("%s %s", Route{Policy: policy, Rule: n}, reason), advice}
				}
			}
		}
	}
	return nil
}

// frozenByRule returns what is wrong with the conf of a rule on a gateway.
func (s *sending) frozenByRule(conf tree.Node, route *kuma.Resource) (reason, advice string) {
	refs := conf.Get("backendRefs")
	redirects := slices.ContainsFunc(conf.Find("filters[].type"), func(n tree.Node) bool { return text(n) == redirectFilter })
	switch {
	case !refs.Filled() && !redirects:
		return "has neither backends nor a redirect",
			"If the route is for sidecars, set `proxyTypes: [Sidecar]` in its top-level targetRef. Otherwise add `backendRefs`."
	case slices.ContainsFunc(conf.Find("filters[].requestMirror.backendRef"), byLabels):
		return "mirrors requests to a MeshService by labels", mirrorByTag
	case slices.ContainsFunc(refs.Items(), func(n tree.Node) bool { return s.lacksPort(rules.ParseBackendRef(n)) }): // of any weight
		return "has a backend by labels without a port", "Set port."
	case route == nil || !refs.Filled():
		return "", ""
	}
	targets := s.resolve(refs, route, false)
	if total(unique(targets)) == 0 {
		return "has only backends without a weight", "Set the weight of a backend to a positive number."
	}
	return s.leavesMesh(targets)
}

// leavesMesh reports whether one of the backends is reached through a zone egress, or is beside a ZoneEgress.
func (s *sending) leavesMesh(targets []target) (reason, advice string) {
	external := func(t target) bool { return t.port.Resource.Type == kuma.KindMeshExternalService }
	switch {
	case !slices.ContainsFunc(targets, external):
		return "", ""
	case len(s.egresses()) > 0:
		return "refers to a MeshExternalService, which the gateway would reach through a zone egress",
			"Send these requests to a service of the mesh that calls the external service."
	case s.proxies.HasUnusedExit(s.client.Zone):
		return "refers to a MeshExternalService, and the zone has a ZoneEgress that the Mesh does not use",
			"Set routing.zoneEgress of the Mesh, or meshServices.mode to Exclusive."
	default:
		return "", ""
	}
}

func (s *sending) frozenByTCP(l rules.Listener) *Frozen {
	for _, r := range s.gatewayTCPRoutes(l) {
		path := tree.Path{"spec", "to", r.Entry, "rules", 0, "default", "backendRefs"}
		if i := slices.IndexFunc(r.targets, func(t target) bool { return t.weight > 0 && !t.resolved }); i >= 0 {
			reason := fmt.Sprintf("%s refers to backend %q, which does not exist", r.Policy.Local(), r.targets[i].name)
			return &Frozen{r.Policy, path, reason, "Create the service, or remove the reference."}
		}
		if reason, advice := s.leavesMesh(r.targets); reason != "" {
			return &Frozen{r.Policy, path, fmt.Sprintf("%s %s", r.Policy.Local(), reason), advice}
		}
	}
	return nil
}
