package repository

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
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
	testworld.NoError(t, err)
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

// review is a job that uses the action, with a gh that records its arguments and applies --jq to
// an answer.
type review struct {
	action      action
	temp, work  string
	environment []string
}

// needPrograms skips a test of the steps of the action where a program that they run is missing;
// the machines of GitHub have all of them.
func needPrograms(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
}

func newReview(t *testing.T, answer string) review {
	t.Helper()
	needPrograms(t, "bash", "jq")
	program, err := os.Executable()
	testworld.NoError(t, err)
	a, _ := readAction(t)
	r := review{action: a, temp: t.TempDir(), work: t.TempDir()}
	bin := t.TempDir()
	gh := fmt.Sprintf(`#!/bin/bash
echo "$@" >> %[1]s/gh.log
while [ $# -gt 0 ]; do [ "$1" = --jq ] && jq -r "$2" < %[1]s/answer.json; shift; done
`, r.temp)
	r.write(t, filepath.Join(r.temp, "answer.json"), answer)
	r.write(t, filepath.Join(bin, "gh"), gh)
	for _, program := range []string{"sha256sum", "unzip", "mv"} {
		r.write(t, filepath.Join(bin, program), "#!/bin/sh\n")
	}
	r.environment = append(os.Environ(), asCommand+"=1", "PATH="+bin+":"+os.Getenv("PATH"), "RUNNER_TEMP="+r.temp, "GITHUB_STEP_SUMMARY="+filepath.Join(r.temp, "summary"),
		"GITHUB_ENV="+filepath.Join(r.temp, "env"), "GITHUB_REPOSITORY=shop/mesh", "GITHUB_WORKSPACE="+r.work, "PULL_REQUEST=7", "KUMA="+program, "DOCUMENTS=mesh", "PLAN=", "ALLOW=", "FAIL_ON=", "MESH=", "RELEASE=")
	return r
}

// write writes a file, which may be a program.
func (r review) write(t *testing.T, file, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o700)
	}
	testworld.NoError(t, err)
}

// read returns the text of a file that a step wrote.
func (r review) read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.temp, file))
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

// step runs a step with further variables.
func (r review) step(t *testing.T, name string, environment ...string) (out string, err error) {
	t.Helper()
	for _, step := range r.action.Runs.Steps {
		if step.Name == name {
			c := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
			c.Dir, c.Env = r.work, append(append(r.environment, "REPOSITORY="+step.Env["REPOSITORY"]), environment...)
			text, err := c.CombinedOutput()
			return string(text), err
		}
	}
	t.Fatalf("the action has no step %s", name)
	return "", nil
}

// TestActionComments runs the steps of the action that analyze and comment. Only a comment of the
// action itself is replaced.
func TestActionComments(t *testing.T) {
	const marker = "<!-- terraform-provider-kuma mesh -->"
	r := newReview(t, `{"data": {"repository": {"pullRequest": {"comments": {"nodes": [
		{"databaseId": 41, "viewerDidAuthor": false, "body": "`+marker+`\nNot yours."}, {"databaseId": 43, "viewerDidAuthor": true, "body": "Welcome"},
		{"databaseId": 42, "viewerDidAuthor": true, "body": "`+marker+`\n### Impact"}]}}}}}`)
	testdata := filepath.Join("internal", "command", "testdata")
	for to, from := range map[string]string{filepath.Join(r.temp, "base", "mesh"): "before", filepath.Join(r.work, "mesh"): "after"} {
		testworld.NoError(t, os.CopyFS(to, os.DirFS(filepath.Join(testdata, from))))
	}
	for _, step := range []string{"Analyze", "Comment"} {
		if out, err := r.step(t, step); err != nil {
			t.Fatalf("%s: %v\n%s", step, err, out)
		}
	}
	for file, wants := range map[string][]string{
		"comment.md": {marker + "\n### Impact\n\n```text\nMesh shop: every dataplane changes.", "`http.requestTimeout`: unset → `5s`", "### Findings\n\n```text\nMesh \"shop\" has no findings.\n```\n"},
		"summary":    {"### Impact"},
		"env":        {"code=0"},
		"gh.log":     {"api --method PATCH repos/shop/mesh/issues/comments/42 --field body=@" + filepath.Join(r.temp, "comment.md")},
	} {
		for _, want := range wants {
			if got := r.read(t, file); !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", file, want, got)
			}
		}
	}
}

