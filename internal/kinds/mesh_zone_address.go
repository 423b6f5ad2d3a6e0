package kinds

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshZoneAddress tells other zones where a zone is entered.
var MeshZoneAddress = def.Kind{
	Name: "MeshZoneAddress", Path: "meshzoneaddresses", ShortName: "mza", Since: "2.14",
	ZoneOwned: true,
	Doc:       "The address at which the services that the mesh has in this zone can be reached from other zones: that of a zone ingress.",
	Fields: def.Object{
		{
			Name: "address", Type: def.String, Required: true, Checks: def.Checks(def.Length(1, math.MaxInt)), Design: def.Checks(peerAddress),
			Doc: "Host name or IP address of the zone ingress, as other zones reach it.",
			Readiness: []def.Condition{{
				ID: "K3-067", Effect: def.Breaks, Unannounced: true, When: isUnreachable,
				Doc: "Nobody can connect to the address, and Kuma 3.0 refuses it.",
				Do:  "Give the IP address or DNS name under which other zones reach the zone ingress.",
			}},
		},
		{
			Name: "port", Type: def.Int, Required: true, Checks: def.Checks(def.Limit(1, maxPort)),
			Doc: "Port number of the zone ingress, as other zones reach it.",
		},
	},
}

// isUnreachable reports whether a text is no address that others can connect to.
func isUnreachable(n tree.Node) bool {
	host, ok := n.Text()
	return ok && (host == "" || host == "0.0.0.0" || host == "::" || len(peerAddress.Test(n)) > 0)
}
