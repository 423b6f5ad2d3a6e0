package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestServes(t *testing.T) {
	t.Parallel()
	dataplane := kuma.Resource{Type: "Dataplane", Name: "web-1", Labels: map[string]string{"app": "web", "zone": "east"}}
	tags := map[string]string{kuma.TagService: "web", "version": "v1"}
	for name, tt := range map[string]struct {
		selector any
		want     bool
	}{
		"tags":               {object{"dataplaneTags": object{kuma.TagService: "web"}}, true},
		"all of the tags":    {object{"dataplaneTags": object{kuma.TagService: "web", "version": "v1"}}, true},
		"one tag differs":    {object{"dataplaneTags": object{kuma.TagService: "web", "version": "v2"}}, false},
		"name":               {object{"dataplaneRef": object{"name": "web-1"}}, true},
		"another name":       {object{"dataplaneRef": object{"name": "web-2"}}, false},
		"labels":             {object{"dataplaneLabels": object{"matchLabels": object{"app": "web"}}}, true},
		"another label":      {object{"dataplaneLabels": object{"matchLabels": object{"app": "cart"}}}, false},
		"labels left out":    {object{"dataplaneLabels": object{}}, false},
		"nothing":            {object{}, false},
		"no selector":        {nil, false},
		"of the wrong types": {object{"dataplaneTags": "web", "dataplaneRef": []any{}, "dataplaneLabels": true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := kuma.Resource{Type: "MeshService", Name: "web", Body: object{"spec": object{"selector": tt.selector}}}
			if got := rules.Serves(service, dataplane, tags); got != tt.want {
				t.Errorf("Serves(%v) = %t", tt.selector, got)
			}
		})
	}
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
