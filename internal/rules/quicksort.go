package rules

import (
	"math/bits"
	"slices"
)

const (
	shortRange  = 12 // is sorted by insertion
	ninther     = 50 // from this length on, the pivot is a median of medians
	mostRepairs = 5  // of a range that looks sorted
)

// quicksort sorts a range by the pattern-defeating quicksort of Peters
// (arXiv:2106.05123). Positions count from the first of all items, because the
// original algorithm reads the item before the range.
func (s sorter[E]) quicksort(low, high int) {
	s.quicksortRange(low, high, bits.Len(uint(high-low)))
}

// quicksortRange falls back to a heapsort after a number of bad pivots.
func (s sorter[E]) quicksortRange(low, high, badPivots int) {
	balanced, partitioned := true, true // by the last pivot
	for {
		length := high - low
		switch {
		case length <= shortRange:
			s.insertionSort(low, high)
			return
		case badPivots == 0:
			s.heapsort(low, high)
			return
		case !balanced:
			s.scatter(low, high)
			badPivots--
		}
		pivot, looks := s.choosePivot(low, high)
		if looks == descending {
			slices.Reverse(s.items[low:high])
			pivot, looks = low+high-1-pivot, ascending
		}
		if balanced && partitioned && looks == ascending && s.repair(low, high) {
			return
		}
		if low > 0 && !s.less(low-1, pivot) { // no item is smaller than the pivot
			low = s.partitionEqual(low, high, pivot)
			continue
		}
		pivot, partitioned = s.partition(low, high, pivot)
		left, right := pivot-low, high-pivot
		balanced = min(left, right) >= length/8
		if left < right {
			s.quicksortRange(low, pivot, badPivots)
			low = pivot + 1
		} else {
			s.quicksortRange(pivot+1, high, badPivots)
			high = pivot
		}
	}
}

// partition moves what is less than the pivot before it, and everything else
// behind it. It returns the new position of the pivot, and reports whether all
// items were already in order.
func (s sorter[E]) partition(low, high, pivot int) (int, bool) {
	s.swap(low, pivot)
	i, j := low+1, high-1
	for swaps := 0; ; swaps++ {
		for i <= j && s.less(i, low) {
			i++
		}
		for i <= j && !s.less(j, low) {
			j--
		}
		if i > j {
			s.swap(j, low)
			return j, swaps == 0
		}
		s.swap(i, j)
		i++
		j--
	}
}

// partitionEqual moves what equals the pivot before what is greater, and
// returns where that begins.
func (s sorter[E]) partitionEqual(low, high, pivot int) int {
	s.swap(low, pivot)
	i, j := low+1, high-1
	for {
		for i <= j && !s.less(low, i) {
			i++
		}
		for i <= j && s.less(low, j) {
			j--
		}
		if i > j {
			return i
		}
		s.swap(i, j)
		i++
		j--
	}
}

// repair sorts a range of which only a few neighbors are out of order, and
// reports whether it is sorted then.
func (s sorter[E]) repair(low, high int) bool {
	i := low + 1
	for range mostRepairs {
		for i < high && !s.less(i, i-1) {
			i++
		}
		switch {
		case i == high:
			return true
		case high-low < ninther:
			return false
		}
		s.swap(i, i-1)
		if i-low >= 2 {
			for j := i - 1; j >= 1 && s.less(j, j-1); j-- { // beyond low, like the original
				s.swap(j, j-1)
			}
		}
		if high-i >= 2 {
			for j := i + 1; j < high && s.less(j, j-1); j++ {
				s.swap(j, j-1)
			}
		}
	}
	return false
}

// scatter swaps three items in the middle with pseudo-random others, to break
// patterns that lead to bad pivots.
func (s sorter[E]) scatter(low, high int) {
	length := high - low
	random, mask := uint64(length), uint64(1)<<bits.Len(uint(length))-1
	middle := low + length/4*2
	for i := middle - 1; i <= middle+1; i++ {
		random ^= random << 13 // xorshift
		random ^= random >> 7
		random ^= random << 17
		other := int(random & mask)
		if other >= length {
			other -= length
		}
		s.swap(i, low+other)
	}
}

// appearance describes the order of a few samples of a range.
type appearance int

const (
	mixed appearance = iota
	ascending
	descending
)

// choosePivot returns a position near the median of at least eight items.
func (s sorter[E]) choosePivot(low, high int) (int, appearance) {
	const mostSwaps = 4 * 3
	quarter := (high - low) / 4
	i, j, k := low+quarter, low+2*quarter, low+3*quarter
	swaps := 0
	if high-low >= ninther {
		i = s.median(i-1, i, i+1, &swaps)
		j = s.median(j-1, j, j+1, &swaps)
		k = s.median(k-1, k, k+1, &swaps)
	}
	j = s.median(i, j, k, &swaps)
	switch swaps {
	case 0:
		return j, ascending
	case mostSwaps:
		return j, descending
	default:
		return j, mixed
	}
}

// median returns the position of the median, and counts the swaps that sorting
// the three would take.
func (s sorter[E]) median(i, j, k int, swaps *int) int {
	for _, pair := range [...][2]*int{{&i, &j}, {&j, &k}, {&i, &j}} {
		if s.less(*pair[1], *pair[0]) {
			*pair[0], *pair[1] = *pair[1], *pair[0]
			*swaps++
		}
	}
	return j
}

func (s sorter[E]) heapsort(low, high int) {
	n := high - low
	for root := (n - 1) / 2; root >= 0; root-- {
		s.siftDown(low, root, n)
	}
	for end := n - 1; end >= 0; end-- {
		s.swap(low, low+end)
		s.siftDown(low, 0, end)
	}
}

// siftDown restores the order of a heap of n items below its root. The heap
// begins at low, from where its positions count.
func (s sorter[E]) siftDown(low, root, n int) {
	for {
		child := 2*root + 1
		if child >= n {
			return
		}
		if child+1 < n && s.less(low+child, low+child+1) {
			child++
		}
		if !s.less(low+root, low+child) {
			return
		}
		s.swap(low+root, low+child)
		root = child
	}
}
