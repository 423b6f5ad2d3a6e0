package request

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// peer is what the proxy that receives a request knows about the other end of the connection.
type peer struct {
	proxy.Client // zero for plaintext

	serverName string // that it asks for
	egress     bool   // the proxy is a zone egress, which has settings for each server name
	protocol   string // of the service that it calls through a zone egress
}

// peer returns the client at the other end of a connection for a service.
func (s *sending) peer(p Proxy, service rules.Port) peer {
	switch {
	case !p.TLS:
		return peer{} // its certificate is not known
	case s.client.Identity == kuma.Key{}:
		return peer{Client: s.client}
	default:
		return peer{Client: s.client, serverName: s.proxies.ServerName(service)}
	}
}

// atEgress returns the peer of a zone egress through which it calls a service.
func (p peer) atEgress(service rules.Port) peer {
	p.egress, p.protocol = true, service.Protocol
	return p
}

// has reports whether the proxy has a rule for timeouts or limits, and it applies to the peer.
func (p peer) has(r rules.IncomingRule) bool { return p.configured(r) && p.meets(r.Match) }

// configured reports whether the proxy has a rule for timeouts or limits. Only a zone
// egress uses rules that match by server name alone (proxies.md §4).
func (p peer) configured(r rules.IncomingRule) bool {
	match := tree.Object(r.Match)
	return p.egress || match["sni"] == nil || match["spiffeID"] != nil
}

// meets reports whether the peer meets the conditions of a match. A nil match has no conditions.
func (p peer) meets(match any) bool {
	conditions := tree.Object(match)
	if name := tree.Object(conditions["sni"]); name != nil && (p.serverName == "" || tree.Text(name["value"]) != p.serverName) {
		return false
	}
	id := tree.Object(conditions["spiffeID"])
	return id == nil || p.IsNamed(tree.Text(id["value"]), tree.Text(id["type"]) == "Prefix")
}