// TestActionReviewsAPlan runs the steps of the action for a plan: one that is accepted, one that is
// refused, and one that cannot be read.
func TestActionReviewsAPlan(t *testing.T) {
	const timeout = `{"type": "MeshTimeout", "mesh": "shop", "name": "a", "spec": {"to": [{"target_ref": {"kind": "MeshService", "name": "x"}, "default": {"idle_timeout": "1s"}}]}}`
	plan := `{"format_version": "1.2", "terraform_version": "1.15.0", "planned_values": {}, "resource_changes": [{"address": "kuma_mesh_timeout.a", "mode": "managed", "type": "kuma_mesh_timeout", "name": "a",
		"provider_name": "registry.terraform.io/kuma-universal/kuma", "change": {"actions": ["create"], "before": null, "after": ` + timeout + `, "after_unknown": {}}}]}`
	for name, test := range map[string]struct{ plan, failOn, code, want string }{
		"accepted":   {plan, "frozen", "code=0", "### Kuma: Accepted"},
		"refused":    {plan, "", "code=1", "### Kuma: Refused: 1 error."},
		"unreadable": {"{", "", "code=2", "```text\nError: plan.json: this is not the output of"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReview(t, "")
			r.environment = append(r.environment, "HOME="+r.temp, "KUMA_ENDPOINT=")
			r.write(t, filepath.Join(r.work, "plan.json"), test.plan)
			if out, err := r.step(t, "Analyze", "PLAN=plan.json", "FAIL_ON="+test.failOn); err != nil {
				t.Fatalf("%v %s", err, out)
			}
			if code, comment := r.read(t, "env"), r.read(t, "comment.md"); !strings.Contains(code, test.code) || !strings.Contains(comment, "<!-- terraform-provider-kuma plan.json -->\n") || !strings.Contains(comment, test.want) {
				t.Errorf("%s, want %s, and %q in\n%s", code, test.code, test.want, comment)
			}
		})
	}
}

// TestActionCommentsOnEachMesh checks that jobs that review the same directory as other meshes or
// releases do not replace the comments of each other.
func TestActionCommentsOnEachMesh(t *testing.T) {
	markers := map[string]string{}
	for _, inputs := range []string{"MESH= RELEASE=", "MESH=shop RELEASE=", "MESH=shop RELEASE=2.14", "MESH=shop RELEASE=3.0", "MESH=bank RELEASE=3.0"} {
		r := newReview(t, "")
		r.write(t, filepath.Join(r.work, "mesh", "mesh.yaml"), "type: Mesh\nname: shop\n---\ntype: Mesh\nname: bank\n")
		if out, err := r.step(t, "Analyze", strings.Fields(inputs)...); err != nil {
			t.Fatalf("%s: %v\n%s", inputs, err, out)
		}
		marker, _, _ := strings.Cut(r.read(t, "comment.md"), "\n")
		if other, known := markers[marker]; known {
			t.Errorf("%s and %s have the marker %s", inputs, other, marker)
		}
		markers[marker] = inputs
	}
}

// TestActionComparesAnAbsolutePath checks that a path below the workspace is found in the base.
func TestActionComparesAnAbsolutePath(t *testing.T) {
	r := newReview(t, "")
	for _, root := range []string{r.work, filepath.Join(r.temp, "base")} {
		r.write(t, filepath.Join(root, "mesh", "mesh.yaml"), "type: Mesh\nname: shop\n")
	}
	out, err := r.step(t, "Analyze", "DOCUMENTS="+filepath.Join(r.work, "mesh"))
	if comment := r.read(t, "comment.md"); err != nil || !strings.Contains(comment, "Mesh shop has no dataplanes.") {
		t.Errorf("%v %s\n%s", err, out, comment)
	}
}

// TestActionReviewsTheRepairOfABase checks that a base that cannot be analyzed does not fail the
// job of the change that repairs it.
func TestActionReviewsTheRepairOfABase(t *testing.T) {
	const mesh = "type: Mesh\nname: shop\n"
	for name, test := range map[string]struct{ file, base, want string }{
		"invalid YAML":  {"mesh.yaml", "type: [", "mesh.yaml: line 1"},
		"unknown field": {"mesh.yaml", mesh + "routng: {}\n", "Did you mean \"routing\"?"},
		"no documents":  {"README.md", "# Mesh\n", "there are no Kuma resources"},
		"no directory":  {"../other", "", "The base has no documents to compare with."},
		"another mesh":  {"mesh.yaml", "type: Mesh\nname: old\n", "Mesh shop has no dataplanes."},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReview(t, "")
			r.write(t, filepath.Join(r.work, "mesh", "mesh.yaml"), mesh)
			r.write(t, filepath.Join(r.temp, "base", "mesh", test.file), test.base)
			out, err := r.step(t, "Analyze")
			if comment := r.read(t, "comment.md"); err != nil || r.read(t, "env") != "code=0\n" || !strings.Contains(comment, test.want) {
				t.Errorf("%v %s, %s want %s in\n%s", err, out, r.read(t, "env"), test.want, comment)
			}
		})
	}
}

