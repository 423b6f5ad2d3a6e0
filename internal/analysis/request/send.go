package request

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// sending is a request on its way.
type sending struct {
	Request
	Answer
	Behavior

	snapshot *rules.Snapshot
	prepared *prepared
	proxies  *proxy.Mesh
	client   proxy.Client
	section  string       // of the destination in the outbound: the number of a port that is referred to by number
	routed   bool         // an HTTP route applies to the destination
	matches  any          // of the rule that takes a request to a destination by tags, or through a gateway
	virtual  *VirtualHost // of the listener
	noRetry  string       // a clause: why the request is not repeated
}

// policies returns the rules of a kind for a proxy, which are not merged.
func (s *sending) policies(kind, dataplane string) (rules.PolicyRules, error) {
	return once(s.prepared, s.prepared.policies, question{mesh: s.Mesh, kind: kind, dataplane: dataplane}, func() (rules.PolicyRules, error) {
		return s.snapshot.OutlineByTags(s.Mesh, dataplane, kind)
	})
}

// follow sends the request to the port of the service.
func (s *sending) follow() error {
	if s.SPIFFEID != "" {
		return cmp.Or(s.forward(shared(s.itself()), rules.Destination{}), s.findNotConsidered())
	}
	var err error
	switch {
	case s.Listener != nil && s.isHTTP():
		err = s.gatewayHTTP()
	case s.Listener != nil:
		err = s.gatewayTCP()
	case s.isHTTP():
		err = s.http()
	default:
		err = s.tcp()
	}
	if err != nil {
		return err
	}
	return s.findNotConsidered()
}

func (s *sending) unknown(format string, args ...any) {
	s.Verdict, s.Reason = Unknown, fmt.Sprintf(format, args...)
}

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
	http, err := s.routesTo(kuma.KindMeshHTTPRoute)
	route, targets, _ := s.tcpRoute()
	missing := route != nil && !slices.ContainsFunc(targets, func(t target) bool { return t.exists })
	if !isHTTP(s.Destination.Protocol) {
		return http != nil && missing
	}
	return http != nil || route == nil || missing || err != nil
}

func (s *sending) http() error {
	s.Path = normalized(s.Path)
	t, err := s.route()
	if err != nil {
		return err
	}
	switch {
	case s.Verdict == Unknown:
		return nil
	case t != nil:
		s.Route = &t.Route
		return s.take(*t)
	case s.replacesRest() && !s.hasRule():
		s.Verdict, s.Reason = Unreachable, "The routes to the service have no rule with a backend that exists and has a weight: "+
			"the proxy of the client does not listen for the service."
		return nil
	case s.RestFails && s.routed || s.replacesRest():
		s.Verdict, s.Reason = NoRoute, "No rule of the routes to the service matches: the proxy of the client answers with 404."
		return nil
	default:
		s.Forwarded, s.matches = Forwarded{Host: s.Host, Path: s.Path, Headers: s.Headers}, allPaths
		return s.forward(shared(s.itself()), rules.Destination{})
	}
}

// take applies the rule that takes the request.
func (s *sending) take(t taken) error {
	s.Forwarded, s.matches = s.filter(t), t.all
	if s.Redirect != nil {
		s.Verdict = Redirected
		return nil
	}
	route := s.snapshot.Resource(t.Policy)
	if route == nil {
		return s.forward(shared(s.targets(t)), rules.Destination{})
	}
	return s.forward(shared(s.targets(t)), rules.Destination{Route: route.ID()})
}

func (s *sending) tcp() error {
	s.Forwarded = Forwarded{Host: s.Host, Path: s.Path, Headers: s.Headers}
	route, targets, err := s.tcpRoute()
	if err != nil {
		return err
	}
	s.Route = route
	if route == nil {
		targets = s.itself()
	}
	if targets = slices.DeleteFunc(sharing(targets), func(t target) bool { return !t.resolved }); len(targets) == 0 {
		s.Verdict, s.Reason = NoHealthy, "No backend of the MeshTCPRoute exists and has a weight: "+
			"the proxy of the client does not accept the connection."
		return nil
	}
	return s.forward(shared(targets), rules.Destination{})
}

// tcpRoute returns the MeshTCPRoute for the destination, nil if there is none, and its backends.
func (s *sending) tcpRoute() (*Route, []target, error) {
	routes, err := s.routesTo(kuma.KindMeshTCPRoute)
	if err != nil || routes == nil {
		return nil, nil, err
	}
	refs := tree.Root(routes.conf).Get("default", "backendRefs")
	if !refs.Filled() {
		return nil, nil, nil
	}
	var route Route
	for e := range routes.entries {
		route = Route{Policy: e.Policy, Entry: e.Index}
	}
	return &route, s.resolve(refs, s.snapshot.Resource(route.Policy), false), nil
}

// forward sends the request to its targets, which have shares, with the settings for a route.
func (s *sending) forward(targets []target, route rules.Destination) error {
	if s.SPIFFEID == "" {
		if err := s.settings(route); err != nil {
			return err
		}
	}
	for _, t := range targets {
		b := Backend{
			Port: t.port, Tags: t.tags, Name: t.name, Share: t.share, Verdict: Failed,
			Reason: "The backend does not exist: the proxy of the client answers with 500.",
		}
		if t.resolved {
			if err := s.arrive(&b, t.section); err != nil {
				return err
			}
		}
		s.Backends = append(s.Backends, b)
	}
	s.Verdict, s.Reason = s.Backends[0].Verdict, s.Backends[0].Reason
	if slices.ContainsFunc(s.Backends, func(b Backend) bool { return b.Verdict != s.Verdict }) {
		s.Verdict, s.Reason = Mixed, "Backends differ."
	}
	return nil
}
