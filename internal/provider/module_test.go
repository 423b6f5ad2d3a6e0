package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestModule runs the tests of the example module the way its authors do, and
// sees them fail when a timeout changes.
func TestModule(t *testing.T) {
	needCLI(t)
	dir := filepath.Join(examples, "module")
	c := newCLI(t, map[string]string{"main.tf": testworld.Text(t, filepath.Join(dir, "main.tf"))})
	if err := os.CopyFS(filepath.Join(c.dir, "tests"), os.DirFS(filepath.Join(dir, "tests"))); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(c.must(t, "version"), "OpenTofu") {
		t.Skip("OpenTofu 1.12 gives later runs no outputs of a run that only plans")
	}
	c.must(t, "get")
	if out := c.must(t, "test"); !strings.Contains(out, "2 passed, 0 failed") {
		t.Errorf("terraform test says:\n%s", out)
	}
	if _, err := os.Stat(filepath.Join(c.dir, ".mesh")); err == nil {
		t.Error("the test wrote to the store")
	}
	write(t, filepath.Join(c.dir, "main.tf"), strings.Replace(testworld.Text(t, filepath.Join(c.dir, "main.tf")), `"15s"`, `"16s"`, 1))
	out, code := c.run(t, "test")
	if want := "http.requestTimeout = 16s ← checkout-timeout"; code == 0 || !strings.Contains(out, want) {
		t.Errorf("with another timeout, terraform test ends with %d and does not say %q:\n%s", code, want, out)
	}
}
