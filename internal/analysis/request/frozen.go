package request

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Frozen is a setting that keeps the control plane from generating the configuration of a
// proxy. The proxy then keeps the configuration that it has, for all of its listeners, or gets none
// (proxies.md §3).
type Frozen struct {
	Resource kuma.Key  // that has the setting
	Path     tree.Path // in the document
	Reason   string    // a clause
	Advice   string    // a sentence
}

// Frozen returns what keeps the proxy of a Dataplane from getting its configuration, nil if it gets
// one: settings of routes that the proxy has, of its inbounds and MeshPassthroughs, and of a builtin gateway.
// What a MeshProxyPatch breaks is not evaluated. The error is one of package rules.
func (sim Simulation) Frozen(mesh, dataplane string) (*Frozen, error) {
	return ask(sim, mesh, dataplane, (*sending).frozen)
}

// frozen is [Simulation.Frozen] of the client, computed once for each proxy.
func (s *sending) frozen() *Frozen {
	key := kuma.Key{Type: kuma.KindDataplane, Mesh: s.Mesh, Name: s.Dataplane}
	found, _ := once(s.prepared, s.prepared.frozen, key, func() (*Frozen, error) {
		if s.isBuiltinGateway() {
			return s.frozenGateway(), s.failure()
		}
		return cmp.Or(s.frozenByInbounds(), s.frozenByRoutes(false), s.frozenByPassthrough(), s.frozenByExternalServices()), s.failure()
	})
	return found
}

// isGenerated reports whether the proxy of the client gets its configuration, and answers the
// request if it does not.
func (s *sending) isGenerated() bool {
	if s.SPIFFEID != "" || s.Verdict == Unknown {
		return true
	}
	if err := s.client.Broken; err != nil {
		return s.unknown("The proxy of the client gets no configuration: %s.", err)
	}
	frozen := s.frozen()
	if frozen != nil {
		return s.unknown("The control plane cannot generate the configuration of the proxy, because %s: the proxy keeps the configuration "+
			"that it has.", frozen.Reason)
	}
	if !s.isBuiltinGateway() {
		frozen = s.frozenByRoutes(true)
	}
	if frozen != nil {
		s.unknown("A reference of the Dataplane of the client selects several services, of which the control plane uses one. "+
			"With one of them, it cannot generate the configuration of the proxy, because %s.", frozen.Reason)
	}
	return frozen == nil
}

// frozenByInbounds finds an inbound, in any state, whose protocol the control plane accepts and cannot generate.
func (s *sending) frozenByInbounds() *Frozen {
	for i, in := range tree.Root(s.proxy().Body).Get("networking", "inbound").Items() {
		if protocol, unserved := check.UnservedProtocol(in); unserved {
			reason := fmt.Sprintf("its inbound on port %d has the unsupported protocol %q", tree.Int(in.Get("port").Value()), protocol.Value())
			return &Frozen{s.proxy().Key(), tree.Path{"networking", "inbound", i}, reason, "Use tcp."}
		}
	}
	return nil
}

// frozenByRoutes finds a rule that the control plane cannot generate, among the rules of routes that
// the proxy has, or has if the control plane chooses its service. Rules for services without a
// listener do not matter.
func (s *sending) frozenByRoutes(drawn bool) *Frozen {
	if !s.suspicious(rules.RouteKinds()...) {
		return nil
	}
	listeners, _ := s.listeners()
	for _, l := range listeners {
		if l.Drawn != drawn {
			continue
		}
		client := s.on(l)
		if frozen := cmp.Or(client.frozenTCP(), client.frozenHTTP()); frozen != nil {
			return frozen
		}
	}
	return nil
}

// suspicious reports whether a policy of some kinds for the proxy of the client can freeze a proxy, or break a listener, if it has the
// rule.
func (s *sending) suspicious(types ...string) bool {
	documents, _ := once(s.prepared, s.prepared.suspicious, s.Mesh, func() (map[kuma.Key]bool, error) {
		found := map[kuma.Key]bool{}
		for _, route := range s.snapshot.Resources(s.Mesh, rules.RouteKinds()...) {
			for _, conf := range tree.Root(route.Spec()).Find("to[].rules[].default") {
				mirrors := slices.DeleteFunc(conf.Find("filters[].requestMirror.backendRef"), tree.Node.Absent)
				found[route.Key()] = found[route.Key()] || redirectsBeside(conf) || !s.isKuma3() && len(mirrors) > 0 ||
					slices.ContainsFunc(conf.Get("filters").Items(), func(f tree.Node) bool { return lacksPath(f).Known() }) ||
					slices.ContainsFunc(conf.Get("backendRefs").Items(), s.panics)
			}
		}
		for _, p := range s.snapshot.Resources(s.Mesh, meshLoadBalancingStrategy) {
			if slices.ContainsFunc(tree.Root(p.Spec()).Get("to").Items(), hashesSourceIP) {
				found[p.Key()] = true
			}
		}
		return found, nil
	})
	if len(documents) == 0 {
		return false
	}
	for _, kind := range types {
		if slices.ContainsFunc(s.snapshot.Match(s.Mesh, s.Dataplane, kind).Policies(), func(route kuma.Key) bool { return documents[route] }) {
			return true
		}
	}
	return false
}

