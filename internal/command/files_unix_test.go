//go:build unix

package command_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestFilesOfAllSorts checks that the linter names what it cannot read, follows links, and ends.
func TestFilesOfAllSorts(t *testing.T) {
	t.Chdir(t.TempDir())
	const mesh = "type: Mesh\nname: shop\n"
	for _, dir := range []string{"mesh", "elsewhere"} {
		testworld.NoError(t, os.Mkdir(dir, 0o700))
	}
	write(t, "mesh/mesh.yaml", mesh)
	write(t, "elsewhere/timeout.yaml", "{type: MeshTimeout, mesh: shop, name: linked, spec: {to: [{targetRef: {kind: Mesh}, default: {idelTimeout: 1s}}]}}\n")
	write(t, "mesh/binary.yaml", "a\x00b")
	links := map[string]string{"mesh/link": "../elsewhere", "mesh/loop": ".", "linked": "mesh", "mesh/broken.yaml": "nowhere"}
	for link, to := range links {
		if err := os.Symlink(to, link); err != nil {
			t.Skip("the file system has no links:", err)
		}
	}
	if err := syscall.Mkfifo("mesh/fifo.yaml", 0o600); err != nil {
		t.Skip("the file system has no pipes:", err)
	}
	for _, path := range []string{"mesh", "linked"} {
		out, errs, code := run(t, "", "lint", path)
		for _, want := range []string{
			"invalid-document: " + path + "/binary.yaml:1\n  Is not text", "invalid-document: " + path + "/fifo.yaml:1\n  Is not a regular file", "invalid-document: " + path + "/broken.yaml:1\n  No such file", `MeshTimeout "linked"`,
		} {
			if !strings.Contains(out, want) || code != 1 || strings.Count(out, "binary.yaml") != 1 {
				t.Errorf("exit code %d, want %q in\n%s%s", code, want, out, errs)
			}
		}
	}
	if out, errs, code := run(t, "", "lint", "/dev/zero"); code != 1 || !strings.Contains(out, "/dev/zero:1\n  Is not a regular file.") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// TestLintOfManyFields checks that the processor time for a document grows with its size: 100,000 fields
// took more than 40 seconds. A busy machine does not change this time much.
func TestLintOfManyFields(t *testing.T) { //nolint:paralleltest // it measures the process
	processor := func(fields int) time.Duration {
		var b strings.Builder
		b.WriteString("type: Mesh\nname: shop\n---\ntype: MeshTimeout\nmesh: shop\nname: a\nspec:\n  to: [{targetRef: {kind: Mesh}, default: {idleTimeout: 1s}}]\n")
		for i := range fields {
			fmt.Fprintf(&b, "  field%d: 1\n", i)
		}
		used := func() time.Duration {
			var usage syscall.Rusage
			testworld.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
			return time.Duration(usage.Utime.Nano())
		}
		before := used()
		if _, _, code := run(t, b.String(), "lint", "-format", "sarif", "-"); code != 1 {
			t.Errorf("exit code %d", code)
		}
		return used() - before
	}
	if few, many := processor(20_000), processor(100_000); many > 12*few {
		t.Errorf("five times as many fields take %s instead of %s", many, few)
	}
}
