package request

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// gatewaySettings sets the timeouts and retries of the request.
func (s *sending) gatewaySettings() {
	times := s.toAll(meshTimeout, s.matches)
	retry := s.toAll(meshRetry, nil)
	if !s.isHTTP() {
		policies := s.policies(meshTimeout, s.Dataplane)
		conf, defaults := leaves{}, unsetOfGateway
		for _, in := range policies.Incoming() {
			if r, ok := in.For(nil); in.Inbound.Port == s.Listener.Port && ok {
				conf = leavesOf(r.Explain())
			} else if in.Inbound.Port == s.Listener.Port && len(in.Rules) > 0 { // for some clients only
				defaults = unset
			}
		}
		s.Timeouts = Timeouts{Idle: conf.timeout(idleTimeout, defaults)}
		s.Retry, s.noRetry = retry.tcpRetry(), retry.whyNoRetry(protocolTCP)
		return
	}
	s.Timeouts = Timeouts{Request: times.timeout(requestTimeout, unsetOfGateway), StreamIdle: times.timeout(streamIdleTimeout, unsetOfGateway)}
	_, set := times[requestTimeout]
	s.Timeouts.Request.ByProxy = !set
	s.repeat(protocolHTTP, retry, s.toAll(meshRetry, s.matches))
}

// gatewayTCP sends the connection on.
func (s *sending) gatewayTCP() {
	routes := s.gatewayTCPRoutes(s.Listener.Listener)
	if len(routes) == 0 {
		s.end(Unreachable, "No MeshTCPRoute selects the listener on %s: the gateway closes the connection.", s.Listener.Listener)
		return
	}
	s.Route = &routes[0].Route
	if len(routes) > 1 {
		s.say("The gateway divides the connections between the backends of all rules for the listener.")
	}
	s.Forwarded = Forwarded{Host: s.Host, Path: s.Path, Headers: s.Headers}
	targets := targetsOf(routes)
	if len(targets) == 1 { // whatever its weight is
		targets[0].weight = 1
	}
	if targets = weighted(targets); len(targets) == 0 {
		s.unknown("All backends have weight 0: the gateway rejects the listener, and keeps the one that it has.")
		return
	}
	s.forward(targets, rules.Destination{})
}

// tcpRoute is a rule of a MeshTCPRoute with its backends.
type tcpRoute struct {
	Route
	targets []target
}

func targetsOf(routes []tcpRoute) (all []target) {
	for _, r := range routes {
		all = append(all, r.targets...)
	}
	return all
}

// gatewayTCPRoutes returns the rules for a listener. They are the rules for all destinations, because a
// listener for connections cannot tell destinations apart.
func (s *sending) gatewayTCPRoutes(l rules.Listener) []tcpRoute {
	policies := s.onListener(kuma.KindMeshTCPRoute, l)
	var all []tcpRoute
	for _, r := range policies.Rules {
		var route Route
		for e := range r.Entries() {
			route = Route{Policy: e.Policy, Entry: e.Index}
		}
		refs := tree.Root(r.Merge()).Get("default", "backendRefs")
		all = append(all, tcpRoute{route, s.resolve(refs, s.snapshot.Resource(route.Policy), false)})
	}
	return all
}

// gatewayHTTP takes the request by the rules of the virtual host.
func (s *sending) gatewayHTTP() {
	t := s.gatewayRoute()
	if s.Verdict == Unknown {
		return
	}
	if t == nil {
		s.end(NoRoute, "No rule of the routes for host %q matches: the gateway answers with 404.", s.Listener.VirtualHost)
		return
	}
	s.Route, s.matches = &t.Route, t.all
	s.gatewayProtection()
	s.Forwarded = s.filter(*t)
	if s.Redirect != nil {
		s.Verdict = Redirected
		return
	}
	targets := unique(s.resolve(t.conf.Get("backendRefs"), s.snapshot.Resource(t.Policy), false))
	s.forward(weighted(targets), rules.Destination{})
}

