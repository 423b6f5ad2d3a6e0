package def_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

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
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("deprecated fields (-want +got):\n%s", diff)
			}
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
	if diff := cmp.Diff([]string{`spec.also: Use "new".`, "spec.old: It has moved."}, got); diff != "" {
		t.Errorf("deprecations (-want +got):\n%s", diff)
	}
}
