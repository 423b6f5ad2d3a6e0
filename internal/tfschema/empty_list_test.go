package tfschema

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestExplicitlyEmpty compares, for every object of every kind, the lists that
// can be sent empty with those that stay when they are stored empty.
func TestExplicitlyEmpty(t *testing.T) {
	t.Parallel()
	count := 0
	for _, k := range kinds.All() {
		s := Resource(k)
		count += checkEmpties(t, k, k.Root(), nil, schema.NestedBlockObject{Attributes: s.Attributes, Blocks: s.Blocks})
	}
	t.Logf("%d lists of blocks can be sent empty", count)
}

// checkEmpties checks an object and those below it, and returns the number of
// lists that can be sent empty.
func checkEmpties(t *testing.T, k def.Kind, o def.Object, at tree.Path, s schema.NestedBlockObject) (n int) {
	t.Helper()
	var want, got []string
	for _, f := range o {
		if f.FreeForm {
			continue // stored as it is sent, including an empty list, which is equivalent to no list
		}
		name := AttributeName(f.Name)
		switch b := s.Blocks[name].(type) {
		case schema.SingleNestedBlock:
			n += checkEmpties(t, k, f.Type.(def.Object), at.Child(f.Name), schema.NestedBlockObject{Attributes: b.Attributes, Blocks: b.Blocks})
		case schema.ListNestedBlock:
			n += checkEmpties(t, k, f.Type.(def.List).Elem.(def.Object), at.Child(f.Name).Child(0), b.NestedObject)
			if !f.ServerOwned && staysEmpty(k, at.Child(f.Name)) {
				want = append(want, name)
			}
		}
	}
	if set, ok := s.Attributes[ExplicitlyEmpty].(schema.SetAttribute); ok {
		got = set.Validators[0].(emptyNames)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s %s: lists that can be empty (-stored +in the schema):\n%s", k.Name, at, diff)
	}
	return n + len(want)
}

// staysEmpty reports whether an empty list is still there when it is stored.
func staysEmpty(k def.Kind, p tree.Path) bool {
	var v any = []any{}
	for _, step := range slices.Backward(p) {
		if name, ok := step.(string); ok {
			v = map[string]any{name: v}
		} else {
			v = []any{v}
		}
	}
	body, _ := v.(map[string]any)
	stored := k.Store(kuma.Resource{Type: k.Name, Name: "x", Mesh: kuma.DefaultMesh, Body: body}, def.StoreContext{})
	list, ok := tree.At(stored.Body, p).([]any)
	return ok && len(list) == 0
}
