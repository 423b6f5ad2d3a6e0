package check

import (
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MaxPort is the highest port number.
const MaxPort = 65535

// hostName has the parts of a name, each of at most 63 characters.
var hostName = regexp.MustCompile(`^[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62}(\.[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62})*[._]?$`)

// isHostName follows IsDNSName of github.com/asaskevich/govalidator, which a
// control plane uses.
func isHostName(s string) bool {
	const longest = 255 // without the dots
	return net.ParseIP(s) == nil && hostName.MatchString(s) && len(strings.ReplaceAll(s, ".", "")) <= longest
}

// HostAddress checks an IP address or a name of a host.
var HostAddress = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok || s == "" || net.ParseIP(s) != nil || isHostName(s) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid address", fmt.Sprintf("%q is not a valid IP address or host name.", s))}
}}

// PeerAddress checks an address that other proxies connect to.
var PeerAddress = def.Check{Test: func(n tree.Node) []def.Problem {
	s, _ := n.Text()
	if ip := net.ParseIP(s); ip != nil && ip.IsUnspecified() {
		return []def.Problem{def.ErrorAt(n, "Address is not reachable", fmt.Sprintf("%q means all addresses of the machine. Set the address that other proxies connect to.", s))}
	}
	return HostAddress.Test(n)
}}

// IPAddress checks an address that must not be a host name.
var IPAddress = def.Check{Doc: "Must be an IP address.", Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if ok && s != "" && net.ParseIP(s) == nil {
		return []def.Problem{def.ErrorAt(n, "Invalid IP address", fmt.Sprintf("%q is not a valid IP address. Host names are not allowed here.", s))}
	}
	return nil
}}

// HostName checks the name of a host.
var HostName = def.Check{Test: func(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if !ok || isHostName(s) {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid host name", fmt.Sprintf("%q is not a valid host name. It must consist of letters, digits, \"-\", \"_\" and \".\".", s))}
}}

// HostAndPort checks an address that is a host and a port.
func HostAndPort(n tree.Node) []def.Problem {
	s, ok := n.Text()
	if host, port, err := net.SplitHostPort(s); !ok || s == "" || err == nil && host != "" && port != "" {
		return nil
	}
	return []def.Problem{def.ErrorAt(n, "Invalid address", fmt.Sprintf("%q is not a valid address. It must be a host and a port, such as \"127.0.0.1:5000\".", s))}
}

// IsPort reports whether a string is a port number.
func IsPort(s string) bool {
	port, err := strconv.Atoi(s)
	return err == nil && port >= 1 && port <= MaxPort
}
