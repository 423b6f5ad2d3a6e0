package kinds

import (
	"fmt"
	"net/netip"
	"regexp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var hostName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_][A-Za-z0-9_-]*)*\.?$`)

// hostAddress checks an IP address or a name of a host.
var hostAddress = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if _, err := netip.ParseAddr(s); !ok || s == "" || err == nil || hostName.MatchString(s) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid address", fmt.Sprintf("%q is neither an IP address nor a host name.", s))}
}}

// PeerAddress checks an address that other proxies connect to.
var PeerAddress = def.Check{Test: func(n tree.Node) []def.Problem {
	s, _ := n.Text()
	if ip, err := netip.ParseAddr(s); err == nil && ip.IsUnspecified() {
		return []def.Problem{def.ErrorAt(n, "Nobody can connect to this address", fmt.Sprintf("%q means any address of the machine. Write the one that others connect to.", s))}
	}
	return hostAddress.Test(n)
}}

// ipAddress checks an address that names cannot stand for.
var ipAddress = def.Check{Doc: "An IP address.", Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if _, err := netip.ParseAddr(s); ok && s != "" && err != nil {
		return []def.Problem{def.ErrorAt(n, "Invalid IP address", fmt.Sprintf("%q is no IP address. Host names are not possible here.", s))}
	}
	return nil
}}

// dnsName checks the name of a host.
var dnsName = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok || hostName.MatchString(s) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid host name", fmt.Sprintf("%q is no host name: use letters, digits, \"-\", \"_\" and \".\".", s))}
}}
