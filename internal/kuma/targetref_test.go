package kuma_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

func TestHasAll(t *testing.T) {
	t.Parallel()
	have := map[string]string{"a": "1", "b": ""}
	for name, tt := range map[string]struct {
		want   map[string]string
		result bool
	}{
		"nothing":           {nil, true},
		"one":               {map[string]string{"a": "1"}, true},
		"empty and present": {map[string]string{"a": "1", "b": ""}, true},
		"empty and absent":  {map[string]string{"c": ""}, false},
		"another value":     {map[string]string{"a": "*"}, false},
	} {
		if got := kuma.HasAll(have, tt.want); got != tt.result {
			t.Errorf("%s: HasAll(%v) = %t", name, tt.want, got)
		}
	}
	if kuma.HasAll(nil, map[string]string{"a": ""}) {
		t.Error("nothing has a label")
	}
}

func TestToRefs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spec any
		want []kuma.TargetRef
	}{
		"in order": {
			map[string]any{"to": []any{
				map[string]any{"targetRef": map[string]any{"kind": "Mesh"}},
				map[string]any{"targetRef": map[string]any{"kind": "MeshService", "name": "web"}},
			}},
			[]kuma.TargetRef{{Kind: "Mesh"}, {Kind: "MeshService", Name: "web"}},
		},
		"fields of a wrong type": {map[string]any{"to": []any{"web", map[string]any{"targetRef": "web"}, nil}}, make([]kuma.TargetRef, 3)},
		"no list":                {map[string]any{"to": "web"}, []kuma.TargetRef{}},
		"no spec":                {nil, []kuma.TargetRef{}},
	} {
		r := kuma.Resource{Type: "MeshTimeout", Mesh: "default", Name: "t", Body: map[string]any{"spec": tt.spec}}
		if diff := cmp.Diff(tt.want, r.ToRefs()); diff != "" {
			t.Errorf("%s: ToRefs() (-want +got):\n%s", name, diff)
		}
	}
}

func TestTargetRefString(t *testing.T) {
	t.Parallel()
	for want, ref := range map[string]kuma.TargetRef{
		"Mesh":                                   {},
		`MeshService "web"`:                      {Kind: "MeshService", Name: "web"},
		`MeshService "web" with section http`:    {Kind: "MeshService", Name: "web", SectionName: "http"},
		"MeshSubset with tags a=1, b=2":          {Kind: "MeshSubset", Tags: map[string]string{"b": "2", "a": "1"}},
		"Mesh with proxy types Sidecar, Gateway": {Kind: "Mesh", ProxyTypes: []string{"Sidecar", "Gateway"}},
		"Dataplane with namespace ns and labels app=web and section http": {
			Kind: "Dataplane", Namespace: "ns", Labels: map[string]string{"app": "web"}, SectionName: "http",
		},
	} {
		if got := ref.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}
