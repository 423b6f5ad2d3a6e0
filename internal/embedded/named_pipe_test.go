//go:build linux || darwin

package embedded_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestNamedPipe checks that a named pipe with the name of a resource, which would wait
// for a writer, is an error that names the file.
func TestNamedPipe(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	s := newServer(t, directory)
	put(t, s, defaultMesh)
	pipe := filepath.Join(directory, filepath.FromSlash(webFile))
	testworld.NoError(t, os.MkdirAll(filepath.Dir(pipe), 0o755))
	testworld.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{webPath, filepath.Dir(webPath)} {
		if status, body := send(t, s, http.MethodGet, path, nil, nil); status != http.StatusInternalServerError || !strings.Contains(string(body), pipe+": it is not a regular file") {
			t.Errorf("GET %s: status %d\n%s", path, status, body)
		}
	}
}
