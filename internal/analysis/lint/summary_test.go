package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	finding := func(s lint.Severity, path ...any) lint.Finding {
		return lint.Finding{
			Code: "some-code", Severity: s, Resource: kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: "web"},
			Path: tree.Path(path), Message: "It is wrong.", Suggestion: "Change it.",
		}
	}
	with := func(detail, here string, proxies int) lint.Finding {
		f := finding(lint.Warning)
		f.Detail, f.Here, f.Proxies = detail, here, proxies
		return f
	}
	different := func(n int) []lint.Finding { // numbers 3 and 4 affect fewer proxies than the others
		out := slices.Repeat([]lint.Finding{finding(lint.Warning)}, n)
		for i := range out {
			out[i].Message, out[i].Proxies = fmt.Sprintf("It is %d.", i), 5+i
		}
		out[3].Proxies, out[4].Proxies = 2, 1
		return out
	}
	for name, tt := range map[string]struct {
		findings []lint.Finding
		want     string
	}{
		"none": {nil, `Mesh "shop" has no findings.`},
		"one": {[]lint.Finding{finding(lint.Info)}, `Mesh "shop" has 1 info finding.

info some-code: MeshTimeout "web"
  It is wrong.
  Change it.`},
		"several": {[]lint.Finding{finding(lint.Error, "spec", "to", 0), finding(lint.Error, "spec"), finding(lint.Warning)}, `Mesh "shop" has 2 errors and 1 warning.

error some-code: MeshTimeout "web", spec.to[0]
  and MeshTimeout "web", spec
  It is wrong.
  Change it.

warning some-code: MeshTimeout "web"
  It is wrong.
  Change it.`},
		"particulars": {[]lint.Finding{with("Proxies: a.", "", 1), with("Proxies: b and c.", "Here: red.", 2)}, `Mesh "shop" has 2 warnings.

warning some-code: MeshTimeout "web". Proxies: b and c. Here: red.
  and MeshTimeout "web". Proxies: a.
  It is wrong.
  Change it.`},
		"many": {slices.Repeat([]lint.Finding{finding(lint.Info, "spec")}, 12), `Mesh "shop" has 12 info findings.

info some-code: MeshTimeout "web", spec` + strings.Repeat(`
  and MeshTimeout "web", spec`, 9) + `
  and 2 more
  It is wrong.
  Change it.`},
		"many different": {different(12), `Mesh "shop" has 12 warnings.

warning some-code: 12 findings with 12 different messages. These 10 affect the most proxies:` + strings.Join(each(12, func(i int) string {
			if i == 3 || i == 4 {
				return ""
			}
			return fmt.Sprintf("\n\nwarning some-code: MeshTimeout \"web\"\n  It is %d.\n  Change it.", i)
		}), "")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testworld.Equal(t, "summary", tt.want, lint.Summary("shop", tt.findings, 1))
			if got := lint.Summary("shop", tt.findings, 0); !strings.Contains(got, " It has no Dataplanes, so the selections of proxies") {
				t.Errorf("summary of a mesh without Dataplanes: %s", got)
			}
		})
	}
}

func each(n int, use func(i int) string) []string {
	var out []string
	for i := range n {
		out = append(out, use(i))
	}
	return out
}

// TestWorst checks that findings of every code are kept, in the same order.
func TestWorst(t *testing.T) {
	t.Parallel()
	given := []lint.Finding{{Code: "a", Proxies: 1}, {Code: "a", Proxies: 3}, {Code: "a", Proxies: 2}, {Code: "b"}}
	want := []lint.Finding{given[1], given[2], given[3]}
	testworld.Equal(t, "worst findings", want, lint.Worst(given, 2))
	testworld.Equal(t, "counts by code", map[string]int{"a": 3, "b": 1}, lint.CountCodes(given))
}

func TestCount(t *testing.T) {
	t.Parallel()
	got := lint.Count([]lint.Finding{{Severity: lint.Warning}, {Severity: lint.Warning}, {Severity: lint.Error}})
	testworld.Equal(t, "counts", map[lint.Severity]int{lint.Error: 1, lint.Warning: 2, lint.Info: 0}, got)
}
