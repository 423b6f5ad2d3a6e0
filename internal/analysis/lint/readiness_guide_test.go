package lint_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestReadinessGuide: the guide lists all conditions, in the words of their
// findings.
func TestReadinessGuide(t *testing.T) {
	t.Parallel()
	file := filepath.Join("..", "..", "..", "templates", "guides", "kuma-3.md")
	const begin, end = "<!-- begin conditions -->\n", "<!-- end conditions -->\n"
	guide := testworld.Text(t, file)
	before, rest, _ := strings.Cut(guide, begin)
	_, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no place for the conditions", file)
	}
	testworld.Want(t, file, before+begin+listed(lint.Conditions())+end+after)
}

// listed writes conditions as lists of Markdown.
func listed(conditions []def.Condition) string {
	var b strings.Builder
	b.WriteString("\n")
	last := ""
	for _, c := range conditions {
		heading := dangers[c.Danger]
		if c.Danger == def.NoDanger {
			heading = effects[c.Effect]
		}
		if heading != last {
			fmt.Fprintf(&b, "### %s\n\n", heading)
			last = heading
		}
		fmt.Fprintf(&b, "- **`%s`** %s%s\n\n  *Instead:* %s%s\n\n", c.ID, escaped(c.Doc), unannounced[c.Unannounced], escaped(c.Do), before[c.Before])
	}
	return b.String()
}

var (
	dangers     = map[def.Danger]string{def.Widens: "Policies that reach further", def.Security: "Protection that ends"}
	effects     = map[def.Effect]string{def.Breaks: "What breaks", def.Changes: "What changes", def.Cosmetic: "What is cosmetic"}
	unannounced = map[bool]string{true: " (Not in the upgrade notes.)"}
	before      = map[def.Before]string{def.Partly: " Part of it has to wait for the upgrade.", def.Nothing: " Nothing of it can be done before the upgrade."}
)

// TestDangersOfExample: the example that lets a plan fail lists all conditions
// that widen a policy's reach or weaken security.
func TestDangersOfExample(t *testing.T) {
	t.Parallel()
	example := testworld.Text(t, filepath.Join("..", "..", "..", "examples", "data-sources", "kuma_mesh_lint", "data-source-kuma3.tf"))
	got := regexp.MustCompile(`K3-\d+`).FindAllString(example, -1)
	var want []string
	for _, c := range lint.Conditions() {
		if c.Danger != def.NoDanger {
			want = append(want, c.ID)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("codes in the example (-want +got):\n%s", diff)
	}
}
