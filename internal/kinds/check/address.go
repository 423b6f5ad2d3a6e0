package check

import (
	"fmt"
	"net"
	"net/url"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MaxPort is the highest port number.
const MaxPort = 65535

// HostAddress checks an IP address or a name of a host.
var HostAddress = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok || s == "" || net.ParseIP(s) != nil || kuma.IsHostName(s) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid address", fmt.Sprintf("%q is not a valid IP address or host name.%s", s, HostOf(s)))}
}}

// HostOf offers the host in a URL, or in an address with a port, as a sentence after a space.
func HostOf(s string) string {
	host, _, _ := net.SplitHostPort(s)
	if u, err := url.Parse(s); err == nil && u.Host != "" {
		host = u.Hostname()
	}
	if net.ParseIP(host) == nil && !kuma.IsHostName(host) {
		return ""
	}
	return fmt.Sprintf(" Use %q, without scheme, port and path.", host)
}

// PeerAddress checks an address that other proxies connect to.
var PeerAddress = def.Check{Test: func(n tree.Node) []def.Problem {
	s, _ := n.Text()
	if ip := net.ParseIP(s); ip != nil && ip.IsUnspecified() {
		return []def.Problem{def.ErrorAt(n, "Address is not reachable",
			fmt.Sprintf("%q means all addresses of the machine. Set the address that other proxies connect to.", s))}
	}
	return HostAddress.Test(n)
}}

// IPAddress checks an address that must not be a host name.
var IPAddress = def.Text(func(s string) bool { return s == "" || net.ParseIP(s) != nil }, "Invalid IP address",
	"%q is not a valid IP address. Host names are not allowed here.").WithDoc("Must be an IP address.")

// HostName checks the name of a host.
var HostName = def.Text(kuma.IsHostName, "Invalid host name",
	"%q is not a valid host name. It must consist of letters, digits, \"-\", \"_\" and \".\".")

// HostAndPort checks an address that is a host and a port.
var HostAndPort = def.Text(func(s string) bool {
	host, port, err := net.SplitHostPort(s)
	return s == "" || err == nil && host != "" && port != ""
}, "Invalid address", "%q is not a valid address. It must be a host and a port, such as \"127.0.0.1:5000\".")

// IsPort reports whether a string is a port number.
func IsPort(s string) bool {
	port, err := strconv.Atoi(s)
	return err == nil && port >= 1 && port <= MaxPort
}
