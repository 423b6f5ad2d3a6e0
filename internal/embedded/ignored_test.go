package embedded_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestIgnoredFiles checks that files that look like resources but are ignored are
// reported, with the name that they must have.
func TestIgnoredFiles(t *testing.T) {
	t.Parallel()
	const (
		timeout = "type: MeshTimeout\nname: web\nspec: {}\n"
		shop    = "type: Mesh\nname: shop\n"
		pattern = "the file of a resource must be named <path>/<mesh>/<name>.yaml, or <path>/<name>.yaml outside meshes, where <path> is the path of the kind in the API, such as meshes"
	)
	for name, test := range map[string]struct{ file, text, advice string }{
		"resource":              {"meshtimeouts/default/web.yaml", timeout, ""},
		"resource, broken":      {"meshtimeouts/default/web.yaml", "{", ""},
		"mesh":                  {"meshes/shop.yaml", shop, ""},
		"no YAML":               {"README.md", "# Our mesh", ""},
		"hidden file":           {"meshes/.shop.yaml", shop, ""},
		"hidden folder":         {".github/workflow.yaml", "on: push", ""},
		"other extension":       {"meshtimeouts/default/web.yml", timeout, "rename it to meshtimeouts/default/web.yaml"},
		"extension in capitals": {"meshes/shop.YAML", shop, "rename it to meshes/shop.yaml"},
		"name in capitals":      {"meshtimeouts/default/Web.yaml", timeout, "rename it to meshtimeouts/default/web.yaml"},
		"mesh in capitals":      {"meshtimeouts/Default/web.yaml", timeout, "rename it to meshtimeouts/default/web.yaml"},
		"folder of no kind":     {"timeouts/default/web.yaml", timeout, "rename it to meshtimeouts/default/web.yaml"},
		"no folder":             {"shop.yaml", shop, "rename it to meshes/shop.yaml"},
		"mesh in a subfolder":   {"meshes/shop/shop.yaml", shop, "rename it to meshes/shop.yaml"},
		"policy without mesh":   {"meshtimeouts/web.yaml", timeout, "rename it to meshtimeouts/default/web.yaml"},
		"invalid name":          {"meshes/Shop.yaml", "type: Mesh\nname: Shop\n", `rename Mesh "Shop": use at most 250 lowercase letters, digits, "-" and "."`},
		"two documents":         {"all.yaml", shop + "---\n" + timeout, pattern},
		"no resource":           {"values.yml", "replicas: 2\n", pattern},
		"unknown kind":          {"retries/default/web.yaml", "type: Retry\nname: web\n", pattern},
		"no text":               {"meshes/shop.yml", "{", pattern},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			write(t, filepath.Join(directory, filepath.FromSlash(test.file)), test.text)
			var want []embedded.Ignored
			if test.advice != "" {
				want = []embedded.Ignored{{File: test.file, Advice: test.advice}}
			}
			wantIgnored(t, directory, want...)
		})
	}
}

func wantIgnored(t *testing.T, directory string, want ...embedded.Ignored) {
	t.Helper()
	got, err := newServer(t, directory).Ignored()
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Ignored() error %v (-want +got):\n%s", err, diff)
	}
}

func TestIgnoredFileWhoseNameIsTaken(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	for _, name := range []string{"shop.yaml", "shop.yml"} {
		write(t, filepath.Join(directory, "meshes", name), "type: Mesh\nname: shop\n")
	}
	wantIgnored(t, directory, embedded.Ignored{File: "meshes/shop.yml", Advice: "delete it, or merge it into meshes/shop.yaml, which contains the same resource"})
}

// TestIgnoredFilesAndLinks checks that a file is read if a symbolic link with the
// right name leads to it.
func TestIgnoredFilesAndLinks(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	for _, name := range []string{"linked", "other"} {
		write(t, filepath.Join(directory, "shared", name+".yaml"), "type: Mesh\nname: "+name+"\n")
	}
	link(t, directory, map[string]string{"meshes/linked.yaml": "../shared/linked.yaml", "meshes/other.yml": "../shared/other.yaml"})
	const advice = "rename it to meshes/other.yaml"
	wantIgnored(t, directory, embedded.Ignored{File: "meshes/other.yml", Advice: advice}, embedded.Ignored{File: "shared/other.yaml", Advice: advice})
}

// TestIgnoredFilesOfItsOwn checks that files of the embedded control plane are not
// reported, and that the directory need not exist.
func TestIgnoredFilesOfItsOwn(t *testing.T) {
	t.Parallel()
	directory := filepath.Join(t.TempDir(), "mesh")
	s := newServer(t, directory)
	for range 2 {
		if got, err := s.Ignored(); err != nil || got != nil {
			t.Errorf("Ignored() = %v, %v, want none", got, err)
		}
		put(t, s, `{"type":"Mesh","name":"default"}`)
		put(t, s, webTimeout)
		put(t, s, `{"type":"Secret","mesh":"default","name":"x","data":"aGVsbG8="}`)
		send(t, s, "DELETE", "/meshes/default", nil, nil) // leaves the secret
		put(t, s, `{"type":"Mesh","name":"other"}`)
		testworld.NoError(t, os.WriteFile(filepath.Join(directory, "meshes", ".draft"), nil, 0o600))
	}
}
