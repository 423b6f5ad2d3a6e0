package access_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

type object = map[string]any

// largeMesh returns a mesh in which each permission allows one client to call one service.
func largeMesh(s testworld.Size) []kuma.Resource {
	mesh := object{"meshServices": object{"mode": "Exclusive"}, "mtls": object{"enabledBackend": "ca", "backends": []any{object{"name": "ca", "type": "builtin"}}}}
	resources := []kuma.Resource{{Type: kuma.KindMesh, Name: "shop", Body: mesh}}
	add := func(kind, name string, labels map[string]string, body object) {
		resources = append(resources, kuma.Resource{Type: kind, Mesh: "shop", Name: name, Labels: labels, Body: body})
	}
	service := func(i int) string { return fmt.Sprintf("service-%d", i%s.Services) }
	for i := range s.Services {
		add(kuma.KindMeshService, service(i), nil, object{"spec": object{
			"selector": object{"dataplaneTags": object{kuma.TagService: service(i)}}, "ports": []any{object{"port": json.Number("80"), "targetPort": json.Number("8080")}},
		}})
	}
	for i := range s.Dataplanes {
		add(kuma.KindDataplane, fmt.Sprintf("dp-%d", i), map[string]string{"app": service(i)}, object{"networking": object{
			"address": "10.0.0.1", "inbound": []any{object{"port": json.Number("8080"), "tags": object{kuma.TagService: service(i)}}},
		}})
	}
	for i := range s.Policies {
		add("MeshTrafficPermission", fmt.Sprintf("permission-%d", i), nil, object{"spec": object{
			"targetRef": object{"kind": kuma.KindDataplane, "labels": object{"app": service(i)}},
			"rules":     []any{object{"default": object{"allow": []any{object{"spiffeID": object{"type": "Prefix", "value": "spiffe://shop/" + service(7*i)}}}}}},
		}})
	}
	return resources
}

// BenchmarkMatrix determines which clients may call which services in large meshes.
func BenchmarkMatrix(b *testing.B) {
	for _, size := range []testworld.Size{{Policies: 10_000, Services: 2_000, Dataplanes: 200}, {Policies: 1_000, Services: 2_000, Dataplanes: 10_000}} {
		b.Run(size.String(), func(b *testing.B) {
			resources := largeMesh(size)
			b.ReportAllocs()
			for b.Loop() {
				m, err := proxy.New(rules.NewSnapshot(resources), "shop")
				testworld.NoError(b, err)
				matrix, err := access.Of(m, access.Filter{})
				testworld.NoError(b, err)
				b.ReportMetric(float64(len(matrix.Rows)), "rows")
			}
		})
	}
}
