package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const recordedResources = `---
type: Mesh
name: m
---
type: MeshTimeout
mesh: m
name: t
spec:
  to: []
---
type: Dataplane
mesh: m
name: d
`

const recordedCase = "mesh: m\ncontrolPlane: {mode: zone, zone: zone-1}\n"

func testWorld(t *testing.T) *world {
	t.Helper()
	w, err := newWorld("w", map[string][]byte{
		"case.yaml":      []byte(recordedCase),
		"resources.yaml": []byte(recordedResources),
		"rules.d.json":   []byte(`{"rules":[{"toRules": null}]}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestWorldChangesWhereTheControlPlaneDoes(t *testing.T) {
	t.Parallel()
	mesh := object{"name": "m", "type": "Mesh"}
	timeout := func(spec object) object {
		return object{"type": "MeshTimeout", "mesh": "m", "name": "t", "spec": spec}
	}
	dataplane := func(name string) object { return object{"type": "Dataplane", "mesh": "m", "name": name} }
	same := timeout(object{"to": []any{}})
	rules := parse(t, `{"rules": [{"toRules": null}]}`)
	for name, tt := range map[string]struct {
		stored  []object
		answers map[string]any
		want    map[string]string // changed files, empty when deleted
	}{
		"same":     {[]object{mesh, same, dataplane("d")}, map[string]any{"d": rules}, map[string]string{}},
		"rules":    {[]object{mesh, same, dataplane("d")}, map[string]any{"d": object{}}, map[string]string{"rules.d.json": "{}\n"}},
		"resource": {[]object{mesh, timeout(object{}), dataplane("d")}, map[string]any{"d": rules}, map[string]string{"resources.yaml": "---\ntype: Mesh\nname: m\n---\ntype: MeshTimeout\nmesh: m\nname: t\nspec: {}\n---\ntype: Dataplane\nmesh: m\nname: d\n"}},
		"gone":     {[]object{mesh, same}, nil, map[string]string{"resources.yaml": strings.Split(recordedResources, "---\ntype: Dataplane")[0], "rules.d.json": ""}},
		"new":      {[]object{mesh, same, dataplane("d"), dataplane("e")}, map[string]any{"d": rules, "e": rules}, map[string]string{"resources.yaml": recordedResources + "---\ntype: Dataplane\nmesh: m\nname: e\n", "rules.e.json": "{\n \"rules\": [\n  {\n   \"toRules\": null\n  }\n ]\n}\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := testWorld(t)
			before := w.files
			changed, err := w.update(tt.stored, tt.answers)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for name := range before {
				if _, ok := w.files[name]; !ok {
					got[name] = ""
				}
			}
			for name, data := range w.files {
				if string(before[name]) != string(data) {
					got[name] = string(data)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("new files (-want +got):\n%s", diff)
			}
			if changed != (len(tt.want) > 0) {
				t.Errorf("changed = %v", changed)
			}
		})
	}
}

// TestOwners checks that a world with synchronized resources is written to the
// control planes that own them, under the names that they have there.
func TestOwners(t *testing.T) {
	t.Parallel()
	global, east, west := newServer("global"), newServer("east"), newServer("west")
	d := &sites{all: []*server{global, east, west}, zones: map[string]*server{"east": east, "west": west}}
	resource := func(name, labels string) object {
		return object{"type": "MeshTimeout", "mesh": "m", "name": name, "labels": parse(t, labels)}
	}
	onGlobal := &world{name: "on-global", mesh: "m", resources: []object{
		{"type": "Mesh", "name": "m"},
		resource("a-5c8v", `{"kuma.io/display-name": "a", "kuma.io/origin": "zone", "kuma.io/zone": "east"}`),
		resource("b-5c8v", `{"k8s.kuma.io/namespace": "ns", "kuma.io/display-name": "b", "kuma.io/origin": "zone", "kuma.io/zone": "west"}`),
		resource("c", `{"x": "y"}`),
	}}
	onEast := &world{name: "on-east", mesh: "m", zone: "east", resources: []object{
		{"type": "Mesh", "name": "m"},
		resource("a", `{"kuma.io/origin": "zone", "kuma.io/zone": "east", "own": ""}`),
		resource("b-5c8v", `{"k8s.kuma.io/namespace": "ns", "kuma.io/display-name": "b", "kuma.io/origin": "global", "kuma.io/zone": "west"}`),
		resource("c-9x4f", `{"kuma.io/display-name": "c", "kuma.io/origin": "global", "x": "y"}`),
	}}
	var got []string
	meshes, resources := d.possessions([]*world{onGlobal, onEast})
	for _, p := range slices.Concat(append(resources, meshes)...) {
		got = append(got, p.owner.endpoint+" "+phrase.JSON(without(p.resource, "type", "mesh")))
	}
	want := []string{
		`east {"labels":{"kuma.io/origin":"zone","kuma.io/zone":"east","own":""},"name":"a"}`,
		`west {"labels":{"k8s.kuma.io/namespace":"ns","kuma.io/display-name":"b","kuma.io/origin":"zone","kuma.io/zone":"west"},"name":"b.ns"}`,
		`global {"labels":{"x":"y"},"name":"c"}`,
		`global {"name":"m"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("possessions (-want +got):\n%s", diff)
	}
}

// storeServer stores what is written to it, and returns it.
func storeServer(t *testing.T) *httptest.Server {
	t.Helper()
	var mu sync.Mutex
	stored := map[string]string{}
	fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case r.Method == http.MethodPut:
			body := make([]byte, r.ContentLength)
			_, _ = r.Body.Read(body)
			stored[r.URL.Path] = string(body)
			w.WriteHeader(http.StatusCreated)
		case r.URL.Path == "/meshes" || r.URL.Path == "/dataplanes" || r.URL.Path == "/meshtimeouts":
			var items []string
			for path, document := range stored {
				if kind := strings.Split(path, "/"); "/"+kind[len(kind)-2] == r.URL.Path {
					items = append(items, document)
				}
			}
			fmt.Fprintf(w, `{"items": [%s]}`, strings.Join(items, ", "))
		case strings.HasSuffix(r.URL.Path, "/_rules"):
			fmt.Fprint(w, `{"rules": [{"toRules": null}]}`)
		case stored[r.URL.Path] != "":
			fmt.Fprint(w, stored[r.URL.Path])
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(fake.Close)
	return fake
}

func TestStoredWorldIsRead(t *testing.T) {
	t.Parallel()
	d := &sites{all: []*server{newServer(storeServer(t).URL)}}
	w := testWorld(t)
	if err := d.store(t.Context(), []*world{w}); err != nil {
		t.Fatal(err)
	}
	got, err := d.read(t.Context(), []*world{w})
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := w.update(got[w].stored, got[w].answers); changed || err != nil {
		t.Errorf("changed = %v, %v; %s", changed, err, w.files["resources.yaml"])
	}
}

func TestChangedWorldsAreWritten(t *testing.T) {
	t.Parallel()
	dir, review := t.TempDir(), filepath.Join(t.TempDir(), "review")
	for name, data := range testWorld(t).files {
		writeFile(t, filepath.Join(dir, "loose", name), string(data))
	}
	archive := filepath.Join(dir, "archive.tar.gz")
	files := map[string][]byte{}
	for name, data := range testWorld(t).files {
		files["./packed/"+name] = data
	}
	if err := testworld.WriteArchive(archive, files); err != nil {
		t.Fatal(err)
	}
	sets, err := readWorlds(dir)
	if err != nil {
		t.Fatal(err)
	}
	before := map[*world]map[string][]byte{}
	for _, set := range sets {
		w := set.worlds[0]
		before[w] = w.files
		w.files = map[string][]byte{"case.yaml": []byte(recordedCase), "resources.yaml": []byte("type: Mesh\nname: m\n")}
		if err := set.write(before, review); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "loose", "rules.d.json")); !os.IsNotExist(err) {
		t.Errorf("an answer that is gone is still there (%v)", err)
	}
	if got := readFile(t, filepath.Join(review, "recorded", "packed", "rules.d.json")); !strings.Contains(got, "toRules") {
		t.Errorf("recorded answer for review: %s", got)
	}
	sets, err = readWorlds(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		if got := len(set.worlds[0].files); got != 2 {
			t.Errorf("%s has %d files, want 2", set.place, got)
		}
	}
}
