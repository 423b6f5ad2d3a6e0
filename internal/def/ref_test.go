package def_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// object is a decoded JSON object.
type object = map[string]any

// TestReferenceFields tests the table of validation.md §5.1: which fields a
// reference accepts in addition to the required ones.
func TestReferenceFields(t *testing.T) {
	t.Parallel()
	values := object{
		"name": "web", "namespace": "shop", "labels": object{"app": "web"}, "tags": object{"app": "web"},
		"sectionName": "http", "proxyTypes": []any{"Sidecar"}, "mesh": "other",
	}
	tests := map[string]struct {
		base  object
		takes []string
	}{
		kuma.KindMesh:                 {takes: []string{"proxyTypes"}},
		kuma.KindMeshSubset:           {takes: []string{"tags", "proxyTypes"}},
		kuma.KindMeshService:          {base: object{"name": "a"}, takes: []string{"name", "namespace", "sectionName"}},
		kuma.KindMeshExternalService:  {base: object{"name": "a"}, takes: []string{"name", "namespace"}},
		kuma.KindMeshHTTPRoute:        {base: object{"name": "a"}, takes: []string{"name", "namespace"}},
		kuma.KindMeshServiceSubset:    {base: object{"name": "a"}, takes: []string{"name", "tags"}},
		kuma.KindMeshGateway:          {base: object{"name": "a"}, takes: []string{"name", "tags"}},
		kuma.KindDataplane:            {takes: []string{"name", "namespace", "labels", "sectionName"}},
		kuma.KindMeshMultiZoneService: {takes: []string{"name", "namespace", "labels", "tags", "sectionName", "proxyTypes", "mesh"}},
	}
	for kind, tt := range tests {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			takes := map[string]bool{}
			for _, m := range tt.takes {
				takes[m] = true
			}
			for field, value := range values {
				ref := object{"kind": kind}
				maps.Copy(ref, tt.base)
				ref[field] = value
				if problems := check(def.ReferenceFields(), ref); (len(problems) == 0) != takes[field] {
					t.Errorf("%v: problems at %v, want accepted %t", ref, problems, takes[field])
				}
			}
		})
	}
}

func TestReference(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		ref  object
		want []string
	}{
		"by name":                      {object{"kind": "MeshService", "name": "a"}, nil},
		"by labels":                    {object{"kind": "MeshService", "labels": object{"a": "b"}}, nil},
		"by both":                      {object{"kind": "MeshService", "name": "a", "labels": object{"a": "b"}}, []string{"labels"}},
		"by labels and namespace":      {object{"kind": "MeshService", "namespace": "a", "labels": object{"a": "b"}}, []string{"labels"}},
		"by neither":                   {object{"kind": "MeshService"}, []string{""}},
		"by empty labels":              {object{"kind": "MeshService", "labels": object{}}, []string{""}},
		"by unknown name":              {object{"kind": "MeshService", "name": tree.Unknown}, nil},
		"unknown kind":                 {object{"kind": tree.Unknown, "name": "a", "tags": object{"a": "b"}}, nil},
		"uppercase":                    {object{"kind": "MeshService", "name": "Web"}, []string{"name"}},
		"uppercase of a Dataplane":     {object{"kind": "Dataplane", "name": "Web"}, nil},
		"all Dataplanes":               {object{"kind": "Dataplane"}, nil},
		"Dataplanes of both":           {object{"kind": "Dataplane", "name": "a", "labels": object{"a": "b"}}, []string{"labels"}},
		"subset without a name":        {object{"kind": "MeshServiceSubset", "tags": object{"a": "b"}}, []string{"name"}},
		"no type of proxies":           {object{"kind": "Mesh", "proxyTypes": []any{}}, []string{"proxyTypes"}},
		"no type of proxies elsewhere": {object{"kind": "Dataplane", "proxyTypes": []any{}}, nil},
		"empty text":                   {object{"kind": "Mesh", "name": "", "sectionName": ""}, nil},
		"bad tags":                     {object{"kind": "MeshSubset", "tags": object{"a b": "", "c": "*"}}, []string{`tags["a b"]`, `tags["a b"]`, `tags["c"]`}},
		"any listener":                 {object{"kind": "MeshGateway", "name": "a", "tags": object{"c": "*"}}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, check(def.ReferenceFields(), tt.ref)); diff != "" {
				t.Errorf("problems of %v (-want +got):\n%s", tt.ref, diff)
			}
		})
	}
}

func TestKindOfReference(t *testing.T) {
	t.Parallel()
	ref := def.Object{{Name: "ref", Type: def.TargetRef([]string{"Mesh", "MeshService"})}}
	tests := map[string]struct {
		kind  any
		want  bool
		stage def.Stage
	}{
		"taken":           {"Mesh", true, 0},
		"unknown":         {tree.Unknown, true, 0},
		"taken elsewhere": {"MeshGateway", false, def.Rule},
		"no kind":         {"MeshServise", false, def.Schema},
		"no release":      {"MeshTCPRoute", false, def.Schema},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problems := ref.Validate(object{"ref": object{"kind": tt.kind}}, false)
			if ok := len(problems) == 0; ok != tt.want || !ok && problems[0].Stage != tt.stage {
				t.Errorf("kind %v: %+v, want accepted %t, stage %d", tt.kind, problems, tt.want, tt.stage)
			}
		})
	}
}

// check returns the paths of the violations of a rule.
func check(c def.Check, value object) []string {
	var paths []string
	for _, p := range c.Test(tree.Root(value)) {
		paths = append(paths, p.Path.String())
	}
	return paths
}
