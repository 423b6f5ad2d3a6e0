package kinds

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// ZoneEgress is a proxy through which traffic leaves a zone.
var ZoneEgress = def.Kind{
	Name: "ZoneEgress", Path: "zoneegresses", ShortName: "ze", Scope: def.Global,
	Removed: def.RemovedIn3("Use a Dataplane with a listener of type ZoneEgress in each mesh."),
	Flat:    true, ZoneOwned: kuma.Always(), ProxyLabels: object.ZoneProxyLabels("zoneegress"),
	Doc: "A proxy through which traffic leaves its zone, to other zones and to services outside the mesh. " +
		"A Dataplane with a listener of type `ZoneEgress` can be used instead.",
	Use: "Use it for meshes with `routing.zone_egress` or MeshExternalServices. " +
		"For new zones, prefer a `kuma_dataplane` with a listener of type `ZoneEgress`.",
	Page: "production/cp-deployment/zoneegress",
	Fields: def.Object{
		object.ZoneOfProxy(),
		object.ZoneProxyNetworking(nil),
	},
}
