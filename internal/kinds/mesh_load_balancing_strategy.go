package kinds

import (
	"fmt"
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// MeshLoadBalancingStrategy decides which endpoint of a destination a request
// goes to.
var MeshLoadBalancingStrategy = spec.Kind{
	Name: "MeshLoadBalancingStrategy", Path: "meshloadbalancingstrategies", ShortName: "mlbs",
	ZoneOwned: true, GlobalOwned: true,
	Doc:    "Decides which endpoint of a destination gets a connection or request: by algorithm, by nearness, and in which zones when the own zone has none.",
	Policy: &spec.Policy{Order: 400, To: true},
	Fields: spec.Object{
		topRef(mesh.KindMesh, mesh.KindDataplane, mesh.KindMeshGateway, mesh.KindMeshSubset, mesh.KindMeshService, mesh.KindMeshServiceSubset),
		laterTo("2.12", mesh.KindMeshHTTPRoute, optionalConf(loadBalancing, hashedOnce), mesh.KindMesh, mesh.KindMeshService, mesh.KindMeshMultiZoneService),
	},
	Checks: spec.Checks(balancerOfGateway, spec.Below("to", spec.Each(balancedPerRoute, localService))),
	Design: spec.Checks(emptyDefaults("to"), hashIsUsed),
}

// Algorithms that use hashes.
const (
	ringHash = "RingHash"
	maglev   = "Maglev"
)

// maxTableSize is a prime number, as every size of a table must be.
const maxTableSize = 5000011

// balancers are the algorithms.
var balancers = []spec.Variant{
	{Type: "RoundRobin", Member: "roundRobin"},
	{Type: "LeastRequest", Member: "leastRequest"},
	{Type: ringHash, Member: "ringHash"},
	{Type: "Random", Member: "random"},
	{Type: maglev, Member: "maglev"},
}

var loadBalancing = spec.Object{
	{Name: "localityAwareness", Doc: "Prefers near endpoints. Not for a MeshHTTPRoute.", Type: spec.Object{
		{Name: "disabled", Type: spec.Bool, Doc: "Whether all zones and endpoints count alike. Endpoints in the own zone are preferred when unset."},
		{Name: "localZone", Doc: "Which endpoints of the own zone are preferred.", Type: spec.Object{
			{
				Name: "affinityTags", Type: spec.List{Elem: affinityTag}, Checks: spec.Checks(weightsForAll),
				Doc: "Tags by which endpoints are near: those with the same value as the client are. The most important tag stands first.",
			},
		}},
		{Name: "crossZone", Doc: "What happens when the own zone has too few endpoints. Other zones get no traffic when unset. Not for a MeshService with `labels` or `section_name`, whose traffic stays in the zone.", Type: spec.Object{
			{
				Name: "failover", Type: spec.List{Elem: failover}, Checks: spec.Checks(spec.Each(spec.Below("to", failoverZones))),
				Doc: "Where the traffic goes, in this order.",
			},
			{Name: "failoverThreshold", Doc: "When traffic goes to the next zones.", Type: spec.Object{
				{
					Name: "percentage", Type: spec.IntOrString, Required: true,
					Checks: spec.Checks(decimal("above 0 and up to 100", func(f float64) bool { return f > 0 && f <= 100 })),
					Doc:    "Share of healthy endpoints, in percent, below which the next zones get traffic: a whole number, or text for a fraction. It is `50` without the block.",
				},
			}},
		}},
	}},
	{Name: "loadBalancer", Checks: spec.Checks(ofBalancer(spec.Each(hashPolicySettings)), innerPoliciesMoved), Design: spec.Checks(spec.Unused(balancers...)), Doc: "The algorithm. Kuma uses `RoundRobin` when unset. Not for a MeshHTTPRoute.", Type: spec.Object{
		{
			Name: "type", Type: spec.String, Required: true, OneOf: []string{"RoundRobin", "LeastRequest", ringHash, "Random", maglev},
			Doc: "Name of the algorithm. The block of the same name holds its settings; others have no effect.",
		},
		{Name: "roundRobin", Type: spec.Object{}, Doc: "One endpoint after the other; there are no settings."},
		{Name: "leastRequest", Doc: "The endpoint with the fewest requests, of some chosen at random.", Type: spec.Object{
			{Name: "choiceCount", Type: spec.Int, Checks: spec.Checks(spec.Limit(2, math.MaxInt32)), Doc: "How many endpoints are compared. Two are when unset."},
			{
				Name: "activeRequestBias", Type: spec.IntOrString, Checks: spec.Checks(decimal("of 0 or more", func(f float64) bool { return f >= 0 })),
				Doc: "How much requests under way lower the weight of an endpoint: a whole number, or text for a fraction. Envoy uses `1` when unset, and `0` does not count them.",
			},
		}},
		{Name: "ringHash", Design: spec.Checks(ringHasSize), Doc: "The same endpoint for the same hash, found on a ring.", Type: spec.Object{
			{Name: "hashFunction", Type: spec.String, OneOf: []string{"XXHash", "MurmurHash2"}, Doc: "Function that hashes the endpoints. It is `XXHash` when unset."},
			ringSize("minRingSize", "Smallest size of the ring. Envoy uses `1024` when unset."),
			ringSize("maxRingSize", "Largest size of the ring, not below `min_ring_size`. Envoy uses `8000000` when unset."),
			innerHashPolicies,
		}},
		{Name: "random", Type: spec.Object{}, Doc: "An endpoint at random; there are no settings."},
		{Name: "maglev", Doc: "The same endpoint for the same hash, found in a table.", Type: spec.Object{
			{
				Name: "tableSize", Type: spec.Int, Checks: spec.Checks(spec.Limit(1, maxTableSize)), Design: spec.Checks(prime),
				Doc: "Size of the table, which must be prime for Envoy. It uses `65537` when unset.",
			},
			innerHashPolicies,
		}},
	}},
	{
		Name: "hashPolicies", Since: "2.12", Type: spec.List{Elem: hashPolicy}, Checks: spec.Checks(spec.Each(hashPolicySettings)), Design: spec.Checks(spec.Each(spec.Unused(hashPolicies...), noSourceIP)),
		Doc: "Properties of a request that are hashed, in this order. Only with `RingHash` and `Maglev`, which take an endpoint at random for every request when unset.",
	},
}

func ringSize(name, doc string) spec.Field {
	return spec.Field{Name: name, Type: spec.Int, Checks: spec.Checks(spec.Limit(1, 8000000)), Doc: doc}
}

var innerHashPolicies = spec.Field{
	Name: "hashPolicies", Type: spec.List{Elem: hashPolicy}, Design: spec.Checks(spec.Each(spec.Unused(hashPolicies...))), Deprecated: "Use `hash_policies` of `default`.",
	Doc: "Properties of a request that are hashed, in this order.",
	Readiness: []spec.Condition{{
		ID: "K3-052", Effect: spec.Changes,
		Doc: "The hash policies are inside the algorithm. Kuma 3.0 drops them without a word, and nothing is hashed.",
		Do:  "Move the list to hashPolicies of the entry's default, and remove it here: both together are refused.",
	}},
}

var affinityTag = spec.Object{
	{Name: "key", Type: spec.String, Required: true, Checks: spec.Checks(notEmpty), Doc: "Name of the tag, such as `k8s.io/node`."},
	{
		Name: "weight", Type: spec.Int, Checks: spec.Checks(count),
		Doc: "Share of the local traffic, relative to the other tags. Without weights the first tag gets 90 %, the second 9 %, and so on.",
	},
}

var weightsForAll = spec.Check{
	Doc: "Either all tags have a `weight`, or none has.",
	Test: func(n spec.Node) []spec.Problem {
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
		return []spec.Problem{n.Problem("Only some tags have a weight", fmt.Sprintf("%d of the tags have a weight, and %d have none. Give all of them one, or none.", with, without))}
	},
}

var failover = spec.Object{
	{Name: "from", Doc: "Zones of the clients that the entry is for. It is for all when unset.", Type: spec.Object{
		{Name: "zones", Type: spec.List{Elem: spec.String}, Required: true, Checks: spec.Checks(someItems, spec.Each(notEmpty)), Doc: "Names of the zones, at least one."},
	}},
	{Name: "to", Required: true, Doc: "Zones that the traffic goes to.", Type: spec.Object{
		{
			Name: "type", Type: spec.String, Required: true, OneOf: []string{"None", "Only", "Any", "AnyExcept"},
			Doc: "Whether the traffic goes to no zone, to those listed, to any, or to any but those listed.",
		},
		{Name: "zones", Type: spec.List{Elem: spec.String}, Doc: "Names of the zones. Needed with `Only` and `AnyExcept`, and not allowed with the others."},
	}},
}

var failoverZones = spec.Check{Test: func(n spec.Node) []spec.Problem {
	zones := n.Get("zones")
	switch kind, _ := n.Get("type").Text(); kind {
	case "Only", "AnyExcept":
		if zones.Empty() {
			return []spec.Problem{zones.Problem("zones is missing", fmt.Sprintf("Type %s needs the names of zones. Give at least one.", kind))}
		}
	case "Any", "None":
		return spec.Refused(zones, fmt.Sprintf("Type %s takes no names of zones. Remove them, or choose Only or AnyExcept.", kind))
	}
	return nil
}}

// ofBalancer applies a check to the hash policies inside the algorithm, if it is
// one that uses them.
func ofBalancer(c spec.Check) spec.Check {
	policies := spec.Checks(spec.Below("hashPolicies", c))
	return spec.ByType(
		spec.Variant{Type: ringHash, Member: "ringHash", Optional: true, Checks: policies},
		spec.Variant{Type: maglev, Member: "maglev", Optional: true, Checks: policies},
	)
}

var innerPoliciesMoved = ofBalancer(spec.Check{Test: func(n spec.Node) []spec.Problem {
	problems := []spec.Problem{n.Warning("hashPolicies is deprecated here", "Move the list to hashPolicies of the entry's default.").About(spec.Deprecation)}
	for _, policy := range n.Items() {
		kind := policy.Get("type")
		if s, _ := kind.Text(); s == sourceIP {
			problems = append(problems, kind.Warning("SourceIP is deprecated", "Use the type Connection.").About(spec.Deprecation))
		}
	}
	return problems
}})

// hashedOnce: the list next to the algorithm replaces the one inside.
var hashedOnce = spec.Check{Test: func(conf spec.Node) []spec.Problem {
	if !conf.Get("hashPolicies").Filled() {
		return nil
	}
	return spec.Below("loadBalancer", ofBalancer(spec.Check{Test: func(n spec.Node) []spec.Problem {
		return spec.Refused(n, "There are hashPolicies next to the loadBalancer already. Remove those inside.")
	}})).Test(conf)
}}

// balancerOfGateway: a gateway chooses the algorithm for all destinations.
var balancerOfGateway = spec.Check{
	Doc: "With MeshGateway as top-level reference, `to` takes only Mesh if `load_balancer` is set, and no MeshHTTPRoute.",
	Test: func(n spec.Node) []spec.Problem {
		top := topKind(n)
		if top != mesh.KindMeshGateway {
			return nil
		}
		var problems []spec.Problem
		for _, entry := range n.Get("to").Items() {
			allowed := []string{mesh.KindMesh, mesh.KindMeshService, mesh.KindMeshMultiZoneService}
			if entry.Get("default", "loadBalancer").Known() {
				allowed = allowed[:1]
			}
			problems = append(problems, narrowEntry(entry, top, allowed...)...)
		}
		return problems
	},
}

// balancedPerRoute: endpoints are chosen per destination, and only what is
// hashed per route.
var balancedPerRoute = spec.Check{Test: func(entry spec.Node) []spec.Problem {
	if kind, _ := entry.Get("targetRef", "kind").Text(); kind != mesh.KindMeshHTTPRoute {
		return nil
	}
	return refuseAll(entry.Get("default"), "Only hashPolicies can be set for a MeshHTTPRoute. Move it to an entry for the service.",
		[]string{"localityAwareness"}, []string{"loadBalancer"})
}}

// localService: traffic to one port, or to services by labels, stays in the zone.
var localService = spec.Check{Test: func(entry spec.Node) []spec.Problem {
	ref, crossZone := entry.Get("targetRef"), entry.Get("default", "localityAwareness", "crossZone")
	kind, _ := ref.Get("kind").Text()
	if kind != mesh.KindMeshService || !crossZone.Known() || !ref.Get("sectionName").Filled() && !ref.Get("labels").Filled() {
		return nil
	}
	return []spec.Problem{crossZone.Problem("crossZone cannot be set here", "Traffic to a MeshService with sectionName or labels stays in the zone. Remove crossZone, or use a MeshMultiZoneService.")}
}}
