package rules_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// size is the size of a generated mesh. It has as many dataplanes as services,
// or perService times as many.
type size struct{ policies, services, perService int }

func (s size) String() string { return fmt.Sprintf("%dx%d", s.policies, s.services) }

var sizes = []size{{100, 50, 2}, {1_000, 500, 2}, {10_000, 2_000, 1}}

// BenchmarkSnapshot prepares a mesh for queries.
func BenchmarkSnapshot(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.String(), func(b *testing.B) {
			resources := meshOf(size)
			b.ReportAllocs()
			for b.Loop() {
				rules.NewSnapshot(resources)
			}
		})
	}
}

// BenchmarkType computes the rules of one policy type for one dataplane.
func BenchmarkType(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.String(), func(b *testing.B) {
			s := rules.NewSnapshot(meshOf(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Rules("default", "dp-7", "MeshTimeout"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTypeOfAll has all policies of one type, each for every dataplane.
func BenchmarkTypeOfAll(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.String(), func(b *testing.B) {
			s := rules.NewSnapshot(timeoutsOf(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Rules("default", "dp-7", "MeshTimeout"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkExplain computes the rules of one policy type, and which policy set
// each leaf of its rules by resource.
func BenchmarkExplain(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.String(), func(b *testing.B) {
			s := rules.NewSnapshot(meshOf(size))
			b.ReportAllocs()
			for b.Loop() {
				r, err := s.Rules("default", "dp-7", "MeshTimeout")
				testworld.NoError(b, err)
				for _, rule := range r.ToResourceRules {
					rule.Explain()
				}
			}
		})
	}
}

// BenchmarkDataplane computes the rules of all policy types for one dataplane.
func BenchmarkDataplane(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.String(), func(b *testing.B) {
			s := rules.NewSnapshot(meshOf(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Dataplane("default", "dp-7"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAllDataplanes computes the rules of all policy types for all
// dataplanes, on all cores.
func BenchmarkAllDataplanes(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.String(), func(b *testing.B) {
			s := rules.NewSnapshot(meshOf(size))
			names := s.Dataplanes("default")
			b.ReportAllocs()
			for b.Loop() {
				var wg sync.WaitGroup
				for worker := range runtime.GOMAXPROCS(0) {
					wg.Go(func() {
						for i := worker; i < len(names); i += runtime.GOMAXPROCS(0) {
							if _, err := s.Dataplane("default", names[i]); err != nil {
								b.Error(err)
							}
						}
					})
				}
				wg.Wait()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(names)), "ns/dataplane")
			b.ReportMetric(float64(len(names)), "dataplanes")
		})
	}
}

// BenchmarkOverlap has legacy entries that require one tag each, all with
// different keys, so that every set of them results in a rule.
func BenchmarkOverlap(b *testing.B) {
	for _, tags := range []int{10, 14, 18} {
		b.Run(fmt.Sprintf("%d", tags), func(b *testing.B) {
			var from []any
			for i := range tags {
				from = append(from, object{
					"targetRef": object{"kind": "MeshSubset", "tags": object{fmt.Sprintf("tag-%d", i): "x"}},
					"default":   object{"action": "Allow"},
				})
			}
			s := rules.NewSnapshot([]kuma.Resource{
				{Type: "Mesh", Name: "default"},
				dataplaneOf(0, 1),
				policyOf("MeshTrafficPermission", "p", object{"from": from}),
			})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Dataplane("default", "dp-0"); err != nil {
					b.Log(err)
				}
			}
		})
	}
}

type object = map[string]any

// meshOf generates a mesh with policies of all types in turn. Half of them
// select all proxies and target one service, as the owner of a service would
// write them. The others select the proxies of one of 20 teams, or one proxy,
// and target one service or all services.
func meshOf(s size) []kuma.Resource {
	resources := servicesOf(s)
	types := kinds.Policies()
	for i := range s.policies {
		k, nth := types[i%len(types)], i/len(types)
		fields := sectionsOf(k, nth, s)
		team := fmt.Sprintf("team-%d", nth%20)
		switch nth % 6 {
		case 1:
			fields["targetRef"] = object{"kind": "Dataplane", "labels": object{"team": team}}
		case 3:
			fields["targetRef"] = object{"kind": "MeshSubset", "tags": object{"team": team}}
		case 5:
			fields["targetRef"] = object{"kind": "Dataplane", "name": fmt.Sprintf("dp-%d", i%s.services)}
		}
		resources = append(resources, policyOf(k.Name, fmt.Sprintf("policy-%d", i), fields))
	}
	return resources
}

// timeoutsOf generates a mesh with policies of one type, each for one service.
func timeoutsOf(s size) []kuma.Resource {
	resources := servicesOf(s)
	for i := range s.policies {
		resources = append(resources, policyOf("MeshTimeout", fmt.Sprintf("policy-%d", i), object{"to": []any{toService(i % s.services)}}))
	}
	return resources
}

func servicesOf(s size) []kuma.Resource {
	resources := []kuma.Resource{{Type: "Mesh", Name: "default"}}
	for i := range s.services {
		resources = append(resources, kuma.Resource{
			Type: "MeshService", Mesh: "default", Name: fmt.Sprintf("service-%d", i), Labels: labelsOf(i),
			Body: object{"spec": object{"ports": []any{object{"port": json.Number("80"), "name": "http"}}}},
		})
	}
	for i := range s.services * s.perService {
		resources = append(resources, dataplaneOf(i, s.services))
	}
	return resources
}

func labelsOf(i int) map[string]string {
	return map[string]string{
		kuma.LabelMesh: "default", kuma.LabelOrigin: "zone", kuma.LabelZone: "zone-1", kuma.LabelEnv: "universal",
		"team": fmt.Sprintf("team-%d", i%20),
	}
}

func dataplaneOf(i, services int) kuma.Resource {
	return kuma.Resource{
		Type: "Dataplane", Mesh: "default", Name: fmt.Sprintf("dp-%d", i), Labels: labelsOf(i),
		Body: object{"networking": object{"address": "10.0.0.1", "inbound": []any{object{
			"port": json.Number("8080"),
			"tags": object{kuma.TagService: fmt.Sprintf("service-%d", i%services), "team": fmt.Sprintf("team-%d", i%20)},
		}}}},
	}
}

func policyOf(kind, name string, fields object) kuma.Resource {
	return kuma.Resource{Type: kind, Mesh: "default", Name: name, Labels: labelsOf(0), Body: object{"spec": fields}}
}

// sectionsOf fills one of the lists that a kind has.
func sectionsOf(k def.Kind, i int, s size) object {
	conf := confOf(i)
	fields := object{}
	switch {
	case k.Policy.Single:
		fields["default"] = conf
	case k.Policy.To && i%6 == 3:
		fields["to"] = []any{object{"targetRef": object{"kind": "Mesh"}, "default": conf}}
	case k.Policy.To:
		entry := toService(i % s.services)
		if k.Name == kuma.KindMeshHTTPRoute {
			entry["rules"] = []any{object{
				"matches": []any{object{"path": object{"type": "PathPrefix", "value": fmt.Sprintf("/%d", i)}}},
				"default": object{"backendRefs": []any{object{"kind": "MeshService", "name": "service-1", "weight": json.Number("1")}}},
			}}
		}
		fields["to"] = []any{entry}
	case k.Policy.Rules && i%2 == 0:
		fields["rules"] = []any{object{"default": conf}}
	default:
		fields["from"] = []any{object{
			"targetRef": object{"kind": "MeshSubset", "tags": object{kuma.TagService: fmt.Sprintf("service-%d", i%s.services)}},
			"default":   conf,
		}}
	}
	return fields
}

func toService(i int) object {
	ref := object{"kind": "MeshService", "name": fmt.Sprintf("service-%d", i)}
	if i%4 == 0 {
		ref["sectionName"] = "http"
	}
	return object{"targetRef": ref, "default": confOf(i)}
}

func confOf(i int) object {
	return object{
		"connectionTimeout": fmt.Sprintf("%ds", i%60),
		"http":              object{"requestTimeout": fmt.Sprintf("%ds", i%30), "streamIdleTimeout": "30m0s"},
	}
}
