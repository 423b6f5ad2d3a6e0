package embedded_test

import (
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

var release2 = kuma.Release{Major: 2, Minor: 14}

// TestDirectoryKeepsItsRelease checks which release a directory has, whether or not one is
// requested.
func TestDirectoryKeepsItsRelease(t *testing.T) {
	t.Parallel()
	const mesh = "type: Mesh\nname: default\n"
	for name, test := range map[string]struct {
		files   map[string]string
		release kuma.Release // requested
		want    string       // version, or part of the error
	}{
		"new":                      {nil, kuma.Release{}, "3.0.1-embedded"},
		"new, 2.14 requested":      {nil, release2, "2.14.3-embedded"},
		"other files":              {map[string]string{"README.md": "", "notes/a.yaml": ""}, release3, "3.0.1-embedded"},
		"resources":                {map[string]string{"meshes/default.yaml": mesh}, kuma.Release{}, "2.14.3-embedded"},
		"resources, 2.14":          {map[string]string{"meshes/default.yaml": mesh}, release2, "2.14.3-embedded"},
		"resources, 3.0":           {map[string]string{"meshes/default.yaml": mesh}, release3, "the directory belongs to a control plane of Kuma 2.14, not 3.0"},
		"recorded":                 {map[string]string{".kuma-version": "3.0\n", "meshes/default.yaml": mesh}, kuma.Release{}, "3.0.1-embedded"},
		"recorded, equal":          {map[string]string{".kuma-version": "3.0"}, release3, "3.0.1-embedded"},
		"recorded, different":      {map[string]string{".kuma-version": "3.0\n"}, release2, "the directory belongs to a control plane of Kuma 3.0, not 2.14"},
		"recorded, not supported":  {map[string]string{".kuma-version": "1.0\n"}, kuma.Release{}, `.kuma-version: "1.0" is not supported: the file must contain 2.14 or 3.0`},
		"requested, not supported": {nil, kuma.Release{Major: 2, Minor: 9}, `"2.9" is not supported`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			for file, text := range test.files {
				write(t, filepath.Join(directory, filepath.FromSlash(file)), text)
			}
			s, err := embedded.New(embedded.Config{Directory: directory, Release: test.release})
			if err != nil {
				if !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %q, want %q", err, test.want)
				}
				return
			}
			testworld.Equal(t, "version", test.want, read(t, s, "/")["version"])
		})
	}
}

// TestFirstWriteRecordsTheRelease checks that a directory has the release of the first
// write from then on, also for a control plane that was started before.
func TestFirstWriteRecordsTheRelease(t *testing.T) {
	t.Parallel()
	directory := filepath.Join(t.TempDir(), "mesh")
	open := func(release kuma.Release) (*embedded.Server, error) {
		return embedded.New(embedded.Config{Directory: directory, Release: release})
	}
	early, err := open(release2)
	testworld.NoError(t, err)
	s, err := open(release3)
	testworld.NoError(t, err)
	send(t, s, http.MethodPut, "/meshes/default", asJSON, []byte(`{"type":"Mesh"}`))
	if _, err := open(release2); err != nil {
		t.Fatalf("a rejected write recorded the release: %v", err)
	}
	put(t, s, defaultMesh)
	if text := fileContents(t, directory)[filepath.Join(directory, ".kuma-version")]; text != "3.0\n" {
		t.Errorf("recorded release %q", text)
	}
	_, err = open(release2)
	want := &embedded.ReleaseError{File: filepath.Join(directory, ".kuma-version"), Kept: embedded.Releases()[1], Requested: embedded.Releases()[0]}
	if got := (*embedded.ReleaseError)(nil); !errors.As(err, &got) || *got != *want {
		t.Errorf("error %v, want %v", err, want)
	}
	status, body := send(t, early, http.MethodPut, "/meshes/shop", asJSON, []byte(`{"type":"Mesh","name":"shop"}`))
	if status != http.StatusInternalServerError || !strings.Contains(string(body), "the directory belongs to a control plane of Kuma 3.0, not 2.14") {
		t.Errorf("write of a control plane of another release: status %d\n%s", status, body)
	}
}

// TestUpgradeOfADirectory checks that stored resources are read as Kuma 3.0 does:
// without removed fields, and not at all if their kind was removed (release3.md §1, §4).
func TestUpgradeOfADirectory(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	old := newServer(t, directory)
	put(t, old, `{"type":"Mesh","name":"default","mtls":{"backends":[{"name":"a","type":"builtin"}]}}`)
	put(t, old, `{"type":"MeshGateway","mesh":"default","name":"edge","selectors":[{"match":{"kuma.io/service":"edge"}}],"conf":{"listeners":[{"port":80,"protocol":"HTTP"}]}}`)
	write(t, filepath.Join(directory, ".kuma-version"), "3.0\n")
	s, err := embedded.New(embedded.Config{Directory: directory, Zone: "zone-1"})
	testworld.NoError(t, err)
	if got := read(t, s, "/meshes/default"); got["mtls"] != nil {
		t.Errorf("mesh with mtls: %v", got)
	}
	initial := read(t, s, "/meshes/default/meshtimeouts/mesh-timeout-all-default")
	if spec, _ := initial["spec"].(map[string]any); spec["from"] != nil || spec["to"] == nil {
		t.Errorf("initial policy: %v", initial)
	}
	ignored, err := s.Ignored()
	want := []embedded.Ignored{{File: "meshgateways/default/edge.yaml", Advice: "delete it: Kuma 3.0 removed the kind MeshGateway"}}
	if diff := cmp.Diff(want, ignored); err != nil || diff != "" {
		t.Errorf("Ignored() error %v (-want +got):\n%s", err, diff)
	}
}
