package request

import (
	"cmp"
	"slices"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Listener is the listener of a builtin gateway that takes a request, with what the gateway
// does before it sends the request on.
type Listener struct {
	rules.Listener

	VirtualHost string // the host name of routes that the host of the request matches; empty for TCP

	Protection
}

// unsetOfGateway are the timeouts of a builtin gateway that no policy sets.
var unsetOfGateway = table{requestTimeout: 15 * time.Second, streamIdleTimeout: 5 * time.Second, idleTimeout: 5 * time.Minute}

// isBuiltinGateway reports whether the client is a gateway that sends on what it receives.
func (s *sending) isBuiltinGateway() bool {
	if s.SPIFFEID != "" || s.isKuma3() {
		return false
	}
	return text(tree.Root(s.proxy().Body).Get("networking", "gateway", "type")) == "BUILTIN"
}

// enter finds the listener of a builtin gateway that takes the request, and reports whether
// there is one (matching.md §18).
func (s *sending) enter() (bool, error) {
	listeners := s.snapshot.Listeners(s.Mesh, s.Dataplane)
	if len(listeners) == 0 {
		return s.end(Unreachable, "Dataplane %q is a builtin gateway that no MeshGateway selects, and has no listeners.", s.Dataplane), nil
	}
	if s.Service.Host == "" {
		return s.unknown("Dataplane %q is a builtin gateway: it takes requests for host names from outside the mesh, on %s. "+
			"Ask with a host and a port instead of a service.", s.Dataplane, listed(listeners)), nil
	}
	open := onPort(listeners, s.Service.Port)
	if len(open) == 0 {
		return s.end(Unreachable, "The gateway has no listener on port %d, only on %s.", s.Service.Port, listed(listeners)), nil
	}
	if open[0].IsEncrypted() {
		serving := slices.DeleteFunc(slices.Clone(open), func(l rules.Listener) bool { return domainRank(l.Hostname, s.Service.Host) < 0 })
		if len(serving) == 0 {
			return s.end(Unreachable, "No listener of the gateway on port %d is for host %q, so the gateway does not accept the TLS connection.",
				s.Service.Port, s.Service.Host), nil
		}
		s.Listener = &Listener{Listener: slices.MaxFunc(serving, func(a, b rules.Listener) int {
			return cmp.Compare(domainRank(a.Hostname, s.Service.Host), domainRank(b.Hostname, s.Service.Host))
		})}
	} else {
		s.Listener = &Listener{Listener: open[0]}
	}
	if s.Listener.CrossMesh {
		return s.unknown("The listener on %s serves other meshes, which is not evaluated.", s.Listener.Listener), nil
	}
	if !s.isHTTP() {
		return true, nil
	}
	if s.normalize() {
		return false, nil
	}
	return s.enterHost(open)
}

// onPort returns the listeners with a port.
func onPort(listeners []rules.Listener, port int) []rules.Listener {
	return slices.DeleteFunc(slices.Clone(listeners), func(l rules.Listener) bool { return l.Port != port })
}

func listed(listeners []rules.Listener) string {
	return phrase.Some(phrase.Each(listeners, rules.Listener.String), maxNames, "")
}

// VirtualHost is a host name of a listener for which a builtin gateway has routes.
type VirtualHost struct {
	Listener rules.Listener
	Name     string // a name, a wildcard such as *.example.com, or * for all

	rules []hostRules
}

// Routes returns what the routes for the host name configure: objects with a list rules.
func (h VirtualHost) Routes() []tree.Node {
	return phrase.Each(h.rules, func(r hostRules) tree.Node { return tree.Root(r.conf) })
}

// VirtualHosts returns what the listeners of a Dataplane serve, if it is a builtin gateway, in
// their order. A listener for TCP or TLS has no routes. The error is one of package rules.
func (sim Simulation) VirtualHosts(mesh, dataplane string) ([]VirtualHost, error) {
	return ask(sim, mesh, dataplane, func(s *sending) (all []VirtualHost) {
		if !s.isBuiltinGateway() {
			return nil
		}
		listeners := s.snapshot.Listeners(s.Mesh, s.Dataplane)
		for _, l := range listeners {
			if !l.IsHTTP() {
				all = append(all, VirtualHost{Listener: l, Name: l.Hostname})
				continue
			}
			hosts := s.servedHosts(onPort(listeners, l.Port), l)
			all = append(all, slices.DeleteFunc(hosts, func(h VirtualHost) bool { return h.Listener != l })...)
		}
		return all
	})
}

// hostRules are the rules of routes for a host name; for all of the listener if it is empty.
type hostRules struct {
	httpRules

	host string
}

// enterHost finds the routes for the host of the request, and reports whether there are any.
func (s *sending) enterHost(open []rules.Listener) (bool, error) {
	hosts := s.servedHosts(open, s.Listener.Listener)
	var best *VirtualHost
	for i, h := range hosts {
		if r := domainRank(h.Name, s.Host); r >= 0 && (best == nil || r > domainRank(best.Name, s.Host)) {
			best = &hosts[i]
		}
	}
	if best == nil {
		return s.end(NoRoute, "The gateway has no route for host %q on port %d: it answers with 404.", s.Host, s.Service.Port), nil
	}
	s.Listener.Listener, s.Listener.VirtualHost, s.virtual = best.Listener, best.Name, best
	return true, nil
}

// servedHosts returns the host names with routes on the port of a listener, of the listener alone if it is encrypted: each of these
// has its own filter chain. A listener does not serve the names that a listener with a more specific host name covers, even if that
// listener has no routes for them.
func (s *sending) servedHosts(open []rules.Listener, on rules.Listener) []VirtualHost {
	var served []VirtualHost
	for _, l := range open {
		hosts := s.virtualHosts(l)
		for _, h := range hosts {
			closer := func(o rules.Listener) bool {
				return compareListeners(o, l) < 0 && covers(o.Hostname, h.Name)
			}
			if (l == on || !on.IsEncrypted()) && !slices.ContainsFunc(open, closer) {
				served = append(served, h)
			}
		}
	}
	return served
}

// virtualHosts returns the host names of a listener that have routes.
func (s *sending) virtualHosts(l rules.Listener) []VirtualHost {
	policies := s.onListener(kuma.KindMeshHTTPRoute, l)
	var all []hostRules
	for _, r := range policies.Rules {
		conf := r.Merge()
		host := ""
		if names := tree.Strings(tree.Object(conf)["hostnames"]); len(names) > 0 {
			host = names[0] // a rule by tags has one
		}
		all = append(all, hostRules{httpRules{entries: s.entriesFor(r, host), conf: conf, rules: tree.Root(conf).Get("rules").Items()}, host})
	}
	var hosts []VirtualHost
	for _, r := range all {
		name := cmp.Or(r.host, l.Hostname)
		switch {
		case covers(l.Hostname, name):
		case covers(name, l.Hostname):
			name = l.Hostname
		default:
			continue
		}
		if slices.ContainsFunc(hosts, func(h VirtualHost) bool { return h.Name == name }) {
			continue
		}
		h := VirtualHost{Listener: l, Name: name}
		for _, r := range all {
			if r.host == "" || covers(r.host, name) {
				h.rules = append(h.rules, r)
			}
		}
		slices.SortStableFunc(h.rules, func(a, b hostRules) int { return compareHosts(a.host, b.host) })
		hosts = append(hosts, h)
	}
	return hosts
}

// entriesFor returns the entries of a rule that are for a host name.
func (s *sending) entriesFor(r rules.Rule, host string) func(yield func(rules.Entry) bool) {
	return func(yield func(rules.Entry) bool) {
		for e := range r.Entries() {
			to := tree.List(s.snapshot.Resource(e.Policy).Spec()["to"])
			names := tree.Strings(tree.Object(to[e.Index])["hostnames"])
			if (slices.Contains(names, host) || host == "" && len(names) == 0) && !yield(e) {
				return
			}
		}
	}
}

// onListener returns the rules of policies that select a listener.
func (s *sending) onListener(kind string, l rules.Listener) rules.Outgoing {
	return s.policies(kind, s.Dataplane).OnListener(l)
}

// onRule returns the rule of a kind for traffic from the listener to any destination, if there is
// one. A gateway does not use other rules for requests. Policies whose top-level targetRef is a route
// apply to requests that take a rule with its matches. They do not apply if matches is nil.
func (s *sending) onRule(kind string, matches any) (rules.Rule, bool) {
	policies := s.onListener(kind, s.Listener.Listener)
	var tags map[string]string
	if matches != nil {
		tags = rules.MatchTags(matches)
	}
	r, ok := policies.ByTags(tags)
	return r, ok
}

// toAll returns the settings of the rule for traffic to any destination.
func (s *sending) toAll(kind string, matches any) leaves {
	r, ok := s.onRule(kind, matches)
	if !ok {
		return leaves{}
	}
	return leavesOf(r.Explain())
}

// explainListener describes how the request gets into the gateway.
func (s *sending) explainListener() {
	s.say("%s %s to %s through the builtin gateway %q", s.Method, s.Path, s.Service, s.Dataplane)
	l := s.Listener
	s.say("Listener: %s (%s)", l.Listener, l.Protocol)
	if l.VirtualHost != "" {
		s.say("  host name of routes: %s", l.VirtualHost)
	}
	for _, line := range l.lines() {
		s.say("  %s", line)
	}
}
