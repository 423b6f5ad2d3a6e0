package lint_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const guideIntroduction = `---
page_title: "What the linter finds"
description: |-
  Every code of kuma_mesh_lint, with documents in which it is found and in which it is not.
---

# What the linter finds

The data source [` + "`kuma_mesh_lint`" + `](../data-sources/mesh_lint.md) looks at the resources of one mesh: those that a control plane
stores, those of the plan, or documents alone. What it finds has one of the codes below. Codes do not change, so they can
be written into ` + "`ignore`" + `: alone, by their beginning (` + "`dangling-*`" + `), or for one resource.

` + "```terraform" + `
data "kuma_mesh_lint" "shop" {
  mesh   = "shop"
  ignore = ["deprecated", "selects-no-proxy:MeshTimeout/checkout"]
}
` + "```" + `

An **error** means that traffic does not get what the document says. A **warning** means that something has no effect, or
another one than it seems. **Info** means that nothing is wrong yet. Shadow policies (label ` + "`kuma.io/effect: shadow`" + `)
are only looked at as documents: they apply to no traffic.

With ` + "`kuma3 = true`" + ` there are more codes, which begin with ` + "`K3`" + `: [Get ready for Kuma 3.0](kuma-3.md) lists them.

`

// TestGuide keeps the guide in step with the codes and with the documents that
// they are tested by. Run it with -update to write the guide, and then make docs.
func TestGuide(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(guideIntroduction + "| Code | Severity | |\n| --- | --- | --- |\n")
	for _, c := range lint.Codes() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", c.Code, strings.ToLower(c.Code), c.Severity, c.Title)
	}
	for _, c := range lint.Codes() {
		dir := filepath.Join("testdata", c.Code)
		finding, clean := filepath.Join(dir, "finding.yaml"), filepath.Join(dir, "clean.yaml")
		fmt.Fprintf(&b, "\n## %s\n\n%s: %s\n\n```yaml\n%s```\n", c.Code, capital(string(c.Severity)), c.Doc, testworld.Text(t, finding))
		b.WriteString("\n")
		for _, f := range findingsOf(c.Code, lint.Mesh(rules.NewSnapshot(load(t, finding)), kuma.DefaultMesh)) {
			fmt.Fprintf(&b, "- %s `%s`, %s: %s %s\n", f.Resource.Type, f.Resource.Name, place(f), escaped(f.Message), escaped(f.Suggestion))
		}
		fmt.Fprintf(&b, "\nNothing is found in\n\n```yaml\n%s```\n", testworld.Text(t, clean))
	}
	testworld.Want(t, filepath.Join("..", "..", "..", "templates", "guides", "lint.md"), b.String())
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func place(f lint.Finding) string {
	if len(f.Path) == 0 {
		return "the whole document"
	}
	return "`" + f.Path.String() + "`"
}

// escaped keeps what is no markup from being taken for it.
func escaped(s string) string { return strings.NewReplacer("*", `\*`, "<", `\<`, "_", `\_`).Replace(s) }
