package kinds

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// ZoneIngress is a proxy through which traffic enters a zone.
var ZoneIngress = spec.Kind{
	Name: "ZoneIngress", Path: "zoneingresses", ShortName: "zi", Scope: spec.Global,
	Flat: true, ZoneOwned: true, ProxyLabels: zoneProxyLabels("zoneingress"),
	Doc: "A proxy through which traffic from other zones enters its zone. On a zone control plane only. " +
		"A Dataplane can do the same with a listener of type `ZoneIngress`.",
	Fields: spec.Object{
		zoneOfProxy(),
		zoneProxyNetworking(spec.Object{
			{
				Name: "advertisedAddress", Type: spec.String, Checks: spec.Checks(hostAddress),
				Doc: "IP address or host name to tell other zones where they cannot reach `address`. They use `address` when unset.",
			},
			{
				Name: "advertisedPort", Type: spec.Int, Checks: spec.Checks(unsigned(0, maxPort)),
				Doc: "Port to tell other zones, next to `advertised_address`. They use `port` when unset.",
			},
		}, advertisedTogether),
		{
			Name: "availableServices", ServerOwned: true, Checks: spec.Checks(spec.Each(serviceIsNamed)),
			Doc: "The services that other zones reach through the proxy. The control plane collects them from the Dataplanes of the zone within a second.",
			Type: spec.List{Elem: spec.Object{
				{Name: "tags", Type: spec.Map{Elem: spec.String}, ServerOwned: true, Doc: "Tags of the service, `kuma.io/service` among them."},
				{Name: "instances", Type: spec.Int, ServerOwned: true, Checks: spec.Checks(unsigned(0, math.MaxUint32)), Doc: "Number of proxies that provide the service."},
				{Name: "mesh", Type: spec.String, ServerOwned: true, Doc: "Mesh of the service."},
				{Name: "externalService", Type: spec.Bool, ServerOwned: true, Doc: "Whether the service is outside the mesh."},
			}},
		},
	},
	Readiness: []spec.Condition{zoneProxyGone},
}

var advertisedTogether = spec.Check{
	Doc: "`advertised_address` and `advertised_port` need each other.",
	Test: func(n spec.Node) []spec.Problem {
		address, port := n.Get("advertisedAddress"), n.Get("advertisedPort")
		number, _ := port.Int()
		switch {
		case address.Filled() && number == 0 && !port.Unknown():
			return []spec.Problem{port.Problem("advertisedPort is missing", "Other zones need a port next to the advertised address. Add \"advertisedPort\".")}
		case number != 0 && address.Empty():
			return []spec.Problem{address.Problem("advertisedAddress is missing", "Other zones need an address next to the advertised port. Add \"advertisedAddress\".")}
		}
		return nil
	},
}

var serviceIsNamed = spec.Check{Test: func(n spec.Node) []spec.Problem {
	if tags := n.Get("tags"); !hasService(tags) {
		return []spec.Problem{tags.Problem("The tag kuma.io/service is missing", "A service needs the tag \"kuma.io/service\". Better leave the list to the control plane.")}
	}
	return nil
}}
