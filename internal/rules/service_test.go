package rules_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestSelects(t *testing.T) {
	t.Parallel()
	dataplane := kuma.Resource{Type: "Dataplane", Name: "web-1", Labels: map[string]string{"app": "web", "zone": "east"}, Body: object{"networking": object{"inbound": []any{
		object{"port": json.Number("8080"), "tags": object{kuma.TagService: "web", "version": "v1"}},
		object{"port": json.Number("8081"), "tags": object{kuma.TagService: "web-admin", "version": "v2"}},
	}}}}
	for name, tt := range map[string]struct {
		selector any
		want     bool
	}{
		"tags":               {object{"dataplaneTags": object{kuma.TagService: "web"}}, true},
		"all of the tags":    {object{"dataplaneTags": object{kuma.TagService: "web", "version": "v1"}}, true},
		"of two inbounds":    {object{"dataplaneTags": object{kuma.TagService: "web", "version": "v2"}}, false},
		"one tag differs":    {object{"dataplaneTags": object{kuma.TagService: "web", "version": "v3"}}, false},
		"name":               {object{"dataplaneRef": object{"name": "web-1"}}, true},
		"another name":       {object{"dataplaneRef": object{"name": "web-2"}}, false},
		"labels":             {object{"dataplaneLabels": object{"matchLabels": object{"app": "web"}}}, true},
		"another label":      {object{"dataplaneLabels": object{"matchLabels": object{"app": "cart"}}}, false},
		"labels left out":    {object{"dataplaneLabels": object{}}, true}, // measured on 2.14.3 and the preview of 3.0
		"no labels":          {object{"dataplaneLabels": object{"matchLabels": object{}}}, true},
		"nothing":            {object{}, false},
		"no selector":        {nil, false},
		"of the wrong types": {object{"dataplaneTags": "web", "dataplaneRef": []any{}, "dataplaneLabels": true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := kuma.Resource{Type: "MeshService", Name: "web", Body: object{"spec": object{"selector": tt.selector}}}
			if got := rules.Selects(service, dataplane); got != tt.want {
				t.Errorf("Selects(%v) = %t", tt.selector, got)
			}
		})
	}
}

// TestEndpoints checks which inbounds get the requests of a service by tags, as measured in all modes
// of a mesh on 2.14.3.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	service := kuma.Resource{Type: "MeshService", Name: "db", Body: object{"spec": object{"selector": object{"dataplaneTags": object{kuma.TagService: "db"}}}}}
	for name, tt := range map[string]struct {
		state, tag string
		target     any
		want       int
	}{
		"the inbound with the tag":      {"", "db", json.Number("8080"), 1},
		"another inbound":               {"", "db", json.Number("8081"), 1},
		"another inbound by name":       {"", "db", "aux", 1},
		"another service":               {"", "web", json.Number("8081"), 0},
		"tag of an inbound, not ready":  {"NotReady", "db", json.Number("8081"), 0},
		"tag of an inbound, is ignored": {"Ignored", "db", json.Number("8081"), 0},
	} {
		inbounds := []any{
			object{"port": json.Number("8080"), "state": tt.state, "tags": object{kuma.TagService: tt.tag}},
			object{"port": json.Number("8081"), "name": "aux", "tags": object{kuma.TagService: "db-admin"}},
		}
		dataplane := kuma.Resource{Type: "Dataplane", Name: "db-1", Body: object{"networking": object{"inbound": inbounds}}}
		if got := rules.Endpoints(service, dataplane, tree.Root(object{"targetPort": tt.target})); len(got) != tt.want {
			t.Errorf("%s: %d endpoints, want %d", name, len(got), tt.want)
		}
	}
}

func TestReceives(t *testing.T) {
	t.Parallel()
	inbound := object{"port": json.Number("8080"), "name": "main"}
	for name, tt := range map[string]struct {
		port any
		want bool
	}{
		"number":              {object{"port": json.Number("80"), "targetPort": json.Number("8080")}, true},
		"another number":      {object{"port": json.Number("80"), "targetPort": json.Number("8081")}, false},
		"name":                {object{"port": json.Number("80"), "targetPort": "main"}, true},
		"another name":        {object{"port": json.Number("80"), "targetPort": "admin"}, false},
		"number as a name":    {object{"port": json.Number("80"), "targetPort": "8080"}, false},
		"no target":           {object{"port": json.Number("8080")}, false},
		"zero as in Kuma 2.9": {object{"port": json.Number("8080"), "targetPort": json.Number("0")}, false},
	} {
		if got := rules.Receives(tree.Root(inbound), tree.Root(tt.port)); got != tt.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

func TestBehind(t *testing.T) {
	t.Parallel()
	s := rules.NewSnapshot(testworld.Resources(t, `
type: Mesh
name: default
---
{type: MeshService, mesh: default, name: a, labels: {app: shop}, spec: {}}
---
{type: MeshService, mesh: default, name: b, labels: {app: shop}, spec: {}}
---
{type: MeshService, mesh: default, name: c, labels: {app: other}, spec: {}}
---
{type: MeshMultiZoneService, mesh: default, name: shop, spec: {selector: {meshService: {matchLabels: {app: shop}}}}}
---
{type: MeshMultiZoneService, mesh: default, name: none, spec: {selector: {meshService: {matchLabels: {}}}}}
`))
	for name, want := range map[string][]string{"shop": {"a", "b"}, "none": nil, "missing": nil} {
		var got []string
		for _, id := range s.Behind(kuma.ID{Type: kuma.KindMeshMultiZoneService, Mesh: "default", Name: name}) {
			got = append(got, id.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Behind(%s) (-want +got):\n%s", name, diff)
		}
	}
	a := kuma.ID{Type: kuma.KindMeshService, Mesh: "default", Name: "a"}
	testworld.Equal(t, "Behind(a)", []kuma.ID{a}, s.Behind(a))
}

func TestSameZone(t *testing.T) {
	t.Parallel()
	in := func(zone string) kuma.Resource {
		return kuma.Resource{Labels: map[string]string{kuma.LabelZone: zone}}
	}
	for name, tt := range map[string]struct {
		a, b kuma.Resource
		want bool
	}{
		"equal":    {in("east"), in("east"), true},
		"another":  {in("east"), in("west"), false},
		"one none": {in("east"), kuma.Resource{}, true},
		"none":     {kuma.Resource{}, kuma.Resource{}, true},
	} {
		if rules.SameZone(tt.a, tt.b) != tt.want || rules.SameZone(tt.b, tt.a) != tt.want {
			t.Errorf("%s: want %t both ways", name, tt.want)
		}
	}
}

func TestSections(t *testing.T) {
	t.Parallel()
	resources := testworld.Resources(t, `
type: MeshService
name: a
spec:
  ports:
    - {port: 80, name: http}
    - {port: 81}
    - {port: 82, name: ""}
---
type: MeshMultiZoneService
name: a
spec:
  ports: [{port: 80, name: ""}]
---
type: MeshExternalService
name: a
spec: {match: {port: 443}}
---
type: MeshTimeout
name: a
spec: {}
`)
	want := [][]string{{"http", "81", ""}, {"80"}, {"443"}, nil}
	for i, r := range resources {
		if diff := cmp.Diff(want[i], rules.Sections(r)); diff != "" {
			t.Errorf("Sections(%s) (-want +got):\n%s", r.Type, diff)
		}
	}
}
