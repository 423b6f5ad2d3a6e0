package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestModules runs the tests of each example module the way its authors do: all of
// them pass, and none is left out.
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
		})
	}
}

// copy copies a directory below that of the command line.
func (c cli) copy(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(c.dir, to), os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}
