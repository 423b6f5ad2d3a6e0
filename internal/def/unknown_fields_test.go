package def_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestUnknownFields(t *testing.T) {
	t.Parallel()
	k := def.Kind{Name: "Test", Flat: true, Fields: def.Object{
		{Name: "list", Type: def.List{Elem: def.Object{{Name: "a", Type: def.String}}}},
		{Name: "conf", FreeForm: true, Type: def.Object{{Name: "a", Type: def.String}}},
		{Name: "tags", Type: def.StringMap{}},
		{Name: "nothing", Type: def.Object{}},
	}}
	r := kuma.Resource{Body: object{"lits": "", "list": []any{object{"a": "", "bbb": ""}}, "conf": object{"own": ""}, "tags": object{"own": ""}, "nothing": object{"z": ""}}}
	const summary = "Unsupported field in Test"
	want := []def.Problem{
		{Path: tree.Path{"list", 0, "bbb"}, Topic: def.Unknown, Summary: summary, Detail: `Test does not have the field "bbb" here. A control plane would drop it silently. Supported fields: a.`},
		{Path: tree.Path{"lits"}, Topic: def.Unknown, Summary: summary, Detail: `Test does not have the field "lits" here. A control plane would drop it silently. Did you mean "list"? Supported fields: list, conf, tags and nothing.`},
		{Path: tree.Path{"nothing", "z"}, Topic: def.Unknown, Summary: summary, Detail: `Test does not have the field "z" here. A control plane would drop it silently. No fields are supported here.`},
	}
	if diff := cmp.Diff(want, k.UnknownFields(r)); diff != "" {
		t.Errorf("UnknownFields (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]tree.Path{{"conf", "own"}}, k.ExtraFields(r)); diff != "" {
		t.Errorf("ExtraFields (-want +got):\n%s", diff)
	}
}
