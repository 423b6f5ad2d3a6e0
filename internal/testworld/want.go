package testworld

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the files of expected output with the actual output")

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
		tb.Errorf("%s, which -update rewrites (-want +got):\n%s", file, diff)
	}
}
