package tree_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestPathString(t *testing.T) {
	t.Parallel()
	tests := map[string]tree.Path{
		``:                             nil,
		`name`:                         {"name"},
		`spec.to[0].targetRef`:         {"spec", "to", 0, "targetRef"},
		`labels["kuma.io/zone"]`:       {"labels", "kuma.io/zone"},
		`labels["app"]`:                {"labels", "app"},
		`spec.targetRef.tags["a"]`:     {"spec", "targetRef", "tags", "a"},
		`labels["a \"b\" \\ c"].x`:     {"labels", `a "b" \ c`, "x"},
		`labels["a.b[0]"]`:             {"labels", "a.b[0]"},
		`networking.inbound[12][3].p1`: {"networking", "inbound", 12, 3, "p1"},
	}
	for text, path := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if got := path.String(); got != text {
				t.Errorf("%#v.String() = %s, want %s", path, got, text)
			}
			if diff := cmp.Diff(path, tree.ParsePath(text)); diff != "" {
				t.Errorf("ParsePath(%s) (-want +got):\n%s", text, diff)
			}
		})
	}
}

func TestParsePathOfOddText(t *testing.T) {
	t.Parallel()
	tests := map[string]tree.Path{
		`spec.to[x].a`:                   {"spec", "to"},
		`a[99999999999999999999]`:        {"a"},
		`["kuma.io/origin"]`:             {"kuma.io/origin"},
		`/meshes/{mesh}.filter`:          {"/meshes/{mesh}", "filter"},
		`spec.from[0].http.abort[0].pct`: {"spec", "from", 0, "http", "abort", 0, "pct"},
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, tree.ParsePath(text)); diff != "" {
				t.Errorf("ParsePath(%s) (-want +got):\n%s", text, diff)
			}
		})
	}
}

func FuzzParsePath(f *testing.F) {
	f.Add(`spec.to[0].targetRef`)
	f.Add(`labels["kuma.io/zone"]`)
	f.Add(`a["`)
	f.Fuzz(func(t *testing.T, text string) {
		path := tree.ParsePath(text)
		if again := tree.ParsePath(path.String()); cmp.Diff(path, again) != "" {
			t.Errorf("ParsePath(%q) = %#v, and its text %q is read as %#v", text, path, path.String(), again)
		}
	})
}

func TestChildSharesNothing(t *testing.T) {
	t.Parallel()
	parent := make(tree.Path, 1, 4)
	parent[0] = "spec"
	a, b := parent.Child("a"), parent.Child("b")
	if a.String() != "spec.a" || b.String() != "spec.b" {
		t.Errorf("Child = %s and %s, want spec.a and spec.b", a, b)
	}
}
