package testworld

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the files of expected output with the actual output")

// Equal reports the differences between what a test wants and what it got.
func Equal(tb testing.TB, what string, want, got any, options ...cmp.Option) {
	tb.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Want fails a test whose output differs from the content of a file. With the
// flag -update it writes the file first.
func Want(tb testing.TB, file, got string) {
	tb.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	if diff := cmp.Diff(Text(tb, file), got); diff != "" {
		tb.Errorf("%s (-want +got):\n%s\nIf the change is intended, write the file again: %s", file, diff, updateCommand(tb))
	}
}

// updateCommand is the command that rewrites the files of a test.
func updateCommand(tb testing.TB) string {
	tb.Helper()
	here, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	dir, err := filepath.Rel(Path(), here)
	if err != nil {
		tb.Fatal(err)
	}
	test, _, _ := strings.Cut(tb.Name(), "/")
	return fmt.Sprintf("go test ./%s -run '^%s$' -update", filepath.ToSlash(dir), test)
}
