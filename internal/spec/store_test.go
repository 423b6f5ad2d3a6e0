package spec_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

func TestStore(t *testing.T) {
	t.Parallel()
	fields := spec.Object{
		{Name: "text", Type: spec.String},
		{Name: "dropped", Type: spec.String, DropsEmpty: true},
		{Name: "list", Type: spec.List{Elem: spec.String}},
		{Name: "mode", Type: spec.String, Default: "Off"},
		{Name: "time", Type: spec.Duration},
		{Name: "distinct", Type: spec.Bool, Distinct: true},
		{Name: "object", Type: spec.Object{{Name: "mode", Type: spec.String, Default: "Off"}}},
	}
	conf := spec.Object{{Name: "conf", FreeForm: true, Type: spec.Object{
		{Name: "port", Type: spec.Int, Default: json.Number("80")},
	}}}
	completed := spec.Object{{Name: "conf", StoresDefaults: true, DefaultFrom: func(map[string]any) any { return object{} }, Type: spec.Object{
		{Name: "port", Type: spec.Int, DefaultFrom: func(map[string]any) any { return json.Number("80") }},
		{Name: "path", Type: spec.String},
		{Name: "on", Type: spec.Bool, Distinct: true},
		{Name: "tls", Type: spec.Object{{Name: "mode", Type: spec.String, Default: "Off"}}},
	}}}
	tests := map[string]struct {
		kind       spec.Kind
		body, want object
	}{
		"defaults are written": {spec.Kind{Fields: fields}, object{}, object{"mode": "Off"}},
		"and in objects that are there": {
			spec.Kind{Fields: fields},
			object{"object": object{}},
			object{"mode": "Off", "object": object{"mode": "Off"}},
		},
		"empty values stay": {
			spec.Kind{Fields: fields},
			object{"text": "", "list": []any{}, "dropped": "", "distinct": false},
			object{"mode": "Off", "text": "", "list": []any{}, "distinct": false},
		},
		"canonical form":        {spec.Kind{Fields: fields}, object{"time": "60s"}, object{"mode": "Off", "time": "1m0s"}},
		"unknown members go":    {spec.Kind{Fields: fields}, object{"x": "y"}, object{"mode": "Off"}},
		"older: defaults go":    {spec.Kind{Fields: fields, Flat: true}, object{"mode": "Off", "object": object{"mode": "Off"}}, object{"object": object{}}},
		"older: zero values go": {spec.Kind{Fields: fields, Flat: true}, object{"text": "", "list": []any{}, "x": nil}, object{}},
		"older: the other spelling": {
			spec.Kind{Fields: spec.Object{{Name: "maxPort", Type: spec.Int, SnakeCase: true}, {Name: "minPort", Type: spec.Int}}, Flat: true},
			object{"max_port": json.Number("2"), "min_port": json.Number("1")},
			object{"maxPort": json.Number("2")},
		},
		"older: but for distinct": {spec.Kind{Fields: fields, Flat: true}, object{"distinct": false}, object{"distinct": false}},
		"free form": {
			spec.Kind{Fields: conf, Flat: true},
			object{"conf": object{"own": json.Number("1.50")}},
			object{"conf": object{"own": json.Number("1.5")}},
		},
		"free form not sent":                  {spec.Kind{Fields: conf, Flat: true}, object{}, object{}},
		"stored defaults replace zero":        {spec.Kind{Fields: completed, Flat: true}, object{"conf": object{"port": json.Number("0"), "path": "", "on": false}}, object{"conf": object{"port": json.Number("80"), "on": false}}},
		"stored defaults stay on the top":     {spec.Kind{Fields: completed, Flat: true}, object{"conf": object{"own": "x", "tls": object{"mode": "Off"}}}, object{"conf": object{"port": json.Number("80"), "tls": object{}}}},
		"stored defaults of an absent object": {spec.Kind{Fields: completed, Flat: true}, object{}, object{"conf": object{"port": json.Number("80")}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, want := tt.body, tt.want
			if !tt.kind.Flat {
				body, want = object{"spec": body}, object{"spec": want}
			}
			r := mesh.Resource{Name: "a", Mesh: "shop", Body: body}
			before := r.Clone()
			got := tt.kind.Store(r, spec.Circumstances{})
			if diff := cmp.Diff(want, got.Body); diff != "" {
				t.Errorf("Store (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, r); diff != "" {
				t.Errorf("Store changes what it is given (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(got, tt.kind.Store(got, spec.Circumstances{})); diff != "" {
				t.Errorf("Store again (-first +second):\n%s", diff)
			}
		})
	}
}
