package object

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds/check"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Algorithms that use hashes.
const (
	ringHash = "RingHash"
	maglev   = "Maglev"
)

// maxTableSize is a prime number, as every table size must be.
const maxTableSize = 5000011

// algorithms are the types of [LoadBalancer].
var algorithms = []def.Variant{
	{Type: "RoundRobin", Field: "roundRobin"},
	{Type: "LeastRequest", Field: "leastRequest"},
	{Type: ringHash, Field: "ringHash"},
	{Type: "Random", Field: "random"},
	{Type: maglev, Field: "maglev"},
}

// LoadBalancer is the algorithm that chooses among endpoints.
var LoadBalancer = def.Field{
	Name: "loadBalancer", Checks: def.Checks(innerHashPoliciesDeprecated),
	Design: def.Checks(def.Unused(algorithms...), inAlgorithm(def.Each(noSourceIP))),
	Doc:    "Load balancing algorithm. Defaults to `RoundRobin`. Not allowed for a MeshHTTPRoute.", Type: def.Object{
		def.TypeField("Name of the algorithm. The block with the same name has its settings.", algorithms...),
		{Name: "roundRobin", Type: def.Object{}, Doc: "Uses one endpoint after the other. It has no settings."},
		{Name: "leastRequest", Doc: "Uses the endpoint with the fewest active requests among some random ones.", Type: def.Object{
			def.Int.Field("choiceCount", "Number of endpoints to compare. Defaults to 2.", def.Limit(2, math.MaxInt32)),
			def.IntOrString.Field("activeRequestBias",
				"How much active requests lower the weight of an endpoint, such as `10` or `\"2.5\"`. `0` ignores active requests. "+
					"Envoy defaults to `1`.", check.Decimal("of 0 or more", func(f float64) bool { return f >= 0 })),
		}},
		{
			Name: "ringHash", Design: def.Checks(ringHasSize), Doc: "Uses the same endpoint for the same hash, by consistent hashing on a ring.",
			Type: def.Object{
				{
					Name: "hashFunction", Type: def.String, OneOf: []string{"XXHash", "MurmurHash2"},
					Doc: "Function to hash endpoints with. Defaults to `XXHash`.",
				},
				ringSize("minRingSize", "Minimum size of the ring. Envoy defaults to `1024`."),
				ringSize("maxRingSize", "Maximum size of the ring. Must not be below `min_ring_size`. Envoy defaults to `8000000`."),
				innerHashPolicies,
			},
		},
		{Name: "random", Type: def.Object{}, Doc: "Uses a random endpoint. It has no settings."},
		{Name: "maglev", Doc: "Uses the same endpoint for the same hash, by a lookup table.", Type: def.Object{
			{
				Name: "tableSize", Type: def.Int, Checks: def.Checks(def.Limit(1, maxTableSize)), Design: def.Checks(tableSizeIsPrime),
				Doc: "Size of the table. Must be a prime number. Envoy defaults to `65537`.",
			},
			innerHashPolicies,
		}},
	},
}

func ringSize(name, doc string) def.Field {
	return def.Int.Field(name, doc, def.Limit(1, 8000000))
}

var innerHashPolicies = def.Field{
	Name: "hashPolicies", Protocols: kuma.HTTPProtocols(), Type: def.List{Elem: hashPolicy},
	Design: def.Checks(def.Each(def.Unused(hashPolicyTypes...))), Deprecated: "Use `hash_policies` of `default`.",
	Removed: def.RemovedIn3("Move the list to hashPolicies in the default of the entry."),
	Doc:     "Properties of a request to hash, in this order.",
}

// inAlgorithm applies a check to the hash policies inside the algorithm, if it is
// one that uses them.
func inAlgorithm(c def.Check) def.Check {
	policies := def.Checks(def.Below("hashPolicies", c))
	return def.ByType(
		def.Variant{Type: ringHash, Field: "ringHash", Optional: true, Checks: policies},
		def.Variant{Type: maglev, Field: "maglev", Optional: true, Checks: policies},
	)
}

