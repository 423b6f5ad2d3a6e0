package kinds

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshMultiZoneService joins services of several zones into one.
var MeshMultiZoneService = spec.Kind{
	Name: "MeshMultiZoneService", Path: "meshmultizoneservices", ShortName: "mzsvc",
	GlobalOwned: true, Status: true,
	Doc: "A service that spans zones: clients reach any of the MeshServices that carry certain labels. A zone that belongs to a global control plane takes it from there.",
	Fields: spec.Object{
		{Name: "selector", Required: true, Doc: "The services that are joined.", Type: spec.Object{
			{Name: "meshService", Required: true, Doc: "The MeshServices that are joined.", Type: spec.Object{
				{
					Name: "matchLabels", Type: spec.Map{Elem: spec.String}, Required: true, Checks: spec.Checks(spec.Items(1, math.MaxInt).At(spec.Rule)),
					Doc: "Labels that a MeshService must all carry, in any zone. At least one is needed.",
				},
			}},
		}},
		{
			Name: "ports", Type: spec.List{Elem: portOfZones}, Required: true, Checks: spec.Checks(spec.Items(1, math.MaxInt)), Design: spec.Checks(spec.Unique("port")),
			Doc: "The ports under which clients reach the service. At least one is needed.",
		},
	},
	Checks:    spec.Checks(dnsLabelName(displayName), serverNames),
	Readiness: []spec.Condition{nameIsDNSLabel},
}

var portOfZones = spec.Object{
	{
		Name: "name", Type: spec.String, Checks: spec.Checks(notEmpty),
		Doc: "Name of the port, by which `section_name` of a reference selects it. Without a name the port number does.",
	},
	{
		Name: "port", Type: spec.Int, Required: true, Checks: spec.Checks(storedPort), Design: spec.Checks(spec.Between(1, maxPort)),
		Doc: "Port number that clients use, from 1 to 65535 and each only once.",
	},
	{
		Name: "appProtocol", Type: spec.String, Default: "tcp", Checks: spec.Checks(spec.OneOf(protocols...)),
		Doc: "Protocol of the traffic. It is `tcp` when unset, and routes, retries and other HTTP features need one of the HTTP protocols.",
	},
}
