package e2e_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestServiceTagsGuide applies the example of the guide, and finds the outputs in
// the text as the guide shows them.
func TestServiceTagsGuide(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	files := map[string]string{}
	for _, name := range []string{"main.tf", "mesh.yaml", "services.yaml"} {
		files[name] = testworld.Text(t, filepath.Join(providertest.Examples, "guides", "service-tags", name))
	}
	c := providertest.NewCLI(t, files)
	c.Must(t, "apply", "-auto-approve")
	guide := testworld.Text(t, testworld.Path("templates", "guides", "service-tags.md.tmpl"))
	_, outputs, _ := strings.Cut(c.Must(t, "output"), "findings_after")
	outputs = "findings_after" + outputs
	const blocks = 4
	shown := strings.SplitAfter(strings.TrimSpace(outputs), "\n]\n")
	if len(shown) != blocks {
		t.Fatalf("%d outputs, want %d:\n%s", len(shown), blocks, outputs)
	}
	for _, block := range shown {
		if !strings.Contains(guide, strings.TrimSpace(block)) {
			t.Errorf("the guide does not show\n%s", block)
		}
	}
}

// TestStageGuide stages and promotes the policy of the guide, and finds the difference in
// the text as the guide shows it.
func TestStageGuide(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	file := func(name string) string {
		return testworld.Text(t, filepath.Join(providertest.Examples, "guides", "stage", name))
	}
	c := providertest.NewCLI(t, map[string]string{"main.tf": file("main.tf")})
	c.Must(t, "apply", "-auto-approve")
	for _, name := range []string{"policy.tf", "difference.tf", "rollout.tf"} {
		providertest.Write(t, filepath.Join(c.Dir, name), file(name))
	}
	guide := testworld.Text(t, testworld.Path("templates", "guides", "stage-a-policy.md.tmpl"))
	c.Must(t, "plan", "-out=staged")
	settings, _ := c.PlannedOutputs(t, "staged")["settings"].(string)
	if settings == "" || !strings.Contains(guide, strings.TrimSpace(settings)) {
		t.Errorf("the guide does not show\n%s", settings)
	}
	c.Must(t, "apply", "staged")
	if got := c.Outputs(t)["envoy"]; got != "The proxy has never connected." {
		t.Errorf("envoy is %v", got)
	}
	if out := c.Must(t, "apply", "-auto-approve", "-var", "staged=false"); !strings.Contains(out, "0 added, 1 changed, 0 destroyed") {
		t.Errorf("the promotion is not an update in place:\n%s", out)
	}
}
