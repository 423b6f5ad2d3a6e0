package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestUpgradeGuide applies the example of the guide, and finds the outputs in the text as the
// guide shows them. Its gate passes.
func TestUpgradeGuide(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	files := map[string]string{}
	for _, name := range []string{"main.tf", "mesh.yaml"} {
		files[name] = testworld.Text(t, filepath.Join(providertest.Examples, "guides", "upgrade-to-kuma-3", name))
	}
	c := providertest.NewCLI(t, files)
	c.Must(t, "apply", "-auto-approve")
	guide := testworld.Text(t, testworld.Path("templates", "guides", "upgrade-to-kuma-3.md.tmpl"))
	for _, name := range []string{"a_timeouts", "c_proof"} {
		if text := strings.TrimSpace(c.Output(t, name)); !strings.Contains(guide, text) {
			t.Errorf("the guide does not show %s:\n%s", name, text)
		}
	}
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"), strings.ReplaceAll(files["main.tf"], `["checkout-1", "payments-1"]`, "[]"))
	if out, code := c.Run(t, "plan"); code == 0 || !strings.Contains(out, "Stage two changes other proxies") {
		t.Errorf("the gate passes although a proxy that has not been reviewed changes:\n%s", out)
	}
	decisions := strings.TrimSpace(c.Must(t, "output", "b_to_decide"))
	if !strings.Contains(guide, decisions) {
		t.Errorf("the guide does not show\n%s", decisions)
	}
}
