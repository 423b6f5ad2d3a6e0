package request

import (
	"slices"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Paths of settings in the confs of policies. Paths of retries come after a protocol.
const (
	connectionTimeout     = "connectionTimeout"
	idleTimeout           = "idleTimeout"
	requestTimeout        = "http.requestTimeout"
	streamIdleTimeout     = "http.streamIdleTimeout"
	maxStreamDuration     = "http.maxStreamDuration"
	maxConnectionDuration = "http.maxConnectionDuration"
	maxConnectAttempt     = "tcp.maxConnectAttempt"
	numRetries            = ".numRetries"
	retryOn               = ".retryOn"
	perTryTimeout         = ".perTryTimeout"
	baseInterval          = ".backOff.baseInterval"
	maxInterval           = ".backOff.maxInterval"
)

// table contains timeouts by path. Timeouts that are missing are unlimited.
type table map[string]time.Duration

// Timeouts that no policy sets (matching.md §17.4). All measured releases have the same.
var (
	unset = table{
		connectionTimeout: 5 * time.Second, idleTimeout: time.Hour, requestTimeout: 15 * time.Second,
		streamIdleTimeout: 30 * time.Minute,
	}
	// unsetForSome are the defaults of an inbound with rules for some clients only (proxies.md §4).
	unsetForSome = table{connectionTimeout: 10 * time.Second, idleTimeout: 2 * time.Hour, streamIdleTimeout: time.Hour}
	// unsetAtEgress are the defaults of a zone egress without a rule for the service (matching.md §17.8).
	unsetAtEgress = table{idleTimeout: time.Hour, streamIdleTimeout: 5 * time.Minute}
	// unsetOfGRPC are the defaults of an inbound with the protocol grpc, where policies have no effect.
	unsetOfGRPC = table{idleTimeout: 2 * time.Hour}
)

// Settings of retries that a policy with retries does not set. Without a policy, requests are not
// repeated.
const (
	connectAttempts = 1 // of TCP
	retries         = 1
	backOff         = 25 * time.Millisecond
	backOffs        = 10 // maximum interval in base intervals
)

// defaultConditions are the names of Envoy.
var defaultConditions = map[string][]string{
	protocolHTTP: {"connect-failure", "gateway-error", "refused-stream"},
	protocolGRPC: {"cancelled", "connect-failure", "gateway-error", "refused-stream", "reset", "resource-exhausted", "unavailable"},
}

// Default is a setting that a proxy has although no policy sets it.
type Default struct {
	Kind    string        // of the policies that can set it
	To      rules.Port    // for outgoing requests and requests through a zone egress; zero for incoming requests
	Inbound rules.Inbound // for incoming requests of clients that no rule names, and for requests through a zone egress
	Path    string        // in the conf of a policy
	Origin  Origin
	Value   any // a duration as text, 0s for no limit; a number; conditions of retries by the names of Envoy
}

// Defaults returns the timeouts and retries of a proxy that no policy sets: for requests to
// each port that it reaches, if no rule of a route takes them, and for requests to its inbounds. For a
// builtin gateway, they are for the requests that its listeners take.
// The error is one of package rules.
func (sim Simulation) Defaults(mesh, dataplane string) ([]Default, error) {
	return ask(sim, mesh, dataplane, (*sending).defaults)
}

func (s *sending) defaults() (all []Default) {
	if s.isBuiltinGateway() {
		return s.gatewayDefaults()
	}
	outbounds := s.proxies.Outbounds(s.Dataplane)
	ports := outbounds.Ports()
	if outbounds.Assumed && len(ports) == 0 {
		ports = s.proxies.Layout(s.proxy()) // kuma-dp may redirect the traffic
	}
	if !tree.Root(s.proxy().Body).Get("networking", "inbound").Filled() && len(proxy.EgressesOf(s.proxy())) > 0 {
		ports = nil // no application sends requests
	}
	for _, p := range ports {
		s.call(p)
		all = append(all, s.outgoingDefaults()...)
	}
	return slices.Concat(all, s.incomingDefaults(), s.egressDefaults())
}

// IncomingDefaults returns the timeouts of the inbounds of a proxy that no policy sets.
func (sim Simulation) IncomingDefaults(mesh, dataplane string) ([]Default, error) {
	return ask(sim, mesh, dataplane, (*sending).incomingDefaults)
}

func (s *sending) incomingDefaults() (all []Default) {
	for _, in := range tree.Root(s.proxy().Body).Get("networking", "inbound").Items() {
		e := proxy.NewEndpoint(s.proxy(), in)
		t := s.incomingTimeouts(e, peer{})
		all = append(all, t.defaults(Default{Inbound: inboundOf(e)})...)
	}
	return all
}

func (s *sending) gatewayDefaults() (all []Default) {
	for _, l := range s.snapshot.Listeners(s.Mesh, s.Dataplane) {
		s.Listener = &Listener{Listener: l}
		s.gatewaySettings()
		conf := s.toAll(meshRetry, nil)
		on := Default{Inbound: rules.Inbound{Port: l.Port}}
		if l.Hostname != "*" {
			on.Inbound.Name = l.Hostname
		}
		all = append(all, s.Timeouts.defaults(on)...)
		protocol := protocolTCP
		if s.isHTTP() {
			protocol = protocolHTTP
		}
		all = append(all, conf.retryDefaults(on, protocol, s.isHTTP())...)
	}
	return all
}

// egressDefaults returns what no policy sets for the external services that are called through
// a zone egress.
func (s *sending) egressDefaults() (all []Default) {
	for _, e := range proxy.EgressesOf(s.proxy()) {
		for _, r := range s.snapshot.Resources(s.Mesh, kuma.KindMeshExternalService) {
			for _, p := range s.snapshot.Ports(r.ID()) {
				t := s.egressTimeouts(e, p, peer{serverName: s.proxies.ServerName(p)}.atEgress(p))
				all = append(all, t.defaults(Default{To: p, Inbound: inboundOf(e)})...)
			}
		}
	}
	return all
}

// IsDefaultTimeout reports whether a setting of a MeshTimeout is what proxies have without it
// (matching.md §17.4), unless rules for incoming requests are for some clients only.
func IsDefaultTimeout(path, value string) bool {
	d, err := time.ParseDuration(value)
	return err == nil && unset[path] == d // without a default, zero is none, too
}

// OutgoingTimeouts returns the timeouts of requests that no policy sets, by their paths in a MeshTimeout, zero for none: services by
// tags have others if no MeshTimeout has a rule for them (matching.md §17.10).
func OutgoingTimeouts(hasRule bool) map[string]time.Duration {
	of := unsetByTags
	if hasRule {
		of = unset
	}
	return map[string]time.Duration{requestTimeout: of[requestTimeout], streamIdleTimeout: of[streamIdleTimeout]}
}

// InfluencesDefaults reports whether policies of a kind decide which defaults apply.
func InfluencesDefaults(kind string) bool {
	return slices.Contains([]string{meshTimeout, meshRetry, kinds.MeshRateLimit.Name}, kind)
}

// outgoingDefaults returns what no policy sets for the destination.
func (s *sending) outgoingDefaults() []Default {
	var own Backend
	own.Port = s.Destination
	s.connect(&own, s.section, s.endpoints(s.Destination))
	s.settings(rules.Destination{})
	conf := s.outgoing(meshRetry, s.destination())
	d := Default{To: s.Destination}
	return slices.Concat(own.Timeouts.defaults(d), s.Timeouts.defaults(d), conf.retryDefaults(d, s.Destination.Protocol, s.isHTTP()))
}

// defaults returns the timeouts that no policy sets.
func (t Timeouts) defaults(d Default) []Default {
	var all []Default
	for _, n := range t.all() {
		if n.timeout.By == (kuma.Key{}) {
			d.Kind, d.Path, d.Value, d.Origin = meshTimeout, n.path, n.timeout.Duration.String(), n.timeout.Origin()
			all = append(all, d)
		}
	}
	return all
}

// retryDefaults returns the settings of retries that a conf does not set, for a protocol whose
// requests the proxy does or does not handle.
func (l leaves) retryDefaults(d Default, protocol string, requests bool) []Default {
	var all []Default
	add := func(path string, value any) {
		if _, set := l[path]; !set {
			d.Kind, d.Path, d.Value, d.Origin = meshRetry, path, value, OfProxy
			if strings.HasSuffix(path, retryOn) {
				d.Origin = OfControlPlane
			}
			all = append(all, d)
		}
	}
	if !requests && !isHTTP(protocol) {
		add(maxConnectAttempt, connectAttempts)
	}
	if !requests || defaultConditions[protocol] == nil {
		return all
	}
	if l.setter(protocol) == (kuma.Key{}) {
		add(protocol+numRetries, 0)
		return all
	}
	if l.int(protocol+numRetries, retries) == 0 {
		return all
	}
	base := l.timeout(protocol+baseInterval, table{protocol + baseInterval: backOff}).Duration
	add(protocol+numRetries, retries)
	add(protocol+perTryTimeout, time.Duration(0).String())
	add(protocol+baseInterval, base.String())
	add(protocol+maxInterval, (backOffs * base).String())
	add(protocol+retryOn, defaultConditions[protocol])
	return all
}
