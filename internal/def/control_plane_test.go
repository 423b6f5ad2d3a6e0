package def_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

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
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ValidateControlPlane (-want +got):\n%s", diff)
			}
		})
	}
}
