package rules

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// BenchmarkLeaves explains the rules of a dataplane in both ways: from the leaves of their
// confs, and by merging them again.
func BenchmarkLeaves(b *testing.B) {
	outline, err := NewSnapshot(testworld.Large(testworld.LargeSizes()[1])).Outline(kuma.DefaultMesh, "dp-0", "MeshTimeout")
	testworld.NoError(b, err)
	describe := (*layer).origin
	var inputs []mergeInput
	for _, r := range outline.ToResourceRules {
		if _, ok := r.plainLeaves(describe); ok {
			inputs = append(inputs, r.mergeInput)
		}
	}
	if len(inputs) == 0 {
		b.Fatal("no rule has plain confs")
	}
	run := func(name string, explain func(mergeInput)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, f := range inputs {
					explain(f)
				}
			}
		})
	}
	run("plain", func(f mergeInput) { f.plainLeaves(describe) })
	run("merged", func(f mergeInput) { f.tracedLeaves(describe) })
}
