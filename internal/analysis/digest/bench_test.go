package digest_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/digest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// BenchmarkGroups groups all dataplanes of large meshes.
func BenchmarkGroups(b *testing.B) {
	for _, size := range testworld.LargeSizes() {
		b.Run(size.String(), func(b *testing.B) {
			resources := testworld.Large(size)
			b.ReportAllocs()
			for b.Loop() {
				s := rules.NewSnapshot(resources)
				groups, err := digest.Groups(s, kuma.DefaultMesh, s.Dataplanes(kuma.DefaultMesh))
				testworld.NoError(b, err)
				b.ReportMetric(float64(len(groups)), "groups")
			}
		})
	}
}
