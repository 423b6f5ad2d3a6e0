package envoy

import (
	"cmp"
	"fmt"
	"math/big"
	"net/http"
	"net/netip"
	"slices"

	cluster "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	route "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	hcm "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	tcp "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/tcp_proxy/v3"
)

// Send returns what the proxy does with a request of its application, or with one that it
// accepts from outside the mesh.
func (c *Config) Send(r Request) ([]Outcome, error) {
	if r.Protocol != TCP && r.Protocol != TLS {
		r.Method, r.Path = cmp.Or(r.Method, "GET"), cmp.Or(r.Path, "/")
	}
	address, err := c.resolve(cmp.Or(r.Address, r.Host))
	if err != nil {
		return nil, err
	}
	to := netip.AddrPortFrom(address, uint16(r.Port)) //nolint:gosec // a port
	direction := outbound
	if r.Address != "" {
		direction = inbound
	}
	l := c.listenerFor(direction, to)
	if l == nil {
		return whole(Outcome{Verdict: NoListener}), nil
	}
	p := peer{local: to, request: r, http: r.Protocol != TCP && r.Protocol != TLS, encrypted: r.Protocol == TLS || r.Protocol == HTTPS}
	if p.encrypted {
		p.serverName = r.Host
	}
	p, e, ok, err := connect(l, p)
	if err != nil {
		return nil, fmt.Errorf("listener %q: %w", l.GetName(), err)
	}
	s := sending{Config: c, peer: p, end: e, common: Outcome{Listener: l.GetName(), Filters: e.filters}}
	var outcomes []Outcome
	switch {
	case ok && e.tcp != nil:
		outcomes, err = s.tcp(e.tcp)
	case ok && e.http != nil && p.http:
		outcomes, err = s.http(e.http)
	default:
		s.common.Verdict = Closed
		outcomes = whole(s.common)
	}
	if err != nil {
		return nil, fmt.Errorf("listener %q: %w", l.GetName(), err)
	}
	return outcomes, nil
}

// whole returns an outcome of all requests.
func whole(o Outcome) []Outcome {
	o.Share = big.NewRat(1, 1)
	return []Outcome{o}
}

// sending is a request on its way through a listener.
type sending struct {
	*Config
	peer
	end
	common Outcome // what all outcomes have in common

	missingFails bool // a cluster that does not exist is answered with 500
}

func (s *sending) tcp(proxy *tcp.TcpProxy) ([]Outcome, error) {
	if err := only(proxy, "stat_prefix", "cluster", "weighted_clusters", "idle_timeout", "max_connect_attempts", "access_log", "hash_policy",
		"max_downstream_connection_duration"); err != nil {
		return nil, err
	}
	o := s.common
	o.Request = s.request
	if n := proxy.GetMaxConnectAttempts().GetValue(); n > 1 {
		o.Retry = &Retry{Attempts: int(n) - 1}
	}
	targets := []target{{name: proxy.GetCluster(), weight: 1}}
	if weighted := proxy.GetWeightedClusters(); weighted != nil {
		targets = nil
		for _, w := range weighted.GetClusters() {
			targets = append(targets, target{w.GetName(), int64(w.GetWeight())})
		}
	}
	return s.split(o, nil, targets, func(t *Timeouts) { t.addTCP(proxy) })
}

func (s *sending) http(m *hcm.HttpConnectionManager) ([]Outcome, error) {
	if err := supported(m); err != nil {
		return nil, err
	}
	escaped, err := s.request.normalize(m)
	if err != nil {
		return nil, err
	}
	if escaped {
		s.common.Verdict, s.common.Status, s.common.Location = Redirected, http.StatusTemporaryRedirect, s.request.Path
		return whole(s.common), nil
	}
	routes, err := s.routesOf(m)
	if err != nil {
		return nil, err
	}
	choices, err := choose(routes, s.peer)
	if err != nil {
		return nil, err
	}
	var outcomes []Outcome
	for _, choice := range choices {
		o := s.common
		denied, err := o.Filters.addHTTP(m, choice.route, s.peer)
		if err != nil {
			return nil, err
		}
		var list []Outcome
		switch {
		case denied:
			o.Verdict = Denied
			list, err = s.split(o, choice.draws, nil, nil)
		case choice.route == nil:
			o.Verdict = NoRoute
			list, err = s.split(o, choice.draws, nil, nil)
		default:
			list, err = s.take(o, m, routes, choice)
		}
		if err != nil {
			return nil, fmt.Errorf("route %q: %w", choice.route.GetName(), err)
		}
		outcomes = append(outcomes, list...)
	}
	return outcomes, nil
}

// supported fails if a connection manager has settings that could affect a request
// and are not evaluated.
func supported(m *hcm.HttpConnectionManager) error {
	return only(m, "stat_prefix", "codec_type", "common_http_protocol_options", "http_filters", "internal_address_config", "normalize_path",
		"request_headers_timeout", "route_config", "rds", "forward_client_cert_details", "set_current_client_cert_details", "stream_idle_timeout",
		"access_log", "tracing", "http_protocol_options", "http2_protocol_options", "merge_slashes", "path_with_escaped_slashes_action",
		"use_remote_address", "server_name", "request_timeout")
}

