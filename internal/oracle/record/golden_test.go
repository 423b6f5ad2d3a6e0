package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
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
	files := map[string][]byte{
		"case.yaml":      []byte(recordedCase),
		"resources.yaml": []byte(recordedResources),
		"rules.d.json":   []byte(`{"rules":[{"toRules": null}]}`),
	}
	w, err := testworld.ParseWorld("w", files)
	testworld.NoError(t, err)
	return &world{w, files, files}
}

func TestWorldChangesWhereTheControlPlaneDoes(t *testing.T) {
	t.Parallel()
	resources := testworld.Resources(t, recordedResources)
	mesh, timeout, dataplane := resources[0], resources[1], resources[2]
	computed, changed, other := timeout, timeout, dataplane
	computed.CreationTime, computed.Reported = time.Now(), object{"status": object{}}
	changed.Body, other.Name = object{"spec": object{}}, "e"
	rules := parse(t, `{"rules": [{"toRules": null}]}`)
	for name, tt := range map[string]struct {
		stored  []kuma.Resource
		answers map[string]any
		want    map[string]string // changed files, empty when deleted
	}{
		"same":     {[]kuma.Resource{mesh, timeout, dataplane}, map[string]any{"d": rules}, map[string]string{}},
		"computed": {[]kuma.Resource{mesh, computed, dataplane}, map[string]any{"d": rules}, map[string]string{}},
		"rules":    {[]kuma.Resource{mesh, timeout, dataplane}, map[string]any{"d": object{}}, map[string]string{"rules.d.json": "{}\n"}},
		"resource": {[]kuma.Resource{mesh, changed, dataplane}, map[string]any{"d": rules}, map[string]string{"resources.yaml": "---\ntype: Mesh\nname: m\n---\ntype: MeshTimeout\nmesh: m\nname: t\nspec: {}\n---\ntype: Dataplane\nmesh: m\nname: d\n"}},
		"gone":     {[]kuma.Resource{mesh, timeout}, nil, map[string]string{"resources.yaml": strings.Split(recordedResources, "---\ntype: Dataplane")[0], "rules.d.json": ""}},
		"new":      {[]kuma.Resource{mesh, timeout, dataplane, other}, map[string]any{"d": rules, "e": rules}, map[string]string{"resources.yaml": recordedResources + "---\ntype: Dataplane\nmesh: m\nname: e\n", "rules.e.json": "{\n \"rules\": [\n  {\n   \"toRules\": null\n  }\n ]\n}\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := testWorld(t)
			testworld.NoError(t, w.update(reading{tt.stored, tt.answers}))
			got := map[string]string{}
			for name := range w.before {
				if _, ok := w.files[name]; !ok {
					got[name] = ""
				}
			}
			for name, data := range w.files {
				if string(w.before[name]) != string(data) {
					got[name] = string(data)
				}
			}
			testworld.Equal(t, "new files", tt.want, got)
			if w.changed() != (len(tt.want) > 0) {
				t.Errorf("changed = %v", w.changed())
			}
		})
	}
}

// TestOwners checks that a world with synchronized resources is written to the
// control planes that own them, under the names that they have there.
func TestOwners(t *testing.T) {
	t.Parallel()
	global, east, west := &oracle.Site{Endpoint: "global"}, &oracle.Site{Endpoint: "east"}, &oracle.Site{Endpoint: "west"}
	east.Info.Zone, west.Info.Zone = "east", "west"
	d := &oracle.Deployment{Sites: []*oracle.Site{global, east, west}}
	resource := func(name string, labels map[string]string) kuma.Resource {
		return kuma.Resource{Type: "MeshTimeout", Mesh: "m", Name: name, Labels: labels}
	}
	onGlobal := &world{World: testworld.World{Mesh: "m", Resources: []kuma.Resource{
		{Type: "Mesh", Name: "m"},
		resource("a-5c8v", map[string]string{"kuma.io/display-name": "a", "kuma.io/origin": "zone", "kuma.io/zone": "east"}),
		resource("b-5c8v", map[string]string{"k8s.kuma.io/namespace": "ns", "kuma.io/display-name": "b", "kuma.io/origin": "zone", "kuma.io/zone": "west"}),
		resource("c", map[string]string{"x": "y"}),
	}}}
	onEast := &world{World: testworld.World{Mesh: "m", Zone: "east", Resources: []kuma.Resource{
		{Type: "Mesh", Name: "m"},
		resource("a", map[string]string{"kuma.io/origin": "zone", "kuma.io/zone": "east", "own": ""}),
		resource("b-5c8v", map[string]string{"k8s.kuma.io/namespace": "ns", "kuma.io/display-name": "b", "kuma.io/origin": "global", "kuma.io/zone": "west"}),
		resource("c-9x4f", map[string]string{"kuma.io/display-name": "c", "kuma.io/origin": "global", "x": "y"}),
	}}}
	var got []string
	for _, p := range writes(d, []*world{onGlobal, onEast}) {
		got = append(got, p.Owner.Endpoint+" "+phrase.JSON(without(p.Resource.Document(), "type", "mesh")))
	}
	want := []string{
		`global {"name":"m"}`,
		`east {"labels":{"kuma.io/origin":"zone","kuma.io/zone":"east","own":""},"name":"a"}`,
		`west {"labels":{"k8s.kuma.io/namespace":"ns","kuma.io/display-name":"b","kuma.io/origin":"zone","kuma.io/zone":"west"},"name":"b.ns"}`,
		`global {"labels":{"x":"y"},"name":"c"}`,
	}
	testworld.Equal(t, "writes", want, got)
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
		case r.URL.Path == "/" || r.URL.Path == "/config":
			fmt.Fprint(w, `{"product": "Kuma", "version": "2.14.0", "mode": "zone"}`)
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
		case r.URL.Path == "/tokens/dataplane":
			fmt.Fprint(w, "header.claims.signature")
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
	s, err := oracle.Connect(t.Context(), storeServer(t).URL)
	testworld.NoError(t, err)
	d, w := &oracle.Deployment{Sites: []*oracle.Site{s}}, testWorld(t)
	if rejected, err := d.Store(t.Context(), writes(d, []*world{w})); err != nil || len(rejected) > 0 {
		t.Fatal(err, rejected)
	}
	got, err := read(t.Context(), d, []*world{w})
	testworld.NoError(t, err)
	if err := w.update(got[w]); w.changed() || err != nil {
		t.Errorf("changed = %v, %v; %s", w.changed(), err, w.files["resources.yaml"])
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
	testworld.NoError(t, oracle.WriteArchive(archive, files))
	sets, err := readWorlds(dir)
	testworld.NoError(t, err)
	for _, set := range sets {
		w := set.worlds[0]
		w.files = map[string][]byte{"case.yaml": []byte(recordedCase), "resources.yaml": []byte("type: Mesh\nname: m\n")}
		testworld.NoError(t, set.write(review))
	}
	if _, err := os.Stat(filepath.Join(dir, "loose", "rules.d.json")); !os.IsNotExist(err) {
		t.Errorf("an answer that is gone is still there (%v)", err)
	}
	if got := readFile(t, filepath.Join(review, "recorded", "packed", "rules.d.json")); !strings.Contains(got, "toRules") {
		t.Errorf("recorded answer for review: %s", got)
	}
	sets, err = readWorlds(dir)
	testworld.NoError(t, err)
	for _, set := range sets {
		if got := len(set.worlds[0].files); got != 2 {
			t.Errorf("%s has %d files, want 2", set.place, got)
		}
	}
}
