package kinds

import (
	"math"
	"net/netip"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// zoneOfProxy describes the zone of a zone proxy.
func zoneOfProxy() spec.Field {
	return spec.Field{Name: "zone", Type: spec.String, Doc: "Name of the zone that the proxy belongs to. The zone control plane takes the proxy for one of its own when unset."}
}

// zoneProxyNetworking describes the addresses of a zone proxy: those that all
// have, and more.
func zoneProxyNetworking(more spec.Object, checks ...spec.Check) spec.Field {
	return spec.Field{
		Name: "networking", Required: true, Doc: "Address and ports of the proxy.", Checks: append(checks, adminPortDiffers),
		Type: append(spec.Object{
			{
				Name: "address", Type: spec.String, Checks: spec.Checks(peerAddress),
				Doc: "IP address or host name on which the proxy accepts traffic. Nobody can connect to it when unset.",
			},
			{
				Name: "port", Type: spec.Int, Required: true, Checks: spec.Checks(unsigned(1, maxPort)),
				Doc: "Port on which the proxy accepts traffic.",
			},
			{Name: "admin", Doc: "Admin API of Envoy.", Type: spec.Object{
				{
					Name: "port", Type: spec.Int, Checks: spec.Checks(unsigned(0, math.MaxUint32)),
					Doc: "Port of the admin API. The proxy chooses it when unset.",
				},
			}},
		}, more...),
	}
}

// zoneProxyLabels returns the labels that a control plane computes for zone
// proxies of a type.
func zoneProxyLabels(proxyType string) func(mesh.Resource) map[string]string {
	return func(mesh.Resource) map[string]string { return map[string]string{mesh.LabelProxyType: proxyType} }
}

// adminPortDiffers: the admin API listens on the loopback address.
var adminPortDiffers = spec.Check{Test: func(n spec.Node) []spec.Problem {
	address, _ := n.Get("address").Text()
	ip, err := netip.ParseAddr(address)
	port, okPort := n.Get("port").Int()
	admin, okAdmin := n.Get("admin", "port").Int()
	if err != nil || !ip.IsLoopback() || !okPort || !okAdmin || port != admin {
		return nil
	}
	return []spec.Problem{n.Get("admin", "port").Problem("The admin port is taken", "The proxy accepts traffic on the same port of the loopback address. Choose another port for one of them.")}
}}