// normalize changes the path as a gateway does, and reports whether it redirects the client to a
// path without escaped slashes.
func (s *sending) normalize() bool {
	path := normalized(s.Path)
	s.Path = slashes.ReplaceAllString(escapedSlash.ReplaceAllString(path, "/"), "/")
	if !escapedSlash.MatchString(path) {
		return false
	}
	s.Verdict, s.Redirect = Redirected, &Redirect{temporaryRedirect, s.Path}
	s.Reason = "The path contains an escaped slash: the gateway redirects the client to the path without it."
	return true
}

var (
	slashes      = regexp.MustCompile(`/+`)
	escapedSlash = regexp.MustCompile(`(?i)%2f|%5c`)
)

const temporaryRedirect = 307

// maxStable is the number of matches up to which the control plane keeps the order of equal matches.
const maxStable = 12

// gatewayRoute returns the rule that takes the request, nil if none does. If many
// rules have equal matches, the control plane puts them in random order, so the answer is open.
func (s *sending) gatewayRoute() *taken {
	s.routed = true
	var found *taken
	all := s.gatewayMatches()
	for _, t := range all {
		if found != nil && compareGatewayMatches(found.routeMatch, t.routeMatch) != 0 {
			break
		}
		matches, err := t.matches(s.Request)
		if err == nil && !matches {
			continue
		}
		s.describe(&t)
		switch {
		case err != nil:
			s.fail(fmt.Errorf("%s: %w", t.Route, err))
			return nil
		case found == nil:
			if found = &t; len(all) <= maxStable {
				return found
			}
		case !tree.Equal(found.conf.Value(), t.conf.Value()):
			s.unknown("%s (%s) and %s (%s) match equally well. "+
				"With more than %d matches for a host name, the control plane puts them in random order: "+
				"either takes the request, and each update can change which. Make one of the matches more specific.",
				found.Route, found.Condition, t.Route, t.Condition, maxStable)
			return nil
		}
	}
	return found
}

// gatewayMatches returns the matches of the virtual host in the order in which the gateway tries
// them. A prefix becomes two matches: one for the path itself, unless there is an exact match with
// that path, and one for the paths below (matching.md §18.2).
func (s *sending) gatewayMatches() []taken {
	var all []taken
	for _, r := range s.virtual.rules {
		all = append(all, r.matches()...)
	}
	exactly := map[string]bool{}
	for _, t := range all {
		exactly[t.path] = exactly[t.path] || t.kind == exact
	}
	var out []taken
	for _, t := range all {
		t.gateway = s.Listener
		switch t.kind {
		case "":
			t.kind, t.path = pathPrefix, "/"
		case pathPrefix:
			if itself := t; t.path == "/" && t.replacesPrefix() || t.path != "/" && !exactly[t.path] {
				itself.kind, itself.twin = exact, true
				out = append(out, itself)
			}
			t.path = strings.TrimSuffix(t.path, "/") + "/"
		}
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b taken) int { return compareGatewayMatches(a.routeMatch, b.routeMatch) })
	return out
}

// replacesPrefix reports whether a filter replaces the prefix of the path.
func (t taken) replacesPrefix() bool {
	return slices.ContainsFunc(append(t.conf.Find("filters[].urlRewrite.path.replacePrefixMatch"),
		t.conf.Find("filters[].requestRedirect.path.replacePrefixMatch")...), tree.Node.Known)
}

// rewrittenByGateway returns the new path for a prefix.
func (t taken) rewrittenByGateway(replacement, path string) string {
	replacement = strings.TrimSuffix(replacement, "/")
	if t.twin {
		return cmp.Or(replacement, "/")
	}
	return replacement + "/" + strings.TrimPrefix(path, t.path)
}

// unique returns the targets of a rule for HTTP. Of several references to one port, and of
// several that do not resolve, the last weight counts; a weight of zero has no effect alone if the port exists.
func unique(all []target) []target {
	var targets []target
	for _, t := range all {
		if !t.resolved {
			t.port, t.tags = rules.Port{}, nil
		}
		if i := slices.IndexFunc(targets, func(o target) bool { return o.port == t.port && maps.Equal(o.tags, t.tags) }); i >= 0 {
			targets[i].weight = t.weight
			continue
		}
		targets = append(targets, t)
	}
	if len(targets) == 1 && targets[0].resolved {
		targets[0].weight = max(1, targets[0].weight)
	}
	return targets
}