// isRejected reports whether Envoy rejects the listener of the client for the destination, and answers the request if so.
func (s *sending) isRejected() bool {
	by := s.rejected()
	return by != "" && !s.unknown("It is not known whether the proxy of the client has a listener for the service: %s.", by)
}

// Rejected returns why Envoy rejects listeners of a proxy: clauses by their services, of which those by a tag have its value as their name,
// and no type.
func (sim Simulation) Rejected(mesh, dataplane string) (map[kuma.ID]string, error) {
	return ask(sim, mesh, dataplane, func(s *sending) map[kuma.ID]string {
		found := map[kuma.ID]string{}
		if !s.suspicious(meshLoadBalancingStrategy) {
			return found
		}
		listeners, _ := s.listeners()
		for _, o := range listeners {
			service := o.Port.Resource
			if o.Tags != nil {
				service = kuma.ID{Mesh: mesh, Name: o.Tags[kuma.TagService]}
			}
			found[service] = cmp.Or(found[service], s.on(o).rejected())
		}
		return found
	})
}

// rejected is [Simulation.Rejected] for the destination. A hash policy of type SourceIP on one of its routes is empty in the
// configuration (validation.md §8). On a gateway, it can be that of another listener.
func (s *sending) rejected() string {
	if s.SPIFFEID != "" || !s.isHTTP() || !s.suspicious(meshLoadBalancingStrategy) {
		return ""
	}
	places := []rules.Destination{s.destination()}
	if routes := s.routesTo(kuma.KindMeshHTTPRoute); routes != nil {
		for e := range routes.entries {
			places = append(places, rules.Destination{Route: s.snapshot.Resource(e.Policy).ID()})
		}
	}
	for _, policy := range s.snapshot.Match(s.Mesh, s.Dataplane, meshLoadBalancingStrategy).Policies() {
		for i, entry := range tree.Root(s.snapshot.Resource(policy).Spec()).Get("to").Items() {
			applies := func(d rules.Destination) bool {
				found, ok := s.lookup(meshLoadBalancingStrategy, d)
				return ok && slices.Contains(slices.Collect(found.Entries()), rules.Entry{Policy: policy, Index: i})
			}
			if hashesSourceIP(entry) && (s.Listener != nil || slices.ContainsFunc(places, applies)) {
				if s.isKuma3() {
					return policy.Local() + " hashes by SourceIP, which Kuma 3.0 does not have"
				}
				return policy.Local() + " hashes by SourceIP, which results in a listener that Envoy rejects"
			}
		}
	}
	return ""
}

// hashesSourceIP reports whether an entry has a hash policy of type SourceIP beside the algorithm, or inside of it.
func hashesSourceIP(entry tree.Node) bool {
	conf := entry.Get("default")
	algorithm := map[string]string{"RingHash": "ringHash", "Maglev": "maglev"}[text(conf.Get("loadBalancer", "type"))]
	inside := conf.Get("loadBalancer", algorithm).Find("hashPolicies[].type")
	return slices.ContainsFunc(append(conf.Find("hashPolicies[].type"), inside...), func(n tree.Node) bool { return text(n) == "SourceIP" })
}

// lacksPath returns the change of the path in a filter if it has no value for its type.
func lacksPath(filter tree.Node) tree.Node {
	for _, name := range []string{"requestRedirect", "urlRewrite"} {
		path := filter.Get(name, "path")
		if kind := text(path.Get("type")); kind != "" && path.Get(strings.ToLower(kind[:1])+kind[1:]).Absent() {
			return path
		}
	}
	return tree.Node{}
}

// redirectsBeside reports whether a rule redirects, and also mirrors or rewrites.
func redirectsBeside(conf tree.Node) bool {
	has := func(kind string) bool {
		return slices.ContainsFunc(conf.Find("filters[].type"), func(n tree.Node) bool { return text(n) == kind })
	}
	return has(redirectFilter) && (has(mirrorFilter) || has(rewriteFilter))
}

// frozenHTTP finds a rule of the MeshHTTPRoutes that the control plane fails at. It generates the rules that have an
// HTTP backend also for a TCP port, whose listener has no rules.
func (s *sending) frozenHTTP() *Frozen {
	routes := s.routesTo(kuma.KindMeshHTTPRoute)
	if routes == nil {
		return nil
	}
	for _, t := range routes.matches() {
		at, reason, advice := s.frozenByFilters(t.conf)
		if reason == "" {
			continue
		}
		s.describe(&t)
		if len(s.targets(t)) > 0 {
			path := append(tree.Path{"spec", "to", t.Entry, "rules", t.Rule, "default", "filters"}, at...)
			return &Frozen{t.Policy, path, fmt.Sprintf("%s %s", t.Policy.Local(), reason), advice}
		}
	}
	return nil
}

