package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// beats is not transitive: of the remainders of a division by three, 0 comes
// before 1, 1 before 2, and 2 before 0.
func beats(a, b int) int { return []int{0, -1, 1}[(b%3-a%3+3)%3] }

// The comparisons of order.go are not transitive, so the order of policies depends on the
// algorithm that sorts them (matching.md §3.3). A control plane sorts by slices.SortFunc and
// slices.SortStableFunc of the Go release that it was built with. That package guarantees
// an order for transitive comparisons only.
//
// If a test of this file fails after an update of Go, Go has changed its algorithm: copy the
// algorithms of Go 1.26 into this package, and keep them as long as control planes are built
// with them.

// TestSortIsPinned checks how few and many elements are sorted by a comparison that is not
// transitive.
func TestSortIsPinned(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		sort        func([]int, func(a, b int) int)
		given, want string
	}{
		"few":          {slices.SortFunc[[]int], "0210021", "2000112"},
		"many":         {slices.SortFunc[[]int], "012210020112021012210", "222222200000001111111"},
		"few, stable":  {slices.SortStableFunc[[]int], "0210021", "2000112"},
		"many, stable": {slices.SortStableFunc[[]int], "012210020112021012210", "011222000011220011122"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var items []int
			for _, digit := range tt.given {
				items = append(items, int(digit-'0'))
			}
			tt.sort(items, beats)
			var got strings.Builder
			for _, item := range items {
				fmt.Fprint(&got, item)
			}
			if got.String() != tt.want {
				t.Errorf("order of %s: got %s, want %s", tt.given, got.String(), tt.want)
			}
		})
	}
}

// TestSortOfManyIsPinned checks the same for thousands of arrangements and comparisons by
// the hash of their orders.
func TestSortOfManyIsPinned(t *testing.T) {
	t.Parallel()
	const want = "551757fc4b4817c24989572fb0d8a81dd8cf5a8d77eee79b6db80a4d37adc5d3"
	random := rand.New(rand.NewPCG(11, 0))
	orders := sha256.New()
	for range 3_000 {
		n := random.IntN(400)
		if random.IntN(4) > 0 {
			n = random.IntN(60)
		}
		items := arrangement(random, n)
		stable := slices.Clone(items)
		results := make([]int, n*n) // of an arbitrary comparison
		for i := range results {
			results[i] = random.IntN(3) - 1
		}
		compare := func(a, b int) int { return results[a*n+b] }
		slices.SortFunc(items, compare)
		slices.SortStableFunc(stable, compare)
		fmt.Fprintln(orders, items, stable)
	}
	if got := hex.EncodeToString(orders.Sum(nil)); got != want {
		t.Errorf("hash of the orders: %s, want %s", got, want)
	}
}

// arrangement returns the numbers from 0 to n-1 in order, in reverse, nearly in
// order, or in none.
func arrangement(random *rand.Rand, n int) []int {
	items := make([]int, n)
	for i := range items {
		items[i] = i
	}
	switch random.IntN(4) {
	case 0:
	case 1:
		slices.Reverse(items)
	case 2:
		for range min(n, 3) {
			i, j := random.IntN(n), random.IntN(n)
			items[i], items[j] = items[j], items[i]
		}
	default:
		random.Shuffle(n, func(i, j int) { items[i], items[j] = items[j], items[i] })
	}
	return items
}
