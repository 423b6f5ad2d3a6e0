package embedded_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const (
	defaultMesh = `{"type":"Mesh","name":"default","skipCreatingInitialPolicies":["*"]}`
	webTimeout  = `{"type":"MeshTimeout","mesh":"default","name":"web","spec":{"to":[{"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"60s"}}]}}`
	webPath     = "/meshes/default/meshtimeouts/web"
)

func TestNew(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	file := filepath.Join(directory, "file")
	write(t, file, "")
	for name, test := range map[string]struct {
		directory string
		ok        bool
	}{
		"there":        {directory, true},
		"missing":      {filepath.Join(directory, "a", "b"), true},
		"not set":      {"", false},
		"file":         {file, false},
		"below a file": {filepath.Join(file, "a"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := embedded.New(embedded.Config{Directory: test.directory, Release: kuma.Newest2()}); (err == nil) != test.ok {
				t.Errorf("New(%q) = %v, want ok %t", test.directory, err, test.ok)
			}
		})
	}
}

func TestReadsAndRefusedWritesLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	directory := filepath.Join(t.TempDir(), "mesh")
	s := newServer(t, directory)
	for path, want := range map[string]int{
		"/": http.StatusOK, "/config": http.StatusOK, "/who-am-i": http.StatusOK, "/_resources": http.StatusOK,
		"/meshes": http.StatusOK, "/meshtimeouts": http.StatusOK,
		"/meshes/default": http.StatusNotFound, "/meshes/default/meshtimeouts": http.StatusNotFound, webPath: http.StatusNotFound,
	} {
		if got, body := send(t, s, http.MethodGet, path, nil, nil); got != want {
			t.Errorf("GET %s: status %d, want %d\n%s", path, got, want, body)
		}
	}
	send(t, s, http.MethodDelete, webPath, nil, nil)
	send(t, s, http.MethodPut, webPath, asJSON, []byte(webTimeout))
	send(t, s, http.MethodPut, "/meshes/default", asJSON, []byte(`{"type":"Mesh"}`))
	if _, err := os.Stat(directory); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory was created: %v", err)
	}
}

// TestHandWrittenFile checks that files edited by users are completed like documents
// of clients, and that every request sees the latest content.
func TestHandWrittenFile(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	s := newServer(t, directory)
	write(t, filepath.Join(directory, "meshes", "default.yaml"), "type: Mesh\nname: default\n")
	file := filepath.Join(directory, "meshtimeouts", "default", "web.yaml")
	for _, idle := range []string{"60s", "90s"} {
		write(t, file, "type: MeshTimeout\nname: web # the mesh is the default one\nspec:\n  to:\n  - targetRef: {kind: Mesh}\n    default: {idleTimeout: "+idle+"}\n")
		got := read(t, s, webPath)
		want := map[string]any{
			"type": "MeshTimeout", "mesh": "default", "name": "web", "kri": "kri_mt_default_zone-1__web_",
			"labels": map[string]any{"kuma.io/env": "universal", "kuma.io/mesh": "default", "kuma.io/origin": "zone", "kuma.io/zone": "zone-1"},
			"spec": map[string]any{"to": []any{map[string]any{
				"targetRef": map[string]any{"kind": "Mesh"},
				"default":   map[string]any{"idleTimeout": map[string]string{"60s": "1m0s", "90s": "1m30s"}[idle]},
			}}},
		}
		if got["modificationTime"] == nil {
			t.Error("a file without times has no modificationTime")
		}
		testworld.Equal(t, fmt.Sprintf("GET %s", webPath), want, document(got))
	}
}

