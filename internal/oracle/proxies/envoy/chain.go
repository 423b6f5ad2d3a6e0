package envoy

import (
	"fmt"
	"maps"
	"math/big"
	"strings"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	listener "github.com/envoyproxy/go-control-plane/envoy/config/listener/v3"
	state "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/common/set_filter_state/v3"
	hcm "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	limit "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/local_ratelimit/v3"
	rbac "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/rbac/v3"
	setstate "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/set_filter_state/v3"
	tcp "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/tcp_proxy/v3"
)

// end is what the filters of a chain lead to: at most one of http and tcp, neither
// if the connection is denied or closed.
type end struct {
	http    *hcm.HttpConnectionManager
	tcp     *tcp.TcpProxy
	filters Filters
	denied  bool
}

// follow evaluates the filters of a chain for a connection. It adds what they set to
// the state of the peer.
func follow(chain *listener.FilterChain, p *peer) (end, error) {
	var e end
	for _, f := range chain.GetFilters() {
		config, err := unpack(f.GetTypedConfig(), f.GetName())
		if err != nil {
			return e, err
		}
		switch config := config.(type) {
		case *setstate.Config:
			err = setState(config, p)
		case *limit.LocalRateLimit:
			if on := config.GetRuntimeEnabled().GetDefaultValue(); on == nil || on.GetValue() {
				bucket := config.GetTokenBucket()
				e.filters.Connections = &Limit{
					Tokens: int(bucket.GetMaxTokens()), Interval: bucket.GetFillInterval().AsDuration(),
					Enforced: big.NewRat(1, 1),
				}
			}
		case *rbac.RBAC:
			if e.filters.Permission, err = permit(config, *p); e.filters.Permission != nil && !e.filters.Permission.Allowed {
				e.denied = true
				return e, err
			}
		case *tcp.TcpProxy:
			e.tcp = config
			return e, nil
		case *hcm.HttpConnectionManager:
			e.http = config
			return e, nil
		default:
			err = fmt.Errorf("a filter of type %T: %w", config, ErrUnsupported)
		}
		if err != nil {
			return e, err
		}
	}
	return e, nil
}

// setState evaluates a filter that keeps the certificate of the client, or the name that it
// asks for, for matches of routes.
func setState(config *setstate.Config, p *peer) error {
	var values []*state.FilterStateValue
	if p.tls {
		values = config.GetOnDownstreamTlsHandshake()
	}
	if len(config.GetOnNewConnection()) > 0 {
		return fmt.Errorf("a filter state of new connections: %w", ErrUnsupported)
	}
	states := maps.Clone(p.filterStates)
	if states == nil {
		states = map[string]string{}
	}
	for _, v := range values {
		var value string
		switch format := v.GetFormatString().GetTextFormatSource().GetInlineString(); format {
		case "%DOWNSTREAM_PEER_URI_SAN%":
			value = strings.Join(p.names, ",")
		case "%REQUESTED_SERVER_NAME%":
			value = p.serverName
		default:
			return fmt.Errorf("the filter state %q: %w", format, ErrUnsupported)
		}
		if value != "" || !v.GetSkipIfEmpty() {
			states[v.GetObjectKey()] = value
		}
	}
	p.filterStates = states
	return nil
}

// connect returns the peer of a connection to a listener, and its filter chain.
func connect(l *listener.Listener, p peer) (peer, end, bool, error) {
	chain, err := chainFor(l, p)
	if err != nil || chain == nil {
		return p, end{}, false, err
	}
	e, err := follow(chain, &p)
	return p, e, true, err
}

// inbound and outbound are the directions of listeners.
const (
	inbound  = core.TrafficDirection_INBOUND
	outbound = core.TrafficDirection_OUTBOUND
)
