package kinds

import (
	"fmt"
	"math"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
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
		topRef(kuma.KindMesh, kuma.KindDataplane, kuma.KindMeshGateway, kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset),
		laterTo("2.12", kuma.KindMeshHTTPRoute, optionalConf(loadBalancing, hashedOnce), kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshMultiZoneService),
	},
	Checks: def.Checks(balancerOfGateway, def.Below("to", def.Each(balancedPerRoute, localService))),
	Design: def.Checks(emptyDefaults("to"), hashIsUsed),
}

// Algorithms that use hashes.
const (
	ringHash = "RingHash"
	maglev   = "Maglev"
)

// maxTableSize is a prime number, as every size of a table must be.
const maxTableSize = 5000011

// balancers are the algorithms.
var balancers = []def.Variant{
	{Type: "RoundRobin", Member: "roundRobin"},
	{Type: "LeastRequest", Member: "leastRequest"},
	{Type: ringHash, Member: "ringHash"},
	{Type: "Random", Member: "random"},
	{Type: maglev, Member: "maglev"},
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
					Checks: def.Checks(decimal("above 0 and up to 100", func(f float64) bool { return f > 0 && f <= 100 })),
					Doc:    "Share of healthy endpoints, in percent, below which the next zones get traffic: a whole number, or text for a fraction. It is `50` without the block.",
				},
			}},
		}},
	}},
	{Name: "loadBalancer", Checks: def.Checks(ofBalancer(def.Each(hashPolicySettings)), innerPoliciesMoved), Design: def.Checks(def.Unused(balancers...)), Doc: "The algorithm. Kuma uses `RoundRobin` when unset. Not for a MeshHTTPRoute.", Type: def.Object{
		{
			Name: "type", Type: def.String, Required: true, OneOf: []string{"RoundRobin", "LeastRequest", ringHash, "Random", maglev},
			Doc: "Name of the algorithm. The block of the same name holds its settings; others have no effect.",
		},
		{Name: "roundRobin", Type: def.Object{}, Doc: "One endpoint after the other; there are no settings."},
		{Name: "leastRequest", Doc: "The endpoint with the fewest requests, of some chosen at random.", Type: def.Object{
			{Name: "choiceCount", Type: def.Int, Checks: def.Checks(def.Limit(2, math.MaxInt32)), Doc: "How many endpoints are compared. Two are when unset."},
			{
				Name: "activeRequestBias", Type: def.IntOrString, Checks: def.Checks(decimal("of 0 or more", func(f float64) bool { return f >= 0 })),
				Doc: "How much requests under way lower the weight of an endpoint: a whole number, or text for a fraction. Envoy uses `1` when unset, and `0` does not count them.",
			},
		}},
		{Name: "ringHash", Design: def.Checks(ringHasSize), Doc: "The same endpoint for the same hash, found on a ring.", Type: def.Object{
			{Name: "hashFunction", Type: def.String, OneOf: []string{"XXHash", "MurmurHash2"}, Doc: "Function that hashes the endpoints. It is `XXHash` when unset."},
			ringSize("minRingSize", "Smallest size of the ring. Envoy uses `1024` when unset."),
			ringSize("maxRingSize", "Largest size of the ring, not below `min_ring_size`. Envoy uses `8000000` when unset."),
			innerHashPolicies,
		}},
		{Name: "random", Type: def.Object{}, Doc: "An endpoint at random; there are no settings."},
		{Name: "maglev", Doc: "The same endpoint for the same hash, found in a table.", Type: def.Object{
			{
				Name: "tableSize", Type: def.Int, Checks: def.Checks(def.Limit(1, maxTableSize)), Design: def.Checks(prime),
				Doc: "Size of the table, which must be prime for Envoy. It uses `65537` when unset.",
			},
			innerHashPolicies,
		}},
	}},
	{
		Name: "hashPolicies", Since: "2.12", Type: def.List{Elem: hashPolicy}, Checks: def.Checks(def.Each(hashPolicySettings)), Design: def.Checks(def.Each(def.Unused(hashPolicies...), noSourceIP)),
		Doc: "Properties of a request that are hashed, in this order. Only with `RingHash` and `Maglev`, which take an endpoint at random for every request when unset.",
	},
}

