package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/embedded"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestEqualVerdicts checks that there are no differences from the embedded
// control plane, which validates with the same declarations.
func TestEqualVerdicts(t *testing.T) {
	t.Parallel()
	s := fakeSite(t, func(map[string]any) {})
	equal, err := compareVerdicts(t.Context(), s, settings{verdicts: 60, seed: 1})
	if err != nil || !equal {
		t.Errorf("compareVerdicts = %t, %v", equal, err)
	}
}

// TestPlantedVerdict checks that a control plane that accepts all documents is detected.
func TestPlantedVerdict(t *testing.T) {
	t.Parallel()
	store, err := embedded.New(embedded.Config{Directory: t.TempDir(), Zone: "zone-1"})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/meshtimeouts/") {
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write([]byte("{}"))
			return
		}
		store.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s, err := connect(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.put(t.Context(), testworld.Resources(t, smallWorld)[0]); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ document, want string }{
		"as we say": {`
type: MeshRetry
mesh: m
name: a
spec: {to: []}
`, ""},
		"taken by it": {`
type: MeshTimeout
mesh: m
name: a
spec:
  to:
    - {targetRef: {kind: Mesh}, default: {}}
`, "only our checks reject: MeshTimeout spec.to[].default"},
		"taken by both": {`
type: MeshTimeout
mesh: m
name: a
spec:
  to:
    - targetRef: {kind: Mesh}
      default: {idleTimeout: 1s}
`, ""},
		"rejected by all": {`
type: MeshTrace
mesh: m
name: a
spec: {default: {}}
`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, r := range testworld.Resources(t, tt.document) {
				what, _, err := verdictsOf(t.Context(), s, r)
				if err != nil || what != tt.want {
					t.Errorf("got %q, %v; want %q", what, err, tt.want)
				}
			}
		})
	}
}

// TestFreeFormVerdict checks that a control plane that names an object that it stores as
// it is sent may mean a value inside.
func TestFreeFormVerdict(t *testing.T) {
	t.Parallel()
	doc := testworld.Resources(t, `
type: Dataplane
mesh: m
name: a
metrics: {type: prometheus, conf: {aggregate: [{path: []}]}}
networking: {address: 10.0.0.1}
`)[0].Document()
	theirs := placeOf(kinds.Dataplane, doc, tree.Path{"metrics", "conf"})
	for path, want := range map[string]bool{"metrics.conf.aggregate[0].path": true, "metrics.type": false} {
		if got := samePlace(theirs, blame{path: tree.ParsePath(path)}); got != want {
			t.Errorf("metrics.conf means %s: %t, want %t", path, got, want)
		}
	}
}

// TestFilesAreNotJudged checks that documents that depend on files of the control plane
// are not compared.
func TestFilesAreNotJudged(t *testing.T) {
	t.Parallel()
	const mesh = "type: Mesh\nname: m\nmtls: {skipValidation: %t, backends: [{name: a, type: provided, conf: {cert: {file: /a}, key: {secret: b}}}]}\n"
	for _, skips := range []bool{true, false} {
		r := testworld.Resources(t, fmt.Sprintf(mesh, skips))[0]
		if got := judged(kinds.Mesh, r, kuma.Release{}); got != skips {
			t.Errorf("skipValidation %t: judged %t", skips, got)
		}
	}
}
