package embedded_test

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const webFile = "meshtimeouts/default/web.yaml"

// TestLinkToAFile checks that an update writes to the target of a symbolic link, and
// that a deletion removes only the link.
func TestLinkToAFile(t *testing.T) {
	t.Parallel()
	for name, links := range map[string]map[string]string{
		"in the same folder": {webFile: "shared.yaml"},
		"in another folder":  {webFile: "../../shared/shared.yaml"},
		"by another link":    {webFile: "../../a.yaml", "a.yaml": "shared/../b.yaml", "b.yaml": "shared/shared.yaml"},
		"in a linked folder": {"meshtimeouts/default": "../shared/deep/default", "shared/deep/default/web.yaml": "../../shared.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			s := newServer(t, directory)
			put(t, s, defaultMesh)
			target := filepath.Join(directory, "shared", "shared.yaml")
			if name == "in the same folder" {
				target = filepath.Join(directory, "meshtimeouts", "default", "shared.yaml")
			}
			write(t, target, "type: MeshTimeout\nname: web\nspec:\n  to:\n  - targetRef: {kind: Mesh}\n    default: {idleTimeout: 30s}\n")
			link(t, directory, links)
			before := read(t, s, webPath)

			put(t, s, webTimeout)
			expectLinks(t, directory, links)
			if text, err := os.ReadFile(target); err != nil || !strings.Contains(string(text), "idleTimeout: 1m0s") {
				t.Errorf("the target after an update: %v\n%s", err, text)
			}
			if after := read(t, s, webPath); after["creationTime"] != before["creationTime"] || after["modificationTime"] == before["modificationTime"] {
				t.Errorf("times before the update %v, after it %v", before, after)
			}
			expectNoDraft(t, directory)

			wantStatus(t, http.StatusOK, s, http.MethodDelete, webPath, nil, nil)
			if _, err := os.Lstat(filepath.Join(directory, filepath.FromSlash(webFile))); !os.IsNotExist(err) {
				t.Errorf("the link after the deletion: %v, want none", err)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("the target after the deletion: %v", err)
			}
		})
	}
}

// TestLinkToNothing checks that the first write creates the target of a symbolic link.
func TestLinkToNothing(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	s := newServer(t, directory)
	put(t, s, defaultMesh)
	links := map[string]string{webFile: "../../shared.yaml"}
	link(t, directory, links)
	wantStatus(t, http.StatusCreated, s, http.MethodPut, webPath, onlyCreate, []byte(webTimeout))
	expectLinks(t, directory, links)
	if _, err := os.Stat(filepath.Join(directory, "shared.yaml")); err != nil {
		t.Errorf("the target: %v", err)
	}
}

// TestLinkOutOfTheDirectory checks that nothing outside the directory is read or
// written, and that the link can be deleted.
func TestLinkOutOfTheDirectory(t *testing.T) {
	t.Parallel()
	for name, links := range map[string]struct{ web, initial string }{
		"relative": {"../../../outside.yaml", "../../../new.yaml"},
		"absolute": {"OUTER/outside.yaml", "OUTER/new.yaml"},
		"circular": {"web.yaml", "mesh-timeout-all-m.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outer := t.TempDir()
			directory := filepath.Join(outer, "mesh")
			s := newServer(t, directory)
			put(t, s, defaultMesh)
			write(t, filepath.Join(outer, "outside.yaml"), "type: MeshTimeout\nname: web\nspec: {}\n")
			link(t, directory, map[string]string{
				webFile: strings.Replace(links.web, "OUTER", outer, 1),
				// It comes with the mesh, and is written without being read.
				"meshtimeouts/m/mesh-timeout-all-m.yaml": strings.Replace(links.initial, "OUTER", outer, 1),
			})
			before := fileContents(t, outer)
			for _, request := range []struct{ method, path, body string }{
				{http.MethodGet, webPath, ""},
				{http.MethodPut, webPath, webTimeout},
				{http.MethodPut, "/meshes/m", `{"type":"Mesh","name":"m"}`},
			} {
				if status, body := send(t, s, request.method, request.path, asJSON, []byte(request.body)); status != http.StatusInternalServerError || !strings.Contains(jsonText(t, body, "detail"), directory) {
					t.Errorf("%s %s: status %d, want 500 with the file\n%s", request.method, request.path, status, body)
				}
			}
			after := fileContents(t, outer)
			for _, files := range []map[string]string{before, after} {
				maps.DeleteFunc(files, func(file, _ string) bool { return filepath.Dir(file) != outer })
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("files outside changed (-before +after):\n%s", diff)
			}
			wantStatus(t, http.StatusOK, s, http.MethodDelete, webPath, nil, nil)
		})
	}
}

// link makes symbolic links in a directory: targets by name.
func link(t *testing.T, directory string, links map[string]string) {
	t.Helper()
	for name, target := range links {
		name = filepath.Join(directory, filepath.FromSlash(name))
		if strings.HasSuffix(target, "/default") {
			testworld.NoError(t, os.MkdirAll(filepath.Join(filepath.Dir(name), filepath.FromSlash(target)), 0o755))
		}
		testworld.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		if err := os.Symlink(filepath.FromSlash(target), name); err != nil {
			t.Skipf("the file system has no symbolic links: %v", err)
		}
	}
}

func expectLinks(t *testing.T, directory string, links map[string]string) {
	t.Helper()
	for name, target := range links {
		if got, err := os.Readlink(filepath.Join(directory, filepath.FromSlash(name))); filepath.ToSlash(got) != target {
			t.Errorf("%s is a link to %q (%v), want %q", name, got, err, target)
		}
	}
}

// TestFailedWriteLeavesNoDraft checks that a write that cannot replace its file leaves
// no temporary file. Initial policies are written without being read before.
func TestFailedWriteLeavesNoDraft(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	s := newServer(t, directory)
	testworld.NoError(t, os.MkdirAll(filepath.Join(directory, "meshtimeouts", "m", "mesh-timeout-all-m.yaml"), 0o755))
	wantStatus(t, http.StatusInternalServerError, s, http.MethodPut, "/meshes/m", asJSON, []byte(`{"type":"Mesh","name":"m"}`))
	expectNoDraft(t, directory)
}

func expectNoDraft(t *testing.T, directory string) {
	t.Helper()
	for file := range fileContents(t, directory) {
		if filepath.Base(file) == ".draft" {
			t.Errorf("%s is left behind", file)
		}
	}
}
