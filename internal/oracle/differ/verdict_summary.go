package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// verdictSummary counts the verdicts about documents.
type verdictSummary struct {
	kinds map[string]*verdictCounts
	ways  map[string]int // counts by kind of difference
	not   map[string]bool
}

// verdictCounts are the verdicts about the documents of a kind.
type verdictCounts struct{ compared, rejected, different int }

func newVerdictSummary() *verdictSummary {
	return &verdictSummary{kinds: map[string]*verdictCounts{}, ways: map[string]int{}, not: map[string]bool{}}
}

// add counts one document. what describes how the verdicts about it differ, see
// [verdictsOf]; add reports whether it is the first difference of that kind.
func (s *verdictSummary) add(kind string, rejected bool, what string) (first bool) {
	if s.kinds[kind] == nil {
		s.kinds[kind] = &verdictCounts{}
	}
	c := s.kinds[kind]
	c.compared++
	if rejected {
		c.rejected++
	}
	if what == "" {
		return false
	}
	c.different++
	s.ways[what]++
	return s.ways[what] == 1
}

// notWritable records a kind that clients cannot write to the control plane.
func (s *verdictSummary) notWritable(kind string) { s.not[kind] = true }

// total returns the counts of all kinds.
func (s *verdictSummary) total() (sum verdictCounts) {
	for _, c := range s.kinds {
		sum.compared += c.compared
		sum.rejected += c.rejected
		sum.different += c.different
	}
	return sum
}

// write writes the counts of each kind, the kinds of differences, and the totals.
func (s *verdictSummary) write(w io.Writer) {
	fmt.Fprintf(w, "%-26s %9s %9s %9s %9s\n", "kind", "documents", "accepted", "rejected", "different")
	for _, kind := range slices.Sorted(maps.Keys(s.kinds)) {
		c := s.kinds[kind]
		fmt.Fprintf(w, "%-26s %9d %9d %9d %9d\n", kind, c.compared, c.compared-c.rejected, c.rejected, c.different)
	}
	for _, kind := range slices.Sorted(maps.Keys(s.not)) {
		fmt.Fprintf(w, "%-26s not writable on this control plane\n", kind)
	}
	for _, what := range slices.Sorted(maps.Keys(s.ways)) {
		fmt.Fprintf(w, "%4d %s\n", s.ways[what], what)
	}
	sum := s.total()
	fmt.Fprintf(w, "%d documents of %d kinds compared: %d accepted, %d rejected, %d different (%d kinds of differences)\n",
		sum.compared, len(s.kinds), sum.compared-sum.rejected, sum.rejected, sum.different, len(s.ways))
}
