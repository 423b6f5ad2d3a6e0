package repository

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// action is the part of action.yml that the tests need.
type action struct {
	Inputs map[string]any
	Runs   struct {
		Steps []struct {
			Name, Run string
			Env       map[string]string
		}
	}
}

func readAction(t *testing.T) (a action, text string) {
	t.Helper()
	data, err := os.ReadFile("action.yml")
	if err == nil {
		err = yaml.Unmarshal(data, &a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a, string(data)
}

// TestActionDeclaresItsInputs checks the inputs that expressions of the action use.
func TestActionDeclaresItsInputs(t *testing.T) {
	a, text := readAction(t)
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`\binputs\.([a-z-]+)`).FindAllStringSubmatch(text, -1) {
		used[m[1]] = true
		if _, ok := a.Inputs[m[1]]; !ok {
			t.Errorf("the action has no input %s", m[1])
		}
	}
	for name := range a.Inputs {
		if !used[name] {
			t.Errorf("the action does not use the input %s", name)
		}
	}
}

// TestActionComments runs the steps of the action that analyze and comment, with a gh that
// records its arguments.
func TestActionComments(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	a, _ := readAction(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	temp, work, bin := t.TempDir(), t.TempDir(), t.TempDir()
	testdata := filepath.Join("internal", "command", "testdata")
	for to, from := range map[string]string{filepath.Join(temp, "base", "mesh"): "before", filepath.Join(work, "mesh"): "after"} {
		if err := os.CopyFS(to, os.DirFS(filepath.Join(testdata, from))); err != nil {
			t.Fatal(err)
		}
	}
	gh := fmt.Sprintf("#!/bin/sh\necho \"$@\" >> %s/gh.log\ncase \"$*\" in *--jq*) echo 42 ;; esac\n", temp)
	if err := os.WriteFile(filepath.Join(bin, "gh"), []byte(gh), 0o700); err != nil {
		t.Fatal(err)
	}
	environment := append(os.Environ(), asCommand+"=1", "PATH="+bin+":"+os.Getenv("PATH"), "RUNNER_TEMP="+temp, "GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary"),
		"GITHUB_ENV="+filepath.Join(temp, "env"), "GITHUB_REPOSITORY=shop/mesh", "PULL_REQUEST=7", "KUMA="+program, "DOCUMENTS=mesh", "FAIL_ON=error", "MESH=", "RELEASE=")
	for _, step := range a.Runs.Steps {
		if step.Name != "Analyze" && step.Name != "Comment" {
			continue
		}
		c := exec.CommandContext(t.Context(), bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		c.Dir, c.Env = work, environment
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", step.Name, err, out)
		}
	}
	for file, wants := range map[string][]string{
		"comment.md": {"<!-- terraform-provider-kuma mesh -->\n### Impact\n\nMesh shop: every dataplane changes.", "`http.requestTimeout`: unset → `5s`", "### Findings\n\n```text\nMesh \"shop\" has no findings."},
		"summary":    {"### Impact"},
		"env":        {"code=0"},
		"gh.log":     {"api --method PATCH repos/shop/mesh/issues/comments/42 --field body=@" + filepath.Join(temp, "comment.md")},
	} {
		data, err := os.ReadFile(filepath.Join(temp, file))
		if err != nil {
			t.Error(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(data), want) {
				t.Errorf("%s lacks %q:\n%s", file, want, data)
			}
		}
	}
}

// TestActionFetchesTheBaseOnce runs the step that fetches the base twice, as a job does that
// reviews two directories.
func TestActionFetchesTheBaseOnce(t *testing.T) {
	for _, program := range []string{"bash", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	a, _ := readAction(t)
	origin, work, temp := t.TempDir(), t.TempDir(), t.TempDir()
	run := func(dir, script string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
		c.Dir, c.Env = dir, append(os.Environ(), "RUNNER_TEMP="+temp, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	base := run(origin, "git init -q && git commit -q --allow-empty -m base && git rev-parse HEAD")
	run(work, "git clone -q "+origin+" .")
	for _, step := range a.Runs.Steps {
		for range 2 {
			if step.Name == "Fetch the base" {
				run(work, "BASE="+base+"\n"+step.Run)
			}
		}
	}
	if got := run(filepath.Join(temp, "base"), "git rev-parse HEAD"); got != base {
		t.Errorf("the base is %s, want %s", got, base)
	}
}
