package kinds

import (
	"fmt"
	"math/big"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// This file holds rules for load balancing that a control plane does not
// enforce.

// ringHasSize checks that a ring can have a size.
var ringHasSize = def.Check{Test: func(n tree.Node) []def.Problem {
	low, okLow := n.Get("minRingSize").Int()
	high, okHigh := n.Get("maxRingSize").Int()
	if !okLow || !okHigh || low <= high {
		return nil
	}
	return []def.Problem{def.ErrorAt(n.Get("minRingSize"), "minRingSize is above maxRingSize", fmt.Sprintf("No ring has at least %d and at most %d entries, and proxies refuse that. Lower minRingSize, or raise maxRingSize.", low, high))}
}}

// prime checks the size of a table, which Envoy refuses if it can be divided.
var prime = def.Check{Test: func(n tree.Node) []def.Problem {
	i, ok := n.Int()
	if !ok || i < 1 || i > maxTableSize || isPrime(i) {
		return nil
	}
	next := i
	for !isPrime(next) {
		next++
	}
	return []def.Problem{def.ErrorAt(n, "Table size is not prime", fmt.Sprintf("Proxies refuse a table of %d entries, because %d is not a prime number. The next one is %d.", i, i, next))}
}}

// isPrime is exact, as ProbablyPrime is for all numbers below 2^64.
func isPrime(i int64) bool { return big.NewInt(i).ProbablyPrime(0) }

// hashIsUsed warns of hash policies without an algorithm that uses hashes: in
// the entry itself, or else anywhere in the policy.
var hashIsUsed = def.Check{Test: func(n tree.Node) []def.Problem {
	anywhere := false
	for _, e := range n.Get("to").Items() {
		anywhere = anywhere || mayHash(e.Get("default", "loadBalancer", "type"))
	}
	var problems []def.Problem
	for _, e := range n.Get("to").Items() {
		policies, balancer := e.Get("default", "hashPolicies"), e.Get("default", "loadBalancer")
		used := mayHash(balancer.Get("type")) || balancer.Absent() && anywhere
		if policies.Filled() && !used {
			problems = append(problems, def.WarningAt(policies, "hashPolicies has no effect", "Only RingHash and Maglev use hashes, and this policy selects neither for the destination. Set loadBalancer in the entry for the service or the mesh."))
		}
	}
	return problems
}}

func mayHash(kind tree.Node) bool {
	s, _ := kind.Text()
	return s == ringHash || s == maglev || kind.Unknown()
}