// take returns the outcomes of a route.
func (s *sending) take(o Outcome, m *hcm.HttpConnectionManager, routes *route.RouteConfiguration, choice choice) ([]Outcome, error) {
	r := choice.route
	if err := only(r, "name", "match", "route", "redirect", "direct_response", "request_headers_to_add", "request_headers_to_remove",
		"response_headers_to_add", "response_headers_to_remove", "typed_per_filter_config", "metadata", "decorator"); err != nil {
		return nil, err
	}
	o.Route, o.Match = r.GetName(), describe(r.GetMatch())
	o.Response = responseChanges(r)
	switch {
	case r.GetRedirect() != nil:
		var err error
		o.Verdict = Redirected
		if o.Status, o.Location, err = location(r.GetMatch(), r.GetRedirect(), s.request); err != nil {
			return nil, err
		}
		return s.split(o, choice.draws, nil, nil)
	case r.GetDirectResponse() != nil:
		o.Verdict, o.Status = Answered, int(r.GetDirectResponse().GetStatus())
		return s.split(o, choice.draws, nil, nil)
	}
	a := r.GetRoute()
	if err := only(a, "cluster", "weighted_clusters", "timeout", "idle_timeout", "retry_policy", "request_mirror_policies", "prefix_rewrite",
		"regex_rewrite", "host_rewrite_literal", "auto_host_rewrite", "hash_policy", "max_stream_duration",
		"cluster_not_found_response_code"); err != nil {
		return nil, err
	}
	if err := s.forward(&o, r, choice.host, routes); err != nil {
		return nil, err
	}
	targets := []target{{name: a.GetCluster(), weight: 1}}
	if weighted := a.GetWeightedClusters(); weighted != nil {
		targets = nil
		for _, w := range weighted.GetClusters() {
			if err := only(w, "name", "weight", "request_headers_to_add"); err != nil {
				return nil, err
			}
			targets = append(targets, target{w.GetName(), int64(w.GetWeight().GetValue())})
		}
	}
	s.missingFails = a.GetClusterNotFoundResponseCode() == route.RouteAction_INTERNAL_SERVER_ERROR
	return s.split(o, choice.draws, targets, func(t *Timeouts) { t.addRoute(a, m) })
}

// forward sets how a route changes a request, and what happens besides forwarding it.
func (s *sending) forward(o *Outcome, r *route.Route, host *route.VirtualHost, routes *route.RouteConfiguration) (err error) {
	a := r.GetRoute()
	if o.Request, err = s.request.change(r, host, routes); err != nil {
		return err
	}
	o.Request.Host = cmp.Or(a.GetHostRewriteLiteral(), s.request.Host)
	if o.Request.Path, err = rewritten(r.GetMatch(), a.GetPrefixRewrite(), a.GetRegexRewrite(), s.request.Path); err != nil {
		return err
	}
	policy := a.GetRetryPolicy()
	if policy == nil {
		policy = host.GetRetryPolicy()
	}
	if o.Retry, err = retryFor(policy, s.request); err != nil {
		return err
	}
	if o.Mirrors, err = mirrorsOf(a); err != nil {
		return err
	}
	for i, m := range o.Mirrors {
		c, err := s.cluster(m.Cluster)
		if err != nil {
			return err
		}
		if o.Mirrors[i].Hosts, err = s.hosts(c); err != nil {
			return err
		}
	}
	return nil
}

// target is a cluster with its weight.
type target struct {
	name   string
	weight int64
}

// split returns one outcome for each cluster that gets a share of the requests, or a
// single one without clusters. timeouts completes those of the cluster.
func (s *sending) split(o Outcome, draws []draw, targets []target, timeouts func(*Timeouts)) ([]Outcome, error) {
	if targets == nil {
		var err error
		o.Share, err = share(draws)
		return slices.DeleteFunc([]Outcome{o}, func(o Outcome) bool { return err == nil && o.Share.Sign() == 0 }), err
	}
	var total, from int64
	for _, t := range targets {
		total += t.weight
	}
	if total == 0 {
		return nil, fmt.Errorf("weights that add up to zero, which a proxy rejects: %w", ErrUnsupported)
	}
	var outcomes []Outcome
	for _, t := range targets {
		share, err := share(append(slices.Clone(draws), draw{total, from, from + t.weight}))
		if err != nil {
			return nil, err
		}
		from += t.weight
		if share.Sign() == 0 {
			continue
		}
		o.Share, o.Cluster, o.Verdict = share, t.name, Forwarded
		if s.missingFails && s.Clusters[t.name] == nil {
			outcomes = append(outcomes, Outcome{
				Share: share, Verdict: Answered, Status: http.StatusInternalServerError, Listener: o.Listener,
				Route: o.Route, Match: o.Match,
			})
			continue
		}
		c, err := s.cluster(t.name)
		if err != nil {
			return nil, err
		}
		if c.GetType() == cluster.Cluster_ORIGINAL_DST {
			o.Verdict = Passthrough
		}
		if o.Timeouts, err = timeoutsOf(c); err != nil {
			return nil, err
		}
		timeouts(&o.Timeouts)
		if o.Hosts, err = s.hosts(c); err != nil {
			return nil, err
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}
