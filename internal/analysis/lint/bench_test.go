package lint_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// BenchmarkMesh analyzes meshes with as many dataplanes as policies. Every type has
// policies for all proxies, for those of a team and for single proxies, so that few
// proxies have equal rules.
func BenchmarkMesh(b *testing.B) {
	for _, size := range []int{10, 100, 1_000} {
		b.Run(fmt.Sprintf("%dx%d", size, size), func(b *testing.B) {
			resources := meshOf(size)
			b.ReportAllocs()
			for b.Loop() {
				lint.Mesh(rules.NewSnapshot(resources), kuma.DefaultMesh)
			}
			b.ReportMetric(float64(len(lint.Mesh(rules.NewSnapshot(resources), kuma.DefaultMesh))), "findings")
		})
	}
}

// BenchmarkLarge analyzes realistic meshes, with policies of many owners and few
// proxies with equal rules.
func BenchmarkLarge(b *testing.B) {
	for _, size := range testworld.LargeSizes() {
		b.Run(size.String(), func(b *testing.B) {
			resources := testworld.Large(size)
			b.ReportAllocs()
			for b.Loop() {
				b.ReportMetric(float64(len(lint.Mesh(rules.NewSnapshot(resources), kuma.DefaultMesh))), "findings")
			}
		})
	}
}

// BenchmarkOneType is the worst case: all policies have one type. One half selects all
// proxies and one service each, the other half selects one proxy each.
func BenchmarkOneType(b *testing.B) {
	for _, size := range []int{100, 1_000} {
		b.Run(fmt.Sprintf("%dx%d", size, size), func(b *testing.B) {
			resources := meshOf(size)
			for i := range resources {
				if k, _ := kinds.Find(resources[i].Type); k.Policy == nil {
					continue
				}
				resources[i].Type = "MeshTimeout"
				fields := object{"to": []any{object{
					"targetRef": object{"kind": "MeshService", "name": fmt.Sprintf("service-%d", i%(size/2))},
					"default":   object{"connectionTimeout": fmt.Sprintf("%ds", i%60), "http": object{"requestTimeout": "5s"}},
				}}}
				if i%2 == 0 {
					fields["targetRef"] = object{"kind": "Dataplane", "name": fmt.Sprintf("dp-%d", i%size)}
				}
				resources[i].Body = object{"spec": fields}
			}
			b.ReportAllocs()
			for b.Loop() {
				lint.Mesh(rules.NewSnapshot(resources), kuma.DefaultMesh)
			}
		})
	}
}

func meshOf(size int) []kuma.Resource {
	resources := []kuma.Resource{{Type: kuma.KindMesh, Name: kuma.DefaultMesh, Body: object{}}}
	add := func(kind, name string, labels map[string]string, body object) {
		resources = append(resources, kuma.Resource{Type: kind, Mesh: kuma.DefaultMesh, Name: name, Labels: labels, Body: body})
	}
	services := max(1, size/2)
	for i := range services {
		add(kuma.KindMeshService, fmt.Sprintf("service-%d", i), nil, object{"spec": object{
			"selector": object{"dataplaneTags": object{kuma.TagService: fmt.Sprintf("service-%d", i)}},
			"ports":    []any{object{"port": json.Number("80"), "name": "http"}},
		}})
	}
	for i := range size {
		add(kuma.KindDataplane, fmt.Sprintf("dp-%d", i), map[string]string{"team": fmt.Sprintf("team-%d", i%20)}, object{"networking": object{
			"address": "10.0.0.1",
			"inbound": []any{object{"port": json.Number("8080"), "tags": object{kuma.TagService: fmt.Sprintf("service-%d", i%services)}}},
		}})
	}
	policies := kinds.Policies()
	for i := range size {
		k, nth := policies[i%len(policies)], i/len(policies)
		conf := object{"connectionTimeout": fmt.Sprintf("%ds", nth%60), "http": object{"requestTimeout": fmt.Sprintf("%ds", nth%30)}}
		fields := object{}
		switch nth % 4 {
		case 1:
			fields["targetRef"] = object{"kind": "Dataplane", "labels": object{"team": fmt.Sprintf("team-%d", nth%20)}}
		case 2:
			fields["targetRef"] = object{"kind": "Dataplane", "name": fmt.Sprintf("dp-%d", i)}
		case 3:
			fields["targetRef"] = object{"kind": "Dataplane", "labels": object{"team": "none"}}
		}
		switch service := fmt.Sprintf("service-%d", nth%services); {
		case k.Policy.Single:
			fields["default"] = conf
		case k.Policy.To:
			fields["to"] = []any{object{"targetRef": object{"kind": "MeshService", "name": service}, "default": conf}}
		default:
			fields["from"] = []any{object{"targetRef": object{"kind": "Mesh"}, "default": conf}}
		}
		add(k.Name, fmt.Sprintf("policy-%d", i), nil, object{"spec": fields})
	}
	return resources
}

type object = map[string]any

// BenchmarkKuma3 checks realistic meshes for Kuma 3.0.
func BenchmarkKuma3(b *testing.B) {
	for _, size := range testworld.LargeSizes() {
		b.Run(size.String(), func(b *testing.B) {
			resources := testworld.Large(size)
			b.ReportAllocs()
			for b.Loop() {
				b.ReportMetric(float64(len(lint.Kuma3(rules.NewSnapshot(resources), kuma.DefaultMesh))), "findings")
			}
		})
	}
}
