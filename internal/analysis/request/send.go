package request

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// sending is a request on its way.
type sending struct {
	Request
	Answer
	Simulation

	proxies   *proxy.Mesh
	client    proxy.Client
	section   string       // of the destination in the outbound: the number of a port that is referred to by number
	routed    bool         // an HTTP route applies to the destination
	resolved  []kuma.ID    // backends of the rules that match
	ambiguous kuma.ID      // one of the services that a backend may be
	matches   any          // of the rule that takes a request to a destination by tags, or through a gateway
	virtual   *VirtualHost // of the listener
	noRetry   string       // a clause: why the request is not repeated
	failed    *error       // see fail
}

// fail keeps the first error of package rules, also of copies. After one, the answer means nothing.
func (s *sending) fail(err error) {
	if *s.failed == nil {
		*s.failed = err
	}
}

func (s *sending) failure() error { return *s.failed }

// policies returns the rules of a kind for a proxy, which are not merged.
func (s *sending) policies(kind, dataplane string) rules.PolicyRules {
	about := question{mesh: s.Mesh, kind: kind, dataplane: dataplane}
	found, err := once(s.prepared, s.prepared.policies, about, func() (rules.PolicyRules, error) {
		return s.snapshot.OutlineByTags(s.Mesh, dataplane, kind)
	})
	s.fail(err)
	return found
}

// follow sends the request to the port of the service.
func (s *sending) follow() {
	s.resolved = nil
	switch {
	case s.SPIFFEID != "":
		s.forward(shared(s.itself()), rules.Destination{})
	case s.Listener != nil && s.isHTTP():
		s.gatewayHTTP()
	case s.Listener != nil:
		s.gatewayTCP()
	case s.isHTTP():
		s.http()
	default:
		s.tcp()
	}
	s.findNotConsidered()
}

// end answers the request, which goes no further, and returns false.
func (s *sending) end(v Verdict, format string, args ...any) bool {
	s.Verdict, s.Reason = v, fmt.Sprintf(format, args...)
	return false
}

func (s *sending) unknown(format string, args ...any) bool { return s.end(Unknown, format, args...) }

// Protocols of ports.
const (
	protocolHTTP = "http"
	protocolGRPC = "grpc"
	protocolTCP  = "tcp"

	protocolHTTP2 = "http2"
)

func isHTTP(protocol string) bool { return kuma.IsHTTP(protocol) }

// isHTTP reports whether the proxy of the client handles requests (matching.md §17.1): a
// MeshTCPRoute makes an HTTP port without a MeshHTTPRoute a TCP port, unless none of the
// services to which it refers exists.
func (s *sending) isHTTP() bool {
	if s.Listener != nil {
		return s.Listener.IsHTTP()
	}
	http := s.routesTo(kuma.KindMeshHTTPRoute)
	route, targets := s.tcpRoute()
	missing := route != nil && !slices.ContainsFunc(targets, func(t target) bool { return t.exists })
	if !isHTTP(s.Destination.Protocol) {
		return http != nil && missing
	}
	return http != nil || route == nil || missing
}

func (s *sending) http() {
	s.Path = normalized(s.Path)
	t := s.route()
	switch {
	case s.Verdict == Unknown:
	case t != nil:
		s.Route = &t.Route
		s.take(*t)
	case s.replacesRest() && !s.hasRule():
		s.end(Unreachable, "The routes to the service have no rule with a backend that exists and has a weight: "+
			"the proxy of the client does not listen for the service.")
	case s.restFails() || s.replacesRest():
		s.end(NoRoute, "No rule of the routes to the service matches: the proxy of the client answers with 404.")
	default:
		s.Forwarded, s.matches = Forwarded{Host: s.Host, Path: s.Path, Headers: s.Headers}, allPaths
		s.forward(shared(s.itself()), rules.Destination{})
	}
}

// take applies the rule that takes the request.
func (s *sending) take(t taken) {
	s.Forwarded, s.matches = s.filter(t), t.all
	if s.Redirect != nil {
		s.Verdict = Redirected
		return
	}
	var settings rules.Destination
	if route := s.snapshot.Resource(t.Policy); route != nil {
		settings.Route = route.ID()
	}
	s.forward(shared(s.targets(t)), settings)
}

func (s *sending) tcp() {
	s.Forwarded = Forwarded{Host: s.Host, Path: s.Path, Headers: s.Headers}
	route, targets := s.tcpRoute()
	s.Route = route
	if route == nil {
		targets = s.itself()
	}
	if targets = slices.DeleteFunc(sharing(targets), func(t target) bool { return !t.resolved }); len(targets) == 0 {
		s.end(NoHealthy, "No backend of the MeshTCPRoute exists and has a weight: the proxy of the client does not accept the connection.")
		return
	}
	s.forward(shared(targets), rules.Destination{})
}

// tcpRoute returns the MeshTCPRoute for the destination, nil if there is none, and its backends.
func (s *sending) tcpRoute() (*Route, []target) {
	routes := s.routesTo(kuma.KindMeshTCPRoute)
	if routes == nil {
		return nil, nil
	}
	refs := tree.Root(routes.conf).Get("default", "backendRefs")
	if !refs.Filled() {
		return nil, nil
	}
	var route Route
	for e := range routes.entries {
		route = Route{Policy: e.Policy, Entry: e.Index}
	}
	return &route, s.resolve(refs, s.snapshot.Resource(route.Policy), false)
}

// forward sends the request to its targets, which have shares, with the settings for a route.
func (s *sending) forward(targets []target, route rules.Destination) {
	if s.SPIFFEID == "" {
		s.settings(route)
	}
	for _, t := range targets {
		b := Backend{
			Port: t.port, Tags: t.tags, Name: t.name, Share: t.share, Verdict: Failed,
			Reason: "The reference does not select exactly one HTTP port: the proxy of the client answers with 500.",
		}
		if t.resolved {
			s.deliver(&b, t.section)
		}
		s.Backends = append(s.Backends, b)
	}
	s.Verdict, s.Reason = s.Backends[0].Verdict, s.Backends[0].Reason
	if slices.ContainsFunc(s.Backends, func(b Backend) bool { return b.Verdict != s.Verdict }) {
		named := phrase.Each(s.Backends, func(b Backend) string { return fmt.Sprintf("%s (%s)", b.Name, b.Verdict.Words()) })
		s.Verdict, s.Reason = Mixed, fmt.Sprintf("Backends differ: %s.", phrase.Some(named, maxNames, ""))
	}
}
