package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestModules runs the tests of each example module as its authors do: all of
// them pass, and none is skipped.
func TestModules(t *testing.T) {
	needCLI(t)
	modules, err := filepath.Glob(filepath.Join(examples, "modules", "*"))
	if err != nil || len(modules) == 0 {
		t.Fatalf("modules %v: %v", modules, err)
	}
	for _, dir := range modules {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			c := newCLI(t, nil)
			c.copy(t, dir, ".")
			runs := 0
			for _, file := range testworld.Files(t, filepath.Join(dir, "tests", "*.tftest.hcl")) {
				runs += strings.Count(testworld.Text(t, file), "\nrun \"")
			}
			c.must(t, "get")
			if out, want := c.must(t, "test"), fmt.Sprintf("%d passed, 0 failed", runs); runs == 0 || !strings.Contains(out, want) {
				t.Errorf("the tests do not say %q:\n%s", want, out)
			}
			if left := c.stored(t); len(left) > 0 {
				t.Errorf("the tests leave %v behind", left)
			}
		})
	}
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

// stored returns the files of the embedded control plane of the tests of a
// module.
func (c cli) stored(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(c.dir, ".mesh", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	nested, err := filepath.Glob(filepath.Join(c.dir, ".mesh", "*", "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(append(files, nested...), func(file string) bool { return filepath.Ext(file) != ".yaml" })
}

// copy copies a directory below that of the command line.
func (c cli) copy(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(c.dir, to), os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}
