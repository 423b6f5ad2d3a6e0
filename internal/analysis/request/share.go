package request

import "math/big"

// Denominators of the fraction of requests that fail.
const percent, perTenThousand, perMillion = 100, 10_000, 1_000_000

// fraction returns the share of missing backends as proxies get it: with the first denominator
// that is exact, or else as a fraction of a million.
func fraction(missing, total int64) (numerator, denominator int64) {
	for _, denominator := range []int64{percent, perTenThousand} {
		if missing*denominator%total == 0 {
			return missing * denominator / total, denominator
		}
	}
	return (2*missing*perMillion + total) / (2 * total), perMillion // rounded
}

// drawn returns the share of the random numbers whose remainder modulo denominator is at
// least numerator, and whose remainder modulo total is at least from and less than to.
func drawn(numerator, denominator, from, to, total int64) *big.Rat {
	common := new(big.Int).GCD(nil, nil, big.NewInt(denominator), big.NewInt(total)).Int64()
	pairs := new(big.Int) // of remainders that some number has
	for r := range common {
		a, b := congruent(numerator, denominator, r, common), congruent(from, to, r, common)
		pairs.Add(pairs, new(big.Int).Mul(big.NewInt(a), big.NewInt(b)))
	}
	all := new(big.Int).Mul(big.NewInt(denominator/common), big.NewInt(total))
	return new(big.Rat).SetFrac(pairs, all)
}

// congruent counts the numbers from a to below b that are congruent to r modulo m.
func congruent(a, b, r, m int64) int64 {
	below := func(n int64) int64 { return (n - r + m - 1) / m }
	return max(0, below(b)-below(a))
}
