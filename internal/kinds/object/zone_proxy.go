package object

import (
	"math"
	"net/netip"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Admin describes the admin API of a proxy.
var Admin = def.Field{Name: "admin", Doc: "Admin API of Envoy.", Type: def.Object{
	def.Int.Field("port", "Port of the admin API. If unset, the proxy chooses it.", check.Unsigned(0, math.MaxUint32)),
}}

// ZoneOfProxy describes the zone of a zone proxy.
func ZoneOfProxy() def.Field {
	return def.String.Field("zone", "Name of the zone that the proxy belongs to. Defaults to the zone of the control plane.")
}

// ZoneProxyNetworking describes the addresses of a zone proxy: the common
// fields, and more.
func ZoneProxyNetworking(more def.Object, checks ...def.Check) def.Field {
	return def.Field{
		Name: "networking", Required: true, Doc: "Address and ports of the proxy.", Checks: append(checks, adminPortDiffers),
		Type: append(def.Object{
			def.String.Field("address",
				"IP address or host name on which the proxy accepts traffic. If unset, other proxies cannot connect to it.", check.PeerAddress),
			def.Int.Required("port", "Port on which the proxy accepts traffic.", check.Unsigned(1, check.MaxPort)),
			Admin,
		}, more...),
	}
}

// ZoneProxyLabels returns the labels that a control plane computes for zone
// proxies of a type.
func ZoneProxyLabels(proxyType string) func(kuma.Resource) map[string]string {
	return func(kuma.Resource) map[string]string { return map[string]string{kuma.LabelProxyType: proxyType} }
}

// adminPortDiffers checks that a proxy that accepts traffic on the loopback
// address does not use the port of the admin API, which listens there.
var adminPortDiffers = def.Check{Test: func(n tree.Node) []def.Problem {
	address, _ := n.Get("address").Text()
	ip, err := netip.ParseAddr(address)
	port, admin := n.Get("port"), n.Get("admin", "port")
	number, _ := port.Int()
	other, _ := admin.Int()
	same := number == other && !port.Unknown() && !admin.Unknown()
	return def.ErrorIf(same && err == nil && ip.IsLoopback() && n.Get("admin").Known(), admin, "Conflict with the admin port",
		"The proxy accepts traffic on the same port of the loopback address. Use a different port for one of them.")
}}