// TestActionQuotesDocuments checks that neither documents nor the names of their files change the
// structure of the comment.
func TestActionQuotesDocuments(t *testing.T) {
	const odd = "x\n```\n\x1b[31m<!-- `` -->"
	for name, wrong := range map[string]string{"label.yaml": "", odd + ".yaml": "", "wrong" + odd + ".yaml": "a: [", "of-the-command.yaml": ""} {
		t.Run(name, func(t *testing.T) {
			r := newReview(t, "")
			if name == "of-the-command.yaml" { // whose output is not what the test above expects
				fake := filepath.Join(r.temp, "fake")
				r.write(t, fake, "#!/bin/sh\n[ $1 = impact ] || printf '```\\n# x\\n````\\n# x\\n'\n")
				r.environment = append(r.environment, "KUMA="+fake)
			}
			mesh := "type: Mesh\nname: shop\n---\n{type: Dataplane, mesh: shop, name: web, labels: {app: web}, networking: {address: 192.0.2.1, inbound: [{port: 80}]}}\n"
			timeout := fmt.Sprintf("---\n{type: MeshTimeout, mesh: shop, name: a, spec: {to: [{targetRef: {kind: MeshService, labels: {app: %q}}, default: {idleTimeout: 1s}}]}}\n", odd)
			r.write(t, filepath.Join(r.temp, "base", "mesh", name), mesh+wrong)
			r.write(t, filepath.Join(r.work, "mesh", name), mesh+timeout+wrong)
			if out, err := r.step(t, "Analyze"); err != nil {
				t.Fatalf("%v %s", err, out)
			}
			fence, headings := "", []string{}
			for line := range strings.Lines(r.read(t, "comment.md")) {
				line = strings.TrimSuffix(line, "\n")
				switch ticks := len(line) - len(strings.TrimLeft(line, "`")); {
				case fence == "" && ticks >= 3:
					fence = line[:ticks]
				case fence != "" && ticks >= len(fence):
					fence = ""
				case fence == "" && regexp.MustCompile("^#|<|\x1b").MatchString(regexp.MustCompile("`.*`").ReplaceAllString(line, "")):
					headings = append(headings, line)
				}
			}
			if diff := cmp.Diff([]string{"<!-- terraform-provider-kuma mesh -->", "### Impact", "### Findings"}, headings); diff != "" || fence != "" {
				t.Errorf("the comment has another structure (-want +got):\n%s\n%s", diff, r.read(t, "comment.md"))
			}
		})
	}
}

// TestActionPinnedByCommit checks that the action finds the release of its own commit.
func TestActionPinnedByCommit(t *testing.T) {
	commit := strings.Repeat("0a", 20)
	r := newReview(t, `[{"name": "v0.2.0", "commit": {"sha": "`+strings.Repeat("1", 40)+`"}}, {"name": "v0.1.0", "commit": {"sha": "`+commit+`"}}]`)
	if out, err := r.step(t, "Download", "TAG="+commit); err != nil || !strings.Contains(r.read(t, "gh.log"), "release download v0.1.0 --repo kuma-universal/terraform-provider-kuma") {
		t.Errorf("%v %s\n%s", err, out, r.read(t, "gh.log"))
	}
	out, err := r.step(t, "Download", "TAG="+strings.Repeat("2", 40))
	if want := "Set the input version."; err == nil || !strings.Contains(out, want) {
		t.Errorf("%v %s, want %s", err, out, want)
	}
}

// TestActionFetchesTheBaseOnce runs the step that fetches the base twice, as a job does that
// reviews two directories, and in the next job of the same runner.
func TestActionFetchesTheBaseOnce(t *testing.T) {
	needPrograms(t, "bash", "git")
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
		if step.Name == "Fetch the base" {
			run(work, "BASE="+base+"\n"+step.Run)
			run(work, "BASE="+base+"\n"+step.Run)
			run(temp, "rm -r base") // as before the next job of a runner that keeps the clone
			run(work, "BASE="+base+"\n"+step.Run)
		}
	}
	if got := run(filepath.Join(temp, "base"), "git rev-parse HEAD"); got != base {
		t.Errorf("the base is %s, want %s", got, base)
	}
}
