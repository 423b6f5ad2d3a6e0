package spec_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

func TestRules(t *testing.T) {
	t.Parallel()
	n := func(s string) any { return json.Number(s) }
	abc := regexp.MustCompile(`^[abc]*$`)
	tests := map[string]struct {
		check      spec.Check
		good, bad  []any
		atTheStage spec.Stage
	}{
		"Between":     {spec.Between(1, 3), []any{n("1"), n("3.0"), "x"}, []any{n("0"), n("4")}, spec.Rule},
		"Limit":       {spec.Limit(1, 3), []any{n("1")}, []any{n("0")}, spec.Schema},
		"NotEmpty":    {spec.NotEmpty(), []any{"a", n("0")}, []any{""}, spec.Schema},
		"Length":      {spec.Length(1, 3), []any{"a", "äöü"}, []any{"", "abcd"}, spec.Schema},
		"Pattern":     {spec.Pattern(abc, "Only a, b and c."), []any{"", "abc"}, []any{"d"}, spec.Schema},
		"Items":       {spec.Items(1, 2), []any{[]any{1}, object{"a": 1}}, []any{[]any{}, []any{1, 2, 3}, object{}}, spec.Schema},
		"OneOf":       {spec.OneOf("a", "b"), []any{"a", true}, []any{"A", ""}, spec.Rule},
		"Positive":    {spec.Positive(), []any{"1ns"}, []any{"0s", "-1s"}, spec.Rule},
		"LongerThan":  {spec.LongerThan(time.Second), []any{"1.001s"}, []any{"1s", "0s"}, spec.Rule},
		"NotNegative": {spec.NotNegative(), []any{"0s"}, []any{"-1s"}, spec.Rule},
		"AnyOf":       {spec.AnyOf("a", "b"), []any{object{"b": 1}, object{"a": spec.Unknown}}, []any{object{}, object{"c": 1}}, spec.Rule},
		"AtMostOneOf": {spec.AtMostOneOf("a", "b"), []any{object{}, object{"a": 1}, object{"a": 1, "b": spec.Unknown}}, []any{object{"a": 1, "b": 1}}, spec.Rule},
		"Each":        {spec.Each(spec.OneOf("a")), []any{[]any{"a", spec.Unknown}, object{"x": "a"}, []any{}}, []any{[]any{"b"}, object{"x": "b"}}, spec.Rule},
		"Below":       {spec.Below("a", spec.OneOf("x")), []any{object{"a": "x"}, object{"a": spec.Unknown}, object{}}, []any{object{"a": "y"}}, spec.Rule},
		"Unique": {
			spec.Unique("a"),
			[]any{[]any{object{"a": "x"}, object{"a": "y"}, object{}, object{}, object{"a": spec.Unknown}, object{"a": spec.Unknown}}},
			[]any{[]any{object{"a": "x"}, object{"a": "x"}}, []any{object{"a": n("8")}, object{"a": "x"}, object{"a": n("8.0")}}},
			spec.Rule,
		},
		"ByType": {
			spec.ByType(
				spec.Variant{Type: "A", Member: "a", Checks: spec.Checks(spec.OneOf("x"))},
				spec.Variant{Type: "B", Member: "b", Optional: true},
			),
			[]any{
				object{"type": "A", "a": "x"},
				object{"type": "A", "a": spec.Unknown},
				object{"type": spec.Unknown},
				object{"type": "B", "a": "y"},
				object{"type": "C"},
				object{},
			},
			[]any{object{"type": "A"}, object{"type": "A", "a": "y"}, object{"type": "A", "b": "x"}},
			spec.Rule,
		},
		"At":   {spec.OneOf("a").At(spec.Objects), []any{"a"}, []any{"b"}, spec.Objects},
		"Tags": {spec.Tags(abc), []any{object{"kuma.io/service": "a"}}, []any{object{"a b": "a"}, object{"a": "x"}}, spec.Rule},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, good := range append(tt.good, spec.Unknown) {
				if problems := tt.check.Test(spec.Root(object{"x": good}).Get("x")); len(problems) != 0 {
					t.Errorf("%v is refused: %+v", good, problems)
				}
			}
			for _, bad := range tt.bad {
				problems := tt.check.Test(spec.Root(object{"x": bad}).Get("x"))
				if len(problems) != 1 || problems[0].Stage != tt.atTheStage || problems[0].Path[0] != "x" {
					t.Errorf("%v: problems %+v, want one at stage %d", bad, problems, tt.atTheStage)
				}
			}
		})
	}
}

func TestWarn(t *testing.T) {
	t.Parallel()
	c := spec.OneOf("a")
	for want, c := range map[bool]spec.Check{false: c, true: c.Warn()} {
		problems := c.Test(spec.Root(object{"x": "b"}).Get("x"))
		if len(problems) != 1 || problems[0].Warning != want {
			t.Errorf("problems %+v, want one with Warning %t", problems, want)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	root := spec.Root(object{"set": "a", "empty": "", "unknown": spec.Unknown})
	for _, name := range []string{"empty", "unknown", "missing"} {
		if problems := spec.Refused(root.Get(name), "Why."); len(problems) != 0 {
			t.Errorf("Refused(%s) = %+v, want nothing", name, problems)
		}
	}
	problems := spec.Refused(root.Get("set"), "Why.")
	if len(problems) != 1 || !strings.HasPrefix(problems[0].Summary, "set ") || problems[0].Detail != "Why." {
		t.Errorf("Refused(set) = %+v", problems)
	}
}

func TestSortAndErrors(t *testing.T) {
	t.Parallel()
	problems := []spec.Problem{
		{Path: spec.Path{"b"}, Summary: "y"},
		{Path: spec.Path{"b"}, Summary: "x", Warning: true},
		{Path: spec.Path{"a", 10}},
		{Path: spec.Path{"a", 9, "z"}},
		{Path: spec.Path{"a"}},
	}
	spec.Sort(problems)
	var got []string
	for _, p := range problems {
		got = append(got, p.Path.String()+p.Summary)
	}
	if diff := cmp.Diff([]string{"a", "a[9].z", "a[10]", "bx", "by"}, got); diff != "" {
		t.Errorf("Sort (-want +got):\n%s", diff)
	}
	if errs := spec.Errors(problems); len(errs) != 4 || len(problems) != 5 {
		t.Errorf("Errors = %+v, want all but the warning", errs)
	}
}
