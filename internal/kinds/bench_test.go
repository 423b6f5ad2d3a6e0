package kinds_test

import (
	"fmt"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// longTimeout is a MeshTimeout with as many entries.
func longTimeout(entries int) kuma.Resource {
	to := make([]any, entries)
	for i := range to {
		to[i] = map[string]any{
			"targetRef": map[string]any{"kind": "MeshService", "name": fmt.Sprintf("orders-%d", i)},
			"default":   map[string]any{"idleTimeout": "60s", "http": map[string]any{"requestTimeout": "5s"}},
		}
	}
	return kuma.Resource{Type: "MeshTimeout", Mesh: "shop", Name: "orders", Body: map[string]any{"spec": map[string]any{
		"targetRef": map[string]any{"kind": "Mesh"}, "to": to,
	}}}
}

func BenchmarkValidate(b *testing.B) {
	for _, entries := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(entries), func(b *testing.B) {
			doc := longTimeout(entries).Document()
			b.ReportAllocs()
			for b.Loop() {
				if problems := kinds.MeshTimeout.Validate(doc); len(problems) > 0 {
					b.Fatal(problems)
				}
			}
		})
	}
}

// TestValidateTakesLinearMemory checks that the memory for a list grows with
// its length, and not with the square of it.
func TestValidateTakesLinearMemory(t *testing.T) {
	allocations := func(entries int) float64 {
		doc := longTimeout(entries).Document()
		return testing.AllocsPerRun(3, func() { kinds.MeshTimeout.Validate(doc) })
	}
	if short, long := allocations(20), allocations(200); long > 11*short {
		t.Errorf("validating 20 entries takes %.0f allocations, and 200 take %.0f", short, long)
	}
}

func BenchmarkStore(b *testing.B) {
	r := longTimeout(10)
	b.ReportAllocs()
	for b.Loop() {
		kinds.MeshTimeout.Store(r, def.StoreContext{ControlPlane: zone})
	}
}

func BenchmarkVisits(b *testing.B) {
	r := longTimeout(10)
	k := kinds.MeshTimeout
	for name, visit := range map[string]func(doc map[string]any){
		"Design":         func(doc map[string]any) { k.ValidateDesign(doc, kuma.Newest2()) },
		"Release":        func(doc map[string]any) { k.ValidateRelease(doc, kuma.Release{Major: 2, Minor: 14}) },
		"ControlPlane":   func(doc map[string]any) { k.ValidateControlPlane(doc, zone) },
		"Unknown":        func(map[string]any) { k.UnknownFields(r) },
		"Secrets":        func(doc map[string]any) { k.Secrets(doc) },
		"OmittedSecrets": func(doc map[string]any) { k.OmittedSecrets(doc, doc) },
		"ServerOwned":    func(map[string]any) { k.WithoutServerOwned(r) },
		"Keep":           func(map[string]any) { c := r.Clone(); k.KeepServerOwned(&c, r); k.KeepUnknown(&c, r, true) },
	} {
		b.Run(name, func(b *testing.B) {
			doc := r.Document()
			b.ReportAllocs()
			for b.Loop() {
				visit(doc)
			}
		})
	}
}
