package def_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestLostSecrets(t *testing.T) {
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
	}
	key := object{"file": "a", "inline": "c2VjcmV0"}
	rest := object{"file": "a"}
	for name, tt := range map[string]struct {
		stored, doc object
		want        []string
	}{
		"new":               {object{}, object{"key": key}, nil},
		"the same":          {object{"key": key}, object{"key": key}, nil},
		"another value":     {object{"key": key}, object{"key": object{"file": "a", "inline": "b3RoZXI="}}, nil},
		"value alone":       {object{"key": key}, object{"key": rest}, []string{"spec.key.inline"}},
		"no value before":   {object{"key": rest}, object{"key": rest}, nil},
		"empty before":      {object{"key": object{"file": "a", "inline": ""}}, object{"key": rest}, nil},
		"emptied":           {object{"key": key}, object{"key": object{"file": "a", "inline": ""}}, nil},
		"given otherwise":   {object{"key": key}, object{"key": object{"file": "a", "text": "secret"}}, nil},
		"another file":      {object{"key": key}, object{"key": object{"file": "b"}}, nil},
		"the whole object":  {object{"key": key}, object{"port": 1}, nil},
		"not known yet":     {object{"key": key}, object{"key": object{"file": "a", "inline": tree.Unknown}}, nil},
		"rest not known":    {object{"key": key}, object{"key": object{"file": tree.Unknown}}, nil},
		"nothing is known":  {object{"key": key}, object{"key": tree.Unknown}, nil},
		"change elsewhere":  {object{"key": key, "port": 1}, object{"key": rest, "port": 2}, []string{"spec.key.inline"}},
		"in a list":         {object{"keys": []any{rest, key}}, object{"keys": []any{rest, rest, rest}}, []string{"spec.keys[1].inline"}},
		"shorter list":      {object{"keys": []any{rest, key}}, object{"keys": []any{rest}}, nil},
		"of the wrong type": {object{"keys": "a", "key": []any{key}}, object{"keys": []any{rest}, "key": rest}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range (def.Kind{Fields: fields}).LostSecrets(object{"spec": tt.stored}, object{"spec": tt.doc}) {
				got = append(got, p.Path.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("lost secrets (-want +got):\n%s", diff)
			}
		})
	}
}
