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
// the impact if the plan succeeds, and the message of the gate if it fails.
func TestPipelines(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	for _, command := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(command); err != nil {
			t.Skip(err)
		}
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
		if step.ID == "plan" {
			plan = step.Run
		} else if strings.Contains(step.Run, "comment.md") {
			comment = step.Run
		}
	}
	t.Run("GitHub Actions", func(t *testing.T) { runPipeline(t, plan, comment, "OUTCOME") })
	t.Run("GitLab", func(t *testing.T) {
		runPipeline(t, strings.Join(gitlab.Plan.Script, "\n"), strings.Join(gitlab.Plan.After, "\n"), "CI_JOB_STATUS")
	})
}

// runPipeline runs the scripts of a pipeline, with commands that store what they would send.
func runPipeline(t *testing.T, plan, comment, outcome string) {
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
	for _, step := range []struct{ timeout, outcome, want string }{
		{"2s", "success", "Mesh shop: 8 of 20 dataplanes change."},
		{"0s", "failure", "Module output value precondition failed"},
	} {
		_ = os.Remove(filepath.Join(c.Dir, "plan.bin"))
		if err := run(plan, "TF_VAR_payments_timeout="+step.timeout); (err == nil) != (step.outcome == "success") {
			t.Errorf("the plan with %s: %v", step.timeout, err)
		}
		if err := run(comment, outcome+"="+step.outcome); err != nil {
			t.Fatal(err)
		}
		sent := testworld.Text(t, filepath.Join(c.Dir, "sent.md"))
		for _, want := range []string{step.want, "\nPlan: ", " to change"} {
			if !strings.Contains(sent, want) {
				t.Errorf("the comment does not contain %q:\n%s", want, sent)
			}
		}
		if !strings.HasPrefix(sent, "Plan: "+step.outcome) || strings.Contains(sent, "null") {
			t.Errorf("the comment does not begin with the outcome, or contains a summary that is null:\n%s", sent)
		}
	}
}
