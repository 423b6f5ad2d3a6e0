package testworld

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
			files, err := world.Encode(about)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ParseWorld(name, files)
			if err != nil {
				t.Fatal(err)
			}
			want := world
			want.Name, want.Informational, want.YAML = name, about["informational"] != nil, got.YAML
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the world that was read (-want +got):\n%s", diff)
			}
			description := Document(t, string(files[caseFile]))
			counts, _ := description["resourceCounts"].(map[string]any)
			if description["title"] != "a timeout" || len(counts) != 3 {
				t.Errorf("%s holds %v", caseFile, description)
			}
		})
	}
}

func TestIndentedKeepsSpelling(t *testing.T) {
	t.Parallel()
	got, err := Indented(JSON(t, `{"z": [1.50, "<é>", {}, [], null], "a": {"b": true}}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = "{\n \"a\": {\n  \"b\": true\n },\n \"z\": [\n  1.50,\n  \"<é>\",\n  {},\n  [],\n  null\n ]\n}\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("indented (-want +got):\n%s", diff)
	}
}
