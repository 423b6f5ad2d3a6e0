package kinds

import (
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// MeshMultiZoneService joins services of several zones into one.
var MeshMultiZoneService = def.Kind{
	Name: "MeshMultiZoneService", Path: "meshmultizoneservices", ShortName: "mzsvc",
	GlobalOwned: true, ZoneOwned: kuma.Before("2.10"), Status: true,
	Doc: "A service that spans zones. Clients reach any of the MeshServices with certain labels. " +
		"Zones that are connected to a global control plane get it from there.",
	Use: "Use it for a service that runs in several zones and that clients should reach under one name. " +
		"For a service in one zone use `kuma_mesh_service`.",
	Page: "networking/meshmultizoneservice",
	Fields: def.Object{
		{Name: "selector", Required: true, Doc: "Selects the services to combine.", Type: def.Object{
			{Name: "meshService", Required: true, Doc: "Selects MeshServices.", Type: def.Object{
				{
					Name: "matchLabels", Type: def.StringMap{}, Required: true, RequiredByRule: true,
					Checks: def.Checks(def.Items(1, math.MaxInt).At(def.Rule)),
					Doc:    "Labels that a MeshService must have, in any zone. At least one is required.",
				},
			}},
		}},
		{
			Name: "ports", Type: def.List{Elem: multiZoneServicePort}, Required: true, Checks: def.Checks(def.Items(1, math.MaxInt)),
			Design: def.Checks(def.Unique("port")),
			Doc:    "Ports under which clients reach the service. At least one is required.",
		},
	},
	Checks: def.Checks(check.DNSLabelName(check.DisplayName), check.ServerNames),
}

var multiZoneServicePort = def.Object{
	def.String.Field("name",
		"Name of the port. References select it with `section_name`. A port without a name is selected by its number.", check.NotEmpty),
	clientPort,
	{
		Name: "appProtocol", Type: def.String, Default: "tcp", RemovedOf: map[string]def.Removal{"kafka": def.RemovedIn3("Use tcp.")},
		Checks: def.Checks(def.OneOf(check.Protocols...)),
		Doc:    "Protocol of the traffic. Routes, retries and other HTTP features require an HTTP protocol.",
	},
}
