package spec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

func TestUnknownMembers(t *testing.T) {
	t.Parallel()
	k := spec.Kind{Name: "Test", Flat: true, Fields: spec.Object{
		{Name: "list", Type: spec.List{Elem: spec.Object{{Name: "a", Type: spec.String}}}},
		{Name: "conf", FreeForm: true, Type: spec.Object{{Name: "a", Type: spec.String}}},
		{Name: "tags", Type: spec.Map{Elem: spec.String}},
		{Name: "nothing", Type: spec.Object{}},
	}}
	r := mesh.Resource{Body: object{"lits": "", "list": []any{object{"a": "", "bbb": ""}}, "conf": object{"own": ""}, "tags": object{"own": ""}, "nothing": object{"z": ""}}}
	const summary = "Test has no such member"
	want := []spec.Problem{
		{Path: spec.Path{"list", 0, "bbb"}, Summary: summary, Detail: `Test has no member "bbb" here, and a control plane would drop it silently. Allowed here: a.`},
		{Path: spec.Path{"lits"}, Summary: summary, Detail: `Test has no member "lits" here, and a control plane would drop it silently. Did you mean "list"? Allowed here: list, conf, tags and nothing.`},
		{Path: spec.Path{"nothing", "z"}, Summary: summary, Detail: `Test has no member "z" here, and a control plane would drop it silently. No member is allowed here.`},
	}
	if diff := cmp.Diff(want, k.UnknownMembers(r)); diff != "" {
		t.Errorf("UnknownMembers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]spec.Path{{"conf", "own"}}, k.ExtraMembers(r)); diff != "" {
		t.Errorf("ExtraMembers (-want +got):\n%s", diff)
	}
}
