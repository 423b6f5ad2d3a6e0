package main

import "testing"

func TestCount(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]struct {
		compared  string
		different int
	}{
		"PASS internal/kuma\n\nDONE 412 tests in 3.2s\n":             {"412 tests", 0},
		"DONE 412 tests, 20 skipped in 301.4s\nslowest packages:\n":  {"412 tests, 20 skipped", 0},
		"=== Failed\nDONE 412 tests, 20 skipped, 2 failures in 9s\n": {"412 tests, 20 skipped", 2},
		"DONE 412 tests, 1 failure in 9s\n":                          {"412 tests", 1},
	} {
		if got, err := count(output); err != nil || got.Compared != want.compared || got.Different != want.different {
			t.Errorf("%q: got %+v, %v", output, got, err)
		}
	}
	if _, err := count("killed\n"); err == nil {
		t.Error("output without a summary is accepted")
	}
}
