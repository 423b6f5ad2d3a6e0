package request

import (
	"strconv"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// leaves are the values of a conf with the policies that set them, by path.
type leaves map[string]rules.Leaf

func leavesOf(list []rules.Leaf) leaves {
	out := leaves{}
	for _, l := range list {
		out[l.Path.String()] = l
	}
	return out
}

// timeout returns a timeout, or the default.
func (l leaves) timeout(field string, defaults table) *Timeout {
	if leaf, ok := l[field]; ok {
		if d, err := time.ParseDuration(tree.Text(leaf.Value)); err == nil {
			return &Timeout{Duration: d, By: leaf.SetBy.ResourceMeta.Key()}
		}
	}
	return &Timeout{Duration: defaults[field]}
}

// addHTTP adds the timeouts of connections for HTTP.
func (t *Timeouts) addHTTP(conf leaves, defaults table) {
	t.Idle = conf.timeout(idleTimeout, defaults)
	t.MaxStream = conf.timeout(maxStreamDuration, defaults)
	t.MaxConnection = conf.timeout(maxConnectionDuration, defaults)
}

// outgoing returns the settings of a kind for traffic to a destination, without those for
// routes.
func (s *sending) outgoing(kind string, d rules.Destination) leaves {
	found, ok := s.lookup(kind, d)
	if !ok {
		return leaves{}
	}
	return leavesOf(found.Explain())
}

func (s *sending) lookup(kind string, d rules.Destination) (rules.Found, bool) {
	return s.policies(kind, s.Dataplane).Lookup(d)
}

// onRoute returns the settings of a kind for a route, and whether there is a rule for it.
func (s *sending) onRoute(kind string, d rules.Destination) (conf leaves, ok bool) {
	if d.Route == (kuma.ID{}) || s.Tags != nil {
		return leaves{}, false
	}
	found, ok := s.lookup(kind, rules.Destination{Route: d.Route})
	if !ok {
		return leaves{}, false
	}
	return leavesOf(found.Explain()), true
}

// Kinds of policies with settings for requests.
const meshTimeout, meshRetry, meshLoadBalancingStrategy = "MeshTimeout", "MeshRetry", "MeshLoadBalancingStrategy"

// settings sets the timeouts and retries of the request, which the called service decides.
func (s *sending) settings(route rules.Destination) {
	if s.Listener != nil {
		s.gatewaySettings()
		return
	}
	called := s.outgoing(meshTimeout, s.onItsRoute())
	if !s.isHTTP() {
		if s.Tags != nil && isHTTP(s.Destination.Protocol) { // not applied
			called = leaves{}
		}
		s.Timeouts = Timeouts{Idle: called.timeout(idleTimeout, unset)}
		s.tcpRetry()
		return
	}
	own, ruled := s.onRoute(meshTimeout, route)
	defaults := unset
	if s.Tags != nil && len(called) == 0 {
		defaults = unsetByTags
	}
	effective := func(field string, otherwise *Timeout) *Timeout {
		if _, ok := own[field]; !ok {
			return otherwise
		}
		t := own.timeout(field, unset)
		t.ByRoute = true
		return t
	}
	request := called.timeout(requestTimeout, defaults)
	if ruled { // replaces the request timeout of the service, but not its stream timeout (matching.md §17.4)
		request = leaves{}.timeout(requestTimeout, unset)
	}
	s.Timeouts = Timeouts{
		Request:    effective(requestTimeout, request),
		StreamIdle: effective(streamIdleTimeout, called.timeout(streamIdleTimeout, defaults)),
	}
	s.httpRetry(route)
}

func (s *sending) tcpRetry() {
	if s.Destination.Protocol != protocolTCP {
		s.noRetry = noRetryOfProtocol
		return
	}
	conf := s.outgoing(meshRetry, s.destination())
	s.Retry, s.noRetry = conf.tcpRetry(), conf.whyNoRetry(protocolTCP)
}

func (s *sending) httpRetry(route rules.Destination) {
	protocol := s.Destination.Protocol
	if protocol != protocolHTTP && protocol != protocolGRPC {
		s.noRetry = noRetryOfProtocol
		return
	}
	own, _ := s.onRoute(meshRetry, route)
	s.repeat(protocol, s.outgoing(meshRetry, s.onItsRoute()), own)
}

// repeat sets the retries of the settings for a service, or of those for a route, of which zero retries do not replace others.
func (s *sending) repeat(protocol string, conf, ofRoute leaves) {
	s.Retry, _ = conf.retry(protocol, s.Request)
	s.noRetry = conf.whyNoRetry(protocol)
	if r, replaces := ofRoute.retry(protocol, s.Request); replaces {
		s.Retry, s.noRetry = r, ofRoute.whyNoRetry(protocol)
		if r != nil {
			r.ByRoute = true
		}
	}
}

func (l leaves) int(field string, initially int) int {
	leaf, ok := l[field]
	if !ok {
		return initially
	}
	n, err := strconv.Atoi(text(tree.Root(leaf.Value)))
	if err != nil {
		return initially
	}
	return n
}
