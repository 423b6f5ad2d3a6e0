package phrase_test

import (
	"fmt"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

func TestSuggest(t *testing.T) {
	t.Parallel()
	kinds := []string{"Mesh", "MeshService", "MeshServiceSubset", "MeshHTTPRoute"}
	tests := map[string]string{
		"MeshServise":   ` Did you mean "MeshService"?`,
		"meshservice":   ` Did you mean "MeshService"?`,
		"MeshHttpRoute": ` Did you mean "MeshHTTPRoute"?`,
		"Dataplane":     "",
		"":              "",
		"Mes":           ` Did you mean "Mesh"?`,
		"Me":            "",
	}
	for word, want := range tests {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			if got := phrase.Suggest(word, kinds); got != want {
				t.Errorf("Suggest(%q) = %q, want %q", word, got, want)
			}
		})
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}}
	for want, words := range tests {
		if got := phrase.Or(words...); got != want {
			t.Errorf("Or(%q) = %q, want %q", words, got, want)
		}
	}
	if got := phrase.And("a", "b", "c"); got != "a, b and c" {
		t.Errorf("And = %q", got)
	}
}

func TestPairs(t *testing.T) {
	for want, m := range map[string]map[string]string{"": nil, "a=1": {"a": "1"}, "a=1, b=2": {"b": "2", "a": "1"}} {
		if got := phrase.Pairs(m); got != want {
			t.Errorf("Pairs(%v) = %q, want %q", m, got, want)
		}
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	for want, labels := range map[string]map[string]string{
		"":                nil,
		"team=a":          {"team": "a"},
		"web":             {"name": "web"},
		"web with team=a": {"name": "web", "team": "a"},
	} {
		if got := phrase.Labels(labels, "name"); got != want {
			t.Errorf("labels %v: %q, want %q", labels, got, want)
		}
	}
}

func TestSome(t *testing.T) {
	t.Parallel()
	for want, words := range map[string][]string{
		"": nil, "a": {"a"}, "a, b and c": {"a", "b", "c"}, "a, b and 2 more proxies": {"a", "b", "c", "d"},
	} {
		if got := phrase.Some(words, 2, "proxies"); got != want {
			t.Errorf("Some(%q) = %q, want %q", words, got, want)
		}
	}
	if got, want := phrase.More(3, ""), "and 3 more"; got != want {
		t.Errorf("phrase.More(3) = %q, want %q", got, want)
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	for want, value := range map[string]any{
		"5s":          "5s",
		`""`:          "",
		"two lines":   "two\nlines",
		"null":        nil,
		`{"a":["b"]}`: map[string]any{"a": []any{"b"}},
		"ein Müßigg…": "ein Müßiggänger",
	} {
		if got := phrase.Value(value, 11); got != want {
			t.Errorf("Value(%v) = %s, want %s", value, got, want)
		}
	}
}

func TestWord(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"":             "",
		"app=web v2/*": "app=web v2/*",
		"a\nb":         "`a\\nb`",
		"\x1b[31mü":    "`\\x1b[31mü`",
		"it's\u202e":   "`it's\\u202e`",
		"<!--":         "`<!--`",
		"a``b`":        "``` a``b` ```",
	} {
		if got := phrase.Word(word); got != want {
			t.Errorf("Word(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 proxies", 1: "1 proxy", 2: "2 proxies"} {
		if got := phrase.Count(n, "proxy", "proxies"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestDistinct(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ values, want []any }{
		"short":         {[]any{"a", "b"}, []any{"a", "b"}},
		"equal":         {[]any{"abcdefghijkl", "abcdefghijkl"}, []any{"abcdefghi…", "abcdefghi…"}},
		"at the start":  {[]any{"1bcdefghijkl", "2bcdefghijkl"}, []any{"1bcdefghi…", "2bcdefghi…"}},
		"at the end":    {[]any{"abcdefghijk1", "abcdefghijk2"}, []any{"…defghijk1", "…defghijk2"}},
		"in the middle": {[]any{"abcdefghijk1mnopqrst", "abcdefghijk2mnopqrst"}, []any{"…ijk1mnop…", "…ijk2mnop…"}},
		"a prefix":      {[]any{"abcdefghijkl", "abcdefghijklm"}, []any{"…defghijkl", "…efghijklm"}},
		"three":         {[]any{"abcdefghijk1", "abcdefghijk2", "zbcdefghijkl"}, []any{"…defghijk1", "…defghijk2", "zbcdefghi…"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, got := range phrase.Distinct(10, tt.values...) {
				if got != tt.want[i] {
					t.Errorf("value %d: %q, want %q", i, got, tt.want[i])
				}
			}
		})
	}
}

func TestMore(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"and 2 more proxies": phrase.More(2, "proxies"), "and 1 more proxy": phrase.More(1, "proxies"), "and 1 more group of clients": phrase.More(1, "groups of clients"), "and 1 more": phrase.More(1, ""),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	t.Parallel()
	got := phrase.Grouped([]string{"web", "api", "wiki", "app", "db"}, func(s string) byte { return s[0] })
	if want := "[[web wiki] [api app] [db]]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
