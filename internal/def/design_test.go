package def_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestValidateDesign checks that design rules apply at any depth, whether or
// not the document is valid.
func TestValidateDesign(t *testing.T) {
	t.Parallel()
	odd := def.Check{Test: func(n tree.Node) []def.Problem {
		if i, ok := n.Int(); ok && i%2 == 1 {
			return []def.Problem{def.ErrorAt(n, "Odd", "Even.")}
		}
		return nil
	}}
	number := def.Field{Name: "n", Type: def.Int, Design: def.Checks(odd), Checks: def.Checks(def.Between(5, 5))}
	fields := def.Object{
		number,
		{Name: "list", Type: def.List{Elem: def.Object{number}}, Design: def.Checks(def.Items(0, 1).Warn())},
		{Name: "map", Type: def.StringMap{}, Design: def.Checks(def.Items(0, 1).Warn())},
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
		"a map":         {object{"map": object{"a": "1", "b": "2"}}, []string{"map?"}},
		"wrong types":   {object{"n": "1", "list": object{"n": one}, "map": []any{"1"}}, nil},
		"unknown parts": {object{"n": tree.Unknown, "list": []any{tree.Unknown}, "map": tree.Unknown}, nil},
		"null":          {object{"n": nil, "list": []any{nil}, "map": object{"a": nil}}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			older := def.Kind{Flat: true, Fields: fields}
			testworld.Equal(t, "older kind", tt.want, marked(older.ValidateDesign(tt.body, kuma.Newest2()), 0))
			newer := def.Kind{Fields: fields}
			testworld.Equal(t, "newer kind", tt.want, marked(newer.ValidateDesign(object{"spec": tt.body}, kuma.Newest2()), 1))
		})
	}
}

// marked returns the paths of problems without their first steps, those of
// warnings with a question mark.
func marked(problems []def.Problem, skip int) []string {
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
	check := def.Unused(
		def.Variant{Type: "A", Field: "a"},
		def.Variant{Type: "B", Field: "b"},
		def.Variant{Type: "Old", Field: "b"},
		def.Variant{Type: "C", Field: "c"},
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
		"unknown type":       {object{"type": tree.Unknown, "a": 1, "b": 1}, nil},
		"no type":            {object{"a": 1}, nil},
		"unknown settings":   {object{"type": "A", "b": tree.Unknown}, nil},
		"other fields":       {object{"type": "A", "x": 1}, nil},
		"settings by chance": {object{"type": "A", "b": nil}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, marked(check.Test(tree.Root(tt.value)), 0)); diff != "" {
				t.Errorf("problems of %v (-want +got):\n%s", tt.value, diff)
			}
		})
	}
}

func TestDesignOfReferences(t *testing.T) {
	t.Parallel()
	k := def.Kind{Fields: def.Object{
		{Name: "ref", Type: def.TargetRef([]string{kuma.KindMeshService}), Design: def.Checks(def.UncheckedFields())},
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
		"perhaps by name":     {object{"kind": "MeshMultiZoneService", "name": tree.Unknown}, nil},
		"without effect":      {object{"kind": "MeshMultiZoneService", "name": "a", "tags": object{"a": "b"}, "proxyTypes": []any{"Gateway"}, "mesh": "b"}, []string{"ref.mesh?", "ref.proxyTypes?", "ref.tags?"}},
		"empty":               {object{"kind": "MeshMultiZoneService", "name": "a", "tags": object{}, "mesh": ""}, nil},
		"unknown kind":        {object{"kind": tree.Unknown}, nil},
		"no kind that exists": {object{"kind": "Service"}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, marked(k.ValidateDesign(object{"spec": object{"ref": tt.ref}}, kuma.Newest2()), 1)); diff != "" {
				t.Errorf("problems of %v (-want +got):\n%s", tt.ref, diff)
			}
		})
	}
	t.Run("namespace in Kubernetes", func(t *testing.T) {
		t.Parallel()
		doc := object{"labels": object{kuma.LabelK8sNamespace: "b"}, "spec": object{"ref": object{"kind": "MeshService", "name": "a", "namespace": "b"}}}
		if problems := k.ValidateDesign(doc, kuma.Newest2()); len(problems) > 0 {
			t.Errorf("problems %+v, want none", problems)
		}
	})
}

func TestDeprecations(t *testing.T) {
	t.Parallel()
	old := def.Field{Name: "old", Type: def.String, Deprecated: "Use `new`."}
	fields := def.Object{
		old,
		{Name: "new", Type: def.String},
		{Name: "health", Type: def.String, ServerOwned: true, Deprecated: "Use `state`."},
		{Name: "whole", Type: def.Object{old}, Deprecated: "Use `new`."},
		{Name: "list", Type: def.List{Elem: def.Object{old}}},
	}
	for name, tt := range map[string]struct {
		fields any
		want   []string
	}{
		"nothing":       {object{}, nil},
		"current":       {object{"new": "x"}, nil},
		"field":         {object{"old": "x"}, []string{"spec.old"}},
		"empty":         {object{"old": "", "whole": object{}}, nil},
		"unknown":       {object{"old": tree.Unknown, "list": tree.Unknown}, nil},
		"of the server": {object{"health": "good"}, []string{"spec.health"}},
		"reported once": {object{"whole": object{"old": "x"}}, []string{"spec.whole"}},
		"in lists":      {object{"list": []any{object{}, object{"old": "x"}}}, []string{"spec.list[1].old"}},
		"wrong types":   {object{"list": "x", "whole": true}, []string{"spec.whole"}},
		"no object":     {"x", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range (def.Kind{Fields: fields}).Deprecations(object{"spec": tt.fields}, nil, kuma.Release{}) {
				if !p.Warning || p.Topic != def.Deprecation || !strings.HasPrefix(p.Detail, "Use \"") {
					t.Errorf("%s: %+v", p.Path, p)
				}
				got = append(got, p.Path.String())
			}
			testworld.Equal(t, "deprecated fields", tt.want, got)
		})
	}
	if got := (def.Kind{Fields: fields, Flat: true}).Deprecations(object{"old": "x"}, nil, kuma.Release{}); len(got) != 1 || got[0].Path.String() != "old" {
		t.Errorf("of an older kind: %v", got)
	}
}

// TestDeprecationsAreToldOnce checks that the warning of a check replaces that
// of the description of a field.
func TestDeprecationsAreToldOnce(t *testing.T) {
	t.Parallel()
	moved := def.Check{Test: func(n tree.Node) []def.Problem {
		return []def.Problem{def.WarningAt(n, "old is deprecated", "It has moved.").About(def.Deprecation).From("2.10"), def.ErrorAt(n, "old is wrong", "It is wrong.")}
	}}
	k := def.Kind{Fields: def.Object{
		{Name: "old", Type: def.String, Deprecated: "Use `new`.", Checks: def.Checks(moved)},
		{Name: "also", Type: def.String, Deprecated: "Use `new`."},
	}}
	doc := object{"name": "a", "spec": object{"old": "x", "also": "y"}}
	var got []string
	if older := k.Deprecations(doc, k.Validate(doc), kuma.ParseRelease("2.9")); len(older) != 1 {
		t.Errorf("of a release without what replaces one of them: %+v", older)
	}
	for _, p := range k.Deprecations(doc, k.Validate(doc), kuma.Release{}) {
		got = append(got, p.Path.String()+": "+p.Detail)
	}
	testworld.Equal(t, "deprecations", []string{`spec.also: Use "new".`, "spec.old: It has moved."}, got)
}
