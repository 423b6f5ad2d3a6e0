package kinds

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshZoneAddress tells other zones where a zone is entered.
var MeshZoneAddress = spec.Kind{
	Name: "MeshZoneAddress", Path: "meshzoneaddresses", ShortName: "mza", Since: "2.14",
	ZoneOwned: true,
	Doc:       "The address at which the services that the mesh has in this zone can be reached from other zones: that of a zone ingress.",
	Fields: spec.Object{
		{
			Name: "address", Type: spec.String, Required: true, Checks: spec.Checks(spec.Length(1, math.MaxInt)), Design: spec.Checks(peerAddress),
			Doc: "Host name or IP address of the zone ingress, as other zones reach it.",
		},
		{
			Name: "port", Type: spec.Int, Required: true, Checks: spec.Checks(spec.Limit(1, maxPort)),
			Doc: "Port number of the zone ingress, as other zones reach it.",
		},
	},
}
