package command

import (
	"slices"
	"testing"
)

// TestUnited writes what several Dataplanes have in common once.
func TestUnited(t *testing.T) {
	t.Parallel()
	got := united([]string{`A has no effect on Dataplane "a", because.`, "B.", `A has no effect on Dataplane "b", because.`, `C on Dataplane "b".`})
	if want := []string{`A has no effect on Dataplanes "a" and "b", because.`, "B.", `C on Dataplane "b".`}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
