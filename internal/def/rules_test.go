package def_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestRules(t *testing.T) {
	t.Parallel()
	n := func(s string) any { return json.Number(s) }
	abc := regexp.MustCompile(`^[abc]*$`)
	tests := map[string]struct {
		check      def.Check
		good, bad  []any
		atTheStage def.Stage
	}{
		"Between":     {def.Between(1, 3), []any{n("1"), n("3.0"), "x"}, []any{n("0"), n("4")}, def.Rule},
		"Limit":       {def.Limit(1, 3), []any{n("1")}, []any{n("0")}, def.Schema},
		"NotEmpty":    {def.NotEmpty(), []any{"a", n("0")}, []any{""}, def.Schema},
		"Length":      {def.Length(1, 3), []any{"a", "äöü"}, []any{"", "abcd"}, def.Schema},
		"Pattern":     {def.Pattern(abc, "Only a, b and c."), []any{"", "abc"}, []any{"d"}, def.Schema},
		"Items":       {def.Items(1, 2), []any{[]any{1}, object{"a": 1}}, []any{[]any{}, []any{1, 2, 3}, object{}}, def.Schema},
		"OneOf":       {def.OneOf("a", "b"), []any{"a", true}, []any{"A", ""}, def.Rule},
		"Positive":    {def.Positive(), []any{"1ns"}, []any{"0s", "-1s"}, def.Rule},
		"LongerThan":  {def.LongerThan(time.Second), []any{"1.001s"}, []any{"1s", "0s"}, def.Rule},
		"NotNegative": {def.NotNegative(), []any{"0s"}, []any{"-1s"}, def.Rule},
		"AnyOf":       {def.AnyOf("a", "b"), []any{object{"b": 1}, object{"a": tree.Unknown}}, []any{object{}, object{"c": 1}}, def.Rule},
		"AtMostOneOf": {def.AtMostOneOf("a", "b"), []any{object{}, object{"a": 1}, object{"a": 1, "b": tree.Unknown}}, []any{object{"a": 1, "b": 1}}, def.Rule},
		"Each":        {def.Each(def.OneOf("a")), []any{[]any{"a", tree.Unknown}, object{"x": "a"}, []any{}}, []any{[]any{"b"}, object{"x": "b"}}, def.Rule},
		"Below":       {def.Below("a", def.OneOf("x")), []any{object{"a": "x"}, object{"a": tree.Unknown}, object{}}, []any{object{"a": "y"}}, def.Rule},
		"Unique": {
			def.Unique("a"),
			[]any{[]any{object{"a": "x"}, object{"a": "y"}, object{}, object{}, object{"a": tree.Unknown}, object{"a": tree.Unknown}}},
			[]any{[]any{object{"a": "x"}, object{"a": "x"}}, []any{object{"a": n("8")}, object{"a": "x"}, object{"a": n("8.0")}}},
			def.Rule,
		},
		"ByType": {
			def.ByType(
				def.Variant{Type: "A", Field: "a", Checks: def.Checks(def.OneOf("x"))},
				def.Variant{Type: "B", Field: "b", Optional: true},
			),
			[]any{
				object{"type": "A", "a": "x"},
				object{"type": "A", "a": tree.Unknown},
				object{"type": tree.Unknown},
				object{"type": "B", "a": "y"},
				object{"type": "C"},
				object{},
			},
			[]any{object{"type": "A"}, object{"type": "A", "a": "y"}, object{"type": "A", "b": "x"}},
			def.Rule,
		},
		"At":          {def.OneOf("a").At(def.Objects), []any{"a"}, []any{"b"}, def.Objects},
		"TagValues":   {def.TagValues(), []any{object{"kuma.io/service": "a:b"}}, []any{object{"a b": "a"}, object{"a": "x y"}, object{"a": "a/b"}, object{"a": "*"}, object{"a": ""}, object{"a": nil}}, def.Rule},
		"TagPatterns": {def.TagPatterns(), []any{object{"kuma.io/service": "a/b"}, object{"a": "*"}}, []any{object{"a b": "a"}, object{"a": "a*"}, object{"a": ""}, object{"a": nil}}, def.Rule},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, good := range append(tt.good, tree.Unknown) {
				if problems := tt.check.Test(tree.Root(object{"x": good}).Get("x")); len(problems) != 0 {
					t.Errorf("%v is rejected: %+v", good, problems)
				}
			}
			for _, bad := range tt.bad {
				problems := tt.check.Test(tree.Root(object{"x": bad}).Get("x"))
				if len(problems) != 1 || problems[0].Stage != tt.atTheStage || problems[0].Path[0] != "x" {
					t.Errorf("%v: problems %+v, want one at stage %d", bad, problems, tt.atTheStage)
				}
			}
		})
	}
}

func TestWarn(t *testing.T) {
	t.Parallel()
	c := def.OneOf("a")
	for want, c := range map[bool]def.Check{false: c, true: c.Warn()} {
		problems := c.Test(tree.Root(object{"x": "b"}).Get("x"))
		if len(problems) != 1 || problems[0].Warning != want {
			t.Errorf("problems %+v, want one with Warning %t", problems, want)
		}
	}
}

func TestRejected(t *testing.T) {
	t.Parallel()
	root := tree.Root(object{"set": "a", "empty": "", "unknown": tree.Unknown})
	for _, name := range []string{"empty", "unknown", "missing"} {
		if problems := def.Rejected(root.Get(name), "Why."); len(problems) != 0 {
			t.Errorf("Rejected(%s) = %+v, want nothing", name, problems)
		}
	}
	problems := def.Rejected(root.Get("set"), "Why.")
	if len(problems) != 1 || !strings.HasPrefix(problems[0].Summary, "set ") || problems[0].Detail != "Why." {
		t.Errorf("Rejected(set) = %+v", problems)
	}
}

func TestSortAndErrors(t *testing.T) {
	t.Parallel()
	problems := []def.Problem{
		{Path: tree.Path{"b"}, Summary: "y"},
		{Path: tree.Path{"b"}, Summary: "x", Warning: true},
		{Path: tree.Path{"a", 10}},
		{Path: tree.Path{"a", 9, "z"}},
		{Path: tree.Path{"a"}},
	}
	def.Sort(problems)
	var got []string
	for _, p := range problems {
		got = append(got, p.Path.String()+p.Summary)
	}
	testworld.Equal(t, "Sort", []string{"a", "a[9].z", "a[10]", "by", "bx"}, got)
	if errs := def.Errors(problems); len(errs) != 4 || len(problems) != 5 {
		t.Errorf("Errors = %+v, want all but the warning", errs)
	}
}
