package kinds

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
)

// Zone is a part of the world with a control plane of its own.
var Zone = def.Kind{
	Name: "Zone", Path: "zones", ShortName: "z", Scope: def.Global,
	Flat: true, ZoneOwned: true, GlobalOwned: true,
	Doc: "A zone that the global control plane knows: a data centre, a cluster or a cloud region with a zone control plane of its own. " +
		"A zone control plane that connects creates its Zone by itself, and the Zone cannot be deleted while it is connected.",
	Fields: def.Object{
		{
			Name: "enabled", Type: def.Bool, Distinct: true,
			Doc: "Whether the zone takes part. Others send no traffic to a zone that does not. It does when unset.",
		},
	},
	Checks: def.Checks(check.DNSLabelName(check.Name)),
}
