package rules

import "slices"

// The comparisons of order.go are not transitive, so the order of policies
// depends on the algorithm that sorts them (matching.md §3.3). A control plane
// sorts by slices.SortFunc and slices.SortStableFunc of the Go release that it
// was built with. That package guarantees an order for transitive comparisons
// only, so a later release of Go could change our answers. This file and
// quicksort.go therefore contain the algorithms of Go 1.26.

// sortFunc sorts like [slices.SortFunc], also by a comparison that is not
// transitive. It is a quicksort, and is not stable.
func sortFunc[E any](items []E, compare func(a, b E) int) {
	s := sorter[E]{items, compare}
	s.quicksort(0, len(items))
}

// sortStableFunc sorts like [slices.SortStableFunc], also by a comparison that is
// not transitive. It sorts blocks by insertion, and merges them in place.
func sortStableFunc[E any](items []E, compare func(a, b E) int) {
	const block = 20
	s, n := sorter[E]{items, compare}, len(items)
	for low := 0; low < n; low += block {
		s.insertionSort(low, min(low+block, n))
	}
	for size := block; size < n; size *= 2 {
		for low := 0; low+size < n; low += 2 * size {
			s.merge(low, low+size, min(low+2*size, n))
		}
	}
}

// sorter sorts ranges of items, from a position up to and without another.
type sorter[E any] struct {
	items   []E
	compare func(a, b E) int
}

func (s sorter[E]) less(i, j int) bool { return s.compare(s.items[i], s.items[j]) < 0 }

func (s sorter[E]) swap(i, j int) { s.items[i], s.items[j] = s.items[j], s.items[i] }

func (s sorter[E]) insertionSort(low, high int) {
	for i := low + 1; i < high; i++ {
		for j := i; j > low && s.less(j, j-1); j-- {
			s.swap(j, j-1)
		}
	}
}

// merge merges two neighboring sorted ranges, neither of them empty, by the
// algorithm SymMerge of Kim and Kutzner, "Stable Minimum Storage Merging by
// Symmetric Comparisons" (ESA 2004).
func (s sorter[E]) merge(low, middle, high int) {
	switch {
	case middle-low == 1:
		at := search(middle, high, func(i int) bool { return !s.less(i, low) })
		s.rotate(low, middle, at)
		return
	case high-middle == 1:
		at := search(low, middle, func(i int) bool { return s.less(middle, i) })
		s.rotate(at, middle, high)
		return
	}
	// The exchanged ranges are on both sides of middle, symmetric to the
	// center.
	center := (low + high) / 2
	sum := center + middle
	first, last := low, middle
	if middle > center {
		first, last = sum-high, center
	}
	start := search(first, last, func(i int) bool { return s.less(sum-1-i, i) })
	end := sum - start
	if start < middle && middle < end {
		s.rotate(start, middle, end)
	}
	if low < start && start < center {
		s.merge(low, start, center)
	}
	if center < end && end < high {
		s.merge(center, end, high)
	}
}

// rotate exchanges two neighboring ranges.
func (s sorter[E]) rotate(low, middle, high int) {
	slices.Reverse(s.items[low:middle])
	slices.Reverse(s.items[middle:high])
	slices.Reverse(s.items[low:high])
}

// search returns the position from which on a condition holds, by bisection.
func search(low, high int, holds func(i int) bool) int {
	for low < high {
		middle := (low + high) / 2
		if holds(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}
