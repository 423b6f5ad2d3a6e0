package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestPipelines runs the scripts of the plan in the example pipelines. The comment contains
// the review if the plan succeeds, also if the review refuses it, and the message of the gate if it
// fails.
func TestPipelines(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	var github struct {
		Jobs map[string]struct {
			Steps []struct{ ID, Run string }
		}
	}
	var gitlab struct {
		Plan struct {
			Script []string
			After  []string `yaml:"after_script"`
		}
	}
	for file, into := range map[string]any{"github-actions.yml": &github, "gitlab-ci.yml": &gitlab} {
		if err := yaml.Unmarshal([]byte(testworld.Text(t, filepath.Join(providertest.Examples, "pipelines", file))), into); err != nil {
			t.Fatal(file, err)
		}
	}
	plan, comment := "", ""
	for _, step := range github.Jobs["plan"].Steps {
		if step.ID == "plan" || step.ID == "review" {
			plan += step.Run + "\n"
		} else if strings.Contains(step.Run, "comment.md") {
			comment = step.Run
		}
	}
	t.Run("GitHub Actions", func(t *testing.T) { runPipeline(t, plan, comment) })
	t.Run("GitLab", func(t *testing.T) {
		runPipeline(t, strings.Join(gitlab.Plan.Script, "\n"), strings.Join(gitlab.Plan.After, "\n"))
	})
}

// runPipeline runs the scripts of a pipeline, with commands that store what they would send.
func runPipeline(t *testing.T, plan, comment string) {
	t.Helper()
	t.Parallel()
	c := providertest.NewCLI(t, map[string]string{
		"main.tf":   testworld.Text(t, filepath.Join(providertest.Examples, "impact", "main.tf")),
		"impact.tf": testworld.Text(t, filepath.Join(providertest.Examples, "impact", "impact.tf")),
	})
	c.SeparateProcess(t)
	c.Must(t, "apply", "-auto-approve")
	bin := t.TempDir()
	for name, script := range map[string]string{
		"gh":        "cp comment.md sent.md",
		"curl":      "cp comment.md sent.md",
		"terraform": "exec " + c.Terraform + ` "$@"`,
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil { //nolint:gosec // a command
			t.Fatal(err)
		}
	}
	run := func(script string, env ...string) error {
		cmd := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", script)
		cmd.Dir, cmd.Env = c.Dir, append(append(c.Env, "PATH="+bin+":"+os.Getenv("PATH"), "NUMBER=1", "CI_MERGE_REQUEST_IID=1"), env...)
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		return err
	}
	installed := filepath.Join(c.Dir, ".terraform", "providers", "registry.terraform.io", "kuma-universal", "kuma", "0.1.0", "any")
	testworld.NoError(t, os.MkdirAll(installed, 0o700))
	binary, err := providertest.Binary()
	if err == nil {
		err = os.Symlink(filepath.Join(binary, "terraform-provider-kuma"), filepath.Join(installed, "terraform-provider-kuma_v0.1.0"))
	}
	testworld.NoError(t, err)
	for _, step := range []struct {
		timeout  string
		succeeds bool
		added    string // to the configuration
		wants    []string
	}{
		{"2s", true, "", []string{"### Kuma: Accepted", "Mesh shop: 8 of 20 dataplanes change"}},
		{"2s", false, dangling, []string{"### Kuma: Refused: 1 error.", "kuma_manifest.dangling"}},
		{"0s", false, "", []string{"The plan or its review failed", "Module output value precondition failed", "\nPlan: ", " to change"}},
	} {
		for _, file := range []string{"plan.bin", "plan.json", "comment.md"} {
			_ = os.Remove(filepath.Join(c.Dir, file))
		}
		providertest.Write(t, filepath.Join(c.Dir, "added.tf"), step.added)
		if err := run(plan, "TF_VAR_payments_timeout="+step.timeout); (err == nil) != step.succeeds {
			t.Errorf("the plan with %s: %v", step.timeout, err)
		}
		testworld.NoError(t, run(comment))
		sent := testworld.Text(t, filepath.Join(c.Dir, "sent.md"))
		for _, want := range step.wants {
			if !strings.Contains(sent, want) {
				t.Errorf("the comment does not contain %q:\n%s", want, sent)
			}
		}
	}
}

// dangling is a policy for a service that does not exist.
const dangling = `
resource "kuma_manifest" "dangling" {
  manifest = {
    type = "MeshTimeout"
    mesh = "shop"
    name = "dangling"
    spec = {
      targetRef = { kind = "Mesh" }
      to        = [{ targetRef = { kind = "MeshService", labels = { "kuma.io/display-name" = "nowhere" } }, default = { idleTimeout = "1m" } }]
    }
  }
}
`