// innerHashPoliciesDeprecated warns about hash policies inside the algorithm.
var innerHashPoliciesDeprecated = inAlgorithm(def.Check{Test: func(n tree.Node) []def.Problem {
	problems := []def.Problem{def.WarningAt(n, "hashPolicies is deprecated here",
		"Move the list to hashPolicies in the default of the entry.").About(def.Deprecation).From("2.12")}
	for _, policy := range n.Items() {
		kind := policy.Get("type")
		if s, _ := kind.Text(); s == sourceIP {
			problems = append(problems, def.WarningAt(kind, "SourceIP is deprecated", "Use the type Connection.").About(def.Deprecation))
		}
	}
	return problems
}})

// HashPolicyRules check the hash policies inside the algorithm. They are
// rejected for every algorithm if the field next to the algorithm is set, even
// to an empty list.
var HashPolicyRules = def.Check{Test: func(conf tree.Node) []def.Problem {
	balancer := conf.Get("loadBalancer")
	if conf.Get("hashPolicies").Absent() {
		return inAlgorithm(def.Each(hashPolicyRules)).Test(balancer)
	}
	var problems []def.Problem
	for _, field := range []string{"ringHash", "maglev"} {
		problems = append(problems, def.RejectedEvenEmpty(balancer.Get(field, "hashPolicies"),
			"hashPolicies is already set next to loadBalancer. Remove it here.")...)
	}
	return problems
}}

// ringHasSize checks that a ring can have a size.
var ringHasSize = def.Check{Test: func(n tree.Node) []def.Problem {
	low, okLow := n.Get("minRingSize").Int()
	high, okHigh := n.Get("maxRingSize").Int()
	return def.ErrorIf(okLow && okHigh && low > high, n.Get("minRingSize"), "minRingSize exceeds maxRingSize",
		"minRingSize is %d and maxRingSize is %d, which proxies reject. Lower minRingSize, or raise maxRingSize.", low, high)
}}

// tableSizeIsPrime checks the size of a table, which Envoy rejects unless it is
// prime.
var tableSizeIsPrime = def.Check{Test: func(n tree.Node) []def.Problem {
	i, ok := n.Int()
	if !ok || i < 1 || i > maxTableSize || isPrime(i) {
		return nil
	}
	next := i
	for !isPrime(next) {
		next++
	}
	return []def.Problem{def.ErrorAt(n, "Table size is not prime",
		fmt.Sprintf("Proxies reject a table with %d entries, because %d is not a prime number. The next prime number is %d.", i, i, next))}
}}

// isPrime is exact, as ProbablyPrime is for all numbers below 2^64.
func isPrime(i int64) bool { return big.NewInt(i).ProbablyPrime(0) }

// HashIsUsed warns about hash policies without an algorithm that uses hashes:
// in the entry itself, or else anywhere in the policy.
var HashIsUsed = def.Check{Test: func(n tree.Node) []def.Problem {
	anywhere := slices.ContainsFunc(n.Find("to[].default.loadBalancer.type"), mayHash)
	var problems []def.Problem
	for _, e := range n.Get("to").Items() {
		policies, balancer := e.Get("default", "hashPolicies"), e.Get("default", "loadBalancer")
		used := mayHash(balancer.Get("type")) || balancer.Absent() && anywhere
		if policies.Filled() && !used {
			p := def.WarningAt(policies, "hashPolicies may have no effect",
				"Only RingHash and Maglev use hash policies, and this policy sets neither for the destination. "+
					"Set loadBalancer in the entry for the service or the mesh, unless another policy does.")
			if balancer.Absent() {
				p = p.Lacking(balancer)
			}
			problems = append(problems, p)
		}
	}
	return problems
}}

func mayHash(kind tree.Node) bool {
	s, _ := kind.Text()
	return s == ringHash || s == maglev || kind.Unknown()
}
