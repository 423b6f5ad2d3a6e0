//go:build unix

package embedded_test

import (
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallFilesEnv runs TestFullDiskLeavesNoDraft in a process whose files cannot
// grow, which has the effect of a full disk.
const smallFilesEnv = "EMBEDDED_SMALL_FILES"

// TestFullDiskLeavesNoDraft checks that a write that fails halfway leaves only the old
// file.
func TestFullDiskLeavesNoDraft(t *testing.T) {
	if os.Getenv(smallFilesEnv) == "" {
		t.Parallel()
		limited := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		limited.Env = append(os.Environ(), smallFilesEnv+"=1")
		if out, err := limited.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	directory := t.TempDir()
	s := newServer(t, directory)
	put(t, s, defaultMesh)
	put(t, s, webTimeout)
	before := fileContents(t, directory)
	signal.Ignore(syscall.SIGXFSZ)
	const longest = 4 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: longest, Max: longest}); err != nil {
		t.Skipf("the size of files cannot be limited: %v", err)
	}
	for _, name := range []string{"web", "new"} {
		status, body := send(t, s, http.MethodPut, timeoutPath(name), asJSON, []byte(timeoutDocument(name, 1)))
		if status != http.StatusInternalServerError || !strings.Contains(string(body), "write "+filepath.Join(directory, "meshtimeouts", "default", name+".yaml")+": ") {
			t.Errorf("PUT %s: status %d, want 500 with the name of the file\n%s", name, status, body)
		}
	}
	for file, text := range fileContents(t, directory) {
		if before[file] != text {
			t.Errorf("%s is %q, want %q", file, text, before[file])
		}
	}
	expectNoDraft(t, directory)
}
