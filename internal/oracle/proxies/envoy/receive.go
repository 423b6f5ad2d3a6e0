package envoy

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	listener "github.com/envoyproxy/go-control-plane/envoy/config/listener/v3"
	hcm "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	tls "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3"
)

// Receive returns what the proxy does with a request that another one sends to the
// address and port of a host.
func (c *Config) Receive(to Host, r Request) (Arrival, error) {
	address, err := netip.ParseAddr(to.Address)
	if err != nil {
		return Arrival{}, err
	}
	p := peer{local: netip.AddrPortFrom(address, uint16(to.Port)), request: r, http: r.Protocol != TCP &&
		r.Protocol != TLS} //nolint:gosec // a port
	if to.TLS != nil {
		p.encrypted, p.tls, p.names = true, len(to.TLS.Names) > 0, to.TLS.Names
		p.serverName, p.protocols = to.TLS.ServerName, to.TLS.Protocols
	}
	l := c.listenerFor(inbound, p.local)
	if l == nil {
		return Arrival{Verdict: NoListener}, nil
	}
	a := Arrival{Listener: l.GetName()}
	chain, err := chainFor(l, p)
	switch {
	case err != nil:
		return a, err
	case chain == nil:
		a.Verdict, a.Reason = Closed, "no filter chain matches"
		return a, nil
	}
	reason, err := c.handshake(&a, chain, to.TLS)
	if err != nil || reason != "" {
		a.Verdict, a.Reason = HandshakeTLS, reason
		return a, err
	}
	e, err := follow(chain, &p)
	a.Filters = e.filters
	switch {
	case err != nil:
	case e.denied:
		a.Verdict = Denied
	case e.tcp != nil && to.TLS != nil && !a.TLS:
		a.Verdict, a.Reason = HandshakeTLS, "the inbound forwards TLS to the application"
	case e.tcp != nil:
		a.Verdict = Allowed
		err = c.timeouts(&a, e.tcp.GetCluster(), func(t *Timeouts) { t.addTCP(e.tcp) })
	case e.http != nil && to.TLS != nil && !a.TLS:
		a.Verdict, a.Reason = HandshakeTLS, "the inbound does not speak TLS"
	case e.http != nil && p.http:
		err = c.receiveHTTP(&a, e.http, p)
	default:
		a.Verdict, a.Reason = Closed, "the inbound does not speak the protocol"
	}
	if err != nil {
		return a, fmt.Errorf("listener %q: %w", l.GetName(), err)
	}
	return a, nil
}

// handshake evaluates the TLS handshake, and returns the reason why it fails.
func (c *Config) handshake(a *Arrival, chain *listener.FilterChain, client *ClientTLS) (reason string, err error) {
	if chain.GetTransportSocket() == nil {
		return "", nil // the filters decide
	}
	config, err := unpack(chain.GetTransportSocket().GetTypedConfig(), chain.GetName())
	if err != nil {
		return "", err
	}
	context, ok := config.(*tls.DownstreamTlsContext)
	if !ok {
		return "", fmt.Errorf("a transport of type %T: %w", config, ErrUnsupported)
	}
	a.TLS = true
	own := side{c, context.GetCommonTlsContext()}
	switch {
	case client == nil:
		return "the client does not speak TLS", nil
	case client.side.config == nil && len(client.Names) > 0: // only the names are known
		return "", nil
	case client.side.config == nil:
		return "the client has no certificate", nil
	}
	if reason := own.verify(client.side); reason != nil {
		return "the inbound rejects the client: " + reason.Error(), nil //nolint:nilerr // an answer
	}
	if reason := client.side.verify(own); reason != nil {
		return "the client rejects the inbound: " + reason.Error(), nil //nolint:nilerr // an answer
	}
	return "", nil
}

func (c *Config) receiveHTTP(a *Arrival, m *hcm.HttpConnectionManager, p peer) error {
	if err := supported(m); err != nil {
		return err
	}
	if escaped, err := p.request.normalize(m); err != nil || escaped {
		return cmp.Or(err, fmt.Errorf("a redirect of an escaped slash: %w", ErrUnsupported))
	}
	routes, err := c.routesOf(m)
	if err != nil {
		return err
	}
	choices, err := choose(routes, p)
	if err != nil {
		return err
	}
	if len(choices) != 1 {
		return fmt.Errorf("a split of what is received: %w", ErrUnsupported)
	}
	r := choices[0].route
	denied, err := a.Filters.addHTTP(m, r, p)
	switch {
	case err != nil:
		return err
	case denied:
		a.Verdict = Denied
		return nil
	case r == nil:
		a.Verdict = NoRoute
		return nil
	case r.GetRoute().GetCluster() == "":
		return fmt.Errorf("an inbound route without a cluster: %w", ErrUnsupported)
	}
	a.Verdict, a.Match = Allowed, describe(r.GetMatch())
	return c.timeouts(a, r.GetRoute().GetCluster(), func(t *Timeouts) { t.addRoute(r.GetRoute(), m) })
}

func (c *Config) timeouts(a *Arrival, cluster string, add func(*Timeouts)) error {
	found, err := c.cluster(cluster)
	if err == nil {
		a.Timeouts, err = timeoutsOf(found)
	}
	add(&a.Timeouts)
	return err
}

// Mesh is the configuration of the proxies of a mesh, by the name of their Dataplane.
type Mesh map[string]*Config

// Send returns what happens to a request that the application of a Dataplane sends,
// and to it and its copies at each host that is an inbound of the mesh.
func (m Mesh) Send(dataplane string, r Request) ([]Outcome, error) {
	if m[dataplane] == nil {
		return nil, fmt.Errorf("no configuration of %q", dataplane)
	}
	outcomes, err := m[dataplane].Send(r)
	if err != nil {
		return nil, err
	}
	for _, o := range outcomes {
		lists := [][]Host{o.Hosts}
		for _, mirror := range o.Mirrors {
			lists = append(lists, mirror.Hosts)
		}
		for _, hosts := range lists {
			for i := range hosts {
				if err := m.receive(&hosts[i], o.Request); err != nil {
					return nil, err
				}
			}
		}
	}
	return outcomes, nil
}

// receive sets what happens at a host.
func (m Mesh) receive(h *Host, r Request) error {
	address, err := netip.ParseAddr(h.Address)
	if err != nil {
		return nil //nolint:nilerr // a host name: not in the mesh
	}
	to := netip.AddrPortFrom(address, uint16(h.Port)) //nolint:gosec // a port
	for _, name := range slices.Sorted(maps.Keys(m)) {
		l := m[name].listenerFor(inbound, to)
		if l == nil || reach(l, l.GetAddress().GetSocketAddress(), to) < 3 {
			continue
		}
		arrival, err := m[name].Receive(*h, r)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		h.Dataplane, h.Arrival = name, &arrival
		return nil
	}
	return nil
}
