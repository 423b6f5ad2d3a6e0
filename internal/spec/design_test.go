package spec_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// TestValidateDesign: rules of design are found at any depth, and do not depend
// on whether the document is valid.
func TestValidateDesign(t *testing.T) {
	t.Parallel()
	odd := spec.Check{Test: func(n spec.Node) []spec.Problem {
		if i, ok := n.Int(); ok && i%2 == 1 {
			return []spec.Problem{n.Problem("Odd", "Even.")}
		}
		return nil
	}}
	number := spec.Field{Name: "n", Type: spec.Int, Design: spec.Checks(odd), Checks: spec.Checks(spec.Between(5, 5))}
	fields := spec.Object{
		number,
		{Name: "list", Type: spec.List{Elem: spec.Object{number}}, Design: spec.Checks(spec.Items(0, 1).Warn())},
		{Name: "map", Type: spec.Map{Elem: spec.Object{number}}},
	}
	one, two := object{"n": json.Number("1")}, object{"n": json.Number("2")}
	tests := map[string]struct {
		body object
		want []string
	}{
		"nothing":       {object{}, nil},
		"no problem":    {two, nil},
		"at the top":    {one, []string{"n"}},
		"in a list":     {object{"list": []any{one, two, one}}, []string{"list?", "list[0].n", "list[2].n"}},
		"in a map":      {object{"map": object{"a": two, "b": one}}, []string{"map.b.n"}},
		"wrong types":   {object{"n": "1", "list": object{"n": one}, "map": []any{one}}, nil},
		"unknown parts": {object{"n": spec.Unknown, "list": []any{spec.Unknown}, "map": spec.Unknown}, nil},
		"null":          {object{"n": nil, "list": []any{nil}, "map": object{"a": nil}}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			older := spec.Kind{Flat: true, Fields: fields}
			if diff := cmp.Diff(tt.want, marked(older.ValidateDesign(tt.body), 0)); diff != "" {
				t.Errorf("older kind (-want +got):\n%s", diff)
			}
			newer := spec.Kind{Fields: fields}
			if diff := cmp.Diff(tt.want, marked(newer.ValidateDesign(object{"spec": tt.body}), 1)); diff != "" {
				t.Errorf("newer kind (-want +got):\n%s", diff)
			}
		})
	}
}

// marked returns the paths of problems without their first steps, those of
// warnings with a question mark.
func marked(problems []spec.Problem, skip int) []string {
	var out []string
	for _, p := range problems {
		path := p.Path[skip:].String()
		if p.Warning {
			path += "?"
		}
		out = append(out, path)
	}
	return out
}

func TestUnused(t *testing.T) {
	t.Parallel()
	check := spec.Unused(
		spec.Variant{Type: "A", Member: "a"},
		spec.Variant{Type: "B", Member: "b"},
		spec.Variant{Type: "Old", Member: "b"},
		spec.Variant{Type: "C", Member: "c"},
	)
	tests := map[string]struct {
		value object
		want  []string
	}{
		"its own":            {object{"type": "A", "a": 1}, nil},
		"another's":          {object{"type": "A", "a": 1, "b": 1}, []string{"b?"}},
		"several":            {object{"type": "A", "c": object{}, "b": 1}, []string{"b?", "c?"}},
		"of two types":       {object{"type": "Old", "b": 1}, nil},
		"of two types too":   {object{"type": "B", "b": 1}, nil},
		"no such type":       {object{"type": "D", "a": 1}, []string{"a?"}},
		"unknown type":       {object{"type": spec.Unknown, "a": 1, "b": 1}, nil},
		"no type":            {object{"a": 1}, nil},
		"unknown settings":   {object{"type": "A", "b": spec.Unknown}, nil},
		"other members":      {object{"type": "A", "x": 1}, nil},
		"settings by chance": {object{"type": "A", "b": nil}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, marked(check.Test(spec.Root(tt.value)), 0)); diff != "" {
				t.Errorf("problems of %v (-want +got):\n%s", tt.value, diff)
			}
		})
	}
}

func TestDesignOfReferences(t *testing.T) {
	t.Parallel()
	k := spec.Kind{Fields: spec.Object{
		{Name: "ref", Type: spec.TargetRef([]string{mesh.KindMeshService}), Design: spec.Checks(spec.UncheckedMembers())},
	}}
	tests := map[string]struct {
		ref  object
		want []string
	}{
		"by name":             {object{"kind": "MeshService", "name": "a"}, nil},
		"checked elsewhere":   {object{"kind": "MeshService", "mesh": "a"}, nil},
		"namespace":           {object{"kind": "MeshService", "name": "a", "namespace": "b"}, []string{"ref.namespace?"}},
		"empty namespace":     {object{"kind": "MeshService", "name": "a", "namespace": ""}, nil},
		"several zones":       {object{"kind": "MeshMultiZoneService", "name": "a", "sectionName": "b"}, nil},
		"by labels":           {object{"kind": "MeshMultiZoneService", "labels": object{"a": "b"}}, nil},
		"means nothing":       {object{"kind": "MeshMultiZoneService"}, []string{"ref?"}},
		"perhaps by name":     {object{"kind": "MeshMultiZoneService", "name": spec.Unknown}, nil},
		"without effect":      {object{"kind": "MeshMultiZoneService", "name": "a", "tags": object{"a": "b"}, "proxyTypes": []any{"Gateway"}, "mesh": "b"}, []string{"ref.mesh?", "ref.proxyTypes?", "ref.tags?"}},
		"empty":               {object{"kind": "MeshMultiZoneService", "name": "a", "tags": object{}, "mesh": ""}, nil},
		"unknown kind":        {object{"kind": spec.Unknown}, nil},
		"no kind that exists": {object{"kind": "Service"}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, marked(k.ValidateDesign(object{"spec": object{"ref": tt.ref}}), 1)); diff != "" {
				t.Errorf("problems of %v (-want +got):\n%s", tt.ref, diff)
			}
		})
	}
	t.Run("namespace in Kubernetes", func(t *testing.T) {
		t.Parallel()
		doc := object{"labels": object{mesh.LabelK8sNamespace: "b"}, "spec": object{"ref": object{"kind": "MeshService", "name": "a", "namespace": "b"}}}
		if problems := k.ValidateDesign(doc); len(problems) > 0 {
			t.Errorf("problems %+v, want none", problems)
		}
	})
}
