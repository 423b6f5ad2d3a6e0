package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

func TestDeprecations(t *testing.T) {
	t.Parallel()
	old := spec.Field{Name: "old", Type: spec.String, Deprecated: "Use `new`."}
	fields := spec.Object{
		old,
		{Name: "new", Type: spec.String},
		{Name: "health", Type: spec.String, ServerOwned: true, Deprecated: "Use `state`."},
		{Name: "whole", Type: spec.Object{old}, Deprecated: "Use `new`."},
		{Name: "list", Type: spec.List{Elem: spec.Object{old}}},
		{Name: "map", Type: spec.Map{Elem: spec.Object{old}}},
	}
	for name, tt := range map[string]struct {
		fields any
		want   []string
	}{
		"nothing":           {object{}, nil},
		"current":           {object{"new": "x"}, nil},
		"member":            {object{"old": "x"}, []string{"spec.old"}},
		"empty":             {object{"old": "", "whole": object{}}, nil},
		"unknown":           {object{"old": spec.Unknown, "list": spec.Unknown}, nil},
		"of the server":     {object{"health": "good"}, []string{"spec.health"}},
		"reported once":     {object{"whole": object{"old": "x"}}, []string{"spec.whole"}},
		"in lists and maps": {object{"list": []any{object{}, object{"old": "x"}}, "map": object{"k": object{"old": "x"}}}, []string{"spec.list[1].old", "spec.map.k.old"}},
		"wrong types":       {object{"list": "x", "map": []any{"x"}, "whole": true}, []string{"spec.whole"}},
		"no object":         {"x", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range (spec.Kind{Fields: fields}).Deprecations(object{"spec": tt.fields}, nil) {
				if !p.Warning || p.Topic != spec.Deprecation || !strings.HasPrefix(p.Detail, "Use \"") {
					t.Errorf("%s: %+v", p.Path, p)
				}
				got = append(got, p.Path.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("deprecated members (-want +got):\n%s", diff)
			}
		})
	}
	if got := (spec.Kind{Fields: fields, Flat: true}).Deprecations(object{"old": "x"}, nil); len(got) != 1 || got[0].Path.String() != "old" {
		t.Errorf("of an older kind: %v", got)
	}
}

// TestDeprecationsAreToldOnce: what a check says about a member is better than
// what its description does.
func TestDeprecationsAreToldOnce(t *testing.T) {
	t.Parallel()
	moved := spec.Check{Test: func(n spec.Node) []spec.Problem {
		return []spec.Problem{n.Warning("old is deprecated", "It has moved.").About(spec.Deprecation), n.Problem("old is wrong", "It is wrong.")}
	}}
	k := spec.Kind{Fields: spec.Object{
		{Name: "old", Type: spec.String, Deprecated: "Use `new`.", Checks: spec.Checks(moved)},
		{Name: "also", Type: spec.String, Deprecated: "Use `new`."},
	}}
	doc := object{"name": "a", "spec": object{"old": "x", "also": "y"}}
	var got []string
	for _, p := range k.Deprecations(doc, k.Validate(doc)) {
		got = append(got, p.Path.String()+": "+p.Detail)
	}
	if diff := cmp.Diff([]string{`spec.also: Use "new".`, "spec.old: It has moved."}, got); diff != "" {
		t.Errorf("deprecations (-want +got):\n%s", diff)
	}
}
