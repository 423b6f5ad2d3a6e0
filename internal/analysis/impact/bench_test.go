package impact_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

type object = map[string]any

// largeMesh returns a mesh with 1,000 dataplanes and 1,000 policies of one type,
// each for one of 500 services and most of them for all dataplanes. This is the most
// expensive case, because every dataplane has a rule for every service. The policies
// of each team make the rules of its dataplanes differ from those of other teams.
func largeMesh() []kuma.Resource {
	const services, dataplanes, policies, teams = 500, 1_000, 1_000, 20
	resources := []kuma.Resource{{Type: kuma.KindMesh, Name: "large"}}
	add := func(kind, name string, labels map[string]string, body object) {
		resources = append(resources, kuma.Resource{Type: kind, Mesh: "large", Name: name, Labels: labels, Body: body})
	}
	for i := range services {
		add(kuma.KindMeshService, fmt.Sprintf("service-%d", i), nil, object{"spec": object{"ports": []any{object{"port": json.Number("80")}}}})
	}
	for i := range dataplanes {
		add(kuma.KindDataplane, fmt.Sprintf("dp-%d", i), map[string]string{"team": fmt.Sprintf("team-%d", i%teams)}, object{"networking": object{
			"address": "10.0.0.1",
			"inbound": []any{object{"port": json.Number("8080"), "tags": object{kuma.TagService: fmt.Sprintf("service-%d", i%services)}}},
		}})
	}
	for i := range policies {
		spec := object{"to": []any{object{
			"targetRef": object{"kind": kuma.KindMeshService, "name": fmt.Sprintf("service-%d", i%services)},
			"default":   object{"http": object{"requestTimeout": fmt.Sprintf("%ds", 1+i%30)}},
		}}}
		if i%10 == 9 {
			spec["targetRef"] = object{"kind": kuma.KindDataplane, "labels": object{"team": fmt.Sprintf("team-%d", i/10%teams)}}
		}
		add("MeshTimeout", fmt.Sprintf("policy-%d", i), nil, object{"spec": spec})
	}
	add("MeshTimeout", "everybody", nil, object{"spec": toMesh("15s")})
	return resources
}

func toMesh(timeout string) object {
	return object{"to": []any{object{
		"targetRef": object{"kind": kuma.KindMesh},
		"default":   object{"connectionTimeout": timeout, "http": object{"requestTimeout": timeout}},
	}}}
}

// scenarios are changes of a large mesh, from the cheapest to the most expensive.
var scenarios = []struct {
	name  string
	apply func([]kuma.Resource)
}{
	{"one dataplane", func(r []kuma.Resource) {
		edit(r, kuma.KindDataplane, "dp-7").Labels = map[string]string{"team": "team-9"}
	}},
	{"one policy", func(r []kuma.Resource) { edit(r, "MeshTimeout", "policy-9").Body = object{"spec": toMesh("1s")} }},
	{"default of the mesh", func(r []kuma.Resource) { edit(r, "MeshTimeout", "everybody").Body = object{"spec": toMesh("1s")} }},
	{"mesh", func(r []kuma.Resource) {
		edit(r, kuma.KindMesh, "large").Body = object{"meshServices": object{"mode": "Exclusive"}}
	}},
	{"all policies, same settings", func(r []kuma.Resource) {
		for i := range r {
			if r[i].Type == "MeshTimeout" {
				r[i] = r[i].Clone()
				r[i].Body["comment"] = "rewritten"
			}
		}
	}},
}

func edit(resources []kuma.Resource, kind, name string) *kuma.Resource {
	for i := range resources {
		if resources[i].Type == kind && resources[i].Name == name {
			return &resources[i]
		}
	}
	panic("no " + name)
}

// BenchmarkNewPolicy adds a timeout for all destinations to large meshes. It cannot
// change most of the rules.
func BenchmarkNewPolicy(b *testing.B) {
	for _, size := range testworld.LargeSizes() {
		b.Run(size.String(), func(b *testing.B) {
			before := testworld.Large(size)
			after := append(slices.Clip(before), kuma.Resource{
				Type: "MeshTimeout", Mesh: kuma.DefaultMesh, Name: "new", Labels: before[len(before)-1].Labels, Body: object{"spec": toMesh("1s")},
			})
			b.ReportAllocs()
			for b.Loop() {
				i := compare(b, rules.NewSnapshot(before), rules.NewSnapshot(after), kuma.DefaultMesh)
				b.ReportMetric(float64(i.Values()), "values")
			}
		})
	}
}

// BenchmarkCompare compares a large mesh before and after a change.
func BenchmarkCompare(b *testing.B) {
	for _, s := range scenarios {
		b.Run(s.name, func(b *testing.B) {
			before, after := largeMesh(), largeMesh()
			s.apply(after)
			b.ReportAllocs()
			for b.Loop() {
				i := compare(b, rules.NewSnapshot(before), rules.NewSnapshot(after), "large")
				b.ReportMetric(float64(i.Values()), "values")
			}
		})
	}
}
