package rules

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// beats is not transitive: of the remainders of a division by three, 0 comes
// before 1, 1 before 2, and 2 before 0.
func beats(a, b int) int { return []int{0, -1, 1}[(b%3-a%3+3)%3] }

// TestSortIsPinned checks that a release of Go does not change which policy
// overrides which. For a comparison that is not transitive, no order is
// correct, and that of a control plane depends on its algorithm: the expected
// results are those of the package slices of Go 1.26.
func TestSortIsPinned(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		sort        func([]int, func(a, b int) int)
		given, want string
	}{
		"few":          {sortFunc[int], "0210021", "2000112"},
		"many":         {sortFunc[int], "012210020112021012210", "222222200000001111111"},
		"few, stable":  {sortStableFunc[int], "0210021", "2000112"},
		"many, stable": {sortStableFunc[int], "012210020112021012210", "011222000011220011122"},
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

// TestSortAgreesWithGo compares with the package slices, on transitive
// comparisons and on arbitrary ones. If it fails after an update of Go, Go has
// changed its algorithm: keep ours as long as control planes are built with the
// older one, and restrict this test to transitive comparisons.
func TestSortAgreesWithGo(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 0))
	for range 3_000 {
		n := random.IntN(400)
		if random.IntN(4) > 0 {
			n = random.IntN(60)
		}
		items := arrangement(random, n)
		compare := comparison(random, n)
		want, got := slices.Clone(items), slices.Clone(items)
		slices.SortFunc(want, compare())
		sortFunc(got, compare())
		if !slices.Equal(want, got) {
			t.Fatalf("sortFunc of %v: got %v, want %v", items, got, want)
		}
		want, got = slices.Clone(items), slices.Clone(items)
		slices.SortStableFunc(want, compare())
		sortStableFunc(got, compare())
		if !slices.Equal(want, got) {
			t.Fatalf("sortStableFunc of %v: got %v, want %v", items, got, want)
		}
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

// comparison returns comparisons that give the same results for the same
// sequence of calls: transitive ones, with or without ties, arbitrary ones, and
// one that makes every pivot a bad one.
func comparison(random *rand.Rand, n int) func() func(a, b int) int {
	always := func(compare func(a, b int) int) func() func(a, b int) int {
		return func() func(a, b int) int { return compare }
	}
	switch random.IntN(5) {
	case 0:
		return always(cmp.Compare[int])
	case 1:
		distinct := 1 + random.IntN(5)
		return always(func(a, b int) int { return cmp.Compare(a%distinct, b%distinct) })
	case 2:
		return always(beats)
	case 3:
		return func() func(a, b int) int { return adversary(n) }
	default:
		results := make([]int, n*n)
		for i := range results {
			results[i] = random.IntN(3) - 1
		}
		return always(func(a, b int) int { return results[a*n+b] })
	}
}

// adversary decides how numbers compare only when it is asked, and so that a
// quicksort divides badly (McIlroy, "A Killer Adversary for Quicksort", 1999).
func adversary(n int) func(a, b int) int {
	values := make([]int, n)
	undecided := n
	for i := range values {
		values[i] = undecided
	}
	next, candidate := 0, 0
	return func(a, b int) int {
		if values[a] == undecided && values[b] == undecided {
			decide := b
			if a == candidate {
				decide = a
			}
			values[decide] = next
			next++
		}
		switch {
		case values[a] == undecided:
			candidate = a
		case values[b] == undecided:
			candidate = b
		}
		return cmp.Compare(values[a], values[b])
	}
}
