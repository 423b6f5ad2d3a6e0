package kinds

import (
	"math"
	"net/netip"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ZoneIngress is a proxy through which traffic enters a zone.
var ZoneIngress = def.Kind{
	Name: "ZoneIngress", Path: "zoneingresses", ShortName: "zi", Scope: def.Global,
	Removed: def.RemovedIn3("Use a Dataplane with a listener of type ZoneIngress in each mesh."),
	Flat:    true, ZoneOwned: kuma.Always(), ProxyLabels: zoneProxyLabels("zoneingress"),
	Doc: "A proxy through which traffic from other zones enters its zone. " +
		"A Dataplane with a listener of type `ZoneIngress` can be used instead.",
	Use:  "Use it for zones whose services other zones call. For new zones, prefer a `kuma_dataplane` with a listener of type `ZoneIngress`.",
	Page: "production/cp-deployment/zone-ingress",
	Fields: def.Object{
		zoneOfProxy,
		zoneProxyNetworking(def.Object{
			def.String.Field("advertisedAddress",
				"IP address or host name by which other zones reach the ingress. Without one, they do not use it.", check.HostAddress),
			def.Int.Field("advertisedPort",
				"Port that is advertised to other zones, together with `advertised_address`.", check.Unsigned(0, check.MaxPort)),
		}, advertisedTogether),
		{
			Name: "availableServices", ServerOwned: true, Checks: def.Checks(def.Each(serviceIsNamed)),
			Doc: "Services that other zones reach through the proxy. " +
				"The control plane collects them from the Dataplanes of the zone within a second.",
			Type: def.List{Elem: def.Object{
				{
					Name: "tags", Type: def.StringMap{}, ServerOwned: true, Checks: def.Checks(def.TagValues()),
					Doc: "Tags of the service, including `kuma.io/service`.",
				},
				{
					Name: "instances", Type: def.Int, ServerOwned: true, Checks: def.Checks(check.Unsigned(0, math.MaxUint32)),
					Doc: "Number of proxies that provide the service.",
				},
				{Name: "mesh", Type: def.String, ServerOwned: true, Doc: "Mesh of the service."},
				{Name: "externalService", Type: def.Bool, ServerOwned: true, Doc: "Whether the service is outside the mesh."},
			}},
		},
	},
}

var advertisedTogether = def.Check{
	Doc: "`advertisedAddress` and `advertisedPort` must be set together.",
	Test: func(n tree.Node) []def.Problem {
		address, port := n.Get("advertisedAddress"), n.Get("advertisedPort")
		number, _ := port.Int()
		switch {
		case address.Filled() && number == 0 && !port.Unknown():
			return []def.Problem{def.ErrorAt(port, "Missing advertisedPort", "\"advertisedAddress\" requires \"advertisedPort\".")}
		case number != 0 && address.Empty():
			return []def.Problem{def.ErrorAt(address, "Missing advertisedAddress", "\"advertisedPort\" requires \"advertisedAddress\".")}
		}
		return nil
	},
}

var serviceIsNamed = def.Check{Test: func(n tree.Node) []def.Problem {
	tags := n.Get("tags")
	return def.ErrorIf(!check.HasServiceTag(tags), tags, "Missing tag kuma.io/service",
		"A service must have the tag \"kuma.io/service\". Prefer to omit the list, which the control plane collects.")
}}

// ZoneEgress is a proxy through which traffic leaves a zone.
var ZoneEgress = def.Kind{
	Name: "ZoneEgress", Path: "zoneegresses", ShortName: "ze", Scope: def.Global,
	Removed: def.RemovedIn3("Use a Dataplane with a listener of type ZoneEgress in each mesh."),
	Flat:    true, ZoneOwned: kuma.Always(), ProxyLabels: zoneProxyLabels("zoneegress"),
	Doc: "A proxy through which traffic leaves its zone, to other zones and to services outside the mesh. " +
		"A Dataplane with a listener of type `ZoneEgress` can be used instead.",
	Use: "Use it for meshes with `routing.zone_egress` or MeshExternalServices. " +
		"For new zones, prefer a `kuma_dataplane` with a listener of type `ZoneEgress`.",
	Page: "production/cp-deployment/zoneegress",
	Fields: def.Object{
		zoneOfProxy,
		zoneProxyNetworking(nil),
	},
}

// adminAPI describes the admin API of a proxy.
var adminAPI = def.Field{Name: "admin", Doc: "Admin API of Envoy.", Type: def.Object{
	def.Int.Field("port", "Port of the admin API. If unset, the proxy chooses it.", check.Unsigned(0, math.MaxUint32)),
}}

// zoneOfProxy is the zone of a zone proxy.
var zoneOfProxy = def.String.Field("zone", "Name of the zone that the proxy belongs to. Defaults to the zone of the control plane.")

// zoneProxyNetworking describes the addresses of a zone proxy: the common
// fields, and more.
func zoneProxyNetworking(more def.Object, checks ...def.Check) def.Field {
	return def.Field{
		Name: "networking", Required: true, Doc: "Address and ports of the proxy.", Checks: append(checks, adminPortDiffers),
		Type: append(def.Object{
			def.String.Field("address",
				"IP address or host name on which the proxy accepts traffic. If unset, other proxies cannot connect to it.", check.PeerAddress),
			def.Int.Required("port", "Port on which the proxy accepts traffic.", check.Unsigned(1, check.MaxPort)),
			adminAPI,
		}, more...),
	}
}

// zoneProxyLabels returns the labels that a control plane computes for zone
// proxies of a type.
func zoneProxyLabels(proxyType string) func(kuma.Resource) map[string]string {
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
