package envoy

import (
	"fmt"
	"math/big"
)

// draw is a condition on the random number of a request: its remainder modulo total
// is at least from and less than to.
type draw struct{ total, from, to int64 }

// share returns the share of the random numbers for which all conditions hold. Envoy
// takes the same number for the fraction of a route and the weights of its clusters,
// so that conditions with totals that have a common factor depend on each other.
func share(draws []draw) (*big.Rat, error) {
	byTotal := map[int64]draw{}
	var totals []int64
	for _, d := range draws {
		first, ok := byTotal[d.total]
		if !ok {
			totals = append(totals, d.total)
			byTotal[d.total] = d
			continue
		}
		byTotal[d.total] = draw{d.total, max(first.from, d.from), min(first.to, d.to)}
	}
	switch len(totals) {
	case 0:
		return big.NewRat(1, 1), nil
	case 1:
		return byTotal[totals[0]].rat(1, 0), nil
	case 2:
		a, b := byTotal[totals[0]], byTotal[totals[1]]
		common := new(big.Int).GCD(nil, nil, big.NewInt(a.total), big.NewInt(b.total)).Int64()
		sum := new(big.Rat)
		for remainder := range common {
			both := new(big.Rat).Mul(a.rat(common, remainder), b.rat(common, remainder))
			sum.Add(sum, both)
		}
		return sum.Quo(sum, big.NewRat(common, 1)), nil
	default:
		return nil, fmt.Errorf("fractions of %v: %w", totals, ErrUnsupported)
	}
}

// rat returns the share of the numbers within the condition, of those with a
// remainder modulo common, which divides the total.
func (d draw) rat(common, remainder int64) *big.Rat {
	below := func(n int64) int64 { return (n - remainder + common - 1) / common } // numbers with the remainder below n
	n := max(0, below(d.to)-below(min(d.from, d.to)))
	return big.NewRat(n, d.total/common)
}
