package envoy

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	listener "github.com/envoyproxy/go-control-plane/envoy/config/listener/v3"
	inspector "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/listener/http_inspector/v3"
	"google.golang.org/protobuf/types/known/anypb"
)

// listenerFor returns the listener for connections to an address: the one for that
// address, or for all addresses, or else the one that receives redirected connections.
func (c *Config) listenerFor(direction core.TrafficDirection, to netip.AddrPort) *listener.Listener {
	var found *listener.Listener
	best := 0
	for _, name := range slices.Sorted(maps.Keys(c.Listeners)) {
		l := c.Listeners[name]
		if l.GetTrafficDirection() != direction {
			continue
		}
		addresses := []*core.Address{l.GetAddress()}
		for _, a := range l.GetAdditionalAddresses() {
			addresses = append(addresses, a.GetAddress())
		}
		for _, a := range addresses {
			if r := reach(l, a.GetSocketAddress(), to); r > best {
				found, best = l, r
			}
		}
	}
	return found
}

// Outbounds returns the names of the listeners for connections of the application to an address,
// without those that take all redirected connections, and those that close them all because they have no filters.
func (c *Config) Outbounds() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.Listeners)) {
		l := c.Listeners[name]
		forwards := slices.ContainsFunc(l.GetFilterChains(), func(c *listener.FilterChain) bool { return len(c.GetFilters()) > 0 })
		if l.GetTrafficDirection() == outbound && !l.GetUseOriginalDst().GetValue() && forwards {
			names = append(names, name)
		}
	}
	return names
}

// reach returns how specifically a listener is for an address; 0 if it is not.
func reach(l *listener.Listener, s *core.SocketAddress, to netip.AddrPort) int {
	own, err := netip.ParseAddr(s.GetAddress())
	switch {
	case err != nil || s.GetProtocol() == core.SocketAddress_UDP:
		return 0
	case own == to.Addr() && s.GetPortValue() == uint32(to.Port()):
		return 3
	case own.IsUnspecified() && s.GetPortValue() == uint32(to.Port()) && !l.GetUseOriginalDst().GetValue():
		return 2
	case l.GetUseOriginalDst().GetValue() && s.GetPortValue() != 0 && (own.Is4() == to.Addr().Is4() || !to.Addr().IsValid()):
		return 1
	default:
		return 0
	}
}

// chainFor returns the filter chain of a listener for a connection, nil if there is
// none: criterion by criterion, the chains with the most specific match remain.
func chainFor(l *listener.Listener, p peer) (*listener.FilterChain, error) {
	if l.GetFilterChainMatcher() != nil {
		return nil, fmt.Errorf("listener %q: a tree of filter chains: %w", l.GetName(), ErrUnsupported)
	}
	for _, f := range l.GetListenerFilters() {
		if f.GetTypedConfig().MessageIs(&inspector.HttpInspector{}) && !p.encrypted && p.request.Protocol != TCP {
			p.protocols = []string{"http/1.1"}
		}
	}
	left := l.GetFilterChains()
	for _, rank := range criteria {
		best := 0
		var next []*listener.FilterChain
		for _, chain := range left {
			r := rank(chain.GetFilterChainMatch(), p)
			if r > best {
				best, next = r, nil
			}
			if r == best {
				next = append(next, chain)
			}
		}
		left = next
	}
	switch len(left) {
	case 0:
		return l.GetDefaultFilterChain(), nil
	case 1:
		return left[0], nil
	default:
		return nil, fmt.Errorf("listener %q: %d filter chains with the same match", l.GetName(), len(left))
	}
}

// criteria are the criteria of filter chains in their order. Each returns how
// specific the match is: 0 if there is none, less if it does not match.
var criteria = []func(m *listener.FilterChainMatch, p peer) int{
	func(m *listener.FilterChainMatch, p peer) int {
		return rank(m.GetDestinationPort() == nil, m.GetDestinationPort().GetValue() == uint32(p.local.Port()))
	},
	func(m *listener.FilterChainMatch, p peer) int { return longest(m.GetPrefixRanges(), p.local.Addr()) },
	func(m *listener.FilterChainMatch, p peer) int { return serverName(m.GetServerNames(), p.serverName) },
	func(m *listener.FilterChainMatch, p peer) int {
		return rank(m.GetTransportProtocol() == "", (m.GetTransportProtocol() == "tls") == p.encrypted)
	},
	func(m *listener.FilterChainMatch, p peer) int {
		wanted := m.GetApplicationProtocols()
		return rank(len(wanted) == 0, slices.ContainsFunc(p.protocols, func(have string) bool { return slices.Contains(wanted, have) }))
	},
	func(m *listener.FilterChainMatch, p peer) int {
		return longest(m.GetDirectSourcePrefixRanges(), p.address)
	},
	func(m *listener.FilterChainMatch, _ peer) int {
		return rank(m.GetSourceType() == listener.FilterChainMatch_ANY, false)
	},
	func(m *listener.FilterChainMatch, p peer) int {
		return longest(m.GetSourcePrefixRanges(), p.address)
	},
	func(m *listener.FilterChainMatch, _ peer) int { return rank(len(m.GetSourcePorts()) == 0, false) },
}

func rank(unset, matches bool) int {
	switch {
	case unset:
		return 0
	case matches:
		return 1
	default:
		return -1
	}
}

// longest returns the length of the longest prefix that contains an address, plus one.
func longest(ranges []*core.CidrRange, address netip.Addr) int {
	best := rank(len(ranges) == 0, false)
	for _, r := range ranges {
		if prefix, err := cidr(r); err == nil && prefix.Contains(address) {
			best = max(best, prefix.Bits()+1)
		}
	}
	return best
}

func serverName(wanted []string, name string) int {
	best := rank(len(wanted) == 0, false)
	for _, w := range wanted {
		suffix, wildcard := strings.CutPrefix(w, "*")
		switch {
		case strings.EqualFold(w, name):
			best = max(best, 1000)
		case wildcard && strings.HasSuffix(strings.ToLower(name), strings.ToLower(suffix)):
			best = max(best, len(suffix))
		}
	}
	return best
}

// unpack decodes the configuration of an extension.
func unpack(extension *anypb.Any, of string) (any, error) {
	m, err := extension.UnmarshalNew()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", of, err)
	}
	return m, nil
}
