package kuma3

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// removed contains the conditions on kinds that Kuma 3.0 removes.
var removed = []Condition{
	{
		ID: "K3-100", Effect: Outage, Paths: at("", kuma.KindMeshGateway, meshGatewayRoute), MeasuredWrite: true, MeasuredStored: true,
		Doc:    "The resource configures builtin gateways.",
		Stored: "Stored resources are not read, and a global control plane deletes their copies in zones.",
		Do:     "Delete this resource before the upgrade.",
	},
	{
		ID: "K3-101", Effect: Outage, Paths: at("", kinds.ZoneIngress.Name, kinds.ZoneEgress.Name), MeasuredWrite: true,
		Doc:    "Kuma 3.0 has no zone proxies of this kind.",
		Stored: "Stored resources are not read, and the proxies cannot connect.",
		Do:     "Start its proxy with a dataplane token, and create a MeshZoneAddress for an ingress. Kuma 2.14 supports all of this.",
	},
	{
		ID: "K3-102", Effect: Changes, Paths: at("", replacedKinds()...), MeasuredWrite: true,
		Doc:    "Kuma 3.0 removes this kind.",
		Stored: "Stored resources are not read.",
		Do:     "Create it, as upgrade_documents does where a policy has the same effect, then delete this resource.",
	},
}

// replacedKinds returns the names of the removed kinds that have a replacement.
func replacedKinds() []string {
	names := phrase.Each(kinds.Older(), func(k def.Kind) string { return k.Name })
	return slices.DeleteFunc(names, func(name string) bool { return name == meshGatewayRoute })
}

const meshGatewayRoute = "MeshGatewayRoute" // the routes of builtin gateways
