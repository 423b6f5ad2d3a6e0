package kinds

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ZoneIngress is a proxy through which traffic enters a zone.
var ZoneIngress = def.Kind{
	Name: "ZoneIngress", Path: "zoneingresses", ShortName: "zi", Scope: def.Global,
	Removed: def.RemovedIn3("Use a Dataplane with a listener of type ZoneIngress in each mesh."),
	Flat:    true, ZoneOwned: kuma.Always(), ProxyLabels: object.ZoneProxyLabels("zoneingress"),
	Doc: "A proxy through which traffic from other zones enters its zone. " +
		"A Dataplane with a listener of type `ZoneIngress` can be used instead.",
	Use:  "Use it for zones whose services other zones call. For new zones, prefer a `kuma_dataplane` with a listener of type `ZoneIngress`.",
	Page: "production/cp-deployment/zone-ingress",
	Fields: def.Object{
		object.ZoneOfProxy(),
		object.ZoneProxyNetworking(def.Object{
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