func ringSize(name, doc string) def.Field {
	return def.Field{Name: name, Type: def.Int, Checks: def.Checks(def.Limit(1, 8000000)), Doc: doc}
}

var innerHashPolicies = def.Field{
	Name: "hashPolicies", Type: def.List{Elem: hashPolicy}, Design: def.Checks(def.Each(def.Unused(hashPolicies...))), Deprecated: "Use `hash_policies` of `default`.",
	Doc: "Properties of a request that are hashed, in this order.",
	Readiness: []def.Condition{{
		ID: "K3-052", Effect: def.Changes,
		Doc: "The hash policies are inside the algorithm. Kuma 3.0 drops them without a word, and nothing is hashed.",
		Do:  "Move the list to hashPolicies of the entry's default, and remove it here: both together are refused.",
	}},
}

var affinityTag = def.Object{
	{Name: "key", Type: def.String, Required: true, Checks: def.Checks(notEmpty), Doc: "Name of the tag, such as `k8s.io/node`."},
	{
		Name: "weight", Type: def.Int, Checks: def.Checks(count),
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
		{Name: "zones", Type: def.List{Elem: def.String}, Required: true, Checks: def.Checks(someItems, def.Each(notEmpty)), Doc: "Names of the zones, at least one."},
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

// ofBalancer applies a check to the hash policies inside the algorithm, if it is
// one that uses them.
func ofBalancer(c def.Check) def.Check {
	policies := def.Checks(def.Below("hashPolicies", c))
	return def.ByType(
		def.Variant{Type: ringHash, Member: "ringHash", Optional: true, Checks: policies},
		def.Variant{Type: maglev, Member: "maglev", Optional: true, Checks: policies},
	)
}

var innerPoliciesMoved = ofBalancer(def.Check{Test: func(n tree.Node) []def.Problem {
	problems := []def.Problem{def.WarningAt(n, "hashPolicies is deprecated here", "Move the list to hashPolicies of the entry's default.").About(def.Deprecation)}
	for _, policy := range n.Items() {
		kind := policy.Get("type")
		if s, _ := kind.Text(); s == sourceIP {
			problems = append(problems, def.WarningAt(kind, "SourceIP is deprecated", "Use the type Connection.").About(def.Deprecation))
		}
	}
	return problems
}})

// hashedOnce: the list next to the algorithm replaces the one inside.
var hashedOnce = def.Check{Test: func(conf tree.Node) []def.Problem {
	if !conf.Get("hashPolicies").Filled() {
		return nil
	}
	return def.Below("loadBalancer", ofBalancer(def.Check{Test: func(n tree.Node) []def.Problem {
		return def.Refused(n, "There are hashPolicies next to the loadBalancer already. Remove those inside.")
	}})).Test(conf)
}}

// balancerOfGateway: a gateway chooses the algorithm for all destinations.
var balancerOfGateway = def.Check{
	Doc: "With MeshGateway as top-level reference, `to` takes only Mesh if `loadBalancer` is set, and no MeshHTTPRoute.",
	Test: func(n tree.Node) []def.Problem {
		top := topKind(n)
		if top != kuma.KindMeshGateway {
			return nil
		}
		var problems []def.Problem
		for _, entry := range n.Get("to").Items() {
			allowed := []string{kuma.KindMesh, kuma.KindMeshService, kuma.KindMeshMultiZoneService}
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
var balancedPerRoute = def.Check{Test: func(entry tree.Node) []def.Problem {
	if kind, _ := entry.Get("targetRef", "kind").Text(); kind != kuma.KindMeshHTTPRoute {
		return nil
	}
	return refuseAll(entry.Get("default"), "Only hashPolicies can be set for a MeshHTTPRoute. Move it to an entry for the service.",
		[]string{"localityAwareness"}, []string{"loadBalancer"})
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
