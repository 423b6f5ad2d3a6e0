package impact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompareLists(t *testing.T) {
	t.Parallel()
	list := func(text string) (out []any) {
		for _, word := range strings.Fields(text) {
			out = append(out, word)
		}
		return out
	}
	for name, tt := range map[string]struct{ before, after, want string }{
		"same":           {"a b c", "a b c", ""},
		"new":            {"a c", "a b c d", "adds `b` and `d`"},
		"gone":           {"a b c", "b", "removes `a` and `c`"},
		"to the end":     {"a b c d", "b c d a", "moves `a`"},
		"to the front":   {"a b c d", "d a b c", "moves `d`"},
		"twice":          {"a b", "a b a", "adds `a`"},
		"once less":      {"a b a", "a b", "removes `a`"},
		"all in one":     {"a b c d", "x c b a", "adds `x`; removes `d`; moves `c` and `b`"},
		"many":           {"a", "a b c d e f", "adds `b`, `c`, `d` and 2 more"},
		"something else": {"a", "b", "adds `b`; removes `a`"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, compareLists(list(tt.before), list(tt.after)).String()); diff != "" {
				t.Errorf("change (-want +got):\n%s", diff)
			}
		})
	}
}
