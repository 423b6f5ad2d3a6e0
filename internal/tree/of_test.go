package tree_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

type common struct {
	Name string `json:"name"`
}

type answer struct {
	common
	Note    string          `json:"note,omitzero"`
	Count   int             `json:"count"`
	Share   json.Number     `json:"share"`
	Part    *common         `json:"part"`
	Parts   []common        `json:"parts"`
	Found   []string        `json:"found,omitzero"`
	Numbers map[string]int  `json:"numbers"`
	Free    any             `json:"free,omitzero"`
	Secret  func()          `json:"-"`
	By      map[string]bool `json:"by,omitzero"`
}

// TestOf checks what is absent, and what is empty.
func TestOf(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in   answer
		want map[string]any
	}{
		"zero": {answer{Share: "0"}, map[string]any{"name": "", "count": json.Number("0"), "share": json.Number("0"), "parts": []any{}, "numbers": map[string]any{}}},
		"all": {
			answer{common{"a"}, "n", 2, "0.5", &common{"p"}, []common{{"q"}}, []string{}, map[string]int{"x": 1}, []any{"y"}, nil, map[string]bool{"z": true}},
			map[string]any{
				"name": "a", "note": "n", "count": json.Number("2"), "share": json.Number("0.5"), "part": map[string]any{"name": "p"}, "parts": []any{map[string]any{"name": "q"}},
				"found": []any{}, "numbers": map[string]any{"x": json.Number("1")}, "free": []any{"y"}, "by": map[string]any{"z": true},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(any(test.want), tree.Of(test.in)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestOfWithNulls checks that all fields are present.
func TestOfWithNulls(t *testing.T) {
	t.Parallel()
	type partly struct {
		Note  string    `json:"note,omitzero"`
		Parts []*common `json:"parts"`
		Part  *common   `json:"part"`
	}
	want := map[string]any{"note": nil, "parts": []any{map[string]any{"name": "a"}}, "part": nil}
	if diff := cmp.Diff(any(want), tree.OfWithNulls(partly{Parts: []*common{{"a"}}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
