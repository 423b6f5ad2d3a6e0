package randomworld_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle/randomworld"
)

// TestMutate checks that a mutation does not change the original, is the same
// for the same seed, and makes many documents invalid.
func TestMutate(t *testing.T) {
	t.Parallel()
	for _, k := range kinds.All() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			changed, wrong := 0, 0
			const documents = 16
			for seed := range uint64(documents) {
				original, ok := randomworld.Document(seed, k, options)
				if !ok {
					continue
				}
				before := original.Clone()
				mutated := randomworld.Mutate(seed, k, original, 2, options)
				if diff := cmp.Diff(before, original); diff != "" {
					t.Fatalf("seed %d: the original is changed (-before +after):\n%s", seed, diff)
				}
				if diff := cmp.Diff(mutated, randomworld.Mutate(seed, k, original, 2, options)); diff != "" {
					t.Fatalf("seed %d: another mutation the second time (-first +second):\n%s", seed, diff)
				}
				if !cmp.Equal(before, mutated) {
					changed++
				}
				if len(def.Errors(k.Validate(mutated.Document()))) > 0 {
					wrong++
				}
			}
			if changed < documents/4 || wrong == 0 {
				t.Errorf("of %d documents, %d are changed and %d wrong", documents, changed, wrong)
			}
		})
	}
}

// TestMutationsReachLimits looks for values at the limits that checks of many
// kinds test.
func TestMutationsReachLimits(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, k := range kinds.All() {
		for seed := range uint64(40) {
			r, ok := randomworld.Document(seed, k, options)
			if !ok {
				continue
			}
			for _, p := range k.Validate(randomworld.Mutate(seed, k, r, 2, options).Document()) {
				found[p.Summary] = true
			}
		}
	}
	for _, summary := range []string{
		"Number out of range", "Duration out of range", "Missing required field", "Conflicting fields", "Too few elements", "Invalid tag value", "Missing entries",
	} {
		if !found[summary] {
			t.Errorf("no document has the problem %q", summary)
		}
	}
}
