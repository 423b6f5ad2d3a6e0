package oracle_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestEncodedWorld checks that an encoded world is the same when it is read,
// including its description.
func TestEncodedWorld(t *testing.T) {
	t.Parallel()
	for name, about := range map[string]map[string]any{
		"w01":               {"title": "a timeout"},
		"w02-informational": {"title": "a timeout", "informational": "the order is random"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			world := testworld.World{
				Mesh: "shop",
				Resources: testworld.Resources(t, `
type: Mesh
name: shop
---
type: MeshTimeout
mesh: shop
name: web
labels:
  team: a
spec:
  to:
    - targetRef:
        kind: Mesh
      default:
        idleTimeout: 1s
---
type: Dataplane
mesh: shop
name: web-1
networking:
  address: 192.0.2.1
  inbound:
    - port: 80
      tags:
        kuma.io/service: web
`),
				Answers: map[string]any{"web-1": testworld.JSON(t, `{"httpMatches": [], "rules": [{"type": "MeshTimeout", "weight": 1.50}]}`)},
			}
			files, err := oracle.EncodeWorld(world, about)
			testworld.NoError(t, err)
			got, err := testworld.ParseWorld(name, files)
			testworld.NoError(t, err)
			want := world
			want.Name, want.Informational, want.YAML = name, about["informational"] != nil, got.YAML
			testworld.Equal(t, "the world that was read", want, got)
			description := testworld.Document(t, string(files[testworld.CaseFile]))
			counts, _ := description["resourceCounts"].(map[string]any)
			if description["title"] != "a timeout" || len(counts) != 3 {
				t.Errorf("%s holds %v", testworld.CaseFile, description)
			}
		})
	}
}

func TestIndentedKeepsSpelling(t *testing.T) {
	t.Parallel()
	got, err := oracle.Indented(testworld.JSON(t, `{"z": [1.50, "<é>", {}, [], null], "a": {"b": true}}`))
	testworld.NoError(t, err)
	const want = "{\n \"a\": {\n  \"b\": true\n },\n \"z\": [\n  1.50,\n  \"<é>\",\n  {},\n  [],\n  null\n ]\n}\n"
	testworld.Equal(t, "indented", want, string(got))
}

func TestArchive(t *testing.T) {
	t.Parallel()
	file, again := filepath.Join(t.TempDir(), "a.tar.gz"), filepath.Join(t.TempDir(), "b.tar.gz")
	long := "rules." + strings.Repeat("a", 90) + ".json"
	files := map[string][]byte{
		"./world/case.yaml": []byte("id: world\n"),
		"./world/" + long:   []byte("{}"),
		"./other/case.yaml": nil,
	}
	testworld.NoError(t, errors.Join(oracle.WriteArchive(file, files), oracle.WriteArchive(again, files)))
	got := testworld.WorldFiles{}
	testworld.NoError(t, got.Read(file))
	want := testworld.WorldFiles{"world": {"case.yaml": []byte("id: world\n"), long: []byte("{}")}, "other": {"case.yaml": {}}}
	testworld.Equal(t, "read what was written", want, got)
	if testworld.Text(t, file) != testworld.Text(t, again) {
		t.Error("the same files make another archive")
	}
}
