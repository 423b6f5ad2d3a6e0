package kinds

import "github.com/kuma-universal/terraform-provider-kuma/internal/spec"

// Zone is a part of the world with a control plane of its own.
var Zone = spec.Kind{
	Name: "Zone", Path: "zones", ShortName: "z", Scope: spec.Global,
	Flat: true, ZoneOwned: true, GlobalOwned: true,
	Doc: "A zone that the global control plane knows: a data centre, a cluster or a cloud region with a zone control plane of its own. " +
		"A zone control plane that connects creates its Zone by itself, and the Zone cannot be deleted while it is connected.",
	Fields: spec.Object{
		{
			Name: "enabled", Type: spec.Bool, Distinct: true,
			Doc: "Whether the zone takes part. Others send no traffic to a zone that does not. It does when unset.",
		},
	},
	Checks:    spec.Checks(dnsLabelName(nameOf)),
	Readiness: []spec.Condition{nameIsDNSLabel},
}
