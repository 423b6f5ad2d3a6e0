package kinds

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/object"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/policy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// MeshLoadBalancingStrategy decides which endpoint of a destination a request
// goes to.
var MeshLoadBalancingStrategy = def.Kind{
	Name: "MeshLoadBalancingStrategy", Path: "meshloadbalancingstrategies", ShortName: "mlbs",
	ZoneOwned: true, GlobalOwned: true,
	Doc:    "Decides which endpoint of a destination gets a connection or request: by algorithm, by nearness, and in which zones when the own zone has none.",
	Policy: &def.Policy{Order: 400, To: true},
	Fields: def.Object{
		policy.TargetRef(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshGateway, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset),
		policy.OptionalSince("2.14", policy.ToSince("2.12", kuma.KindMeshHTTPRoute, policy.OptionalDefault(loadBalancing, object.HashPolicyRules), kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshMultiZoneService)),
	},
	Checks: def.Checks(balancerOfGateway, def.Below("to", def.Each(balancedPerRoute, localService))),
	Design: def.Checks(policy.EmptyDefaults("to"), object.HashIsUsed),
}

var loadBalancing = def.Object{
	{Name: "localityAwareness", Doc: "Prefers near endpoints. Not for a MeshHTTPRoute.", Type: def.Object{
		{Name: "disabled", Type: def.Bool, Doc: "Whether all zones and endpoints count alike. Endpoints in the own zone are preferred when unset."},
		{Name: "localZone", Doc: "Which endpoints of the own zone are preferred.", Type: def.Object{
			{
				Name: "affinityTags", Type: def.List{Elem: affinityTag}, Checks: def.Checks(weightsForAll),
				Doc: "Tags by which endpoints are near: those with the same value as the client are. The most important tag stands first.",
			},
		}},
		{Name: "crossZone", Doc: "What happens when the own zone has too few endpoints. Other zones get no traffic when unset. Not for a MeshService with `labels` or `section_name`, whose traffic stays in the zone.", Type: def.Object{
			{
				Name: "failover", Type: def.List{Elem: failover}, Checks: def.Checks(def.Each(def.Below("to", failoverZones))),
				Doc: "Where the traffic goes, in this order.",
			},
			{Name: "failoverThreshold", Doc: "When traffic goes to the next zones.", Type: def.Object{
				{
					Name: "percentage", Type: def.IntOrString, Required: true,
					Checks: def.Checks(check.Decimal("above 0 and up to 100", func(f float64) bool { return f > 0 && f <= 100 })),
					Doc:    "Share of healthy endpoints, in percent, below which the next zones get traffic: a whole number, or text for a fraction. It is `50` without the block.",
				},
			}},
		}},
	}},
	object.LoadBalancer,
	object.HashPolicies,
}

var affinityTag = def.Object{
	{Name: "key", Type: def.String, Required: true, Checks: def.Checks(check.NotEmpty), Doc: "Name of the tag, such as `k8s.io/node`."},
	{
		Name: "weight", Type: def.Int, Checks: def.Checks(check.Count),
		Doc: "Share of the local traffic, relative to the other tags. Without weights the first tag gets 90 %, the second 9 %, and so on.",
	},
}

var weightsForAll = def.Check{
	Doc: "Either all tags have a `weight`, or none has.",
	Test: func(n tree.Node) []def.Problem {
		with, without := 0, 0
		for _, tag := range n.Items() {
			switch weight := tag.Get("weight"); {
			case weight.Known():
				with++
			case weight.Absent():
				without++
			}
		}
		if with == 0 || without == 0 {
			return nil
		}
		return []def.Problem{def.ErrorAt(n, "Only some tags have a weight", fmt.Sprintf("%d of the tags have a weight, and %d have none. Give all of them one, or none.", with, without))}
	},
}

var failover = def.Object{
	{Name: "from", Doc: "Zones of the clients that the entry is for. It is for all when unset.", Type: def.Object{
		{Name: "zones", Type: def.List{Elem: def.String}, Required: true, Checks: def.Checks(check.SomeItems, def.Each(check.NotEmpty)), Doc: "Names of the zones, at least one."},
	}},
	{Name: "to", Required: true, Doc: "Zones that the traffic goes to.", Type: def.Object{
		{
			Name: "type", Type: def.String, Required: true, OneOf: []string{"None", "Only", "Any", "AnyExcept"},
			Doc: "Whether the traffic goes to no zone, to those listed, to any, or to any but those listed.",
		},
		{Name: "zones", Type: def.List{Elem: def.String}, Doc: "Names of the zones. Needed with `Only` and `AnyExcept`, and not allowed with the others."},
	}},
}

var failoverZones = def.Check{Test: func(n tree.Node) []def.Problem {
	zones := n.Get("zones")
	switch kind, _ := n.Get("type").Text(); kind {
	case "Only", "AnyExcept":
		if zones.Empty() {
			return []def.Problem{def.ErrorAt(zones, "zones is missing", fmt.Sprintf("Type %s needs the names of zones. Give at least one.", kind))}
		}
	case "Any", "None":
		return def.Refused(zones, fmt.Sprintf("Type %s takes no names of zones. Remove them, or choose Only or AnyExcept.", kind))
	}
	return nil
}}

// balancerOfGateway: a gateway chooses the algorithm for all destinations.
var balancerOfGateway = def.Check{
	Doc: "With MeshGateway as top-level reference, `to` takes only Mesh if `loadBalancer` is set, and no MeshHTTPRoute.",
	Test: func(n tree.Node) []def.Problem {
		top := policy.TopKind(n)
		if top != kuma.KindMeshGateway {
			return nil
		}
		var problems []def.Problem
		for _, entry := range n.Get("to").Items() {
			allowed := []string{kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshMultiZoneService}
			if entry.Get("default", "loadBalancer").Known() {
				allowed = allowed[:1]
			}
			problems = append(problems, policy.RefuseDestination(entry, top, allowed...)...)
		}
		return problems
	},
}

// balancedPerRoute: endpoints are chosen per destination, and only what is
// hashed per route.
var balancedPerRoute = def.Check{Test: func(entry tree.Node) []def.Problem {
	if kind, _ := entry.Get("targetRef", "kind").Text(); kind != kuma.KindMeshHTTPRoute {
		return nil
	}
	var problems []def.Problem
	for _, member := range []string{"localityAwareness", "loadBalancer"} {
		if m := entry.Get("default", member); m.Known() {
			problems = append(problems, def.ErrorAt(m, member+" cannot be set here", "Only hashPolicies can be set for a MeshHTTPRoute. Move it to an entry for the service.").Instead(m.Path))
		}
	}
	return problems
}}

// localService: traffic to one port, or to services by labels, stays in the zone.
var localService = def.Check{Test: func(entry tree.Node) []def.Problem {
	ref, crossZone := entry.Get("targetRef"), entry.Get("default", "localityAwareness", "crossZone")
	kind, _ := ref.Get("kind").Text()
	if kind != kuma.KindMeshService || !crossZone.Known() || !ref.Get("sectionName").Filled() && !ref.Get("labels").Filled() {
		return nil
	}
	return []def.Problem{def.ErrorAt(crossZone, "crossZone cannot be set here", "Traffic to a MeshService with sectionName or labels stays in the zone. Remove crossZone, or use a MeshMultiZoneService.")}
}}
