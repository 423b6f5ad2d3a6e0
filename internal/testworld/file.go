package testworld

import (
	"os"
	"path/filepath"
	"testing"
)

// Text returns the content of a file.
func Text(tb testing.TB, file string) string {
	tb.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// NoError ends a test that cannot continue because of an error.
func NoError(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// Files returns the files that match a pattern of filepath.Glob, in order of name.
// A pattern that matches none fails the test.
func Files(tb testing.TB, pattern string) []string {
	tb.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		tb.Fatal(err)
	}
	if len(files) == 0 {
		tb.Fatalf("no files match %s", pattern)
	}
	return files
}

// Path returns the path of a file of the repository. Tests run in the directory of their
// package.
func Path(elem ...string) string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(append([]string{dir}, elem...)...)
		}
		if dir == filepath.Dir(dir) {
			panic("the tests do not run inside the module")
		}
		dir = filepath.Dir(dir)
	}
}
