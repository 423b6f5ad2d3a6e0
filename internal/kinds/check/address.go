package check

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MaxPort is the highest port number.
const MaxPort = 65535

var hostName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_][A-Za-z0-9_-]*)*\.?$`)

// HostAddress checks an IP address or a name of a host.
var HostAddress = def.Check{Test: func(n tree.Node) []def.Problem {
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
	return HostAddress.Test(n)
}}

// IPAddress checks an address that names cannot stand for.
var IPAddress = def.Check{Doc: "An IP address.", Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if _, err := netip.ParseAddr(s); ok && s != "" && err != nil {
		return []def.Problem{def.ErrorAt(n, "Invalid IP address", fmt.Sprintf("%q is no IP address. Host names are not possible here.", s))}
	}
	return nil
}}

// HostName checks the name of a host.
var HostName = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok || hostName.MatchString(s) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid host name", fmt.Sprintf("%q is no host name: use letters, digits, \"-\", \"_\" and \".\".", s))}
}}

// HostAndPort checks an address that is a host and a port.
func HostAndPort(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if host, port, err := net.SplitHostPort(s); !ok || s == "" || err == nil && host != "" && port != "" {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid address", fmt.Sprintf("%q is not host and port. Write it like \"127.0.0.1:5000\".", s))}
}

// IsPort reports whether a text is the number of a port.
func IsPort(s string) bool {
	port, err := strconv.Atoi(s)
	return err == nil && port >= 1 && port <= MaxPort
}