func total(targets []target) (sum int64) {
	for _, t := range targets {
		sum += t.weight
	}
	return sum
}

// weighted sets the shares of targets by their weights.
func weighted(targets []target) []target {
	all := sharing(targets)
	for i, t := range all {
		all[i].share = big.NewRat(t.weight, total(targets))
	}
	return all
}

// connectFromGateway sets the timeouts of connections from the gateway to a backend.
func (s *sending) connectFromGateway(b *Backend, section string) {
	conf, defaults := s.connections(b, section)
	b.Timeouts = Timeouts{Connect: conf.timeout(connectionTimeout, unset)}
	if !s.isHTTP() {
		return
	}
	if s.takenByTCP(b) {
		conf, defaults = leaves{}, unset
	}
	b.Timeouts.addHTTP(conf, defaults)
}

// hasHTTPSettings reports whether the control plane configures HTTP for connections to proxies
// that it knows only by the protocol in their tags.
func hasHTTPSettings(protocol string) bool {
	return protocol == protocolHTTP || protocol == protocolHTTP2
}

// connections returns the settings of connections to a backend: the settings for all listeners, or, for
// a backend by tags, the settings for the listeners of the port.
func (s *sending) connections(b *Backend, section string) (leaves, table) {
	if b.Tags == nil {
		conf := s.outgoing(meshTimeout, rules.Destination{Resource: b.Port.Resource, Section: section})
		return conf, unset
	}
	policies := s.onListener(meshTimeout, s.Listener.Listener)
	if s.sharesPorts() {
		s.NotConsidered = append(s.NotConsidered,
			fmt.Sprintf("which of the ports of listeners with the same tags sets the timeouts of connections to %s", b.Name))
	}
	conf := leaves{}
	if r, ok := policies.ByTags(destinationOf(b.Port, b.Tags, "").Tags); ok {
		conf = leavesOf(r.Explain())
	}
	if policies.Selected && hasHTTPSettings(b.Port.Protocol) {
		return conf, unset
	}
	maps.DeleteFunc(conf, func(field string, _ rules.Leaf) bool { return field != connectionTimeout })
	return conf, table{}
}

// sharesPorts reports whether a listener on another port has the same tags.
func (s *sending) sharesPorts() bool {
	return slices.ContainsFunc(s.snapshot.Listeners(s.Mesh, s.Dataplane), func(l rules.Listener) bool {
		return l.Port != s.Listener.Port && l.SharesClusters(s.Listener.Listener)
	})
}

// takenByTCP reports whether the cluster of a backend has no settings for HTTP, because a TCP
// listener with the same tags sends to it, too (matching.md §18.4).
func (s *sending) takenByTCP(b *Backend) bool {
	if b.Tags != nil || b.Port.Resource.Type == kuma.KindMeshService && hasHTTPSettings(commonProtocol(s.endpoints(b.Port))) {
		return false
	}
	for _, l := range s.snapshot.Listeners(s.Mesh, s.Dataplane) {
		if l.IsHTTP() || !l.SharesClusters(s.Listener.Listener) {
			continue
		}
		if slices.ContainsFunc(targetsOf(s.gatewayTCPRoutes(l)), func(t target) bool { return t.port == b.Port && t.tags == nil }) {
			return true
		}
	}
	return false
}

// gatewayProtection sets the rate limits and the faults of the gateway, which has none for TCP.
func (s *sending) gatewayProtection() {
	limit := s.toAll(kinds.MeshRateLimit.Name, nil)
	own := s.toAll(kinds.MeshRateLimit.Name, s.matches)
	s.Listener.Connections = limit.rate("local.tcp", "connectionRate")
	s.Listener.Requests = cmp.Or(own.rate("local.http", "requestRate"), limit.rate("local.http", "requestRate"))
	faults, ok := s.onRule(kinds.MeshFaultInjection.Name, nil)
	if ok {
		s.Listener.Faults = faultsOf(faults.Merge(), faults.Entries)
	}
}