func TestBrokenFile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, detail string }{
		"syntax":        {"type: MeshTimeout\nname: web\nspec: {\n", "web.yaml:3: did not find expected node content"},
		"value":         {"type: MeshTimeout\nname: web\n\nspec:\n  to: 5\n", "web.yaml:5: spec.to: "},
		"in a list":     {"type: MeshTimeout\nname: web\nspec:\n  to:\n  - targetRef:\n      kind: Mesh\n    default:\n      idleTimeout: soon\n", "web.yaml:8: spec.to[0].default.idleTimeout: "},
		"missing field": {"type: MeshTimeout\nname: web\nspec:\n  to:\n  - targetRef:\n      kind: Mesh\n    default: {}\n", "web.yaml:7: spec.to[0].default: "},
		"missing spec":  {"# mine\ntype: MeshTimeout\nname: web\n", "web.yaml:2: spec: "},
		"behind an anchor": {
			"type: MeshTimeout\nname: web\nspec:\n  targetRef: &all {kind: Mesh}\n  to:\n  - targetRef: *all\n    default:\n      idleTimeout: soon\n",
			"web.yaml:8: spec.to[0].default.idleTimeout: ",
		},
		"two mistakes":   {"type: MeshTimeout\nname: web\nspec:\n  to:\n  - targetRef: {kind: Mesh}\n    default:\n      connectionTimeout: a\n      idleTimeout: b\n", "; line 8: spec.to[0].default.idleTimeout: "},
		"misspelled":     {"type: MeshTimeout\nname: web\nspec:\n  to:\n  - targetRef: {kind: Mesh}\n    defalt:\n      idleTimeout: 60s\n    default:\n      idleTimeout: 90s\n", `web.yaml:6: spec.to[0].defalt: MeshTimeout does not have the field "defalt" here`},
		"suggestion":     {"type: MeshTimeout\nname: web\nspec:\n  targetReff: {kind: Mesh}\n", `Did you mean "targetRef"? Supported fields: targetRef, to, from and rules. Correct the file`},
		"newer field":    {"type: MeshTimeout\nname: web\nspec: {to: []}\nextension: {a: 1}\n", `web.yaml:4: extension: MeshTimeout does not have the field "extension" here`},
		"two misspelled": {"type: MeshTimeout\nname: web\nspec:\n  to:\n  - targetRef: {kind: Mesh}\n    default: {idleTimeout: soon}\n  too: []\n", `; line 7: spec.too: MeshTimeout does not have the field "too" here`},
		"other name":     {"type: MeshTimeout\nname: other\nspec: {}\n", "web.yaml:2: the document describes"},
		"other mesh":     {"type: MeshTimeout\nname: web\nmesh: shop\nspec: {}\n", "web.yaml:3: the document describes"},
		"no document":    {"# nothing yet\n", "web.yaml:1: the file must contain one document"},
		"two of them":    {"a: 1\n---\nb: 2\n", "web.yaml:1: the file must contain one document"},
		"not a mapping":  {"- a\n", "object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			s := newServer(t, directory)
			put(t, s, defaultMesh)
			file := filepath.Join(directory, "meshtimeouts", "default", "web.yaml")
			write(t, file, test.text)
			for _, path := range []string{webPath, "/meshes/default/meshtimeouts", "/meshtimeouts"} {
				status, body := send(t, s, http.MethodGet, path, nil, nil)
				if status != http.StatusInternalServerError || !strings.Contains(string(body), "web.yaml") || !strings.Contains(string(body), "Correct the file") || !strings.Contains(jsonText(t, body, "detail"), test.detail) {
					t.Errorf("GET %s: status %d, want 500 with the file and %q\n%s", path, status, test.detail, body)
				}
			}
			wantStatus(t, http.StatusInternalServerError, s, http.MethodPut, webPath, asJSON, []byte(webTimeout))
			if status, body := send(t, s, http.MethodDelete, webPath, nil, nil); status != http.StatusOK {
				t.Errorf("DELETE: status %d, want 200\n%s", status, body)
			}
		})
	}
}

// TestPageReadsOnlyItsOwnFiles checks that the pages of a long list do not each read
// the whole list.
func TestPageReadsOnlyItsOwnFiles(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	s := newServer(t, directory)
	put(t, s, defaultMesh)
	for _, name := range []string{"a", "b"} {
		put(t, s, strings.Replace(webTimeout, `"name":"web"`, `"name":"`+name+`"`, 1))
	}
	write(t, filepath.Join(directory, "meshtimeouts", "default", "c.yaml"), "broken")
	for _, list := range []string{"/meshtimeouts", "/meshes/default/meshtimeouts"} {
		if page := read(t, s, list+"?size=2"); fmt.Sprint(page["total"]) != "3" {
			t.Errorf("%s: total = %v, want 3", list, page["total"])
		}
		for _, rest := range []string{"?size=2&offset=2", "?size=1&filter[labels.kuma.io/origin]=zone"} {
			wantStatus(t, http.StatusInternalServerError, s, http.MethodGet, list+rest, nil, nil)
		}
	}
}

// TestPageAfterTheEnd checks that the page at the largest offset is empty and the last
// one. On a 32-bit system, the end of such a page overflows.
func TestPageAfterTheEnd(t *testing.T) {
	t.Parallel()
	s := newServer(t, t.TempDir())
	put(t, s, defaultMesh)
	page := read(t, s, fmt.Sprintf("/meshes?size=1000&offset=%d", math.MaxInt32))
	if items, _ := page["items"].([]any); len(items) > 0 || page["next"] != nil || fmt.Sprint(page["total"]) != "1" {
		t.Errorf("got %v, want an empty page of a list of 1 mesh, without a next page", page)
	}
}

