package kinds

import (
	"fmt"
	"math"
	"strconv"

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
	ZoneOwned: kuma.Always(), GlobalOwned: true,
	Doc: "Configures how traffic is balanced between the endpoints of a destination: " +
		"the algorithm, the preference for local endpoints, and failover to other zones.",
	Use: "Use it to keep traffic local, to fail over between zones, or to route requests of a session to the same endpoint.",
	Policy: &def.Policy{
		Order: 400, To: true, PerRoute: []string{"hashPolicies"}, Consistent: []string{"loadBalancer.ringHash"},
		Gateway: def.Gateway{ByTags: []string{"hashPolicies"}},
	},
	Fields: def.Object{
		policy.TargetRef(policy.AllProxies()...),
		policy.RequiredIn(kuma.Before("2.14"),
			policy.ToSince(map[string]string{kuma.KindMeshHTTPRoute: "2.12", kuma.KindMeshExternalService: "3.0"},
				policy.OptionalDefault(loadBalancing, object.HashPolicyRules), kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshMultiZoneService)),
	},
	Checks: def.Checks(balancerOfGateway, def.Below("to", def.Each(balancedPerRoute, localService))),
	Design: def.Checks(policy.EmptyDefaults("to"), object.HashIsUsed, def.Below("to", def.Each(failoverNeedsMultiZone))),
}

var loadBalancing = def.Object{
	{Name: "localityAwareness", Doc: "Preference for local endpoints. Not allowed for a MeshHTTPRoute.", Type: def.Object{
		def.Bool.Field("disabled",
			"Whether to treat endpoints in all zones equally. Defaults to `false`: endpoints in the local zone are preferred."),
		{Name: "localZone", Doc: "Preference among endpoints in the local zone.", Type: def.Object{
			def.List{Elem: affinityTag}.Field("affinityTags",
				"Tags by which endpoints are preferred: those with the same value as the client. Listed from the most to the least important tag.",
				weightsForAll),
		}},
		{
			Name: "crossZone",
			Doc: "Failover to other zones if the local zone has too few healthy endpoints. No failover by default. " +
				"Not allowed for a MeshService with `labels` or `section_name`, whose traffic stays in the zone.", Type: def.Object{
				{
					Name: "failover", Type: def.List{Elem: failover}, DropsEmpty: kuma.Before("2.10"),
					Checks: def.Checks(def.Each(def.Below("to", failoverZones))),
					Doc:    "Failover rules, in this order.",
				},
				{Name: "failoverThreshold", Doc: "Threshold for failover to the next zones.", Type: def.Object{
					{
						Name: "percentage", Type: def.IntOrString, Required: true,
						Checks: def.Checks(check.Decimal("above 0 and up to 100", func(f float64) bool { return f > 0 && f <= 100 })),
						Design: def.Checks(thresholdIsExact),
						Doc: "Percentage of healthy endpoints below which the next zones get traffic, such as `10` or `\"2.5\"`. " +
							"Defaults to `50` without the block.",
					},
				}},
			},
		},
	}},
	object.LoadBalancer,
	object.HashPolicies,
}

// FailoverThreshold returns a percentage, and the one that proxies have: 100 divided by an integer (validation.md §8). Both are 0
// without a valid percentage.
func FailoverThreshold(percentage tree.Node) (given, actual float64) {
	const all = 100
	given, err := strconv.ParseFloat(fmt.Sprint(percentage.Value()), 64)
	if err != nil || given <= 0 || given > all {
		return 0, 0
	}
	return given, all / math.Floor(all/given)
}

// thresholdIsExact warns of a threshold that differs by one percent or more. Kuma 3.0.1 is stated to be more precise.
var thresholdIsExact = def.BeforeKuma3(def.Check{Test: func(n tree.Node) []def.Problem {
	given, actual := FailoverThreshold(n)
	return def.WarningIf(actual-given >= 1, n, "Threshold is rounded up",
		"A threshold of %v%% takes effect as %.4g%%: other zones get traffic as soon as fewer endpoints are healthy. "+
			"Set 100, 50, 33.3, 25, 20 or another result of dividing 100 by an integer.", n.Value(), actual)
}})

var affinityTag = def.Object{
	def.String.Required("key", "Name of the tag, such as `k8s.io/node`.", check.NotEmpty),
	def.Int.Field("weight",
		"Share of the local traffic, relative to the other tags. Without weights, the first tag gets 90%, the second 9%, and so on.",
		check.Count),
}

