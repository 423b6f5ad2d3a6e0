package command_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestRehearsal checks what equal documents show of an upgrade: settings that are lost, gained and
// widened, services and the outside of the mesh that proxies no longer reach, clients that are
// refused, requests that answer 404, and certificates that proxies lose.
func TestRehearsal(t *testing.T) {
	file := filepath.Join("testdata", "rehearsal.yaml")
	out, errs, code := run(t, "", "impact", "-kuma-version", "3.0", "-exit-code", file, file)
	if errs != "" || code != 1 {
		t.Errorf("exit code %d: %s", code, errs)
	}
	testworld.Want(t, filepath.Join("testdata", "rehearsal.txt"), out)
	for _, release := range []string{"2.14", ""} {
		arguments := strings.Fields("impact -exit-code " + file + " " + file)
		if release != "" {
			arguments = append(arguments, "-kuma-version", release)
		}
		if out, _, code := run(t, "", arguments...); code != 0 {
			t.Errorf("release %q: exit code %d\n%s", release, code, out)
		}
	}
}
