package def_test

import (
	"slices"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
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
			testworld.Equal(t, "Secrets()", test.want, got)
		})
	}
}

func TestOmittedSecrets(t *testing.T) {
	t.Parallel()
	source := def.Object{
		{Name: "file", Type: def.String},
		{Name: "inline", Type: def.Base64, Sensitive: true},
		{Name: "text", Type: def.String, Sensitive: true},
	}
	fields := def.Object{
		{Name: "key", Type: source},
		{Name: "keys", Type: def.List{Elem: source}},
		{Name: "port", Type: def.Int},
		{Name: "hosts", Type: def.List{Elem: def.Object{{Name: "name", Type: def.String}, {Name: "key", Type: source}}}},
	}
	key := object{"file": "a", "inline": "c2VjcmV0"}
	rest := object{"file": "a"}
	for name, tt := range map[string]struct {
		stored, doc object
		kept, lost  []string
	}{
		"new":               {object{}, object{"key": key}, nil, nil},
		"the same":          {object{"key": key}, object{"key": key}, nil, nil},
		"another value":     {object{"key": key}, object{"key": object{"file": "a", "inline": "b3RoZXI="}}, nil, nil},
		"value alone":       {object{"key": key}, object{"key": rest}, []string{"spec.key.inline"}, nil},
		"no value before":   {object{"key": rest}, object{"key": rest}, nil, nil},
		"empty before":      {object{"key": object{"file": "a", "inline": ""}}, object{"key": rest}, nil, nil},
		"emptied":           {object{"key": key}, object{"key": object{"file": "a", "inline": ""}}, nil, nil},
		"given otherwise":   {object{"key": key}, object{"key": object{"file": "a", "text": "secret"}}, nil, nil},
		"another file":      {object{"key": key}, object{"key": object{"file": "b"}}, nil, nil},
		"the whole object":  {object{"key": key}, object{"port": 1}, nil, nil},
		"not known yet":     {object{"key": key}, object{"key": object{"file": "a", "inline": tree.Unknown}}, nil, nil},
		"rest not known":    {object{"key": key}, object{"key": object{"file": tree.Unknown}}, nil, nil},
		"nothing is known":  {object{"key": key}, object{"key": tree.Unknown}, nil, nil},
		"change elsewhere":  {object{"key": key, "port": 1}, object{"key": rest, "port": 2}, []string{"spec.key.inline"}, nil},
		"in a list":         {object{"keys": []any{rest, key}}, object{"keys": []any{rest, rest, rest}}, []string{"spec.keys[1].inline"}, nil},
		"shorter list":      {object{"keys": []any{rest, key}}, object{"keys": []any{rest}}, nil, nil},
		"of the wrong type": {object{"keys": "a", "key": []any{key}}, object{"keys": []any{rest}, "key": rest}, nil, nil},
		"other elements": {
			object{"hosts": []any{object{"name": "a", "key": key}, object{"name": "b", "key": key}}},
			object{"hosts": []any{object{"name": "b", "key": rest}, object{"name": "b", "key": rest}}},
			[]string{"spec.hosts[1].key.inline"},
			[]string{"spec.hosts[0].key.inline"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept, problems := (def.Kind{Fields: fields}).OmittedSecrets(object{"spec": tt.stored}, object{"spec": tt.doc})
			var keptPaths, lost []string
			for _, p := range kept {
				keptPaths = append(keptPaths, p.String())
			}
			for _, p := range problems {
				lost = append(lost, p.Path.String())
			}
			testworld.Equal(t, "kept secrets", tt.kept, keptPaths)
			testworld.Equal(t, "lost secrets", tt.lost, lost)
		})
	}
}

// TestWithUnknownSecrets checks that if one source is set, the others are not
// treated as unknown.
func TestWithUnknownSecrets(t *testing.T) {
	t.Parallel()
	source := def.Object{
		{Name: "file", Type: def.String},
		{Name: "inline", Type: def.Base64, Sensitive: true},
		{Name: "text", Type: def.String, Sensitive: true},
	}
	k := def.Kind{Fields: def.Object{{Name: "keys", Type: def.List{Elem: source}}}}
	got := k.WithUnknownSecrets(object{"spec": object{"keys": []any{object{"file": "a"}, object{"text": "b"}}}})
	want := object{"spec": object{"keys": []any{object{"file": "a", "inline": tree.Unknown, "text": tree.Unknown}, object{"text": "b"}}}}
	testworld.Equal(t, "result", want, got)
}
