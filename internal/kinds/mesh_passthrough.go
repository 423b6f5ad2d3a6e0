package kinds

import (
	"cmp"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshPassthrough decides which destinations outside the mesh can be reached.
var MeshPassthrough = def.Kind{
	Name: "MeshPassthrough", Path: "meshpassthroughs", ShortName: "mp",
	ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "Controls which destinations outside the mesh the selected proxies allow traffic to. " +
		"It only applies to proxies with transparent proxying.",
	Use: "Use it to restrict which destinations outside the mesh applications can reach. " +
		"To apply policies to such a destination, use `kuma_mesh_external_service`.",
	Policy: &def.Policy{Order: 500, Single: true},
	Fields: def.Object{
		policy.TargetRef(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshSubset),
		policy.OptionalDefault(def.Object{
			{
				Name: "passthroughMode", Type: def.String, OneOf: []string{"All", PassthroughMatched, "None"},
				Doc: "Traffic to allow: all traffic (`All`), only traffic to the destinations in `append_match` (`Matched`), or none (`None`). " +
					"Defaults to `Matched`.",
			},
			{
				Name: "appendMatch", Type: def.List{Elem: passthroughMatch}, DropsEmpty: kuma.Before("2.10"), Merge: def.Append, Set: true,
				Checks: def.Checks(def.Each(valueFitsType, protocolFitsDestination), passthroughOnce, oneProtocolOnPort),
				Design: def.Checks(modeIsMatched, def.Each(domainNeedsPort)),
				Doc: "Destinations to allow with the mode `Matched`; other modes ignore them. " +
					"The destinations of all policies for a proxy are combined.",
			},
		}),
	},
	Design: def.Checks(policy.EmptyDefaults()),
}

// PassthroughMatched is the mode in which proxies only pass on what is matched.
const PassthroughMatched = "Matched"

const (
	matchDomain   = "Domain"
	protocolTCP   = "tcp"
	protocolMySQL = "mysql"
)

// httpProtocols are the protocols that a proxy parses. It can expect only one
// of them on a port.
var httpProtocols = []string{"grpc", "http", "http2"}

var passthroughMatch = def.Object{
	{Name: "type", Type: def.String, Required: true, OneOf: []string{matchDomain, "IP", "CIDR"}, Doc: "Type of `value`."},
	def.String.Required("value",
		"The destination: a domain, where a leading `*.` matches any subdomain, an IP address, or an address range in CIDR notation."),
	def.Int.Field("port",
		"Port of the destination. Any port by default. "+
			"Required for `mysql`, and for a domain with `*.` also for `http`, `http2` and `grpc`.", def.Between(1, check.MaxPort)),
	{
		Name: "protocol", Type: def.String, Default: protocolTCP, OneOf: []string{protocolTCP, "tls", "grpc", "http", "http2", protocolMySQL},
		SinceOf: map[string]string{protocolMySQL: "2.10"},
		Doc:     "Protocol of the traffic. A domain requires a protocol in which clients send the host name, which excludes `tcp` and `mysql`.",
	},
}

var valueFitsType = def.Check{Test: func(n tree.Node) []def.Problem {
	kind, _ := n.Get("type").Text()
	value := n.Get("value")
	s, ok := value.Text()
	if !ok {
		return nil
	}
	switch _, _, err := net.ParseCIDR(s); {
	case kind == matchDomain && !isDomain(strings.TrimPrefix(s, "*.")):
		return []def.Problem{def.ErrorAt(value, "Invalid domain",
			fmt.Sprintf(
				"%q is not a valid domain. It must be a host name, in which \"*\" can only be the whole first part, as in \"*.example.com\". "+
					"For an address, use the type IP.%s", s, check.HostOf(s)))}
	case kind == "IP" && net.ParseIP(s) == nil:
		return []def.Problem{def.ErrorAt(value, "Invalid IP address",
			fmt.Sprintf("%q is not a valid IP address. For an address range, use the type CIDR.", s))}
	case kind == "CIDR" && err != nil:
		return []def.Problem{def.ErrorAt(value, "Invalid address range",
			fmt.Sprintf("%q is not a valid address range. It must be in CIDR notation, as in \"192.0.2.0/24\".", s))}
	}
	return nil
}}

// domain matches a host name, or one whose first part is a wildcard.
var domain = regexp.MustCompile(`^(\*|[A-Za-z0-9_][A-Za-z0-9_-]{0,62})(\.[A-Za-z0-9_][A-Za-z0-9_-]{0,62})*[._]?$`)

func isDomain(s string) bool { return domain.MatchString(s) && net.ParseIP(s) == nil }

// protocolFitsDestination checks that a proxy can recognize the destination by
// what the client sends first, which depends on the protocol.
var protocolFitsDestination = def.Check{Test: func(n tree.Node) []def.Problem {
	kind, _ := n.Get("type").Text()
	value, _ := n.Get("value").Text()
	protocol, ok := passthroughProtocol(n)
	if !ok {
		return nil
	}
	port := n.Get("port")
	var problems []def.Problem
	if kind == matchDomain && (protocol == protocolTCP || protocol == protocolMySQL) {
		problems = append(problems, def.ErrorAt(n.Get("protocol"), "Invalid protocol for a domain",
			fmt.Sprintf("Clients do not send the domain in %s. Use tls, http, http2 or grpc, or match the addresses of the destination.", protocol)))
	}
	if port.Absent() && protocol == protocolMySQL {
		problems = append(problems, def.ErrorAt(port, "Missing port", "The protocol mysql requires the port of the destination."))
	}
	if port.Absent() && kind == matchDomain && strings.HasPrefix(value, "*") && slices.Contains(httpProtocols, protocol) {
		problems = append(problems, def.ErrorAt(port, "Missing port",
			fmt.Sprintf("A domain with \"*\" and the protocol %s requires the port of the destination.", protocol)))
	}
	return problems
}}

// domainNeedsPort warns of a domain without a port, which the preview of Kuma 3.0 stores
// without effect.
var domainNeedsPort = def.InKuma3(def.Check{Test: func(n tree.Node) []def.Problem {
	kind, _ := n.Get("type").Text()
	value, _ := n.Get("value").Text()
	port := n.Get("port")
	return def.WarningIf(kind == matchDomain && value != "" && !strings.HasPrefix(value, "*") && port.Absent(), port, "Missing port",
		"Without a port, the domain %q matches no traffic in Kuma 3.0, and Kuma 3.0.1 rejects it. "+
			"Use one entry for each port, such as 443 for tls and 80 for http.", value)
}})

func passthroughProtocol(match tree.Node) (string, bool) {
	protocol := match.Get("protocol")
	s, ok := protocol.Text()
	return cmp.Or(s, protocolTCP), ok || protocol.Absent()
}

var passthroughOnce = def.Check{
	Doc: "Destinations with a port must be unique by value, port and protocol.",
	Test: func(n tree.Node) []def.Problem {
		type key struct {
			value, protocol string
			port            int64
		}
		keyOf := func(match tree.Node) (key, bool) {
			value, okValue := match.Get("value").Text()
			protocol, okProtocol := passthroughProtocol(match)
			port, okPort := match.Get("port").Int()
			return key{value, protocol, port}, okValue && okProtocol && okPort
		}
		return def.Repeated(n.Items(), keyOf, func(match tree.Node, k key) def.Problem {
			return def.ErrorAt(match.Get("value"), "Duplicate destination",
				fmt.Sprintf("%q with this port and protocol is already in the list. Remove one of the two.", k.value))
		})
	},
}

var oneProtocolOnPort = def.Check{
	Doc: "`http`, `http2` and `grpc` cannot share a port with each other, and cannot follow another protocol on the same port.",
	Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		last := map[int64]string{}
		for _, match := range n.Items() {
			port, okPort := match.Get("port").Int()
			protocol, okProtocol := passthroughProtocol(match)
			if !okPort || !okProtocol {
				continue
			}
			other, taken := last[port]
			if taken && other != protocol && slices.Contains(httpProtocols, protocol) {
				problems = append(problems, def.ErrorAt(match.Get("port"), "Conflicting protocols on one port",
					fmt.Sprintf("An earlier destination uses port %d with %s, which %s cannot follow. Use one protocol for all destinations on a port.",
						port, other, protocol)))
				continue
			}
			last[port] = protocol
		}
		return problems
	},
}

// modeIsMatched warns about destinations that another mode ignores.
var modeIsMatched = def.Check{Test: func(n tree.Node) []def.Problem {
	field := n.Root().Get("spec", "default", "passthroughMode")
	mode, ok := field.Text()
	if !ok || mode == PassthroughMatched || n.Empty() {
		return nil
	}
	return []def.Problem{def.WarningAt(n, "appendMatch may have no effect",
		fmt.Sprintf("The mode %s ignores the destinations. Set passthroughMode to Matched, unless another policy does.", mode)).Lacking(field)}
}}
