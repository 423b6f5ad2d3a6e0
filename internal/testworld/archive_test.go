package testworld

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArchive(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.tar.gz")
	want := map[string][]byte{
		"./world/case.yaml": []byte("id: world\n"),
		"./world/rules." + strings.Repeat("a", 90) + ".json": []byte("{}"),
		"./other/case.yaml": nil,
	}
	if err := WriteArchive(file, want); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]byte{}
	if err := ReadArchive(file, func(name string, data []byte) { got[name] = data }); err != nil {
		t.Fatal(err)
	}
	want["./other/case.yaml"] = []byte{}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read what was written (-want +got):\n%s", diff)
	}
	if err := WriteArchive(file, got); err != nil {
		t.Fatal(err)
	}
	if second, err := os.ReadFile(file); err != nil || !bytes.Equal(first, second) {
		t.Errorf("the same files make another archive (%v)", err)
	}
}
