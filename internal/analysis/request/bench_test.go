package request_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// BenchmarkSend prepares large meshes and sends one request.
func BenchmarkSend(b *testing.B) {
	for _, size := range testworld.LargeSizes() {
		b.Run(size.String(), func(b *testing.B) {
			resources := testworld.Large(size)
			for _, r := range resources {
				for _, port := range tree.Objects(r.Spec()["ports"]) {
					port["appProtocol"] = "http"
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				answer, err := request.New(rules.NewSnapshot(resources)).Send(request.Request{
					Mesh: kuma.DefaultMesh, Dataplane: "dp-0", Service: request.Service{Name: "service-1"}, Path: "/7",
				})
				if err != nil || answer.Verdict == request.Unknown {
					b.Fatal(answer.Reason, err)
				}
			}
		})
	}
}
