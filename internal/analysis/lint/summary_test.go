package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	finding := func(s lint.Severity, path ...any) lint.Finding {
		return lint.Finding{
			Code: "some-code", Severity: s, Resource: kuma.Key{Type: "MeshTimeout", Mesh: "shop", Name: "web"},
			Path: tree.Path(path), Message: "It is so.", Suggestion: "Change it.",
		}
	}
	for name, tt := range map[string]struct {
		findings []lint.Finding
		want     string
	}{
		"none": {nil, `Mesh "shop" has no findings.`},
		"one": {[]lint.Finding{finding(lint.Info)}, `Mesh "shop" has 1 remark.

info some-code: MeshTimeout "web"
  It is so.
  Change it.`},
		"several": {[]lint.Finding{finding(lint.Error, "spec", "to", 0), finding(lint.Error, "spec"), finding(lint.Warning)}, `Mesh "shop" has 2 errors and 1 warning.

error some-code: MeshTimeout "web", spec.to[0]
  and MeshTimeout "web", spec
  It is so.
  Change it.

warning some-code: MeshTimeout "web"
  It is so.
  Change it.`},
		"many": {slices.Repeat([]lint.Finding{finding(lint.Info, "spec")}, 12), `Mesh "shop" has 12 remarks.

info some-code: MeshTimeout "web", spec` + strings.Repeat(`
  and MeshTimeout "web", spec`, 9) + `
  and 2 more
  It is so.
  Change it.`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, lint.Summary("shop", tt.findings)); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	got := lint.Count([]lint.Finding{{Severity: lint.Warning}, {Severity: lint.Warning}, {Severity: lint.Error}})
	if diff := cmp.Diff(map[lint.Severity]int{lint.Error: 1, lint.Warning: 2, lint.Info: 0}, got); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}
