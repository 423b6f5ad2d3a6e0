package tree_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestNode(t *testing.T) {
	t.Parallel()
	root := tree.Root(map[string]any{
		"text":    "a",
		"number":  json.Number("5"),
		"yes":     true,
		"null":    nil,
		"unknown": tree.Unknown,
		"empty":   map[string]any{},
		"list":    []any{"a", nil, tree.Unknown},
		"object":  map[string]any{"inner": tree.Unknown},
	})
	tests := map[string]struct {
		node                          tree.Node
		absent, unknown, known, empty bool
	}{
		"text":            {node: root.Get("text"), known: true},
		"missing":         {node: root.Get("missing"), absent: true, empty: true},
		"null":            {node: root.Get("null"), absent: true, empty: true},
		"unknown":         {node: root.Get("unknown"), unknown: true},
		"empty":           {node: root.Get("empty"), known: true, empty: true},
		"below text":      {node: root.Get("text", "x", "y"), absent: true, empty: true},
		"below missing":   {node: root.Get("missing", "x"), absent: true, empty: true},
		"below unknown":   {node: root.Get("unknown", "x", "y"), unknown: true},
		"below object":    {node: root.Get("object", "inner"), unknown: true},
		"element":         {node: root.Get("list").Items()[0], known: true},
		"null element":    {node: root.Get("list").Items()[1], known: true},
		"unknown element": {node: root.Get("list").Items()[2], unknown: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := tt.node
			got := [4]bool{n.Absent(), n.Unknown(), n.Known(), n.Empty()}
			if want := [4]bool{tt.absent, tt.unknown, tt.known, tt.empty}; got != want {
				t.Errorf("%s: absent, unknown, known, empty = %v, want %v", n.Path, got, want)
			}
		})
	}
	for name, want := range map[string]bool{"text": true, "empty": true, "missing": false, "unknown": false, "list": false, "object": false} {
		if got := root.Get(name).Complete(); got != want {
			t.Errorf("Complete of %s = %t, want %t", name, got, want)
		}
	}
	if n := root.Get("unknown"); len(n.Items()) != 0 || len(n.Entries()) != 0 || n.True() {
		t.Error("an unknown value has elements, or is true")
	}
	if s, ok := root.Get("text").Text(); !ok || s != "a" {
		t.Errorf("Text = %q, %t, want a", s, ok)
	}
	if i, ok := root.Get("number").Int(); !ok || i != 5 {
		t.Errorf("Int = %d, %t, want 5", i, ok)
	}
	if n := root.Get("list").Items()[2]; n.Path.String() != "list[2]" || n.Key() != "" {
		t.Errorf("Path, Key = %s, %q, want list[2] without a key", n.Path, n.Key())
	}
	if n := root.Get("object", "inner"); n.Key() != "inner" || n.Root().Get("text").Empty() {
		t.Errorf("Key = %q, want inner, with the document as root", n.Key())
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	doc := tree.Root(map[string]any{
		"list":    []any{map[string]any{"name": "a"}, nil, "text", map[string]any{"name": tree.Unknown}},
		"object":  map[string]any{"y": map[string]any{"z": "1"}, "x": map[string]any{}},
		"labels":  map[string]any{"kuma.io/zone": "east"},
		"unknown": tree.Unknown,
	})
	tests := map[string]struct {
		path string
		want []string
	}{
		"the place itself":       {"", []string{""}},
		"a field":                {"object.y", []string{"object.y"}},
		"a field that is not":    {"object.a.b", []string{"object.a.b"}},
		"a key":                  {`labels["kuma.io/zone"]`, []string{`labels["kuma.io/zone"]`}},
		"elements of a list":     {"list[].name", []string{"list[0].name", "list[1].name", "list[2].name", "list[3].name"}},
		"fields of an object":    {"object[].z", []string{"object.x.z", "object.y.z"}},
		"elements of no list":    {"missing[].name", nil},
		"elements of a text":     {"list[].name[]", nil},
		"elements of an unknown": {"unknown[].name", nil},
		"below an unknown":       {"unknown.a", []string{"unknown.a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, n := range doc.Find(tt.path) {
				got = append(got, n.Path.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Find(%q) (-want +got):\n%s", tt.path, diff)
			}
		})
	}
}
