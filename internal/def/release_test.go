package def_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestParseRelease(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]kuma.Release{
		"2.14.3":                     {Major: 2, Minor: 14, Patch: 3},
		"v2.9.19":                    {Major: 2, Minor: 9, Patch: 19},
		"2.14":                       {Major: 2, Minor: 14},
		"2.14.3-embedded":            {Major: 2, Minor: 14, Patch: 3},
		"2.14.3 (built from source)": {Major: 2, Minor: 14, Patch: 3},
		"2.14.x":                     {Major: 2, Minor: 14},
		"unknown":                    {},
		"":                           {},
		"2":                          {},
		"x.y":                        {},
		"0.0.0-preview.vaf0f4ba9a":   {},
		"99999999999999999999.1.1.1": {},
	} {
		if got := kuma.ParseRelease(version); got != want {
			t.Errorf("ParseRelease(%q) = %v, want %v", version, got, want)
		}
	}
}

func TestReleaseHas(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		release, since string
		want           bool
	}{
		{"2.14.0", "2.14", true},
		{"2.13.9", "2.14", false},
		{"2.9.1", "2.10", false},
		{"3.0.0", "2.14", true},
		{"2.9.1", "", true},
		{"unknown", "2.14", true},
	} {
		testworld.Equal(t, fmt.Sprintf("%s.Has(%q)", test.release, test.since), test.want, kuma.ParseRelease(test.release).Has(test.since))
	}
}

// TestReleaseHasPatch uses a feature that patches of 2.9 and 2.11 have, but
// none of 2.10.
func TestReleaseHasPatch(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"2.9.14": false, "2.9.15": true, "2.10.99": false, "2.11.15": false, "2.11.16": true, "2.12.3": false, "2.12.4": true, "2.13.0": true, "unknown": true,
	} {
		testworld.Equal(t, fmt.Sprintf("%s has it", version), want, kuma.ParseRelease(version).Has("2.12.4", "2.11.16", "2.9.15"))
	}
}

func TestValidateRelease(t *testing.T) {
	t.Parallel()
	newer := def.Kind{Name: "Thing", Since: "2.11", Fields: def.Object{
		{Name: "new", Type: def.Object{{Name: "inner", Type: def.String, Since: "2.14"}}, Since: "2.13"},
		{Name: "list", Type: def.List{Elem: def.Object{{Name: "kind", Type: def.String, SinceOf: map[string]string{"Late": "2.12"}}}}},
		{Name: "values", Type: def.StringMap{}, SinceOf: map[string]string{"Late": "2.14"}},
	}}
	relaxed := def.Kind{Name: "Relaxed", Fields: def.Object{{Name: "to", Type: def.List{Elem: def.Object{{Name: "protocol", Type: def.String, RequiredIn: kuma.Before("2.10")}}}, RequiredIn: kuma.Before("2.14")}}}
	older := def.Kind{Name: "Old", Flat: true, Fields: def.Object{{Name: "new", Type: def.String, Since: "2.14"}}}
	fields := map[string]any{
		"new":    map[string]any{"inner": "x"},
		"list":   []any{map[string]any{"kind": "Early"}, map[string]any{"kind": "Late"}},
		"values": map[string]any{"a": "Late"},
	}
	tests := map[string]struct {
		kind    def.Kind
		version string
		doc     map[string]any
		want    []string
	}{
		"everything":       {newer, "2.14.0", map[string]any{"spec": fields}, nil},
		"inner field":      {newer, "2.13.0", map[string]any{"spec": fields}, []string{"spec.new.inner", `spec.values.a`}},
		"field and values": {newer, "2.11.0", map[string]any{"spec": fields}, []string{"spec.list[1].kind", "spec.new", `spec.values.a`}},
		"kind":             {newer, "2.10.0", map[string]any{"spec": fields}, []string{""}},
		"unknown release":  {newer, "unknown", map[string]any{"spec": fields}, nil},
		"without spec":     {older, "2.13.0", map[string]any{"new": "x"}, []string{"new"}},
		"unknown value":    {newer, "2.11.0", map[string]any{"spec": map[string]any{"list": tree.Unknown, "values": map[string]any{"a": tree.Unknown}}}, nil},
		"once required":    {relaxed, "2.13.0", map[string]any{"spec": map[string]any{"to": []any{}}}, []string{"spec.to"}},
		"absent before":    {relaxed, "2.13.0", map[string]any{"spec": map[string]any{}}, []string{"spec.to"}},
		"absent since":     {relaxed, "2.14.0", map[string]any{"spec": map[string]any{}}, nil},
		"in an element":    {relaxed, "2.9.0", map[string]any{"spec": map[string]any{"to": []any{map[string]any{}}}}, []string{"spec.to[0].protocol"}},
		"maybe there":      {relaxed, "2.9.0", map[string]any{"spec": map[string]any{"to": tree.Unknown}}, nil},
		"no spec at all":   {newer, "2.11.0", map[string]any{}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range test.kind.ValidateRelease(test.doc, kuma.ParseRelease(test.version)) {
				got = append(got, p.Path.String())
				if len(p.Summary) > 60 || p.Detail == "" || p.Warning {
					t.Errorf("%s: %+v is not a proper error", p.Path, p)
				}
			}
			testworld.Equal(t, "ValidateRelease", test.want, got)
		})
	}
}

