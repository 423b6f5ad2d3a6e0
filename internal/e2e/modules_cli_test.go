package e2e_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestModules runs the tests of each example module as its authors do, on each release:
// all of them pass, and none is skipped.
func TestModules(t *testing.T) {
	t.Parallel()
	eachModule(t, func(t *testing.T, c providertest.CLI, cp providertest.ControlPlane) {
		t.Helper()
		runs := 0
		for _, file := range testworld.Files(t, filepath.Join(c.Dir, "tests", "*.tftest.hcl")) {
			runs += strings.Count(testworld.Text(t, file), "\nrun \"")
		}
		c.Must(t, "get")
		if out, want := c.Must(t, "test"), fmt.Sprintf("%d passed, 0 failed", runs); runs == 0 || !strings.Contains(out, want) {
			t.Errorf("the tests do not say %q:\n%s", want, out)
		}
		if err := cp.IsEmpty(); err != nil {
			t.Errorf("after the tests: %v", err)
		}
	})
}

// TestModulesOfARelease applies the configuration of the guide with modules from a tag of a Git repository.
func TestModulesOfARelease(t *testing.T) {
	t.Parallel()
	providertest.NeedCLI(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("Terraform downloads the modules with git")
	}
	cp := providertest.NewControlPlane(t, providertest.Since("3.0"))
	c := providertest.NewCLI(t, map[string]string{"provider.tf": providertest.RequiredProvider + cp.Config})
	c.Copy(t, filepath.Join(providertest.Examples, "modules"), "repository/examples/modules")
	repository := filepath.Join(c.Dir, "repository")
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message=modules"},
		{"tag", "v0.1.0"},
	} {
		out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", repository}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	guide := testworld.Text(t, filepath.Join(providertest.Examples, "guides", "universal-mesh", "main.tf"))
	providertest.Write(t, filepath.Join(c.Dir, "main.tf"),
		strings.ReplaceAll(guide, "github.com/kuma-universal/terraform-provider-kuma", "git::file://"+filepath.ToSlash(repository)))
	c.Must(t, "get")
	c.Must(t, "apply", "-auto-approve")
	c.PlanIsEmpty(t)
	c.DestroysAll(t, cp)
}

// TestModulesAgain applies what the tests of each example module apply, one configuration
// after the other, and checks that the plan after each of them is empty.
func TestModulesAgain(t *testing.T) {
	t.Parallel()
	providertest.NeedNightly(t)
	eachModule(t, func(t *testing.T, c providertest.CLI, cp providertest.ControlPlane) {
		t.Helper()
		runs := appliedRuns(t, c.Dir)
		if len(runs) == 0 {
			t.Fatal("no test applies the module")
		}
		c.Dir = filepath.Join(c.Dir, "root")
		testworld.NoError(t, os.Mkdir(c.Dir, 0o700))
		providertest.Write(t, filepath.Join(c.Dir, "provider.tf"), providertest.RequiredProvider+cp.Config)
		for _, run := range runs {
			providertest.Write(t, filepath.Join(c.Dir, "main.tf"), run.config)
			c.Must(t, "get")
			c.Must(t, "apply", "-auto-approve")
			if out, code := c.Run(t, "plan", "-detailed-exitcode"); code != 0 {
				t.Errorf("the plan after %q has changes:\n%s", run.name, out)
			}
		}
		c.DestroysAll(t, cp)
	})
}

// eachModule tests a copy of each example module on each release. Tests for Kuma 2.14 do not
// run on 3.0.
func eachModule(t *testing.T, test func(t *testing.T, c providertest.CLI, cp providertest.ControlPlane)) {
	t.Helper()
	providertest.NeedCLI(t)
	modules, err := filepath.Glob(filepath.Join(providertest.Examples, "modules", "*"))
	if err != nil || len(modules) == 0 {
		t.Fatalf("modules %v: %v", modules, err)
	}
	for _, dir := range modules {
		var introduction string
		if !slices.ContainsFunc(testworld.Files(t, filepath.Join(dir, "tests", "*.tftest.hcl")), func(file string) bool { return !isFor2(t, file) }) {
			introduction = providertest.Only2
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			providertest.OnEachRelease(t, func(t *testing.T, open providertest.Opener) {
				t.Helper()
				cp := open(t, providertest.Since("2.14"), providertest.Writes(kinds.Dataplane))
				c := providertest.NewCLI(t, nil)
				c.Copy(t, dir, ".")
				for _, file := range testworld.Files(t, filepath.Join(c.Dir, "tests", "*.tftest.hcl")) {
					if isFor2(t, file) && cp.ControlPlane.Release.Kuma3() {
						testworld.NoError(t, os.Remove(file))
						continue
					}
					text := providertest.ProviderBlock.ReplaceAllLiteralString(testworld.Text(t, file), cp.ConfigWith(`reference_checks = "error"`))
					providertest.Write(t, file, strings.ReplaceAll(text, `"3.0"`, strconv.Quote(cp.ControlPlane.Release.String())))
				}
				if left, err := filepath.Glob(filepath.Join(c.Dir, "tests", "*.tftest.hcl")); err != nil || len(left) == 0 {
					t.Skip("the module is for Kuma 2.x only", err)
				}
				test(t, c, cp)
			}, introduction)
		})
	}
}

