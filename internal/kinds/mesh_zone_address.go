package kinds

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// MeshZoneAddress tells other zones the address of the ingress of a zone.
var MeshZoneAddress = def.Kind{
	Name: "MeshZoneAddress", Path: "meshzoneaddresses", ShortName: "mza", Since: "2.14",
	ZoneOwned: kuma.Always(),
	Doc:       "The address of a zone ingress, under which other zones reach the services of the mesh in this zone.",
	Use:       "Use it on the control plane of each zone whose services other zones call.",
	Fields: def.Object{
		{
			Name: "address", Type: def.String, Required: true, Checks: def.Checks(def.Length(1, math.MaxInt), def.InKuma3(check.PeerAddress)),
			Design: def.Checks(check.PeerAddress),
			Doc:    "Host name or IP address of the zone ingress, as other zones reach it.",
		},
		def.Int.Required("port", "Port number of the zone ingress, as other zones reach it.", def.Limit(1, check.MaxPort)),
	},
}