// TestListDuringDeletions checks that the total of a list counts what it has, while resources
// are deleted.
func TestListDuringDeletions(t *testing.T) {
	t.Parallel()
	s := newServer(t, t.TempDir())
	const n = 60
	put(t, s, defaultMesh)
	for i := range n {
		put(t, s, strings.Replace(webTimeout, `"web"`, fmt.Sprintf(`"t%d"`, i), 1))
	}
	var deletions sync.WaitGroup
	deletions.Go(func() {
		for i := range n {
			wantStatus(t, http.StatusOK, s, http.MethodDelete, fmt.Sprintf("/meshes/default/meshtimeouts/t%d", i), nil, nil)
		}
	})
	defer deletions.Wait()
	for total := float64(n); total > 0; {
		list := read(t, s, "/meshes/default/meshtimeouts")
		total, _ = list["total"].(float64)
		if items, _ := list["items"].([]any); len(items) != int(total) {
			t.Fatalf("a list of %d items has the total %v", len(items), total)
		}
	}
}

// TestBrokenFileShowsNoKey checks that errors about a file, which may be logged,
// contain no key.
func TestBrokenFileShowsNoKey(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	s := newServer(t, directory)
	put(t, s, defaultMesh)
	write(t, filepath.Join(directory, "secrets", "default", "ca.yaml"), "type: Secret\nname: ca\ndata: |\n  -----BEGIN PRIVATE KEY-----\n  MIIEvQIBADAN\n")
	for _, path := range []string{"/meshes/default/secrets/ca", "/meshes/default/secrets"} {
		status, body := send(t, s, http.MethodGet, path, nil, nil)
		if status != http.StatusInternalServerError || !strings.Contains(string(body), "ca.yaml:3: data: ") || strings.Contains(string(body), "MIIEvQIBADAN") {
			t.Errorf("GET %s: status %d, want 500 with the place and without the key\n%s", path, status, body)
		}
	}
}

// TestHostileNames checks that no name leads to a file outside the directory, or to
// that of another name inside it.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	directory := filepath.Join(outer, "mesh")
	s := newServer(t, directory)
	put(t, s, defaultMesh)
	put(t, s, webTimeout)
	write(t, filepath.Join(outer, "x.yaml"), "type: MeshTimeout\nname: x\nspec: {}\n")
	if err := os.Symlink(outer, filepath.Join(directory, "meshtimeouts", "out")); err != nil {
		t.Skipf("the file system has no symbolic links to escape by: %v", err)
	}
	write(t, filepath.Join(directory, "meshes", "out.yaml"), "type: Mesh\nname: out\n")
	before := fileContents(t, outer)
	names := []string{
		"..", ".", "../x", "../../x", "..%2fx", "%2e%2e", "%2e%2e%2fx", "%2e%2e%2f%2e%2e%2fx", "a/b", "a%2Fb", `..%5cx`, "%00", "x%00",
		".lock", ".draft", "%20", "-", "a..b", "web.", ".web", "C:%5cx", "~", "%c3%a9", strings.Repeat("a", 300), strings.Repeat("a", 251),
	}
	for _, name := range names {
		for _, path := range []string{
			"/meshes/" + name, "/meshes/default/meshtimeouts/" + name, "/meshes/" + name + "/meshtimeouts/x", "/meshes/" + name + "/meshtimeouts", "/" + name, "/" + name + "/x",
			"/meshes/out/meshtimeouts/x",
		} {
			for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
				doc := fmt.Sprintf(`{"type":"MeshTimeout","mesh":"default","name":%q,"spec":{"to":[{"targetRef":{"kind":"Mesh"},"default":{"idleTimeout":"60s"}}]}}`, name)
				status, body := send(t, s, method, path, asJSON, []byte(doc))
				if status == http.StatusOK {
					t.Errorf("%s %s: status %d\n%s", method, path, status, body)
				}
			}
		}
	}
	if diff := cmp.Diff(before, fileContents(t, outer)); diff != "" {
		t.Errorf("files changed (-before +after):\n%s", diff)
	}
}

