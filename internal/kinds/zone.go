package kinds

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Zone is a zone of a global control plane, with its own zone control plane.
var Zone = def.Kind{
	Name: "Zone", Path: "zones", ShortName: "z", Scope: def.Global,
	Flat: true, ClusterScoped: true, ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "A zone of the global control plane: a data center, cluster or cloud region with its own zone control plane. " +
		"A zone control plane creates its Zone when it connects. The Zone cannot be deleted while it is connected.",
	Use:  "Use it on the global control plane to disable a zone, or to manage its labels.",
	Page: "production/cp-deployment/multi-zone",
	Fields: def.Object{
		{
			Name: "enabled", Type: def.Bool, Distinct: true,
			Doc: "Whether the zone is enabled. Other zones send no traffic to a disabled zone. Defaults to `true`.",
		},
	},
	Checks: def.Checks(check.DNSLabelName(check.Name)),
}
