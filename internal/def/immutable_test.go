package def_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestImmutableFields checks when a change of a field requires a new resource.
func TestImmutableFields(t *testing.T) {
	t.Parallel()
	k := def.Kind{Name: "Thing", Fields: def.Object{
		{Name: "fixed", Immutable: kuma.Since("3.0"), Type: def.Object{{Name: "a", Type: def.String}}},
		{Name: "free", Type: def.String},
	}}
	doc := func(spec object) object { return object{"spec": spec} }
	for name, test := range map[string]struct {
		before, after object
		want          []string // in 3.0
	}{
		"changed": {object{"fixed": object{"a": "x"}}, object{"fixed": object{"a": "y"}}, []string{"spec.fixed"}},
		"added":   {object{}, object{"fixed": object{"a": "y"}}, []string{"spec.fixed"}},
		"removed": {object{"fixed": object{"a": "x"}}, object{}, []string{"spec.fixed"}},
		"unknown": {object{"fixed": object{"a": "x"}}, object{"fixed": object{"a": tree.Unknown}}, []string{"spec.fixed"}},
		"equal":   {object{"fixed": object{"a": "x"}}, object{"fixed": object{"a": "x"}, "free": "z"}, nil},
		"other":   {object{"free": "x"}, object{"free": "y"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for release, want := range map[string][]string{"2.14.6": nil, "3.0.1": test.want} {
				var got []string
				for _, at := range k.ImmutableFields(doc(test.before), doc(test.after), kuma.ParseRelease(release)) {
					got = append(got, at.String())
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("immutable fields that change in %s (-want +got):\n%s", release, diff)
				}
			}
		})
	}
}
