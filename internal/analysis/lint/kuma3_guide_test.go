package lint_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestDangersOfExample checks that the example that makes a plan fail lists all
// conditions that apply a policy to more proxies or weaken security.
func TestDangersOfExample(t *testing.T) {
	t.Parallel()
	example := testworld.Text(t, filepath.Join("..", "..", "..", "examples", "data-sources", "kuma_mesh_lint", "data-source-before-an-upgrade-to-kuma-3.tf"))
	got := regexp.MustCompile(`K3-\d+`).FindAllString(example, -1)
	var want []string
	for _, c := range kuma3.Conditions() {
		if c.Effect == kuma3.Security || c.Effect == kuma3.Widens {
			want = append(want, c.ID)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	testworld.Equal(t, "codes in the example", want, got)
}
