package testworld

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWriteWorld checks that a world that is written is the same when it is
// read back, including its description.
func TestWriteWorld(t *testing.T) {
	t.Parallel()
	for name, about := range map[string]map[string]any{
		"w01":               {"title": "a timeout"},
		"w02-informational": {"title": "a timeout", "informational": "the order is random"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			world := World{
				Mesh: "shop",
				Resources: Resources(t, `
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
				Answers: map[string]any{"web-1": JSON(t, `{"httpMatches": [], "rules": [{"type": "MeshTimeout", "weight": 1.50}]}`)},
			}
			dir := t.TempDir()
			if err := WriteWorld(filepath.Join(dir, name), world, about); err != nil {
				t.Fatal(err)
			}
			got := readWorlds(t, dir)
			if len(got) != 1 {
				t.Fatalf("%d worlds, want one", len(got))
			}
			want := world
			want.Name, want.Informational, want.YAML = name, about["informational"] != nil, got[0].YAML
			if diff := cmp.Diff([]World{want}, got); diff != "" {
				t.Errorf("the world that was read (-want +got):\n%s", diff)
			}
			description := Document(t, Text(t, filepath.Join(dir, name, caseFile)))
			counts, _ := description["resourceCounts"].(map[string]any)
			if description["title"] != "a timeout" || len(counts) != 3 {
				t.Errorf("%s holds %v", caseFile, description)
			}
		})
	}
}
