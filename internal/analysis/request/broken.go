package request

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// broken returns why the control plane cannot generate the configuration of a proxy, which then
// keeps the one that it has, or gets none: a clause that is empty if it can (proxies.md §3). It is
// computed once for each proxy.
func (s *sending) broken() (string, error) {
	key := kuma.Key{Type: kuma.KindDataplane, Mesh: s.Mesh, Name: s.Dataplane}
	find := s.brokenByRoutes
	if s.isBuiltinGateway() {
		find = s.brokenGateway
	}
	return once(s.prepared, s.prepared.broken, key, find)
}

// brokenByRoutes finds a rule of the routes of a listener that the control plane cannot generate.
// Rules for services without a listener, or that the proxy does not have, do not matter.
func (s *sending) brokenByRoutes() (string, error) {
	suspicious := false
	for _, kind := range []string{kuma.KindMeshHTTPRoute, kuma.KindMeshTCPRoute} {
		policies, err := s.policies(kind, s.Dataplane)
		if err != nil {
			return "", err
		}
		for _, found := range s.allRules(policies) {
			for _, conf := range confsOf(found) {
				suspicious = suspicious || s.suspicious(tree.Root(conf))
			}
		}
	}
	if !suspicious {
		return "", nil
	}
	listeners, _, err := s.listeners()
	if err != nil {
		return "", err
	}
	for _, l := range listeners {
		client := s.on(l)
		find := client.brokenTCP
		if client.isHTTP() {
			find = client.brokenHTTP
		}
		if reason, err := find(); reason != "" || err != nil {
			return reason, err
		}
	}
	return "", nil
}

// suspicious reports whether the conf of a route can break a proxy, wherever it applies.
func (s *sending) suspicious(conf tree.Node) bool {
	if slices.ContainsFunc(conf.Find("default.backendRefs[]"), s.panics) {
		return true
	}
	return slices.ContainsFunc(conf.Find("rules[].default"), func(n tree.Node) bool { return s.brokenByFilters(n) != "" })
}

// brokenByFilters returns what is wrong with the filters in the conf of a rule.
func (s *sending) brokenByFilters(conf tree.Node) string {
	has := func(kind string) bool {
		return slices.ContainsFunc(conf.Find("filters[].type"), func(n tree.Node) bool { return text(n) == kind })
	}
	mirrors := slices.DeleteFunc(conf.Find("filters[].requestMirror.backendRef"), tree.Node.Absent)
	switch {
	case has(redirectFilter) && (has(mirrorFilter) || has(rewriteFilter)):
		return "has a rule with a redirect beside a mirror or rewrite"
	case !s.MirrorFails:
		return ""
	case slices.ContainsFunc(mirrors, byLabels):
		return "mirrors requests to a MeshService by labels"
	case slices.ContainsFunc(mirrors, func(n tree.Node) bool { return !isHTTP(s.portOf(s.mirrorTags(rules.ParseBackendRef(n))).Protocol) }):
		return fmt.Sprintf("mirrors requests to a name that no HTTP service has as the tag %s", kuma.TagService)
	}
	return ""
}

func byLabels(n tree.Node) bool { return len(rules.ParseBackendRef(n).Labels) > 0 }

// mirrorTags returns the tags by which a mirror selects proxies: before Kuma 3.0, a mirror by name
// uses the tag also if it has a port.
func (s *sending) mirrorTags(ref rules.BackendRef) map[string]string {
	if s.MirrorFails && len(ref.Labels) == 0 {
		ref.Port, ref.SectionName = 0, ""
	}
	return s.snapshot.Tags(ref)
}

// panics reports whether the control plane fails at a backend of a MeshTCPRoute.
func (s *sending) panics(n tree.Node) bool {
	ref := rules.ParseBackendRef(n)
	return s.PortlessTCPFails && ref.Kind == kuma.KindMeshService && len(ref.Labels) > 0 && ref.Port == 0 && ref.SectionName == ""
}

func (s *sending) brokenHTTP() (string, error) {
	routes, err := s.routesTo(kuma.KindMeshHTTPRoute)
	if err != nil || routes == nil {
		return "", err
	}
	for _, t := range routes.matches() {
		reason := s.brokenByFilters(t.conf)
		if reason == "" {
			continue
		}
		s.describe(&t)
		if len(s.targets(t)) > 0 {
			return fmt.Sprintf("%s %s", t.Policy.Local(), reason), nil
		}
	}
	return "", nil
}

func (s *sending) brokenTCP() (string, error) {
	route, targets, err := s.tcpRoute()
	if err != nil || route == nil {
		return "", err
	}
	routes, err := s.routesTo(kuma.KindMeshTCPRoute)
	if err != nil {
		return "", err
	}
	for i, ref := range tree.Root(routes.conf).Get("default", "backendRefs").Items() {
		if s.panics(ref) && targets[i].exists {
			return fmt.Sprintf("%s has a backend by labels without a port", route.Policy.Local()), nil
		}
	}
	return "", nil
}

// keeps says that a proxy gets no update.
func keeps(reason string) string {
	return fmt.Sprintf("The control plane cannot generate the configuration of the proxy, because %s: the proxy keeps the configuration that it has.", reason)
}

// isGenerated reports whether the proxy of the client gets its configuration, and answers the
// request if it does not.
func (s *sending) isGenerated() (bool, error) {
	if s.SPIFFEID != "" || s.Verdict == Unknown {
		return true, nil
	}
	if err := s.client.Broken; err != nil {
		s.unknown("The proxy of the client gets no configuration: %s.", err)
		return false, nil
	}
	broken, err := s.broken()
	if broken != "" {
		s.unknown("%s", keeps(broken))
	}
	return err == nil && broken == "", err
}
