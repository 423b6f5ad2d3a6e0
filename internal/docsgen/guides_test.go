package main

import (
	"io/fs"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGuides: what the guides list is what the code has.
func TestGuides(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../..")
	for file, guide := range guides {
		want, err := guide(root)
		if err != nil {
			t.Fatal(err)
		}
		got, err := fs.ReadFile(root, file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not current, run make docs (-want +got):\n%s", file, diff)
		}
	}
}
