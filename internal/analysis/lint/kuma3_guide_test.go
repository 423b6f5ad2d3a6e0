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
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestKuma3Guide: the guide lists all conditions, in the words of their
// findings.
func TestKuma3Guide(t *testing.T) {
	t.Parallel()
	file := filepath.Join("..", "..", "..", "templates", "guides", "kuma-3.md")
	const begin, end = "<!-- begin conditions -->\n", "<!-- end conditions -->\n"
	guide := testworld.Text(t, file)
	before, rest, _ := strings.Cut(guide, begin)
	_, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no place for the conditions", file)
	}
	testworld.Want(t, file, before+begin+listed(lint.Kuma3Conditions())+end+after)
}

// listed writes conditions as lists of Markdown.
func listed(conditions []kuma3.Condition) string {
	var b strings.Builder
	b.WriteString("\n")
	last := ""
	for _, c := range conditions {
		heading := dangers[c.Danger]
		if c.Danger == kuma3.NoDanger {
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
	dangers     = map[kuma3.Danger]string{kuma3.Widens: "Policies that reach further", kuma3.Security: "Protection that ends"}
	effects     = map[kuma3.Effect]string{kuma3.Breaks: "What breaks", kuma3.Changes: "What changes", kuma3.Cosmetic: "What is cosmetic"}
	unannounced = map[bool]string{true: " (Not in the upgrade notes.)"}
	before      = map[kuma3.Before]string{kuma3.Partly: " Part of it has to wait for the upgrade.", kuma3.Nothing: " Nothing of it can be done before the upgrade."}
)

// TestDangersOfExample: the example that lets a plan fail lists all conditions
// that widen a policy's reach or weaken security.
func TestDangersOfExample(t *testing.T) {
	t.Parallel()
	example := testworld.Text(t, filepath.Join("..", "..", "..", "examples", "data-sources", "kuma_mesh_lint", "data-source-kuma3.tf"))
	got := regexp.MustCompile(`K3-\d+`).FindAllString(example, -1)
	var want []string
	for _, c := range lint.Kuma3Conditions() {
		if c.Danger != kuma3.NoDanger {
			want = append(want, c.ID)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("codes in the example (-want +got):\n%s", diff)
	}
}