func TestAsLatest(t *testing.T) {
	t.Parallel()
	port := def.Object{
		{Name: "port", Type: def.Int},
		{Name: "targetPort", Type: def.IntOrString, ZeroForAbsent: kuma.Before("2.14")},
		{Name: "rules", Type: def.List{Elem: def.String}, Required: true},
	}
	k := def.Kind{Fields: def.Object{{Name: "ports", Type: def.List{Elem: port}}}}
	answer := func(ports ...any) map[string]any { return map[string]any{"spec": map[string]any{"ports": ports}} }
	zero, named := map[string]any{"port": json.Number("0"), "targetPort": json.Number("0")}, map[string]any{"targetPort": "main", "rules": []any{"a"}}
	for version, want := range map[string]map[string]any{
		"2.9.0":   answer(map[string]any{"port": json.Number("0"), "rules": []any{}}, named),
		"2.11.18": answer(map[string]any{"port": json.Number("0")}, named),
		"2.14.3":  answer(zero, named),
		"unknown": answer(zero, named),
	} {
		got := kuma.Resource{Body: answer(zero, named)}.Clone()
		k.AsLatest(got, kuma.ParseRelease(version))
		if diff := cmp.Diff(want, got.Body); diff != "" {
			t.Errorf("%s (-want +got):\n%s", version, diff)
		}
	}
}

func TestOverwrittenKeys(t *testing.T) {
	t.Parallel()
	tags := def.Field{Name: "tags", Type: def.StringMap{}, ServerKeys: []def.ServerKey{
		{Name: "zone", Value: func(cp kuma.ControlPlane) string { return cp.Zone }},
	}}
	k := def.Kind{Flat: true, Fields: def.Object{tags, {Name: "inbound", Type: def.List{Elem: def.Object{tags}}}}}
	tests := map[string]struct {
		zone string
		doc  object
		want []string
	}{
		"another value":         {"east", object{"tags": object{"zone": "west"}}, []string{`tags["zone"]`}},
		"in a list":             {"east", object{"inbound": []any{object{}, object{"tags": object{"zone": "west"}}}}, []string{`inbound[1].tags["zone"]`}},
		"the same value":        {"east", object{"tags": object{"zone": "east"}}, nil},
		"left out":              {"east", object{"tags": object{"other": "west"}}, nil},
		"unknown":               {"east", object{"tags": object{"zone": tree.Unknown}}, nil},
		"unknown map":           {"east", object{"tags": tree.Unknown}, nil},
		"unknown control plane": {"", object{"tags": object{"zone": "west"}}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range k.ValidateControlPlane(tt.doc, kuma.ControlPlane{Mode: kuma.ModeZone, Zone: tt.zone}) {
				got = append(got, p.Path.String())
			}
			testworld.Equal(t, "ValidateControlPlane", tt.want, got)
		})
	}
}
