package testworld

import "testing"

// Runs reports whether a test runs its nth case: every one, or with the flag -short,
// which `make unit` sets, one in seven. Seven has no factor in common with what tests
// vary by the number of a case.
func Runs(n int) bool { return !testing.Short() || n%7 == 0 }