var weightsForAll = def.Check{
	Doc: "Either all tags or none must have a `weight`.",
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
		return def.ErrorIf(with != 0 && without != 0, n, "Missing weight",
			"%d tags have a weight, and %d have none. Set a weight for all tags or for none.", with, without)
	},
}

var failover = def.Object{
	{Name: "from", Doc: "Zones of the clients that the rule applies to. All zones by default.", Type: def.Object{
		def.List{Elem: def.String}.Required("zones", "Names of the zones. At least one is required.", check.SomeItems, def.Each(check.NotEmpty)),
	}},
	{Name: "to", Required: true, Doc: "Zones that the traffic goes to.", Type: def.Object{
		{
			Name: "type", Type: def.String, Required: true, OneOf: []string{"None", "Only", "Any", "AnyExcept"},
			Doc: "Whether traffic goes to no zone (`None`), only to the listed zones (`Only`), to any zone (`Any`), or to any except the listed " +
				"zones (`AnyExcept`).",
		},
		def.List{Elem: def.String}.Field("zones", "Names of the zones. Required with `Only` and `AnyExcept`, not allowed with other types."),
	}},
}

var failoverZones = def.Check{Test: func(n tree.Node) []def.Problem {
	zones := n.Get("zones")
	switch kind, _ := n.Get("type").Text(); kind {
	case "Only", "AnyExcept":
		if zones.Empty() {
			return []def.Problem{def.ErrorAt(zones, "Missing zones", fmt.Sprintf("Type %s requires at least one zone.", kind))}
		}
	case "Any", "None":
		return def.Rejected(zones, fmt.Sprintf("Type %s does not allow zones. Remove them, or use Only or AnyExcept.", kind))
	}
	return nil
}}

// balancerOfGateway checks the destinations of a policy for a gateway, which
// uses one algorithm for all of them.
var balancerOfGateway = def.Check{
	Doc: "With MeshGateway as top-level reference, `to` does not accept MeshHTTPRoute, and an entry that sets " +
		"`loadBalancer` must target Mesh.",
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
			problems = append(problems, policy.RejectDestination(entry, top, allowed...)...)
		}
		return problems
	},
}

// balancedPerRoute checks that an entry for a route sets only hash policies:
// everything else is decided per destination.
var balancedPerRoute = def.Check{Test: func(entry tree.Node) []def.Problem {
	if kind, _ := entry.Get("targetRef", "kind").Text(); kind != kuma.KindMeshHTTPRoute {
		return nil
	}
	var problems []def.Problem
	for _, field := range []string{"localityAwareness", "loadBalancer"} {
		if m := entry.Get("default", field); m.Known() {
			problems = append(problems,
				def.ErrorAt(m, field+" cannot be set here",
					"Only hashPolicies can be set for a MeshHTTPRoute. Move it to an entry for the service.").Instead(m.Path))
		}
	}
	return problems
}}

// localService rejects failover to other zones for a single port, or for services
// by labels, whose traffic stays in the zone.
var localService = def.Check{Test: func(entry tree.Node) []def.Problem {
	ref, crossZone := entry.Get("targetRef"), entry.Get("default", "localityAwareness", "crossZone")
	kind, _ := ref.Get("kind").Text()
	stays := kind == kuma.KindMeshService && (ref.Get("sectionName").Filled() || ref.Get("labels").Filled())
	return def.ErrorIf(stays && crossZone.Known(), crossZone, "crossZone cannot be set here",
		"Traffic to a MeshService with sectionName or labels stays in the zone. Remove crossZone, or use a MeshMultiZoneService.")
}}

// failoverNeedsMultiZone warns of failover to other zones for services of one zone, which the
// preview of Kuma 3.0 stores without effect.
var failoverNeedsMultiZone = def.InKuma3(def.Check{Test: func(entry tree.Node) []def.Problem {
	crossZone := entry.Get("default", "localityAwareness", "crossZone")
	kind, ok := entry.Get("targetRef", "kind").Text()
	return def.WarningIf(ok && kind != kuma.KindMeshMultiZoneService && crossZone.Known() && localService.Test(entry) == nil, crossZone,
		"crossZone needs a MeshMultiZoneService",
		"Services of one zone have no endpoints in others, so crossZone has no effect for kind %s, and Kuma 3.0.1 rejects it. "+
			"Move it to an entry for a MeshMultiZoneService.", kind)
}})
