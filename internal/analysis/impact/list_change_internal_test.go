package impact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestCompareLists(t *testing.T) {
	t.Parallel()
	list := func(text string) (out []any) {
		for word := range strings.FieldsSeq(text) {
			out = append(out, word)
		}
		return out
	}
	for name, tt := range map[string]struct{ before, after, want string }{
		"same":          {"a b c", "a b c", ""},
		"added":         {"a c", "a b c d", "adds `b` and `d`"},
		"removed":       {"a b c", "b", "removes `a` and `c`"},
		"to the end":    {"a b c d", "b c d a", "moves `a`"},
		"to the front":  {"a b c d", "d a b c", "moves `d`"},
		"repeated":      {"a b", "a b a", "adds `a`"},
		"repeated less": {"a b a", "a b", "removes `a`"},
		"everything":    {"a b c d", "x c b a", "adds `x`; removes `d`; moves `c` and `b`"},
		"many":          {"a", "a b c d e f", "adds `b`, `c`, `d` and 2 more"},
		"replaced":      {"a", "b", "adds `b`; removes `a`"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, compareLists(nil, list(tt.before), list(tt.after)).String()); diff != "" {
				t.Errorf("change (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCompareListsOfObjects checks that an element with changed fields is not shown
// as removed and added.
func TestCompareListsOfObjects(t *testing.T) {
	t.Parallel()
	list := func(text string) []any { return tree.List(testworld.Document(t, "list: "+text)["list"]) }
	for name, tt := range map[string]struct{ before, after, want string }{
		"field": {
			`[{kind: MeshService, name: stable, weight: 90}, {kind: MeshService, name: canary, weight: 10}]`,
			`[{kind: MeshService, name: stable, weight: 0}, {kind: MeshService, name: canary, weight: 100}]`,
			"changes `[0].weight` from `90` to `0` and `[1].weight` from `10` to `100`",
		},
		"added and removed field": {`[{a: 1, e: 1, f: 1, b: 2}]`, `[{a: 1, e: 1, f: 1, c: 3}]`, "changes `[0].b` from `2` to unset and `[0].c` from unset to `3`"},
		"list in an element": {
			`[{matches: [{path: /}], kind: a, refs: [{kind: s, name: a, weight: 1}, {name: b}]}]`,
			`[{matches: [{path: /}], kind: a, refs: [{kind: s, name: a, weight: 2}]}]`,
			"changes `[0].refs[0].weight` from `1` to `2` and `[0].refs` (removes `{\"name\":\"b\"}`)",
		},
		"same type only": {
			`[{type: File, file: {path: /a}}]`, `[{type: File, file: {path: /b}}]`,
			"adds `{\"file\":{\"path\":\"/b\"},\"type\":\"File\"}`; removes `{\"file\":{\"path\":\"/a\"},\"type\":\"File\"}`",
		},
		"replaced element":    {`[{name: a}]`, `[{name: b}]`, "adds `{\"name\":\"b\"}`; removes `{\"name\":\"a\"}`"},
		"field and an object": {`[{a: 1, c: 1, b: 2}]`, `[{x: 1}, {a: 1, c: 1, b: 3}]`, "changes `[1].b` from `2` to `3`; adds `{\"x\":1}`"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, compareLists(nil, list(tt.before), list(tt.after)).String()); diff != "" {
				t.Errorf("change (-want +got):\n%s", diff)
			}
		})
	}
}