// frozenByFilters returns what is wrong with the filters in the conf of a rule, and where.
func (s *sending) frozenByFilters(conf tree.Node) (at tree.Path, reason, advice string) {
	if redirectsBeside(conf) {
		return nil, "has a rule with a redirect beside a mirror or rewrite",
			"A request that is redirected is not sent on. Remove one of the filters."
	}
	for i, filter := range conf.Get("filters").Items() {
		if path := lacksPath(filter); path.Known() {
			return path.Path[len(filter.Path)-1:], "has a filter that replaces a path and does not say with what",
				"Set the attribute with the name of its type, or remove path."
		}
		if s.isKuma3() {
			continue
		}
		n := filter.Get("requestMirror", "backendRef")
		ref := rules.ParseBackendRef(n)
		at, advice = tree.Path{i, "requestMirror", "backendRef"}, mirrorByTag
		switch {
		case n.Absent():
		case byLabels(n):
			return at, "mirrors requests to a MeshService by labels", advice
		case !isHTTP(s.portOf(s.mirrorTags(ref)).Protocol):
			return at, fmt.Sprintf("mirrors requests to %s=%s, which is not the tag of an HTTP service", kuma.TagService, ref.Name), advice
		}
	}
	return nil, "", ""
}

const mirrorByTag = "Set only name, to the value of the tag kuma.io/service of an HTTP service, or remove the filter."

func byLabels(n tree.Node) bool { return len(rules.ParseBackendRef(n).Labels) > 0 }

// mirrorTags returns the tags by which a mirror selects proxies: before Kuma 3.0, a mirror by name
// uses the tag also if it has a port.
func (s *sending) mirrorTags(ref rules.BackendRef) map[string]string {
	if !s.isKuma3() && len(ref.Labels) == 0 {
		ref.Port, ref.SectionName = 0, ""
	}
	return s.snapshot.Tags(ref)
}

// frozenTCP finds a backend of the MeshTCPRoutes that the control plane fails at. A MeshHTTPRoute
// for an HTTP port replaces them.
func (s *sending) frozenTCP() *Frozen {
	route, _ := s.tcpRoute()
	if route == nil {
		return nil
	}
	if isHTTP(s.Destination.Protocol) && s.routesTo(kuma.KindMeshHTTPRoute) != nil {
		return nil
	}
	routes := s.routesTo(kuma.KindMeshTCPRoute)
	for i, ref := range tree.Root(routes.conf).Get("default", "backendRefs").Items() {
		if s.panics(ref) {
			path := tree.Path{"spec", "to", route.Entry, "rules", 0, "default", "backendRefs", i}
			return &Frozen{route.Policy, path, route.Policy.Local() + " has a backend by labels without a port", "Set port."}
		}
	}
	return nil
}

// panics reports whether the control plane fails at a backend of a MeshTCPRoute, whether or not its
// labels select a service. The control plane skips backends of weight 0.
func (s *sending) panics(n tree.Node) bool {
	ref := rules.ParseBackendRef(n)
	return ref.Weight != 0 && s.lacksPort(ref)
}

// frozenByPassthrough finds two destinations of the MeshPassthroughs of a transparent proxy with
// different protocols of HTTP on one port, or both without a port (measured with `_config` on
// 2.14.3 and the preview of 3.0).
func (s *sending) frozenByPassthrough() *Frozen {
	rule := s.policies(kinds.MeshPassthrough.Name, s.Dataplane).ProxyRule
	if rule == nil || !proxy.IsTransparent(s.proxy()) {
		return nil
	}
	if mode, _ := tree.Root(rule.Conf).Get("passthroughMode").Text(); mode != "" && mode != kinds.PassthroughMatched {
		return nil
	}
	type use struct {
		policy   kuma.Key
		protocol string
	}
	first := map[int64]use{} // by port, zero for none
	for e := range rule.Entries() {
		for _, match := range tree.Root(s.snapshot.Resource(e.Policy).Document()).Get("spec", "default", "appendMatch").Items() {
			port, _ := match.Get("port").Int()
			protocol, _ := match.Get("protocol").Text()
			if !slices.Contains(kuma.HTTPProtocols(), protocol) {
				continue
			}
			switch other, taken := first[port]; {
			case !taken:
				first[port] = use{e.Policy, protocol}
			case other.protocol != protocol:
				on := "without a port"
				if port != 0 {
					on = fmt.Sprintf("on port %d", port)
				}
				reason := fmt.Sprintf("%s matches %s %s, and %s matches %s there", e.Policy.Local(), protocol, on, other.policy.Local(), other.protocol)
				return &Frozen{e.Policy, match.Path, reason, "Use the same protocol in both, or different ports."}
			}
		}
	}
	return nil
}