// isFor2 reports whether a file has tests for Kuma 2.14 only.
func isFor2(t *testing.T, file string) bool {
	t.Helper()
	return strings.Contains(testworld.Text(t, file), `kuma_version = "2.14"`)
}

// appliedRun is a run of a test that applies the module under test.
type appliedRun struct {
	name   string
	config string // of a root module in a directory of the module
}

// appliedRuns returns the runs of the tests of a module that apply it, each after what
// other runs set up.
func appliedRuns(t *testing.T, dir string) []appliedRun {
	t.Helper()
	var applied []appliedRun
	for _, file := range testworld.Files(t, filepath.Join(dir, "tests", "*.tftest.hcl")) {
		text := strings.ReplaceAll(testworld.Text(t, file), `"./tests/`, `"../tests/`)
		parsed, diags := hclwrite.ParseConfig([]byte(text), file, hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		setup, arguments := "", map[string]*hclwrite.Attribute{}
		for _, block := range parsed.Body().Blocks() {
			module, variables := block.Body().FirstMatchingBlock("module", nil), block.Body().FirstMatchingBlock("variables", nil)
			switch {
			case block.Type() == "variables":
				arguments = block.Body().Attributes()
			case block.Type() != "run" || block.Body().GetAttribute("command") != nil:
			case module == nil:
				own := maps.Clone(arguments)
				if variables != nil {
					maps.Copy(own, variables.Body().Attributes())
				}
				applied = append(applied, appliedRun{block.Labels()[0], setup + moduleCall(setup, own)})
			case variables == nil:
				setup += "module \"setup\" {\n" + string(module.Body().BuildTokens(nil).Bytes()) + "}\n"
			}
		}
	}
	return applied
}

// moduleCall is a call of the module under test, after the setup.
func moduleCall(setup string, arguments map[string]*hclwrite.Attribute) string {
	call := hclwrite.NewBlock("module", []string{"this"})
	call.Body().SetAttributeValue("source", cty.StringVal("./.."))
	for name, argument := range arguments {
		call.Body().SetAttributeRaw(name, argument.Expr().BuildTokens(nil))
	}
	if setup != "" {
		call.Body().SetAttributeRaw("depends_on", hclwrite.TokensForIdentifier("[module.setup]"))
	}
	return string(call.BuildTokens(nil).Bytes())
}

// TestModuleGuide checks that the tests of the module in the guide print what the
// guide shows, fail when clients get other settings, and name the policy.
func TestModuleGuide(t *testing.T) {
	providertest.NeedCLI(t)
	t.Parallel()
	c := providertest.NewCLI(t, nil)
	c.Copy(t, filepath.Join(providertest.Examples, "modules", "canary"), ".")
	c.Must(t, "get")
	out := c.Must(t, "test")
	_, shown, _ := strings.Cut(testworld.Text(t, testworld.Path("templates", "guides", "test-a-module.md.tmpl")), "$ terraform test\n")
	shown, _, _ = strings.Cut(shown, "\n```")
	if openTofu := strings.Contains(c.Must(t, "version"), "OpenTofu"); !openTofu && (shown == "" || !strings.Contains(out, shown)) {
		t.Errorf("the tests do not print what the guide shows, %q:\n%s", shown, out)
	}

	main := filepath.Join(c.Dir, "main.tf")
	providertest.Write(t, main, strings.Replace(testworld.Text(t, main), "weight = 100 - var.weight", "weight = 100", 1))
	out, code := c.Run(t, "test")
	if want := "← checkout-canary"; code == 0 || !strings.Contains(out, want) {
		t.Errorf("with another split, the tests end with %d and do not say %q:\n%s", code, want, out)
	}
}