func TestDeletingAMesh(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	s := newServer(t, directory)
	put(t, s, defaultMesh)
	put(t, s, `{"type":"Mesh","name":"other","skipCreatingInitialPolicies":["*"]}`)
	put(t, s, webTimeout)
	put(t, s, strings.ReplaceAll(webTimeout, "default\",\"name", "other\",\"name"))
	put(t, s, `{"type":"Dataplane","mesh":"default","name":"d","networking":{"address":"127.0.0.1","inbound":[{"port":80,"tags":{"kuma.io/service":"a"}}]}}`)

	status, body := send(t, s, http.MethodDelete, "/meshes/default", nil, nil)
	if status != http.StatusBadRequest || jsonText(t, body, "title") != "Could not delete a resource" {
		t.Fatalf("DELETE with a dataplane: status %d, want 400\n%s", status, body)
	}
	for _, path := range []string{"/meshes/default/dataplanes/d", "/meshes/default"} {
		wantStatus(t, http.StatusOK, s, http.MethodDelete, path, nil, nil)
	}
	put(t, s, defaultMesh)
	if list := read(t, s, "/meshtimeouts"); fmt.Sprint(list["total"]) != "1" {
		t.Errorf("policies after the mesh was deleted: %v, want only that of the other mesh", list)
	}
}

// TestTimes checks that the creation time stays, and that the modification time always
// advances, even if the clock does not.
func TestTimes(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s, err := embedded.New(embedded.Config{Directory: t.TempDir(), Clock: func() time.Time { return noon }})
	testworld.NoError(t, err)
	put(t, s, defaultMesh)
	put(t, s, webTimeout)
	first := read(t, s, webPath)
	put(t, s, webTimeout)
	second := read(t, s, webPath)
	if want := "2026-05-01T12:00:00Z"; first["creationTime"] != want || first["modificationTime"] != want || second["creationTime"] != want {
		t.Errorf("times %v/%v, then %v: want all %s", first["creationTime"], first["modificationTime"], second["creationTime"], want)
	}
	if first["modificationTime"] == second["modificationTime"] {
		t.Errorf("the modification time %v did not move", second["modificationTime"])
	}
}

// TestConcurrentUse checks that readers never see a partial or missing file while two
// servers replace it, and that no write is lost.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	servers := []*embedded.Server{newServer(t, directory), newServer(t, directory)}
	put(t, servers[0], defaultMesh)
	put(t, servers[0], webTimeout)
	write(t, filepath.Join(directory, "meshtimeouts", "default", ".draft"), "left behind by a crash")

	const rounds = 30
	var all sync.WaitGroup
	for w := range 4 {
		s := servers[w%2]
		all.Go(func() {
			for i := range rounds {
				filler := strings.Repeat("x", 63*(i%2))
				status, body := send(t, s, http.MethodPut, webPath, asJSON, []byte(strings.Replace(webTimeout, `"spec"`, `"labels":{"filler":"`+filler+`"},"spec"`, 1)))
				if status != http.StatusOK {
					t.Errorf("PUT: status %d\n%s", status, body)
				}
				put(t, s, strings.Replace(webTimeout, `"web"`, fmt.Sprintf(`"w%d-%d"`, w, i), 1))
			}
		})
		all.Go(func() {
			for range rounds {
				for _, path := range []string{webPath, "/meshes/default/meshtimeouts"} {
					wantStatus(t, http.StatusOK, s, http.MethodGet, path, nil, nil)
				}
			}
		})
	}
	all.Wait()
	if list := read(t, servers[0], "/meshtimeouts?size=1"); fmt.Sprint(list["total"]) != fmt.Sprint(4*rounds+1) {
		t.Errorf("total = %v, want %d", list["total"], 4*rounds+1)
	}
}

var asJSON = map[string]string{"Content-Type": "application/json"}

// TestDirectoriesAreIndependent checks that a write in progress delays no write to another
// directory.
func TestDirectoriesAreIndependent(t *testing.T) {
	t.Parallel()
	began, proceed := make(chan struct{}), make(chan struct{})
	slow, err := embedded.New(embedded.Config{Directory: t.TempDir(), Release: kuma.Newest2(), Clock: sync.OnceValue(func() time.Time {
		close(began)
		<-proceed
		return time.Now()
	})})
	testworld.NoError(t, err)
	var writers sync.WaitGroup
	writers.Go(func() { put(t, slow, defaultMesh) })
	<-began
	done := make(chan struct{})
	writers.Go(func() {
		defer close(done)
		put(t, newServer(t, t.TempDir()), defaultMesh)
	})
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("a write waits for one to another directory")
	}
	close(proceed)
	writers.Wait()
}

