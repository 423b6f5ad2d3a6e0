package spec_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	fields := spec.Object{
		{Name: "plain", Type: spec.String},
		{Name: "text", Type: spec.String, Sensitive: true},
		{Name: "bytes", Type: spec.Base64, Secret: true},
		{Name: "open", Type: spec.Base64},
		{Name: "object", Sensitive: true, Type: spec.Object{{Name: "member", Type: spec.Base64}}},
		{Name: "list", Type: spec.List{Elem: spec.Object{{Name: "text", Type: spec.String, Sensitive: true}}}},
		{Name: "map", Type: spec.Map{Elem: spec.Object{{Name: "text", Type: spec.String, Sensitive: true}}}},
		{Name: "any", Type: spec.JSON, Sensitive: true},
	}
	type object = map[string]any
	body := object{
		"plain": "plain", "open": "cGxhaW4=",
		"text": "s-text", "bytes": "cy1ieXRlcw==",
		"object": object{"member": "s-member"},
		"list":   []any{object{"text": "s-list", "other": "plain"}},
		"map":    object{"key": object{"text": "s-map"}},
		"any":    object{"a": []any{"s-any", 1, nil}},
	}
	want := []string{"cy1ieXRlcw==", "s-any", "s-bytes", "s-list", "s-map", "s-member", "s-text"}
	for name, test := range map[string]struct {
		kind spec.Kind
		doc  object
		want []string
	}{
		"newer kind":       {spec.Kind{Fields: fields}, object{"name": "plain", "text": "plain", "spec": body}, want},
		"older kind":       {spec.Kind{Fields: fields, Flat: true}, body, want},
		"bytes, not text":  {spec.Kind{Fields: fields, Flat: true}, object{"bytes": "/w=="}, []string{"/w=="}},
		"no fields":        {spec.Kind{}, object{"spec": body}, nil},
		"nothing in there": {spec.Kind{Fields: fields}, object{}, nil},
		"wrong types":      {spec.Kind{Fields: fields}, object{"spec": object{"text": 1, "list": "odd", "map": "odd", "bytes": "odd"}}, []string{"odd", "odd", "odd"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := test.kind.Secrets(test.doc)
			slices.Sort(got)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Secrets() (-want +got):\n%s", diff)
			}
		})
	}
}
