package def_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestStore(t *testing.T) {
	t.Parallel()
	fields := def.Object{
		{Name: "text", Type: def.String},
		{Name: "dropped", Type: def.String, DropsEmpty: kuma.Always()},
		{Name: "list", Type: def.List{Elem: def.String}},
		{Name: "mode", Type: def.String, Default: "Off"},
		{Name: "time", Type: def.Duration},
		{Name: "distinct", Type: def.Bool, Distinct: true},
		{Name: "object", Type: def.Object{{Name: "mode", Type: def.String, Default: "Off"}}},
	}
	conf := def.Object{{Name: "conf", FreeForm: true, Type: def.Object{
		{Name: "port", Type: def.Int, Default: json.Number("80")},
	}}}
	completed := def.Object{{Name: "conf", StoresDefaults: true, DefaultFrom: func(map[string]any) any { return object{} }, Type: def.Object{
		{Name: "port", Type: def.Int, DefaultFrom: func(map[string]any) any { return json.Number("80") }},
		{Name: "path", Type: def.String},
		{Name: "on", Type: def.Bool, Distinct: true},
		{Name: "tls", Type: def.Object{{Name: "mode", Type: def.String, Default: "Off"}}},
	}}}
	tests := map[string]struct {
		kind       def.Kind
		body, want object
	}{
		"defaults are written": {def.Kind{Fields: fields}, object{}, object{"mode": "Off"}},
		"and in objects that are there": {
			def.Kind{Fields: fields},
			object{"object": object{}},
			object{"mode": "Off", "object": object{"mode": "Off"}},
		},
		"empty values stay": {
			def.Kind{Fields: fields},
			object{"text": "", "list": []any{}, "dropped": "", "distinct": false},
			object{"mode": "Off", "text": "", "list": []any{}, "distinct": false},
		},
		"canonical form": {def.Kind{Fields: fields}, object{"time": "60s"}, object{"mode": "Off", "time": "1m0s"}},
		"another case of letters": {
			def.Kind{Fields: fields},
			object{"Object": object{"MODE": "On"}, "Text": "a"},
			object{"object": object{"mode": "On"}, "text": "a", "mode": "Off"},
		},
		"older: another case":   {def.Kind{Fields: fields, Flat: true}, object{"Text": "a"}, object{}},
		"unknown fields go":     {def.Kind{Fields: fields}, object{"x": "y"}, object{"mode": "Off"}},
		"older: defaults go":    {def.Kind{Fields: fields, Flat: true}, object{"mode": "Off", "object": object{"mode": "Off"}}, object{"object": object{}}},
		"older: zero values go": {def.Kind{Fields: fields, Flat: true}, object{"text": "", "list": []any{}, "x": nil}, object{}},
		"older: the other spelling": {
			def.Kind{Fields: def.Object{{Name: "maxPort", Type: def.Int, SnakeCase: true}, {Name: "minPort", Type: def.Int}}, Flat: true},
			object{"max_port": json.Number("2"), "min_port": json.Number("1")},
			object{"maxPort": json.Number("2")},
		},
		"older: but for distinct": {def.Kind{Fields: fields, Flat: true}, object{"distinct": false}, object{"distinct": false}},
		"free form": {
			def.Kind{Fields: conf, Flat: true},
			object{"conf": object{"own": json.Number("1.50")}},
			object{"conf": object{"own": json.Number("1.5")}},
		},
		"free form not sent":                  {def.Kind{Fields: conf, Flat: true}, object{}, object{}},
		"stored defaults replace zero":        {def.Kind{Fields: completed, Flat: true}, object{"conf": object{"port": json.Number("0"), "path": "", "on": false}}, object{"conf": object{"port": json.Number("80"), "on": false}}},
		"stored defaults stay on the top":     {def.Kind{Fields: completed, Flat: true}, object{"conf": object{"own": "x", "tls": object{"mode": "Off"}}}, object{"conf": object{"port": json.Number("80"), "tls": object{}}}},
		"stored defaults of an absent object": {def.Kind{Fields: completed, Flat: true}, object{}, object{"conf": object{"port": json.Number("80")}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, want := tt.body, tt.want
			if !tt.kind.Flat {
				body, want = object{"spec": body}, object{"spec": want}
			}
			r := kuma.Resource{Name: "a", Mesh: "shop", Body: body}
			before := r.Clone()
			got := tt.kind.Store(r, def.StoreContext{})
			testworld.Equal(t, "Store", want, got.Body)
			if diff := cmp.Diff(before, r); diff != "" {
				t.Errorf("Store changes what it is given (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(got, tt.kind.Store(got, def.StoreContext{})); diff != "" {
				t.Errorf("Store again (-first +second):\n%s", diff)
			}
		})
	}
}

// TestDropsEmptyInOlderReleases checks that an older release omits empty values, also false and zero, and a
// newer one stores them.
func TestDropsEmptyInOlderReleases(t *testing.T) {
	t.Parallel()
	const since = "2.10"
	k := def.Kind{Fields: def.Object{
		{Name: "list", Type: def.List{Elem: def.String}, DropsEmpty: kuma.Before(since)},
		{Name: "flag", Type: def.Bool, DropsEmpty: kuma.Before(since)},
		{Name: "number", Type: def.Int, DropsEmpty: kuma.Before(since), Default: json.Number("2")},
		{Name: "kept", Type: def.List{Elem: def.String}},
	}}
	sent := object{"list": []any{}, "flag": false, "number": json.Number("0"), "kept": []any{}}
	for version, want := range map[string]object{"2.9.0": {"kept": []any{}}, "2.10.0": sent, "unknown": sent} {
		cp := kuma.ControlPlane{Release: kuma.ParseRelease(version)}
		got := k.Store(kuma.Resource{Body: object{"spec": sent}}, def.StoreContext{ControlPlane: cp})
		if diff := cmp.Diff(object{"spec": want}, got.Body); diff != "" {
			t.Errorf("%s (-want +got):\n%s", version, diff)
		}
	}
}

// TestEmptyIsAbsent checks that both are stored as they are sent, and count as
// equal.
func TestEmptyIsAbsent(t *testing.T) {
	t.Parallel()
	k := def.Kind{Fields: def.Object{{Name: "labels", Type: def.StringMap{}, EmptyIsAbsent: true}}}
	empty, absent := kuma.Resource{Body: object{"spec": object{"labels": object{}}}}, kuma.Resource{Body: object{"spec": object{}}}
	for _, r := range []kuma.Resource{empty, absent} {
		if diff := cmp.Diff(r.Body, k.Store(r, def.StoreContext{}).Body); diff != "" {
			t.Errorf("Store (-sent +stored):\n%s", diff)
		}
		testworld.Equal(t, "Normalize", absent.Body, k.Normalize(r, def.StoreContext{}).Body)
	}
}

func TestFillDefaults(t *testing.T) {
	t.Parallel()
	k := def.Kind{Fields: def.Object{
		{Name: "mode", Type: def.String, Default: "Off"},
		{Name: "state", Type: def.String, Default: "Unavailable", ServerOwned: true},
		{Name: "object", Type: def.Object{{Name: "port", Type: def.Int, Default: json.Number("80")}}},
		{Name: "other", Type: def.Object{{Name: "port", Type: def.Int, Default: json.Number("80")}}},
	}}
	r := kuma.Resource{Body: object{"spec": object{"mode": "On", "object": object{}}}}
	k.FillDefaults(r)
	testworld.Equal(t, "FillDefaults", object{"spec": object{"mode": "On", "object": object{"port": json.Number("80")}}}, r.Body)
}