func newServer(t *testing.T, directory string) *embedded.Server {
	t.Helper()
	s, err := embedded.New(embedded.Config{Directory: directory, Zone: "zone-1", Release: kuma.Newest2()})
	testworld.NoError(t, err)
	return s
}

// put writes a document to its path.
func put(t *testing.T, s *embedded.Server, doc string) {
	t.Helper()
	r := testworld.Resource(t, doc)
	k, _ := kinds.Find(r.Type)
	path := "/" + k.Path + "/" + r.Name
	if r.Mesh != "" {
		path = "/meshes/" + r.Mesh + path
	}
	status, body := send(t, s, http.MethodPut, path, asJSON, []byte(doc))
	if status != http.StatusOK && status != http.StatusCreated {
		t.Fatalf("PUT %s: status %d\n%s", doc, status, body)
	}
}

func read(t *testing.T, s *embedded.Server, path string) map[string]any {
	t.Helper()
	body := wantStatus(t, http.StatusOK, s, http.MethodGet, path, nil, nil)
	var m map[string]any
	decode(t, body, &m)
	return m
}

func jsonText(t *testing.T, body []byte, field string) string {
	t.Helper()
	var m map[string]any
	decode(t, body, &m)
	return fmt.Sprint(m[field])
}

func write(t *testing.T, file, text string) {
	t.Helper()
	testworld.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	testworld.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// fileContents returns the texts of all files below a directory.
func fileContents(t *testing.T, directory string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(directory, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		texts[path] = string(data)
		return err
	})
	testworld.NoError(t, err)
	return texts
}

// TestSecretsOfAnAuthority checks that a mesh cannot refer to missing secrets, that
// secrets in use cannot be deleted, and that they survive the mesh (rest-api.md §13,
// §14).
func TestSecretsOfAnAuthority(t *testing.T) {
	t.Parallel()
	s := newServer(t, t.TempDir())
	const (
		plain    = `{"type":"Mesh","name":"shop","skipCreatingInitialPolicies":["*"]}`
		provided = `{"type":"Mesh","name":"shop","mtls":{"backends":[{"name":"a","type":"provided","conf":{"cert":{"secret":"x"},"key":{"secret":"y"}}}]}}`
		unread   = `{"type":"Mesh","name":"other","mtls":{"skipValidation":true,"backends":[{"name":"a","type":"provided","conf":{"cert":{"secret":"x"},"key":{"secret":"y"}}}]}}`
		x        = `{"type":"Secret","mesh":"shop","name":"x","data":"aGVsbG8="}`
		y        = `{"type":"Secret","mesh":"shop","name":"y","data":"aGVsbG8="}`
	)
	steps := []struct {
		name, method, path, body string
		status                   int
		fields                   []string
	}{
		{"the secrets are missing", http.MethodPut, "/meshes/shop", provided, 400, []string{"mtls.backends[0].conf.cert", "mtls.backends[0].conf.key"}},
		{"validation is skipped", http.MethodPut, "/meshes/other", unread, 201, nil},
		{"without authority", http.MethodPut, "/meshes/shop", plain, 201, nil},
		{"first secret", http.MethodPut, "/meshes/shop/secrets/x", x, 201, nil},
		{"one is missing", http.MethodPut, "/meshes/shop", provided, 400, []string{"mtls.backends[0].conf.key"}},
		{"second secret", http.MethodPut, "/meshes/shop/secrets/y", y, 201, nil},
		{"with authority", http.MethodPut, "/meshes/shop", provided, 200, nil},
		{"the secret is used", http.MethodDelete, "/meshes/shop/secrets/x", "", 400, []string{"name"}},
		{"the mesh takes the rest", http.MethodDelete, "/meshes/shop", "", 200, nil},
		{"nothing is in a missing mesh", http.MethodGet, "/meshes/shop/secrets/x", "", 404, nil},
		{"the secrets are back", http.MethodPut, "/meshes/shop", provided, 201, nil},
		{"as they were", http.MethodGet, "/meshes/shop/secrets/x", "", 200, nil},
	}
	for _, step := range steps {
		var body []byte
		if step.body != "" {
			body = []byte(step.body)
		}
		answer := wantStatus(t, step.status, s, step.method, step.path, asJSON, body)
		var failure struct {
			Violations []struct{ Field string } `json:"invalid_parameters"`
		}
		decode(t, answer, &failure)
		var got []string
		for _, v := range failure.Violations {
			got = append(got, v.Field)
		}
		testworld.Equal(t, fmt.Sprintf("%s: fields", step.name), step.fields, got)
	}
}
