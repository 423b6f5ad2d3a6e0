package spec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

func TestOverwrittenKeys(t *testing.T) {
	t.Parallel()
	tags := spec.Field{Name: "tags", Type: spec.Map{Elem: spec.String}, ServerKeys: []spec.ServerKey{
		{Name: "zone", Value: func(cp spec.ControlPlane) string { return cp.Zone }},
	}}
	k := spec.Kind{Flat: true, Fields: spec.Object{tags, {Name: "inbound", Type: spec.List{Elem: spec.Object{tags}}}}}
	tests := map[string]struct {
		zone string
		doc  object
		want []string
	}{
		"another value":         {"east", object{"tags": object{"zone": "west"}}, []string{`tags["zone"]`}},
		"in a list":             {"east", object{"inbound": []any{object{}, object{"tags": object{"zone": "west"}}}}, []string{`inbound[1].tags["zone"]`}},
		"the same value":        {"east", object{"tags": object{"zone": "east"}}, nil},
		"left out":              {"east", object{"tags": object{"other": "west"}}, nil},
		"unknown":               {"east", object{"tags": object{"zone": spec.Unknown}}, nil},
		"unknown map":           {"east", object{"tags": spec.Unknown}, nil},
		"unknown control plane": {"", object{"tags": object{"zone": "west"}}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range k.ValidateControlPlane(tt.doc, spec.ControlPlane{Mode: spec.ModeZone, Zone: tt.zone}) {
				got = append(got, p.Path.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ValidateControlPlane (-want +got):\n%s", diff)
			}
		})
	}
}
