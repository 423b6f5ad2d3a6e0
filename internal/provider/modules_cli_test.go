package provider_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestModules runs the tests of each example module as its authors do, on each release:
// all of them pass, and none is skipped.
func TestModules(t *testing.T) {
	t.Parallel()
	eachModule(t, func(t *testing.T, c cli, cp testControlPlane) {
		t.Helper()
		runs := 0
		for _, file := range testworld.Files(t, filepath.Join(c.dir, "tests", "*.tftest.hcl")) {
			runs += strings.Count(testworld.Text(t, file), "\nrun \"")
		}
		c.must(t, "get")
		if out, want := c.must(t, "test"), fmt.Sprintf("%d passed, 0 failed", runs); runs == 0 || !strings.Contains(out, want) {
			t.Errorf("the tests do not say %q:\n%s", want, out)
		}
		if err := cp.isEmpty(); err != nil {
			t.Errorf("after the tests: %v", err)
		}
	})
}

// TestModulesAgain applies what the tests of each example module apply, one configuration
// after the other, and checks that the plan after each of them is empty.
func TestModulesAgain(t *testing.T) {
	t.Parallel()
	eachModule(t, func(t *testing.T, c cli, cp testControlPlane) {
		t.Helper()
		runs := appliedRuns(t, c.dir)
		if len(runs) == 0 {
			t.Fatal("no test applies the module")
		}
		c.dir = filepath.Join(c.dir, "root")
		if err := os.Mkdir(c.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(c.dir, "provider.tf"), requiredProvider+cp.config)
		for _, run := range runs {
			write(t, filepath.Join(c.dir, "main.tf"), run.config)
			c.must(t, "get")
			c.must(t, "apply", "-auto-approve")
			if out, code := c.run(t, "plan", "-detailed-exitcode"); code != 0 {
				t.Errorf("the plan after %q has changes:\n%s", run.name, out)
			}
		}
		c.destroysAll(t, cp)
	})
}

// eachModule tests a copy of each example module on each release. Tests for Kuma 2.14 do not
// run on 3.0.
func eachModule(t *testing.T, test func(t *testing.T, c cli, cp testControlPlane)) {
	t.Helper()
	needCLI(t)
	modules, err := filepath.Glob(filepath.Join(examples, "modules", "*"))
	if err != nil || len(modules) == 0 {
		t.Fatalf("modules %v: %v", modules, err)
	}
	for _, dir := range modules {
		var introduction string
		if !slices.ContainsFunc(testworld.Files(t, filepath.Join(dir, "tests", "*.tftest.hcl")), func(file string) bool { return !isFor2(t, file) }) {
			introduction = only2
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			onEachRelease(t, func(t *testing.T, open opener) {
				t.Helper()
				cp := open(t, since("2.14"), writes(kinds.Dataplane))
				c := newCLI(t, nil)
				c.copy(t, dir, ".")
				for _, file := range testworld.Files(t, filepath.Join(c.dir, "tests", "*.tftest.hcl")) {
					if isFor2(t, file) && cp.ControlPlane.Release.Kuma3() {
						if err := os.Remove(file); err != nil {
							t.Fatal(err)
						}
						continue
					}
					text := providerBlock.ReplaceAllLiteralString(testworld.Text(t, file), cp.config)
					write(t, file, strings.ReplaceAll(text, `"3.0"`, strconv.Quote(cp.ControlPlane.Release.String())))
				}
				if left, err := filepath.Glob(filepath.Join(c.dir, "tests", "*.tftest.hcl")); err != nil || len(left) == 0 {
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
	needCLI(t)
	t.Parallel()
	c := newCLI(t, nil)
	c.copy(t, filepath.Join(examples, "modules", "canary"), ".")
	c.must(t, "get")
	out := c.must(t, "test")
	_, shown, _ := strings.Cut(testworld.Text(t, filepath.Join("..", "..", "templates", "guides", "test-a-module.md.tmpl")), "$ terraform test\n")
	shown, _, _ = strings.Cut(shown, "\n```")
	if openTofu := strings.Contains(c.must(t, "version"), "OpenTofu"); !openTofu && (shown == "" || !strings.Contains(out, shown)) {
		t.Errorf("the tests do not print what the guide shows, %q:\n%s", shown, out)
	}

	main := filepath.Join(c.dir, "main.tf")
	write(t, main, strings.Replace(testworld.Text(t, main), "weight = 100 - var.weight", "weight = 100", 1))
	out, code := c.run(t, "test")
	if want := "← checkout-canary"; code == 0 || !strings.Contains(out, want) {
		t.Errorf("with another split, the tests end with %d and do not say %q:\n%s", code, want, out)
	}
}

// copy copies a directory below that of the command line.
func (c cli) copy(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(c.dir, to), os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}
