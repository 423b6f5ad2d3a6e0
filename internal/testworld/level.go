package testworld

import (
	"os"
	"testing"
)

// Nightly reports whether tests run all combinations and cases: NIGHTLY is 1 in the
// environment, as `make nightly` sets it.
func Nightly() bool { return os.Getenv("NIGHTLY") == "1" }

// Runs reports whether a test that repeats a check in many cases runs the nth one: one in
// seven, one in 49 with the flag -short, which `make quick` sets, and every one in a [Nightly]
// run. Seven has no factor in common with what tests vary by the number of a case.
func Runs(n int) bool {
	switch {
	case Nightly():
		return true
	case testing.Short():
		return n%49 == 0
	default:
		return n%7 == 0
	}
}
