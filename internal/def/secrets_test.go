package def_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	fields := def.Object{
		{Name: "plain", Type: def.String},
		{Name: "text", Type: def.String, Sensitive: true},
		{Name: "bytes", Type: def.Secret{}},
		{Name: "open", Type: def.Base64},
		{Name: "object", Sensitive: true, Type: def.Object{{Name: "member", Type: def.Base64}}},
		{Name: "list", Type: def.List{Elem: def.Object{{Name: "text", Type: def.String, Sensitive: true}}}},
		{Name: "map", Type: def.StringMap{}, Sensitive: true},
		{Name: "any", Type: def.JSON, Sensitive: true},
	}
	type object = map[string]any
	body := object{
		"plain": "plain", "open": "cGxhaW4=",
		"text": "s-text", "bytes": "cy1ieXRlcw==",
		"object": object{"member": "s-member"},
		"list":   []any{object{"text": "s-list", "other": "plain"}},
		"map":    object{"key": "s-map"},
		"any":    object{"a": []any{"s-any", 1, nil}},
	}
	want := []string{"cy1ieXRlcw==", "s-any", "s-bytes", "s-list", "s-map", "s-member", "s-text"}
	for name, test := range map[string]struct {
		kind def.Kind
		doc  object
		want []string
	}{
		"newer kind":          {def.Kind{Fields: fields}, object{"name": "plain", "text": "plain", "spec": body}, want},
		"older kind":          {def.Kind{Fields: fields, Flat: true}, body, want},
		"bytes, not a string": {def.Kind{Fields: fields, Flat: true}, object{"bytes": "/w=="}, []string{"/w=="}},
		"no fields":           {def.Kind{}, object{"spec": body}, nil},
		"nothing in there":    {def.Kind{Fields: fields}, object{}, nil},
		"wrong types":         {def.Kind{Fields: fields}, object{"spec": object{"text": 1, "list": "odd", "map": "odd", "bytes": "odd"}}, []string{"odd", "odd", "odd"}},
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
