package request

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// brokenGateway returns why the control plane cannot generate the configuration of the builtin
// gateway, which then keeps the one that it has, for all of its listeners (matching.md §18.5).
func (s *sending) brokenGateway() (string, error) {
	listeners, err := s.snapshot.Listeners(s.Mesh, s.Dataplane)
	if err != nil {
		return "", err
	}
	for i, l := range listeners {
		if l.CrossMesh {
			continue
		}
		open := slices.DeleteFunc(slices.Clone(listeners), func(o rules.Listener) bool { return o.Port != l.Port })
		var why string
		switch {
		case l.Protocol != listenerHTTP && l.Protocol != listenerHTTPS:
			why, err = s.brokenTCP(l)
		case l.Protocol == listenerHTTPS || !slices.ContainsFunc(listeners[:i], func(o rules.Listener) bool { return o.Port == l.Port }):
			why, err = s.brokenHTTP(l, open)
		}
		if err != nil {
			return "", err
		}
		if why != "" {
			return fmt.Sprintf("The control plane cannot generate the configuration of the gateway, because %s: all of its listeners keep the configuration that they have.", why), nil
		}
	}
	return "", nil
}

func (s *sending) brokenHTTP(l rules.Listener, open []rules.Listener) (string, error) {
	hosts, err := s.servedHosts(open)
	if err != nil {
		return "", err
	}
	if l.Protocol == listenerHTTPS {
		hosts = slices.DeleteFunc(hosts, func(h virtualHost) bool { return h.listener != l })
	}
	if len(hosts) == 0 {
		return fmt.Sprintf("no MeshHTTPRoute is for the listener on %s", l), nil
	}
	for _, h := range hosts {
		for _, r := range h.rules {
			for _, rule := range r.rules {
				policy, _, n := s.owner(r.entries, rule.Get("matches").Value())
				if why := s.brokenRule(rule.Get("default"), s.snapshot.Resource(policy)); why != "" {
					return fmt.Sprintf("%s %s", Route{Policy: policy, Rule: n}, why), nil
				}
			}
		}
	}
	return "", nil
}

// brokenRule returns what is wrong with the conf of a rule on a gateway.
func (s *sending) brokenRule(conf tree.Node, route *kuma.Resource) string {
	refs := conf.Get("backendRefs")
	redirects := slices.ContainsFunc(conf.Find("filters[].type"), func(n tree.Node) bool { return text(n) == redirectFilter })
	switch {
	case !refs.Filled() && !redirects:
		return "has neither backends nor a redirect"
	case slices.ContainsFunc(conf.Find("filters[].requestMirror.backendRef"), byResource):
		return "mirrors requests to a MeshService"
	case route == nil || !refs.Filled():
		return ""
	}
	targets := s.resolve(refs, route, false)
	if total(unique(targets)) == 0 {
		return "has only backends without a weight"
	}
	return s.leavesMesh(targets)
}

// leavesMesh reports whether one of the backends is reached through a zone egress.
func (s *sending) leavesMesh(targets []target) string {
	external := func(t target) bool { return t.port.Resource.Type == kuma.KindMeshExternalService }
	if slices.ContainsFunc(targets, external) && len(s.egresses()) > 0 {
		return "refers to a MeshExternalService, which the gateway would reach through a zone egress"
	}
	return ""
}

func (s *sending) brokenTCP(l rules.Listener) (string, error) {
	route, targets, err := s.gatewayTCPRoute(l)
	if err != nil || route == nil {
		return "", err
	}
	if i := slices.IndexFunc(targets, func(t target) bool { return !t.resolved }); i >= 0 {
		return fmt.Sprintf("%s refers to backend %q, which does not exist", route.Policy.Local(), targets[i].name), nil
	}
	if why := s.leavesMesh(targets); why != "" {
		return fmt.Sprintf("%s %s", route.Policy.Local(), why), nil
	}
	return "", nil
}
