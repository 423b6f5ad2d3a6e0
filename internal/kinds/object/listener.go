package object

import (
	"fmt"
	"net/netip"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Listeners let a proxy serve as zone ingress or zone egress.
var Listeners = def.Field{
	Name: "listeners", Since: "2.14", Type: def.List{Elem: listener},
	Doc: "Listeners that make the proxy a zone ingress or zone egress. Not allowed for a gateway.",
}

var listener = def.Object{
	{
		Name: "type", Type: def.String, Required: true, OneOf: []string{"Unspecified", kuma.ListenerIngress, kuma.ListenerEgress},
		Default: "Unspecified",
		Doc: "Purpose of the listener: `ZoneIngress` accepts traffic from other zones, `ZoneEgress` sends traffic to them. " +
			"`Unspecified` counts as unset.",
	},
	def.String.Required("address", "IP address or host name on which the listener accepts traffic.", check.PeerAddress),
	def.Int.Required("port",
		"Port on which the listener accepts traffic. The combination of address and port must be unique among listeners and inbounds.",
		check.Unsigned(1, check.MaxPort)),
	def.String.Field("name",
		"Name of the listener. References select it with `section_name`. A listener without a name is selected by its port number."),
	{
		Name: "state", Type: def.String, OneOf: []string{"Ready", "NotReady"}, Default: "Ready", ServerOwned: true,
		Doc: "Whether the listener accepts traffic.",
	},
}

// ListenersAreUnique checks that names and sockets occur only once among the
// listeners and inbounds of a proxy.
var ListenersAreUnique = def.Check{Test: func(n tree.Node) []def.Problem {
	var problems []def.Problem
	names, sockets := map[string]bool{}, map[string]bool{}
	for _, in := range n.Get("inbound").Items() {
		if name, ok := in.Get("name").Text(); ok && name != "" {
			names[name] = true
		}
		if s, ok := socketOf(in); ok {
			sockets[s] = true
		}
	}
	for _, l := range n.Get("listeners").Items() {
		if name, ok := l.Get("name").Text(); ok && name != "" {
			if names[name] {
				problems = append(problems, def.ErrorAt(l.Get("name"), "Duplicate name",
					fmt.Sprintf("%q is already the name of another listener or inbound. Use a different name.", name)))
			}
			names[name] = true
		}
		if s, ok := socket(l.Get("address"), l.Get("port")); ok {
			if sockets[s] {
				problems = append(problems, def.ErrorAt(l, "Duplicate address and port",
					fmt.Sprintf("Another listener or inbound already accepts traffic on %s. Use a different port.", s)))
			}
			sockets[s] = true
		}
	}
	return problems
}}

// socketOf returns the address and port on which an inbound accepts traffic.
func socketOf(inbound tree.Node) (string, bool) {
	return socket(inboundAddress(inbound), inbound.Get("port"))
}

func socket(address, port tree.Node) (string, bool) {
	a, okA := address.Text()
	p, okP := port.Int()
	return fmt.Sprintf("%s:%d", a, p), okA && okP
}

// OutboundsAreUnique checks that an outbound has an address and port of its own: a proxy can
// listen on it once [E].
var OutboundsAreUnique = def.Check{Test: func(n tree.Node) []def.Problem {
	inbounds, outbounds := map[string]bool{}, map[string]tree.Node{}
	for _, in := range n.Get("inbound").Items() {
		if s, ok := socketOf(in); ok {
			inbounds[s] = true
		}
	}
	var problems []def.Problem
	for _, out := range n.Get("outbound").Items() {
		address := out.Get("address")
		if address.Empty() {
			address = address.With("127.0.0.1")
		}
		s, ok := socket(address, out.Get("port"))
		other, taken := outbounds[s]
		same := func(field string) bool { return tree.Equal(out.Get(field).Value(), other.Get(field).Value()) }
		switch {
		case !ok || !out.Complete() || !other.Complete() && taken:
		case inbounds[s]:
			problems = append(problems, def.ErrorAt(out, "Address of an inbound",
				fmt.Sprintf("An inbound already accepts traffic on %s, so the proxy rejects the second listener. Use a different port.", s)))
		case taken && same("tags") && same("backendRef"):
			problems = append(problems, def.WarningAt(out, "Duplicate outbound",
				fmt.Sprintf("An earlier outbound is the same: %s. Remove one of the two.", s)))
		case taken:
			problems = append(problems, def.ErrorAt(out, "Duplicate address and port",
				fmt.Sprintf("An earlier outbound for another service uses %s, and the proxy has a listener for only one of them. "+
					"Use a different port.", s)))
		default:
			outbounds[s] = out
		}
	}
	return problems
}}

// InboundsAreUnique warns of an inbound with the address and port of an earlier one: before Kuma 3.0, a proxy has one
// listener for both, with the policies for either (measured on 2.14.3), and on 3.0 two with one address [E].
var InboundsAreUnique = def.Check{Test: func(n tree.Node) []def.Problem {
	return def.Repeated(n.Get("inbound").Items(), socketOf, func(in tree.Node, s string) def.Problem {
		return def.WarningAt(in, "Duplicate address and port",
			fmt.Sprintf("An earlier inbound also accepts traffic on %s. On Kuma 2, the proxy has one listener for both, with the "+
				"protocol of one of them. On Kuma 3.0, the proxy rejects the second listener. Use a different port.", s))
	})
}}

// AdminPortIsFree checks that no inbound or outbound uses the port of the admin
// API, which listens on 127.0.0.1. Missing ports count as zero, and conflict too.
var AdminPortIsFree = def.Check{Test: func(n tree.Node) []def.Problem {
	admin := n.Get("admin", "port")
	port, _ := admin.Int()
	if !n.Get("admin").Known() || admin.Unknown() {
		return nil
	}
	ipv4Loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	taken := func(what string, address string, by tree.Node) []def.Problem {
		ip, err := netip.ParseAddr(address)
		p, _ := by.Int()
		return def.ErrorIf(!by.Unknown() && p == port && err == nil && (ip == ipv4Loopback || ip == netip.IPv4Unspecified()), admin,
			"Conflict with the admin port", "An %s also uses port %d of the loopback address. Use a different port for one of them.", what, port)
	}
	for _, in := range n.Get("inbound").Items() {
		address, _ := inboundAddress(in).Text()
		if problems := taken("inbound", address, in.Get("port")); problems != nil {
			return problems
		}
	}
	for _, out := range n.Get("outbound").Items() {
		address, _ := out.Get("address").Text()
		if out.Get("address").Empty() {
			address = "127.0.0.1"
		}
		if problems := taken("outbound", address, out.Get("port")); problems != nil {
			return problems
		}
	}
	return nil
}}
