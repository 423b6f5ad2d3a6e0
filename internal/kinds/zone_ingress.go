package kinds

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ZoneIngress is a proxy through which traffic enters a zone.
var ZoneIngress = def.Kind{
	Name: "ZoneIngress", Path: "zoneingresses", ShortName: "zi", Scope: def.Global,
	Flat: true, ZoneOwned: true, ProxyLabels: object.ZoneProxyLabels("zoneingress"),
	Doc: "A proxy through which traffic from other zones enters its zone. On a zone control plane only. " +
		"A Dataplane can do the same with a listener of type `ZoneIngress`.",
	Fields: def.Object{
		object.ZoneOfProxy(),
		object.ZoneProxyNetworking(def.Object{
			{
				Name: "advertisedAddress", Type: def.String, Checks: def.Checks(check.HostAddress),
				Doc: "IP address or host name to tell other zones where they cannot reach `address`. They use `address` when unset.",
			},
			{
				Name: "advertisedPort", Type: def.Int, Checks: def.Checks(check.Unsigned(0, check.MaxPort)),
				Doc: "Port to tell other zones, next to `advertised_address`. They use `port` when unset.",
			},
		}, advertisedTogether),
		{
			Name: "availableServices", ServerOwned: true, Checks: def.Checks(def.Each(serviceIsNamed)),
			Doc: "The services that other zones reach through the proxy. The control plane collects them from the Dataplanes of the zone within a second.",
			Type: def.List{Elem: def.Object{
				{Name: "tags", Type: def.StringMap{}, ServerOwned: true, Checks: def.Checks(def.TagValues()), Doc: "Tags of the service, `kuma.io/service` among them."},
				{Name: "instances", Type: def.Int, ServerOwned: true, Checks: def.Checks(check.Unsigned(0, math.MaxUint32)), Doc: "Number of proxies that provide the service."},
				{Name: "mesh", Type: def.String, ServerOwned: true, Doc: "Mesh of the service."},
				{Name: "externalService", Type: def.Bool, ServerOwned: true, Doc: "Whether the service is outside the mesh."},
			}},
		},
	},
}

var advertisedTogether = def.Check{
	Doc: "`advertisedAddress` and `advertisedPort` need each other.",
	Test: func(n tree.Node) []def.Problem {
		address, port := n.Get("advertisedAddress"), n.Get("advertisedPort")
		number, _ := port.Int()
		switch {
		case address.Filled() && number == 0 && !port.Unknown():
			return []def.Problem{def.ErrorAt(port, "advertisedPort is missing", "Other zones need a port next to the advertised address. Add \"advertisedPort\".")}
		case number != 0 && address.Empty():
			return []def.Problem{def.ErrorAt(address, "advertisedAddress is missing", "Other zones need an address next to the advertised port. Add \"advertisedAddress\".")}
		}
		return nil
	},
}

var serviceIsNamed = def.Check{Test: func(n tree.Node) []def.Problem {
	if tags := n.Get("tags"); !check.HasServiceTag(tags) {
		return []def.Problem{def.ErrorAt(tags, "The tag kuma.io/service is missing", "A service needs the tag \"kuma.io/service\". Better leave the list to the control plane.")}
	}
	return nil
}}
